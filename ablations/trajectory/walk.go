package trajectory

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// tree walks a source. Litter is reported once per file or folder and never entered. Links are
// followed, since hub clients store data behind links.
type tree struct {
	ctx  context.Context
	skip func(Skip)
	// dir is asked before a folder is entered, with the names in it; true means that it has been
	// dealt with. May be nil.
	dir  func(path string, names map[string]bool) (bool, error)
	file func(path string) error
	// sidecar is the observation file of the source, which is no data of it wherever it lies; "" for none.
	sidecar string
	beside  fs.FileInfo // of the sidecar
}

// walk visits path, a file or a folder, in natural order (train_2 before train_10).
func (t tree) walk(path string) error {
	if t.sidecar != "" {
		info, err := os.Stat(t.sidecar)
		if err != nil {
			return fmt.Errorf("look at the observations: %w", err)
		}
		t.beside = info
	}
	return t.enter(path, map[string]bool{})
}

func (t tree) enter(path string, above map[string]bool) error {
	if err := t.ctx.Err(); err != nil {
		return fmt.Errorf("walk %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look at a data file: %w", err)
	}
	if !info.IsDir() {
		if !info.Mode().IsRegular() {
			t.skip(Skip{Where: path, Reason: NotOfThisFormat, Detail: "not a regular file"})
			return nil
		}
		if t.beside != nil && os.SameFile(t.beside, info) {
			return nil
		}
		return t.file(path)
	}
	// A folder that holds a link to one of its ancestors must not be entered for ever.
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("follow a link: %w", err)
	}
	if above[real] {
		t.skip(Skip{Where: path, Reason: Litter, Detail: "a link to a folder above it"})
		return nil
	}
	above[real] = true
	defer delete(above, real)
	entries, err := readDir(t.ctx, path)
	if err != nil {
		return fmt.Errorf("list a data folder: %w", err)
	}
	if t.dir != nil {
		names := make(map[string]bool, len(entries))
		for _, e := range entries {
			names[e.Name()] = true
		}
		if done, err := t.dir(path, names); done || err != nil {
			return err
		}
	}
	sort.SliceStable(entries, func(i, j int) bool { return naturalLess(entries[i].Name(), entries[j].Name()) })
	for _, e := range entries {
		if err := t.entry(filepath.Join(path, e.Name()), e, above); err != nil {
			return err
		}
	}
	return nil
}

func (t tree) entry(path string, e fs.DirEntry, above map[string]bool) error {
	if why := litter(e.Name()); why != "" {
		t.skip(Skip{Where: path, Reason: Litter, Detail: why})
		return nil
	}
	return t.enter(path, above)
}

// litter says what kind of litter a name stands for, or "".
func litter(name string) string {
	switch {
	case name == "__MACOSX" || name == ".DS_Store" || strings.HasPrefix(name, "._"):
		return "left by macOS"
	case name == "Thumbs.db" || name == "desktop.ini":
		return "left by Windows"
	case strings.HasPrefix(name, "."):
		return "hidden file or folder"
	case strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".metadata") || strings.HasSuffix(name, ".incomplete"):
		return "left by a download client"
	}
	return ""
}

// hasExt reports whether the file name ends in one of exts, also with ".gz" behind.
func hasExt(path string, exts ...string) bool {
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	for _, e := range exts {
		if strings.HasSuffix(name, e) {
			return true
		}
	}
	return false
}

// stem is a file's name without its extension.
func stem(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// naturalLess compares names with runs of digits as numbers, then bytewise.
func naturalLess(a, b string) bool {
	x, y := a, b
	for x != "" && y != "" {
		nx, ny := digits(x), digits(y)
		if nx > 0 && ny > 0 {
			dx, dy := strings.TrimLeft(x[:nx], "0"), strings.TrimLeft(y[:ny], "0")
			if len(dx) != len(dy) {
				return len(dx) < len(dy)
			}
			if dx != dy {
				return dx < dy
			}
			x, y = x[nx:], y[ny:]
			continue
		}
		if x[0] != y[0] {
			return x[0] < y[0]
		}
		x, y = x[1:], y[1:]
	}
	if len(x) != len(y) {
		return len(x) < len(y)
	}
	return a < b
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
