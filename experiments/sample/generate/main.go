// Command generate writes the sample data of intentlab: invented episodes in the on-disk formats of
// five real datasets, so that readers, methods and tables have something to work on without a
// download. It is fixture data: no line is taken from any of those datasets, and a score on it says
// nothing about any method.
//
// Usage: go run ./sample/generate [-out DIR] (from experiments/; `go generate` does it).
//
// The bytes are a function of this source alone. Every episode draws from its own SplitMix64 stream,
// seeded by its format and number, so that changing one leaves the others as they are. What is
// drawn, and why, stands at compose (the three web formats), annotate (GUI-Odyssey) and fingerTipRow:
// early steps tell nothing, then the site or app, then the goal, then its details; one step in four
// or five is a distraction; intents are templates with few values a slot, so that a training
// episode often has the same intent, or the same but for one word.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "sample", "folder that the formats' folders are written to")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := generate(*out); err != nil {
		fmt.Fprintln(stderr, "generate:", err)
		return 1
	}
	return 0
}

// formats are the folders that generate owns: it removes what they held before.
var formats = []struct {
	folder string
	write  func(*writer)
}{
	{"weblinx", webLINX}, {"mind2web", mind2Web}, {"gui_odyssey", guiOdyssey}, {"fingertip", fingerTip}, {"mt_mind2web", mtMind2Web},
}

// generate writes all formats below dir.
func generate(dir string) error {
	w := &writer{dir: dir}
	for _, f := range formats {
		if err := os.RemoveAll(filepath.Join(dir, f.folder)); err != nil {
			return fmt.Errorf("clear folder: %w", err)
		}
		f.write(w)
	}
	return w.err
}

// writer writes files below dir and keeps the first error.
type writer struct {
	dir string
	err error
}

func (w *writer) fail(name string, err error) {
	if w.err == nil {
		w.err = fmt.Errorf("write %s: %w", name, err)
	}
}

func (w *writer) bytes(name string, b []byte) {
	if w.err != nil {
		return
	}
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.fail(name, err)
		return
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		w.fail(name, err)
	}
}

// json writes v, on one line when indent is empty, without HTML escapes.
func (w *writer) json(name string, v any, indent string) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		w.fail(name, err)
		return
	}
	w.bytes(name, b.Bytes())
}

// line is one line of JSON.
func line(v map[string]string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil // a map of strings always marshals
	}
	return b.Bytes()
}
