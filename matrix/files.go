package matrix

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"
)

// maxText is the largest file that file() and templatefile() read: prompts, not data.
const maxText = 16 << 20

// abs resolves a path of the experiment file.
func (r *reader) abs(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(r.dir, name)
}

func (r *reader) isFile(name string) bool {
	st, err := os.Stat(r.abs(name))
	return err == nil && st.Mode().IsRegular()
}

func (r *reader) readText(name string) (string, error) {
	p := r.abs(name)
	st, err := os.Stat(p)
	if err != nil {
		return "", fmt.Errorf("can't read %s: %w", name, cause(err))
	}
	if !st.Mode().IsRegular() {
		return "", fmt.Errorf("can't read %s: not a regular file", name)
	}
	if st.Size() > maxText {
		return "", fmt.Errorf("can't read %s: larger than %d MiB", name, maxText>>20)
	}
	b, err := os.ReadFile(p)
	if err != nil {
		return "", fmt.Errorf("can't read %s: %w", name, cause(err))
	}
	if !utf8.Valid(b) {
		return "", fmt.Errorf("can't read %s: not UTF-8 text", name)
	}
	return string(b), nil
}

// cause drops the path that the os package adds, since the message names it as it was written.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// glob lists the files that match, relative to the experiment's folder with forward slashes, sorted.
// Folders are left out.
func (r *reader) glob(pattern string) ([]string, error) {
	matches, err := filepath.Glob(r.abs(pattern))
	if err != nil {
		return nil, fmt.Errorf("bad pattern %q", pattern)
	}
	var names []string
	for _, m := range matches {
		st, err := os.Stat(m)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		if !filepath.IsAbs(filepath.FromSlash(pattern)) {
			if m, err = filepath.Rel(r.dir, m); err != nil {
				return nil, fmt.Errorf("glob %q: %w", pattern, err)
			}
		}
		names = append(names, filepath.ToSlash(m))
	}
	sort.Strings(names)
	return names, nil
}

// relative names a file for keys and messages: relative to the experiment's folder, with forward
// slashes, so that a copy of the folder elsewhere has the same keys.
func (r *reader) relative(name string) string {
	if filepath.IsAbs(name) {
		if rel, err := filepath.Rel(r.dir, name); err == nil {
			name = rel
		}
	}
	return filepath.ToSlash(filepath.Clean(name))
}

// below lists the regular files of a folder, without hidden ones and hidden folders.
func below(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case d.Type().IsRegular():
			out = append(out, p)
		}
		return nil
	})
	return out, err
}

// fileDigest is the SHA-256 of a file's content, read once per load.
func (r *reader) fileDigest(name string) (string, error) {
	p := r.abs(name)
	if d, ok := r.digests[p]; ok {
		return d, nil
	}
	f, err := os.Open(p)
	if err != nil {
		return "", fmt.Errorf("can't read %s: %w", r.relative(name), cause(err))
	}
	defer f.Close() // only read: nothing to lose
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("can't read %s: %w", r.relative(name), cause(err))
	}
	d := hex.EncodeToString(h.Sum(nil))
	r.digests[p] = d
	return d, nil
}

// readIDs reads a file with one episode id a line; blank lines and lines after # count nothing.
func (r *reader) readIDs(name string) ([]string, error) {
	text, err := r.readText(name)
	if err != nil {
		return nil, err
	}
	var ids []string
	sc := bufio.NewScanner(bytes.NewReader([]byte(text)))
	sc.Buffer(nil, maxText)
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		if line != "" && !strings.HasPrefix(line, "#") {
			ids = append(ids, line)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("can't read %s: %w", name, err)
	}
	return ids, nil
}
