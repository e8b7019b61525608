// Package prompt turns what a task shows into the messages of a chat model: the recording as text
// within a token budget, the graph in a named form, and a Go template around them. It sees
// [task.Task] and examples for learning, nothing else.
package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"text/template"
)

// Message is one message of a conversation; Role is "system" or "user".
type Message struct{ Role, Content string }

// Page is what a template can use.
type Page struct {
	// Recording is the visible input as text (see [Recording]).
	Recording string
	// Labels are the closed labels in the order to show them; empty where the dataset has none, or
	// where the answer is constrained by a schema and the prompt need not list them.
	Labels []string
	// Examples are training examples with their answers.
	Examples []Example
	// Ratio is the asked prefix ratio such as "30 %", only for methods that declare that they show it.
	Ratio string
	// Summary is the first stage's text, for two-stage methods.
	Summary string
}

// Example is a training example as text.
type Example struct{ Recording, Answer string }

// Template is a parsed prompt. A file defines a template "user" and, if wanted, "system"; a file that
// defines neither is the user's message as a whole.
type Template struct {
	user   *template.Template
	system *template.Template
}

// Parse reads a prompt; name is for messages. A field that [Page] hasn't got is an error here, not at
// the first task.
func Parse(name, text string) (*Template, error) {
	root, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"inc":  func(i int) int { return i + 1 },
		"trim": strings.TrimSpace,
		"join": func(sep string, list []string) string { return strings.Join(list, sep) },
	}).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the prompt doesn't parse: %w", err)
	}
	t := &Template{user: root.Lookup("user"), system: root.Lookup("system")}
	switch {
	case t.user == nil && t.system != nil:
		return nil, fmt.Errorf("the prompt %s defines \"system\" but no \"user\"", name)
	case t.user == nil:
		t.user = root
	}
	full := Page{Recording: "x", Labels: []string{"a"}, Examples: []Example{{"x", "y"}}, Ratio: "10 %", Summary: "x"}
	for _, p := range []Page{full, {Recording: "x"}} {
		if _, err := t.Render(p); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Render makes the messages of a page. A prompt that comes out empty is an error.
func (t *Template) Render(p Page) ([]Message, error) {
	var out []Message
	for _, part := range []struct {
		role string
		tmpl *template.Template
	}{{"system", t.system}, {"user", t.user}} {
		if part.tmpl == nil {
			continue
		}
		var b bytes.Buffer
		if err := part.tmpl.Execute(&b, p); err != nil {
			return nil, fmt.Errorf("the prompt can't be filled in: %w", err)
		}
		if text := strings.TrimSpace(b.String()); text != "" {
			out = append(out, Message{part.role, text})
		} else if part.role == "user" {
			return nil, errors.New("the prompt comes out empty")
		}
	}
	return out, nil
}
