// Package prompts holds the built-in prompts, one versioned file each, for methods and judges alike
// (decisions.md, "Kinds"). A prompt that has been released is never edited: a better one is a new
// file with the next version, because its text is part of every answer's key.
package prompts

import (
	"embed"
	"fmt"
	"sort"
	"strings"
)

//go:embed *.tmpl
var files embed.FS

// Read returns the text of a built-in prompt by its file's name without ".tmpl", such as "intent.v1".
func Read(name string) (string, error) {
	b, err := files.ReadFile(name + ".tmpl")
	if err != nil {
		return "", fmt.Errorf("there is no built-in prompt %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return string(b), nil
}

// Names lists the built-in prompts in byte order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // an embedded folder can always be listed
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".tmpl"))
	}
	sort.Strings(out)
	return out
}
