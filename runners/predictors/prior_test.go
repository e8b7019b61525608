package predictors

import (
	"fmt"
	"math"
	"testing"

	"intentlab/ablations/task"
)

func counted(counts map[string]int, prefixes int) []task.Example {
	var out []task.Example
	for label, n := range counts {
		for i := range n {
			for range prefixes {
				ex := episodeOf(fmt.Sprintf("%s%d", label, i), label, "do "+label, "x")
				ex.Weight = 1 / float64(prefixes)
				out = append(out, ex)
			}
		}
	}
	return out
}

func TestMajorityFollowsV45(t *testing.T) {
	m := fitted(t, "majority", nil, counted(map[string]int{"A": 5, "B": 3, "C": 2}, 1)...)
	right := 0
	for _, gold := range []string{"A", "A", "B", "B", "C"} {
		if ask(t, m, textTask("e", gold)).ClosedIntent == gold {
			right++
		}
	}
	a := ask(t, m, textTask("e"))
	if right != 2 || a.ClosedIntent != "A" || *a.ClosedConfidence != 0.5 || a.PredictedIntent != "do A" {
		t.Errorf("%d right (accuracy 0.4 wants 2 of 5), answer %+v with confidence %v", right, a, *a.ClosedConfidence)
	}
}

func TestMajorityBreaksTiesByByteOrderWhateverThePrefixCounts(t *testing.T) {
	for prefixes := 1; prefixes <= 10; prefixes++ {
		exs := append(counted(map[string]int{"B": 4}, prefixes), counted(map[string]int{"A": 4}, 10)...)
		m := fitted(t, "majority", nil, exs...)
		if a := ask(t, m, task.Task{}); a.ClosedIntent != "A" || *a.ClosedConfidence != 0.5 || a.PredictedIntent != "do A" {
			t.Errorf("%d prefixes: got %q, confidence %v, open %q, want A, 0.5, do A", prefixes, a.ClosedIntent, *a.ClosedConfidence, a.PredictedIntent)
		}
	}
}

func TestMajorityCountsEpisodesNotPrefixes(t *testing.T) {
	exs := append(counted(map[string]int{"long": 1}, 10), counted(map[string]int{"short": 2}, 1)...)
	if a := ask(t, fitted(t, "majority", nil, exs...), task.Task{}); a.ClosedIntent != "short" || math.Abs(*a.ClosedConfidence-2.0/3) > 1e-9 {
		t.Errorf("got %q with %v, want short with 2/3", a.ClosedIntent, *a.ClosedConfidence)
	}
}

func TestStratifiedPriorDrawsInProportion(t *testing.T) {
	m := fitted(t, "stratified_prior", nil, counted(map[string]int{"A": 5, "B": 3, "C": 2}, 1)...)
	got, want := map[string]int{}, map[string]float64{"A": 0.5, "B": 0.3, "C": 0.2}
	const n = 4000
	for i := range n {
		a := ask(t, m, textTask("e", fmt.Sprint("text ", i)))
		got[a.ClosedIntent]++
		if *a.ClosedConfidence != want[a.ClosedIntent] || a.PredictedIntent != "do A" {
			t.Fatalf("drew %q with confidence %v and open intent %q", a.ClosedIntent, *a.ClosedConfidence, a.PredictedIntent)
		}
	}
	for label, p := range want { // five standard deviations of a binomial share
		if share := float64(got[label]) / n; math.Abs(share-p) > 5*math.Sqrt(p*(1-p)/n) {
			t.Errorf("label %s drawn with share %v, want about %v", label, share, p)
		}
	}
}

func TestStratifiedPriorDependsOnSeedAndVisibleInputOnly(t *testing.T) {
	exs := counted(map[string]int{"A": 5, "B": 5}, 1)
	one, two := fitted(t, "stratified_prior", nil, exs...), fitted(t, "stratified_prior", nil, exs...)
	two.(*stratifiedPrior).seed = 2
	differ := 0
	for i := range 100 {
		q := textTask("e", fmt.Sprint(i))
		other := q
		other.ID, other.EpisodeID, other.RequestedRatio, other.DuplicatePrefix = "d:f:r0.10", "f", 100, true
		if ask(t, one, q).ClosedIntent != ask(t, one, other).ClosedIntent {
			t.Fatalf("task %d: the answer depends on ids or the ratio", i)
		}
		if ask(t, one, q).ClosedIntent != ask(t, two, q).ClosedIntent {
			differ++
		}
	}
	if differ < 25 || differ > 75 {
		t.Errorf("two seeds differ on %d of 100 tasks, want about half", differ)
	}
}

func TestQuantilesFallIntoTheirLabels(t *testing.T) {
	p := newPrior(tally{"A": 5, "B": 3, "C": 2}, tally{})
	for _, c := range []struct {
		u    float64
		want string
	}{{0, "A"}, {0.499, "A"}, {0.5, "B"}, {0.799, "B"}, {0.801, "C"}, {1 - 1.0/(1<<53), "C"}} {
		if got := p.at(c.u); got.value != c.want {
			t.Errorf("quantile %v: %q, want %q", c.u, got.value, c.want)
		}
	}
}
