package task

import "testing"

func TestRatioParsesExactDecimalsOnly(t *testing.T) {
	for in, want := range map[string]Ratio{"0.1": 100, "1": 1000, "1.0": 1000, "0.125": 125, ".5": 500, "1.000": 1000} {
		if got, err := ParseRatio(in); err != nil || got != want {
			t.Errorf("ParseRatio(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "0", "0.0", "1.001", "-0.1", "0.1234", "1e-1", "a", ".", "2"} {
		if got, err := ParseRatio(in); err == nil {
			t.Errorf("ParseRatio(%q) = %v, want an error", in, got)
		}
	}
}

func TestRatioPrintsTwoDecimalsAndAThirdOnlyWhenNeeded(t *testing.T) {
	for r, want := range map[Ratio]string{100: "0.10", 1000: "1.00", 125: "0.125", 50: "0.05", 5: "0.005"} {
		if got := r.String(); got != want {
			t.Errorf("Ratio(%d) = %q, want %q", int(r), got, want)
		}
	}
}

func TestVisibleHashIgnoresIdsAndRatioUnlessAskedFor(t *testing.T) {
	a := Task{ID: "d:a:r0.10", EpisodeID: "a", RequestedRatio: 100, PrefixStepCount: 1, ObservedSteps: []Step{{Op: "click"}}}
	b := a
	b.ID, b.EpisodeID, b.RequestedRatio, b.Ablation, b.DuplicatePrefix = "d:b:r0.20", "b", 200, "x", true
	h := func(t2 Task, labels []string, r Ratio) string {
		s, err := VisibleHash(t2, labels, r)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if h(a, nil, 0) != h(b, nil, 0) {
		t.Error("ids, ablation, ratio or the duplicate flag changed the hash")
	}
	if h(a, nil, 100) == h(b, nil, 200) {
		t.Error("a ratio that is asked for did not change the hash")
	}
	if h(a, []string{"x", "y"}, 0) != h(a, []string{"y", "x"}, 0) || h(a, []string{"x"}, 0) == h(a, nil, 0) {
		t.Error("labels must count, their order must not")
	}
	b.PrefixStepCount = 2
	if h(a, nil, 0) == h(b, nil, 0) {
		t.Error("prefix_step_count must count")
	}
}
