package experiments

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"intentlab/ablations/trajectory"
	"intentlab/judge"
	"intentlab/matrix"
	"intentlab/runners/predictors"
)

// kinds are the tables of everything built in, as far as the language needs them here.
func kinds() matrix.Kinds {
	k := matrix.Kinds{Methods: map[string]matrix.Kind{}, Judges: map[string]matrix.Kind{}, Formats: map[string]matrix.Kind{}}
	for name, m := range predictors.Kinds {
		k.Methods[name] = matrix.Kind{Name: name, Options: m.Options, Needs: matrix.Needs(m.Needs), Deterministic: m.Deterministic, CodeVersion: m.CodeVersion, Built: true}
	}
	for name, j := range judge.Kinds {
		k.Judges[name] = matrix.Kind{Name: name, Options: j.Options, CodeVersion: j.CodeVersion, Built: true}
	}
	for name, f := range trajectory.Formats {
		k.Formats[name] = matrix.Kind{Name: name, Options: f.Options, Built: true, Groups: f.Groups, SplitUnit: f.SplitUnit}
	}
	return k
}

func load(t *testing.T, file string, vars ...string) *matrix.Experiment {
	t.Helper()
	e, sources, diags := matrix.Load([]string{file}, matrix.Inputs{Kinds: kinds(), Vars: vars,
		Getenv: func(string) (string, bool) { return "", false }, Environ: func() []string { return nil }})
	if diags.HasErrors() {
		var text strings.Builder
		if err := matrix.Render(&text, diags, sources, false, 100); err != nil {
			t.Error(err)
		}
		t.Fatal(text.String())
	}
	if len(e.NotBuilt) > 0 {
		t.Errorf("%s can't run: %v", file, e.NotBuilt)
	}
	return e
}

func TestEachExperimentHereValidatesAndExpands(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]struct{ datasets, ablations, methods, seeds, cells int }{
		// Folds count as cells: 5 datasets × 5 ablations × 5 methods × 5 folds.
		"quickstart.hcl": {5, 5, 5, 1, 625},
		"command.hcl":    {3, 2, 4, 1, 24},
		"starter.hcl":    {2, 3, 5, 1, 150},
		// FingerTip in 5 folds, the others once; only the prior draws and takes all three seeds.
		"ablation-matrix.hcl": {5, 8, 7, 3, 9 * 8 * (6 + 3)},
	} {
		e := load(t, file)
		if len(e.Datasets) != want.datasets || len(e.Ablations) != want.ablations || len(e.Methods) != want.methods || len(e.Seeds) != want.seeds {
			t.Errorf("%s: %d datasets, %d ablations, %d methods, %d seeds; want %+v", file, len(e.Datasets), len(e.Ablations), len(e.Methods), len(e.Seeds), want)
		}
		if got := len(e.Cells()); got != want.cells {
			t.Errorf("%s: %d cells, want %d", file, got, want.cells)
		}
		if filepath.Base(filepath.Dir(e.Store)) != "output" || file != "starter.hcl" && filepath.Dir(filepath.Dir(e.Store)) != root {
			t.Errorf("%s stores its results in %s", file, e.Store)
		}
	}
}

func TestQuickstartUsesTheSampleAndJudgesChineseByCharacters(t *testing.T) {
	e := load(t, "quickstart.hcl")
	formats := map[string]bool{}
	for _, d := range e.Datasets {
		formats[d.Format] = true
		if _, err := os.Stat(d.Path); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
		if d.Split.Folds != 5 {
			t.Errorf("%s has %d folds", d.Name, d.Split.Folds)
		}
		if (d.Format == "fingertip") != slices.Equal(d.Judges, []string{"chrf"}) {
			t.Errorf("%s is judged by %v", d.Name, d.Judges)
		}
	}
	if len(formats) != 5 || !slices.Equal(e.MatrixJudges, []string{"semantic"}) || e.Baseline.Closed != "majority" || e.Baseline.Open != "knn" {
		t.Errorf("formats %v, judges %v, baseline %+v", formats, e.MatrixJudges, e.Baseline)
	}
}

func TestAblationMatrixReadsWhatTheVariableSays(t *testing.T) {
	dir := t.TempDir()
	for _, d := range load(t, "ablation-matrix.hcl", "data="+dir, "limit=50").Datasets {
		if d.Path != filepath.Join(dir, d.Name) || d.Limit != 50 {
			t.Errorf("%s reads %d episodes of %s", d.Name, d.Limit, d.Path)
		}
	}
}

func TestStarterIsWhatTheReadmePromises(t *testing.T) {
	dir := t.TempDir()
	if _, err := Init(dir); err != nil {
		t.Fatal(err)
	}
	for _, d := range load(t, filepath.Join(dir, "experiment.hcl")).Datasets {
		if _, err := os.Stat(d.Path); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
}
