package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"intentlab/ablations/trajectory"
)

// manifest says what an entry rests on. Paths are relative to the source's, with slashes, or absolute
// where they lie elsewhere.
type manifest struct {
	Version  int
	Files    []fileMark // that were opened
	Looked   map[string]string
	Episodes int
	Digest   string // SHA-256 of the entry's compressed episodes
	path     string // of the manifest
}

type fileMark struct {
	Path   string
	Size   int64
	SHA256 string
}

const (
	manifestSuffix = ".manifest.json"
	episodesSuffix = ".jsonl.zst"
	// mostEntries of one shelf are kept, the newest: each content that a dataset had has one.
	mostEntries = 8
)

// find returns the entry whose contents are those of the source now, or nil. What is damaged is as good
// as absent.
func (s *shelf) find(ctx context.Context) *manifest {
	found, err := filepath.Glob(filepath.Join(escape(s.dir), "*"+manifestSuffix))
	if err != nil || len(found) == 0 {
		return nil
	}
	newestFirst(found)
	memo := s.loadMemo()
	defer memo.save()
	for _, path := range found {
		m, err := readManifest(path)
		if err != nil || m.Version != version {
			continue
		}
		if s.same(ctx, m, memo) && m.sound() {
			return m
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	return nil
}

// escape keeps a folder's name from being read as a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func newestFirst(paths []string) {
	when := map[string]int64{}
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil {
			when[p] = info.ModTime().UnixNano()
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int {
		if when[a] != when[b] {
			return int(min(max(when[b]-when[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
}

func readManifest(path string) (*manifest, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &manifest{path: path}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, err
	}
	return m, nil
}

// same reports whether all that the entry rests on is unchanged. The cheap tests come first, so that
// another content is mostly told without hashing.
func (s *shelf) same(ctx context.Context, m *manifest, memo *memo) bool {
	for path, was := range m.Looked {
		now, err := trajectory.LookUp(s.absolute(path), trajectory.Lists(was))
		if err != nil || now != was {
			return false
		}
	}
	for _, f := range m.Files {
		info, err := os.Stat(s.absolute(f.Path))
		if err != nil || info.Size() != f.Size {
			return false
		}
	}
	return memo.matches(ctx, s, m.Files)
}

// sound checks the episodes' file against its digest.
func (m *manifest) sound() bool {
	digest, err := hashFile(context.Background(), m.episodes())
	return err == nil && digest == m.Digest
}

func (m *manifest) episodes() string {
	return strings.TrimSuffix(m.path, manifestSuffix) + episodesSuffix
}

func (s *shelf) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.root, filepath.FromSlash(path))
}

// relative names a path that a reader used by its place relative to the source.
func (s *shelf) relative(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", path, err)
	}
	rel, err := filepath.Rel(s.root, abs)
	// One folder up is still the dataset's: split lists stand beside the folder of annotations.
	if err != nil || strings.HasPrefix(filepath.ToSlash(rel), "../../../") {
		return abs, nil
	}
	return filepath.ToSlash(rel), nil
}

// manifest makes the manifest of a trace.
func (s *shelf) manifest(trace *trajectory.Trace) (*manifest, error) {
	m := &manifest{Version: version, Looked: map[string]string{}}
	for path, found := range trace.Looked() {
		rel, err := s.relative(path)
		if err != nil {
			return nil, err
		}
		m.Looked[rel] = found
	}
	for path, digest := range trace.Files() {
		rel, err := s.relative(path)
		if err != nil {
			return nil, err
		}
		if digest == "" {
			return nil, fmt.Errorf("%s could not be hashed", path)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		m.Files = append(m.Files, fileMark{rel, info.Size(), digest})
	}
	sort.Slice(m.Files, func(i, j int) bool { return m.Files[i].Path < m.Files[j].Path })
	return m, nil
}

// prune removes the oldest entries of a shelf, and what a killed process left half-written.
func (s *shelf) prune() {
	found, err := filepath.Glob(filepath.Join(escape(s.dir), "*"+manifestSuffix))
	if err != nil || len(found) <= mostEntries {
		return
	}
	newestFirst(found)
	for _, path := range found[mostEntries:] {
		m := manifest{path: path}
		for _, p := range []string{path, m.episodes()} {
			if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.note(fmt.Sprintf("the index could not remove an old entry: %v", err))
			}
		}
	}
}
