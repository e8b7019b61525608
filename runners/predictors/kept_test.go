package predictors

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeptFileIsFoundByItsFingerprintOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a [b]*", "store.db.files")
	finished := filepath.Join(t.TempDir(), "predictions.jsonl")
	if err := os.WriteFile(finished, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k, other := Kept{dir, "aa"}, Kept{dir, "ab"}
	if path, err := k.Find(); err != nil || path != "" {
		t.Fatalf("found %q, %v before anything was kept", path, err)
	}
	want, err := k.Put(finished)
	if err != nil {
		t.Fatal(err)
	}
	if path, err := k.Find(); err != nil || path != want {
		t.Errorf("found %q, %v, want %q", path, err, want)
	}
	if path, err := other.Find(); err != nil || path != "" {
		t.Errorf("another fingerprint finds %q, %v", path, err)
	}
	if err := other.Remove(); err != nil {
		t.Fatal(err)
	}
	if path, err := k.Find(); err != nil || path != want {
		t.Errorf("removed with another: %q, %v", path, err)
	}
	if err := k.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the empty folder is still there: %v", err)
	}
	if err := k.Remove(); err != nil {
		t.Errorf("removing nothing: %v", err)
	}
}

func TestKeptFileThatWasChangedIsNotAdopted(t *testing.T) {
	dir := t.TempDir()
	finished := filepath.Join(dir, "predictions.jsonl")
	if err := os.WriteFile(finished, []byte(strings.Repeat("{}\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	k := Kept{filepath.Join(dir, "kept"), "aa"}
	path, err := k.Put(finished)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if found, err := k.Find(); err != nil || found != "" {
		t.Errorf("adopted %q, %v", found, err)
	}
	if err := RemoveKept(k.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(k.Dir); !os.IsNotExist(err) {
		t.Errorf("what is of no use is still there: %v", err)
	}
}
