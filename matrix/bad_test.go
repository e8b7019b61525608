package matrix

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares got with a file under testdata, or rewrites the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

func TestEveryMistakeIsReportedAtItsPlaceWithASuggestion(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 35 {
		t.Fatalf("only %d mistakes are covered", len(files))
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			e, src, diags := Load([]string{f}, testInputs())
			if e != nil || !diags.HasErrors() {
				t.Fatalf("%s loads", f)
			}
			golden(t, strings.TrimSuffix(f, ".hcl")+".golden", rendered(t, diags, src))
		})
	}
}
