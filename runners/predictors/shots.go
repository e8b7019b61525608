package predictors

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"intentlab/ablations/task"
	"intentlab/results/metrics/draw"
)

// shot is a candidate for an example in a prompt, with its place in the seeded order.
type shot struct {
	example task.Example
	order   uint64
}

// pickShots chooses k training examples for a prompt: as many of each label as can be (they differ by
// one at most, while the label has episodes), at most one prefix an episode. Which labels get one more,
// which episodes and which of their prefixes is decided by hashes of seed, label, episode and
// ratio, so that neither the order of the examples nor other labels' episodes matter, and the first j
// of k are those of j. The result is in that order. Time O(examples · k), memory O(labels · k)
// examples.
func pickShots(ctx context.Context, train task.Examples, k int, seed int64) ([]task.Example, error) {
	if k <= 0 {
		return nil, nil
	}
	base := strconv.FormatInt(seed, 10)
	best := map[string][]shot{} // by label: the k first episodes in the seeded order
	for ex, err := range train(ctx) {
		if err != nil {
			return nil, fmt.Errorf("choosing examples for the prompt: %w", err)
		}
		s := shot{ex, draw.Seed("shot", base, ex.ClosedIntent, ex.Task.EpisodeID, strconv.Itoa(ex.Task.PrefixStepCount))}
		best[ex.ClosedIntent] = insertShot(best[ex.ClosedIntent], s, k)
	}
	labels := make([]string, 0, len(best))
	for l := range best {
		labels = append(labels, l)
	}
	slices.Sort(labels)
	slices.SortStableFunc(labels, func(a, b string) int {
		return compareUint64(draw.Seed("shot label", base, a), draw.Seed("shot label", base, b))
	})
	var out []task.Example
	for round := 0; len(out) < k; round++ {
		before := len(out)
		for _, l := range labels {
			if round < len(best[l]) && len(out) < k {
				out = append(out, best[l][round].example)
			}
		}
		if len(out) == before {
			break // fewer episodes than were asked for
		}
	}
	return out, nil
}

// insertShot keeps the k first shots in order, one an episode.
func insertShot(list []shot, s shot, k int) []shot {
	for i := range list {
		if list[i].example.Task.EpisodeID != s.example.Task.EpisodeID {
			continue
		}
		if list[i].order <= s.order {
			return list
		}
		list = slices.Delete(list, i, i+1)
		break
	}
	at, _ := slices.BinarySearchFunc(list, s.order, func(x shot, order uint64) int { return compareUint64(x.order, order) })
	if at >= k {
		return list
	}
	list = slices.Insert(list, at, s)
	return list[:min(len(list), k)]
}

func compareUint64(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
