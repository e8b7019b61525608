// Package reply finds the structured answer in what a language model wrote. Methods and judges share
// it: both ask for one JSON object and get fences, reasoning blocks, afterthoughts and cut-off text.
//
// The ladder is that of metrics-and-judge.md B4.5, rungs 3 to 5: the whole text is an object
// ([Strict]); one fence around the whole ([Fence]); the last valid object among those that stand in
// the text ([Scan]). What makes an object valid is the caller's word, and so is rung 6, a line of
// plain text. Strings inside an object are never searched, and nothing is repaired: a bare NaN is no
// JSON, so an object that holds one doesn't parse.
package reply

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// Rung is the way in which the answer was found.
type Rung string

// The rungs of the ladder; Line is given by callers that read a line of plain text.
const (
	Strict Rung = "strict"
	Fence  Rung = "fence"
	Scan   Rung = "scan"
	Line   Rung = "regex"
)

// Object is a JSON object with its values unread.
type Object map[string]json.RawMessage

// Found is the outcome of a search. Object is nil where no valid object stands in the text; Parsed
// then tells an object of another kind (1 or more) from no object at all (0).
type Found struct {
	Object Object
	Rung   Rung
	// Parsed counts the objects that are JSON, valid or not. Several: more than one valid object stood
	// in the text, the last was taken.
	Parsed  int
	Several bool
	// Reasoned: a reasoning block was taken off first.
	Reasoned bool
	// Rest is the text without reasoning blocks, trimmed: what a caller may search for a plain line.
	Rest string
}

// Find searches text for the last object that valid accepts. It never fails: rubbish has nothing in it.
func Find(text string, valid func(Object) bool) Found {
	rest, reasoned := withoutReasoning(text)
	f := Found{Rest: rest, Reasoned: reasoned}
	if o, ok := object(rest); ok {
		f.Parsed = 1
		if valid(o) {
			f.Object, f.Rung = o, Strict
		}
		return f
	}
	if inner, ok := fenced(rest); ok {
		if o, ok := object(inner); ok {
			f.Parsed = 1
			if valid(o) {
				f.Object, f.Rung = o, Fence
			}
			return f
		}
	}
	for _, part := range balanced(rest) {
		o, ok := object(part)
		if !ok {
			continue
		}
		f.Parsed++
		if valid(o) {
			f.Several = f.Object != nil
			f.Object, f.Rung = o, Scan
		}
	}
	return f
}

// Empty reports whether a reply says nothing, apart from reasoning.
func Empty(text string) bool {
	rest, _ := withoutReasoning(text)
	return rest == ""
}

func object(s string) (Object, bool) {
	if s == "" || s[0] != '{' {
		return nil, false
	}
	var o Object
	dec := json.NewDecoder(strings.NewReader(s))
	if dec.Decode(&o) != nil || o == nil {
		return nil, false
	}
	// Anything behind the object makes it one of several pieces: the scan's business.
	return o, len(bytes.TrimSpace([]byte(s[dec.InputOffset():]))) == 0
}

// reasoning are the tags that models put around what they think before they answer.
var reasoning = []string{"think", "thinking", "reasoning", "thought"}

// withoutReasoning cuts reasoning blocks off the front and out of the middle of a text. An opening
// tag without its end means that the reply was cut off while thinking: nothing is left. A lone
// closing tag (the chat template swallowed the opening one) cuts all before it. Tags count only at
// the start of a block outside of the answer, so a block inside a JSON string stays.
func withoutReasoning(text string) (rest string, cut bool) {
	rest = strings.TrimFunc(text, blank)
	for again := true; again; {
		again = false
		for _, tag := range reasoning {
			opening, closing := "<"+tag+">", "</"+tag+">"
			if strings.HasPrefix(rest, opening) {
				_, after, ok := strings.Cut(rest, closing)
				if !ok {
					return "", true
				}
				rest, cut, again = strings.TrimFunc(after, blank), true, true
				continue
			}
			before, after, ok := strings.Cut(rest, closing)
			// Before a lone closing tag there may be drafts; an answer that quotes the tag in a string
			// starts with its brace.
			if ok && !strings.HasPrefix(before, "{") && !strings.HasPrefix(before, "```") && !strings.Contains(before, opening) {
				rest, cut, again = strings.TrimFunc(after, blank), true, true
			}
		}
	}
	return rest, cut
}

// blank are the characters that carry nothing at the ends of a reply: white space, byte-order marks
// and zero-width characters.
func blank(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == 0
}

// fenced returns what stands in a fence around the whole text.
func fenced(s string) (string, bool) {
	if !strings.HasPrefix(s, "```") || !strings.HasSuffix(s, "```") || len(s) < 6 {
		return "", false
	}
	head, body, ok := strings.Cut(s[3:len(s)-3], "\n")
	if !ok || strings.ContainsAny(head, "{}`") || strings.Contains(body, "```") {
		return "", false
	}
	return strings.TrimFunc(body, blank), true
}

// balanced returns the outermost {…} pieces of a text in order, braces inside JSON strings left
// alone. A lone brace of the talk is passed over; an object that never closes ends the search, since
// what stands in it may be quoted from the text under judgement.
func balanced(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		if s[i] != '{' {
			i++
			continue
		}
		if end := closing(s[i:]); end > 0 {
			out = append(out, s[i:i+end])
			i += end
			continue
		}
		if strings.HasPrefix(strings.TrimLeft(s[i+1:], " \t\r\n"), `"`) {
			return out
		}
		i++
	}
	return out
}

// closing is the length of the {…} piece that s starts with, or 0.
func closing(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
