package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree reads all files of the formats' folders below dir.
func tree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, f := range formats {
		err := filepath.WalkDir(filepath.Join(dir, f.folder), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, p)
			files[filepath.ToSlash(rel)] = b
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestGenerateReproducesTheCommittedSample(t *testing.T) {
	dir := t.TempDir()
	if err := generate(dir); err != nil {
		t.Fatal(err)
	}
	want, got := tree(t, ".."), tree(t, dir)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is no longer written; run go generate ./experiments", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !bytes.Equal(want[name], got[name]) {
			t.Errorf("%s differs from what is committed; run go generate ./experiments", name)
		}
	}
}

func TestGenerateIsSmallAndSaysWhatItIs(t *testing.T) {
	size := 0
	for name, b := range tree(t, "..") {
		size += len(b)
		if strings.Contains(string(b), "http") && !strings.Contains(string(b), ".example") {
			t.Errorf("%s names a host that is not reserved for examples", name)
		}
	}
	if size > 4<<20 {
		t.Errorf("the sample takes %d bytes, want at most 4 MiB", size)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "Fixture data, not results") {
		t.Error("the README does not say that this is fixture data")
	}
}

func TestGenerateReplacesWhatWasThereAndReportsAnUnwritableFolder(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "weblinx", "stale.json")
	if err := os.MkdirAll(filepath.Dir(stale), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := generate(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("a file of an earlier run is still there")
	}
	var stderr bytes.Buffer
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"-out", blocked}, &stderr); code != 1 || !strings.Contains(stderr.String(), "generate: ") {
		t.Errorf("exit %d, %q", code, stderr.String())
	}
	if code := run([]string{"-nonsense"}, &stderr); code != 2 {
		t.Errorf("exit %d for an unknown flag", code)
	}
}

func TestDealFollowsTheWeights(t *testing.T) {
	counts := make([]int, 3)
	for _, l := range deal(60, []int{3, 2, 1}) {
		counts[l]++
	}
	if !slices.Equal(counts, []int{30, 20, 10}) {
		t.Errorf("dealt %v", counts)
	}
}
