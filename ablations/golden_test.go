package ablations

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"intentlab/ablations/partition"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The files of a variant are a contract with programs in other languages: a change of any byte must
// be seen in review.
func TestFilesOfAVariantAreTheGoldenOnes(t *testing.T) {
	train := booking()
	train.ID, train.Steps, train.ContextSteps = "short", train.Steps[:1], nil
	d := Dataset{Name: "web", Format: "episodes", Fingerprint: "f", Episodes: []trajectory.Episode{train, booking()}}
	d.Fold = partition.Fold{Train: []int{0}, Tests: []partition.Part{{Name: "test_web", Episodes: []int{1}}}}
	hidden := Compose(spec(t, "graph_no_utterance"), spec(t, "hide_ratio"))
	hidden.Name = "hidden"
	out := filepath.Join(t.TempDir(), "out")
	_, err := Generate(t.Context(), []Dataset{d}, []Spec{spec(t, "graph_text_hybrid"), spec(t, "actions_only"), hidden},
		GenerateOptions{Out: out, Grid: []task.Ratio{125, 400, 1000}, Evaluate: "test"})
	if err != nil {
		t.Fatal(err)
	}
	got := &txtar.Archive{Comment: []byte("Written by go test -run GoldenOnes -update; see golden_test.go.\n")}
	for _, root := range []string{"out", "out.gold"} {
		files := tree(t, filepath.Join(filepath.Dir(out), root))
		for _, name := range sortedKeys(files) {
			got.Files = append(got.Files, txtar.File{Name: root + "/" + name, Data: []byte(files[name])})
		}
	}
	golden := filepath.Join("testdata", "variant.txtar")
	text := txtar.Format(got)
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, text) {
		t.Errorf("run with -update and review: %s", cmp.Diff(string(want), string(text)))
	}
}
