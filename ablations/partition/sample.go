package partition

import (
	"slices"

	"intentlab/ablations/trajectory"
)

// SampleUnit is the unit that `limit` and `sample` take whole, given a format's split unit: the
// conversation where that is the split unit, else the episode (decisions.md: mt_mind2web samples by
// conversation). By user or meta task, a limit of 500 could mean two users.
func SampleUnit(splitUnit string) string {
	if splitUnit == byConversation {
		return byConversation
	}
	return ByEpisode
}

// Sample returns the indices of a seeded, nested sample of at most limit episodes, in dataset order.
// Units are ordered by the hash of seed and key and taken whole from the start of that order up to
// the first that would exceed the limit; there it stops, even if a later one would still fit, so
// that a smaller limit always gives a subset of a larger one. The first unit is taken even where it
// alone exceeds the limit. A limit of 0 or less takes everything. The result does not depend on the
// order of eps, and an episode that is added displaces at most those that come after it.
func Sample(eps []trajectory.Episode, limit int, seed uint64, unit string) ([]int, error) {
	if limit <= 0 {
		return allOf(len(eps)), nil
	}
	units, err := unitsOf(eps, allOf(len(eps)), unit, "sample", seed, false)
	if err != nil {
		return nil, err
	}
	var taken []int
	for i, u := range units {
		if i > 0 && len(taken)+len(u.episodes) > limit {
			break
		}
		taken = append(taken, u.episodes...)
	}
	slices.Sort(taken)
	return taken, nil
}
