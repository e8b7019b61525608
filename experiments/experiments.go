// Package experiments holds what `intentlab init` writes out: the sample data in the formats of five
// datasets, the starter experiment, and the example predictors. The sample knows its intents, so
// this package is imported by the command only, never by anything a predictor or judge imports
// (decisions.md, "Kinds").
package experiments

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

//go:generate go run ./sample/generate -out sample

//go:embed sample/README.md sample/weblinx sample/mind2web sample/gui_odyssey sample/fingertip sample/mt_mind2web
//go:embed starter.hcl python
var files embed.FS

// ErrExists is wrapped by [Init] when a file that it would write is there already.
var ErrExists = errors.New("file exists")

// Starter returns the commented starter experiment; its paths are relative to the folder it is
// written to, beside the sample.
func Starter() []byte {
	b, err := files.ReadFile("starter.hcl")
	if err != nil {
		return nil // the embed directive above fails the build when the file is missing
	}
	return b
}

// Sample returns the sample data; its root holds README.md and one folder a format.
func Sample() fs.FS {
	sub, err := fs.Sub(files, "sample")
	if err != nil {
		return files // only a path that is not valid fails, and this one is constant
	}
	return sub
}

// Init makes dir a first project: experiment.hcl, the sample data below sample/ and two example
// predictors below python/. It returns the files it wrote, relative to dir, in byte order. A file
// that exists is never overwritten: with other bytes it is an error that wraps [ErrExists], found
// before anything is written; with the same bytes it is left alone and not reported.
func Init(dir string) ([]string, error) {
	type file struct{ from, to string }
	todo := []file{{"starter.hcl", "experiment.hcl"}}
	for _, root := range []string{"python", "sample"} {
		err := fs.WalkDir(files, root, func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				todo = append(todo, file{p, p})
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("list embedded files: %w", err)
		}
	}
	content := make(map[string][]byte, len(todo))
	for _, f := range todo {
		b, err := files.ReadFile(f.from)
		if err != nil {
			return nil, fmt.Errorf("read embedded file: %w", err)
		}
		old, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.to)))
		switch {
		case err == nil && string(old) == string(b):
			continue
		case err == nil:
			return nil, fmt.Errorf("%s: %w; move it away or choose another folder", filepath.Join(dir, filepath.FromSlash(f.to)), ErrExists)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("look for an existing file: %w", err)
		}
		content[f.to] = b
	}
	var written []string
	for _, f := range todo {
		b, ok := content[f.to]
		if !ok {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(f.to))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return written, fmt.Errorf("make folder: %w", err)
		}
		if err := writeNew(to, b); err != nil {
			return written, err
		}
		written = append(written, f.to)
	}
	slices.Sort(written)
	return written, nil
}

// writeNew creates a file that must not exist yet.
func writeNew(name string, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("create file: %w", err)
	}
	if _, err := f.Write(b); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), f.Close())
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
