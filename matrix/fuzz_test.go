package matrix

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// FuzzLoad reads arbitrary bytes as an experiment file, in both forms: nothing may panic, a failed
// load has an error with a message, and a good one expands.
func FuzzLoad(f *testing.F) {
	seeds, err := filepath.Glob("testdata/bad/*.hcl")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range append(seeds, "testdata/example.hcl") {
		src, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src, false)
	}
	src, err := os.ReadFile("testdata/example.hcl.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src, true)
	f.Add([]byte(secretFile), false)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, src []byte, isJSON bool) {
		name := "exp.hcl"
		if isJSON {
			name = "exp.hcl.json"
		}
		r := newReader(testInputs("A=b"))
		r.dir = dir
		r.sources.put(name, src)
		r.files = []string{filepath.Join(dir, name)}
		r.read()
		diags := r.finished()
		if err := Render(io.Discard, diags, r.sources, true, 80); err != nil {
			t.Fatal(err)
		}
		if diags.HasErrors() {
			return
		}
		r.exp.Cells()
		if len(r.exp.ConfigHash()) != 64 {
			t.Fatal("no hash")
		}
		if _, d := Format(src, name); d.HasErrors() {
			t.Fatalf("a file that loads does not format: %s", d)
		}
	})
}
