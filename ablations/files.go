package ablations

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"intentlab/ablations/task"
)

// pendingFile is a file that takes its name only when it is complete.
type pendingFile struct {
	path string
	f    *os.File
	*bufio.Writer
}

// fileSet is a group of pending files that are completed or abandoned together.
type fileSet struct{ pending []*pendingFile }

func (s *fileSet) create(path string) (*pendingFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	p := &pendingFile{path: path, f: f, Writer: bufio.NewWriterSize(f, 1<<16)}
	s.pending = append(s.pending, p)
	return p, nil
}

// commit gives every file its name, in the order of creation.
func (s *fileSet) commit() error {
	for len(s.pending) > 0 {
		p := s.pending[0]
		if err := errors.Join(p.Flush(), p.f.Chmod(0o644), p.f.Close()); err != nil {
			return fmt.Errorf("write %s: %w", p.path, err)
		}
		if err := os.Rename(p.f.Name(), p.path); err != nil {
			return fmt.Errorf("write %s: %w", p.path, err)
		}
		s.pending = s.pending[1:]
	}
	return nil
}

// abandon removes what was not committed; after a commit it does nothing.
func (s *fileSet) abandon() {
	for _, p := range s.pending {
		p.f.Close() // the file is thrown away: what closing says no longer matters
		os.Remove(p.f.Name())
	}
	s.pending = nil
}

func writeJSON(s *fileSet, path string, v any) error {
	f, err := s.create(path)
	if err != nil {
		return err
	}
	b, err := task.Canonical(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	if _, err = f.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// GraphFileName is the name of the file that holds the graph of a task: the id with ':' as '~', every
// byte other than letters, digits, '.', '_' and '-' as %xx, and ".json". Where that could meet another
// name (capital letters, on file systems that ignore case) or is too long for a file system, the
// first 16 hex digits of the id's SHA-256 follow after '~', and the name is cut to 180 bytes before.
func GraphFileName(id string) string {
	const limit = 180
	var b strings.Builder
	capital := false
	for i := range len(id) {
		c := id[i]
		switch {
		case c == ':':
			b.WriteByte('~')
		case 'A' <= c && c <= 'Z':
			capital = true
			b.WriteByte(c)
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	name := b.String()
	if capital || len(name) > limit {
		sum := sha256.Sum256([]byte(id))
		name = name[:min(len(name), limit)] + "~" + hex.EncodeToString(sum[:8])
	}
	return name + ".json"
}

// PlacementError says that gold would stand where a predictor may read it. It is a mistake of the
// request, not of the machine.
type PlacementError struct{ text string }

func (e *PlacementError) Error() string { return e.text }

// separateTrees reports a *PlacementError unless neither folder lies in the other, links resolved.
func separateTrees(out, gold string) error {
	o, err := resolved(out)
	if err != nil {
		return err
	}
	g, err := resolved(gold)
	if err != nil {
		return err
	}
	inside := func(a, b string) bool {
		return a == b || strings.HasPrefix(a, strings.TrimSuffix(b, string(filepath.Separator))+string(filepath.Separator))
	}
	switch {
	case inside(g, o):
		return &PlacementError{fmt.Sprintf("the gold folder %s lies in the model-visible folder %s: name one outside", gold, out)}
	case inside(o, g):
		return &PlacementError{fmt.Sprintf("the model-visible folder %s lies in the gold folder %s: name one outside", out, gold)}
	}
	return nil
}

// resolved follows links as far as the path exists.
func resolved(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", path, err)
	}
	rest := ""
	for dir := abs; ; {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("resolve %s: %w", path, err)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return abs, nil
		}
		rest, dir = filepath.Join(filepath.Base(dir), rest), up
	}
}
