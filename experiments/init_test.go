package experiments

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestInitWritesAProjectAndNeverOverwrites(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	written, err := Init(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(written) || !slices.Contains(written, "experiment.hcl") || !slices.Contains(written, "sample/fingertip/total.csv") ||
		!slices.Contains(written, "python/worker_predictor.py") {
		t.Errorf("wrote %d files: %v …", len(written), written[:min(5, len(written))])
	}
	got, err := os.ReadFile(filepath.Join(dir, "experiment.hcl"))
	if err != nil || !bytes.Equal(got, Starter()) {
		t.Errorf("experiment.hcl is not the starter: %v", err)
	}
	if again, err := Init(dir); err != nil || len(again) != 0 {
		t.Errorf("the second time: %v, %v", again, err)
	}
	mine := []byte("mine")
	if err := os.WriteFile(filepath.Join(dir, "experiment.hcl"), mine, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "sample", "README.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := Init(dir); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "experiment.hcl") {
		t.Errorf("got %v, want ErrExists", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "experiment.hcl")); err != nil || !bytes.Equal(got, mine) {
		t.Error("a changed file was overwritten")
	}
	if _, err := os.Stat(filepath.Join(dir, "sample", "README.md")); err == nil {
		t.Error("something was written although a file was in the way")
	}
}

func TestEmbeddedSampleIsTheSampleOnDisk(t *testing.T) {
	sample := Sample()
	n := 0
	err := fs.WalkDir(sample, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		want, err := os.ReadFile(filepath.Join("sample", filepath.FromSlash(p)))
		if err != nil {
			return err
		}
		got, err := fs.ReadFile(sample, p)
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs", p)
		}
		return err
	})
	if err != nil || n < 300 {
		t.Errorf("%d files, %v", n, err)
	}
	if _, err := fs.Stat(sample, "generate"); err == nil {
		t.Error("the generator is embedded")
	}
}
