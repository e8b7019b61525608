package predictors

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"intentlab/ablations/task"
)

func examplesOf(list []task.Example) task.Examples {
	return func(context.Context) iter.Seq2[task.Example, error] {
		return func(yield func(task.Example, error) bool) {
			for _, e := range list {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// shotPool makes n episodes of every label, each with three prefixes.
func shotPool(labels []string, n int) []task.Example {
	var out []task.Example
	for _, l := range labels {
		for i := range n {
			for k := range 3 {
				id := fmt.Sprintf("%s%d", l, i)
				out = append(out, task.Example{ClosedIntent: l, Task: task.Task{ID: fmt.Sprintf("d:%s:r0.%d0", id, k+1), EpisodeID: id, PrefixStepCount: k + 1}})
			}
		}
	}
	return out
}

func TestShotsAreBalancedSeededAndOneAnEpisode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "labels")]
		k, seed := rapid.IntRange(1, 12).Draw(t, "k"), rapid.Int64().Draw(t, "seed")
		pool := shotPool(labels, 5)
		got, err := pickShots(t.Context(), examplesOf(pool), k, seed)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != min(k, 5*len(labels)) {
			t.Fatalf("%d shots, want %d", len(got), min(k, 5*len(labels)))
		}
		count, episodes := map[string]int{}, map[string]bool{}
		for _, e := range got {
			count[e.ClosedIntent]++
			if episodes[e.Task.EpisodeID] {
				t.Fatalf("episode %s twice", e.Task.EpisodeID)
			}
			episodes[e.Task.EpisodeID] = true
		}
		for _, a := range labels {
			for _, b := range labels {
				if d := count[a] - count[b]; d > 1 || d < -1 {
					t.Fatalf("unbalanced: %v", count)
				}
			}
		}
		// Neither the order of the examples nor a larger k changes what comes first.
		shuffled := rapid.Permutation(pool).Draw(t, "order")
		again, err := pickShots(t.Context(), examplesOf(shuffled), k+2, seed)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(got, again[:len(got)]); d != "" {
			t.Fatalf("another order gives other shots:\n%s", d)
		}
	})
}

func TestNoShotsWhereNoneAreAskedFor(t *testing.T) {
	got, err := pickShots(t.Context(), examplesOf(shotPool([]string{"a"}, 2)), 0, 1)
	if len(got) != 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestAnotherSeedGivesOtherShots(t *testing.T) {
	pool := examplesOf(shotPool([]string{"a", "b"}, 20))
	differ := false
	first, err := pickShots(t.Context(), pool, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	for seed := int64(1); seed < 5 && !differ; seed++ {
		other, err := pickShots(t.Context(), pool, 4, seed)
		if err != nil {
			t.Fatal(err)
		}
		differ = cmp.Diff(first, other) != ""
	}
	if !differ {
		t.Error("five seeds, one choice")
	}
}
