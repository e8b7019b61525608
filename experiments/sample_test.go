package experiments

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"intentlab/ablations"
	"intentlab/ablations/partition"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
	"intentlab/runners/predictors"
)

// sampleCounts is what the readers find in the sample.
var sampleCounts = map[string]struct {
	episodes, steps, labels, shortest, longest, placeholders int
}{
	"weblinx":     {72, 2215, 7, 2, 71, 0},
	"mind2web":    {75, 1392, 5, 1, 47, 0},
	"gui_odyssey": {80, 1334, 6, 1, 44, 0},
	"fingertip":   {84, 1301, 7, 1, 47, 14},
	"mt_mind2web": {104, 706, 5, 1, 36, 0},
}

func readSample(t *testing.T, format string) []trajectory.Episode {
	t.Helper()
	var eps []trajectory.Episode
	src := trajectory.Source{Name: format, Format: format, Path: "sample/" + format}
	if f := trajectory.Formats[format]; f.Options != nil {
		src.Options = f.Options()
	}
	skip := func(s trajectory.Skip) {
		if s.Reason != trajectory.NotOfThisFormat {
			t.Errorf("%s skipped %s: %s %s", format, s.Where, s.Reason, s.Detail)
		}
	}
	for e, err := range trajectory.Read(context.Background(), src, skip) {
		if err != nil {
			t.Fatal(err)
		}
		eps = append(eps, e)
	}
	return eps
}

func TestReadersFindTheWholeSample(t *testing.T) {
	for _, format := range slices.Sorted(maps.Keys(sampleCounts)) {
		want := sampleCounts[format]
		got := want
		got.episodes, got.steps, got.shortest, got.longest, got.placeholders = 0, 0, 1000, 0, 0
		labels, intents := map[string]int{}, map[string]int{}
		for _, e := range readSample(t, format) {
			got.episodes++
			got.steps += len(e.Steps)
			got.shortest, got.longest = min(got.shortest, len(e.Steps)), max(got.longest, len(e.Steps))
			labels[e.ClosedIntent]++
			intents[e.OpenIntent]++
			if slices.Contains(e.Flags, "placeholder_steps") {
				got.placeholders++
			}
		}
		got.labels = len(labels)
		if got != want {
			t.Errorf("%s: got %+v, want %+v", format, got, want)
		}
		if labels[""] > 0 || intents[""] > 0 {
			t.Errorf("%s: %d episodes without label, %d without open intent", format, labels[""], intents[""])
		}
		for l, n := range labels {
			if n < 6 {
				t.Errorf("%s: label %q has %d episodes, want at least 6", format, l, n)
			}
		}
		if len(intents) < len(labels)*3 || len(intents) == got.episodes {
			t.Errorf("%s: %d different intents in %d episodes; want some variety and some repetition", format, len(intents), got.episodes)
		}
	}
}

// TestCurvesRiseAndMethodsDiffer holds what the sample was made for: in the quickstart's folds and
// with everything visible, methods know more at the end than at the start and more than the prior.
func TestCurvesRiseAndMethodsDiffer(t *testing.T) {
	full, _ := ablations.Preset("full_context")
	hybrid, _ := ablations.Preset("graph_text_hybrid")
	for _, format := range slices.Sorted(maps.Keys(sampleCounts)) {
		eps := readSample(t, format)
		curves := map[string][]float64{
			"majority":    accuracy(t, format, eps, full, "majority"),
			"tfidf_knn":   accuracy(t, format, eps, full, "tfidf_knn"),
			"naive_bayes": accuracy(t, format, eps, full, "naive_bayes"),
			"wl_kernel":   accuracy(t, format, eps, hybrid, "wl_kernel"),
		}
		for name, c := range curves {
			t.Logf("%-12s %-12s %.2f", format, name, c)
		}
		prior := curves["majority"]
		if prior[0] != prior[9] || prior[0] > 0.4 {
			t.Errorf("%s: majority is %.2f, want a flat, low line", format, prior)
		}
		for _, name := range []string{"tfidf_knn", "naive_bayes", "wl_kernel"} {
			c := curves[name]
			if c[9] < c[0]+0.1 || c[9] < prior[9]+0.2 {
				t.Errorf("%s: %s does not rise: %.2f", format, name, c)
			}
			if c[0] > 0.9 {
				t.Errorf("%s: %s knows the answer at once: %.2f", format, name, c)
			}
		}
		if slices.Equal(curves["tfidf_knn"], curves["naive_bayes"]) || slices.Equal(curves["tfidf_knn"], curves["wl_kernel"]) {
			t.Errorf("%s: two methods have the same curve", format)
		}
	}
}

// accuracy is the share of right closed answers at each tenth, over all folds of five.
func accuracy(t *testing.T, format string, eps []trajectory.Episode, spec ablations.Spec, kind string) []float64 {
	t.Helper()
	ctx := context.Background()
	s := partition.Default()
	s.Folds = 5
	a, err := partition.Assign(eps, s, trajectory.Formats[format].SplitUnit)
	if err != nil {
		t.Fatal(err)
	}
	if err := partition.CheckCoverage(eps, a, false); err != nil {
		t.Fatal(err)
	}
	grid := task.Grid()
	right := make([]int, len(grid))
	for n, f := range a.Folds {
		setup := predictors.Setup{Seed: 1, Dataset: format, Labels: partition.LabelSpace(eps, f), Log: io.Discard, Fold: n + 1}
		if o := predictors.Kinds[kind].Options; o != nil {
			setup.Options = o()
		}
		p, err := predictors.Kinds[kind].New(setup)
		if err != nil {
			t.Fatal(err)
		}
		learner, ok := p.(predictors.Learner)
		if !ok {
			t.Fatalf("%s does not learn", kind)
		}
		if err := learner.Fit(ctx, ablations.Examples(eps, f.Train, grid, spec, nil), ablations.Examples(eps, f.Dev, grid, spec, nil)); err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Tested() {
			for r, prefix := range ablations.Prefixes(len(eps[i].Steps), grid) {
				tk, err := ablations.View(eps[i], prefix, spec)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := p.Predict(ctx, tk, nil)
				if err != nil {
					t.Fatal(err)
				}
				if answer.ClosedIntent == eps[i].ClosedIntent {
					right[r]++
				}
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	out := make([]float64, len(grid))
	for r := range right {
		out[r] = float64(right[r]) / float64(len(eps))
	}
	return out
}

func TestFingerTipSampleIsChinese(t *testing.T) {
	for _, e := range readSample(t, "fingertip") {
		if !strings.ContainsFunc(e.OpenIntent, func(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }) {
			t.Errorf("%s: intent %q", e.ID, e.OpenIntent)
		}
	}
}

func TestWebLINXSampleIsADialogue(t *testing.T) {
	several := 0
	for _, e := range readSample(t, "weblinx") {
		says := map[string]int{}
		for _, s := range e.Steps {
			says[s.Speaker]++
		}
		if says["instructor"] >= 3 && says["navigator"] >= 2 {
			several++
		}
		if !strings.HasSuffix(e.ClosedIntent, ".example") {
			t.Errorf("%s: label %q", e.ID, e.ClosedIntent)
		}
	}
	if several < 50 {
		t.Errorf("%d demonstrations with several turns of each side, want at least 50", several)
	}
}
