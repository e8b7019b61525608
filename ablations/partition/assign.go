package partition

import (
	"cmp"
	"fmt"
	"slices"

	"intentlab/ablations/trajectory"
)

// Assignment is a resolved split of the episodes of one dataset.
type Assignment struct {
	Unit       string // what was kept whole: "episode", "cluster" or a group
	Folds      []Fold // one without folds; fold number f of a cell is Folds[f-1]
	Unassigned []int  // episodes in no part: official or explicit lists need not name all
	// UnknownIDs are explicitly listed ids that are no episode (dropped by filter or limit, or
	// misspelt), in byte order.
	UnknownIDs []string
}

// Assign divides eps as s says. unit is the format's own split unit, taken where s.By is empty.
// The result depends on ids, unit keys, labels and s.Seed only: not on the order of eps, and adding
// an episode moves few (see the comment of cut for how few).
//
// Without lists, units are dealt out by share; with folds, into Folds buckets, where fold i tests
// bucket i, takes the next bucket (the first after the last) as dev and trains on the rest, so that
// every episode is tested exactly once. With official or explicit lists the parts are as listed, and
// dev is carved from train by hash where no dev list is given.
//
// Errors: no episodes, shares that don't sum to 1000, fewer than three folds, an episode without
// the unit's field, an id twice, an episode (or a unit, where By asks for another than the format's
// own) on both sides, and any part that is asked for and empty.
func Assign(eps []trajectory.Episode, s Split, unit string) (Assignment, error) {
	by := cmp.Or(s.By, unit, ByEpisode)
	a := Assignment{Unit: by}
	if len(eps) == 0 {
		return a, fmt.Errorf("split: there are no episodes to divide")
	}
	if modes := count(s.Official != nil, s.IDs != nil, s.Folds != 0); modes > 1 {
		return a, fmt.Errorf("split: official lists, id lists and folds exclude one another")
	}
	whole := by
	if s.Official != nil || s.IDs != nil {
		whole = ByEpisode // lists name episodes; a field that only shares need may be absent
	}
	units, err := unitsOf(eps, allOf(len(eps)), whole, "split", s.Seed, s.Stratify)
	if err != nil {
		return a, fmt.Errorf("split: %w", err)
	}
	switch {
	case s.Official != nil:
		err = a.official(eps, s, by, cmp.Or(unit, ByEpisode))
	case s.IDs != nil:
		err = a.explicit(eps, s, by, cmp.Or(unit, ByEpisode))
	case s.Folds != 0:
		err = a.fold(units, s)
	default:
		err = a.shares(units, s)
	}
	if err != nil {
		return Assignment{Unit: by}, fmt.Errorf("split: %w", err)
	}
	return a, nil
}

// shares makes one fold of three shares.
func (a *Assignment) shares(units []unit, s Split) error {
	if s.Train < 0 || s.Dev < 0 || s.Test < 0 || s.Train+s.Dev+s.Test != 1000 {
		return fmt.Errorf("train, dev and test must be shares that sum to 1, not %.3g + %.3g + %.3g",
			float64(s.Train)/1000, float64(s.Dev)/1000, float64(s.Test)/1000)
	}
	parts, err := cut(units, []share{{"train", s.Train}, {"dev", s.Dev}, {"test", s.Test}}, s.Seed, plural(a.Unit))
	if err != nil {
		return err
	}
	f := Fold{Train: episodesOf(parts[0]), Dev: episodesOf(parts[1])}
	if s.Test > 0 {
		f.Tests = []Part{{Name: "test", Episodes: episodesOf(parts[2])}}
	}
	a.Folds = []Fold{f}
	return nil
}

// fold makes s.Folds folds of equal buckets.
func (a *Assignment) fold(units []unit, s Split) error {
	if s.Folds < 3 {
		return fmt.Errorf("folds = %d: at least 3 are needed, one to test, one for dev and the rest to train", s.Folds)
	}
	shares := make([]share, s.Folds)
	for i := range shares {
		shares[i] = share{fmt.Sprintf("fold %d", i+1), 1}
	}
	buckets, err := cut(units, shares, s.Seed, plural(a.Unit))
	if err != nil {
		return err
	}
	for i := range buckets {
		dev := (i + 1) % len(buckets)
		var rest [][]unit
		for j := range buckets {
			if j != i && j != dev {
				rest = append(rest, buckets[j])
			}
		}
		a.Folds = append(a.Folds, Fold{
			Train: episodesOf(rest...), Dev: episodesOf(buckets[dev]),
			Tests: []Part{{Name: "test", Episodes: episodesOf(buckets[i])}},
		})
	}
	return nil
}

// Tested returns the episodes of all test parts, each once, ascending.
func (f Fold) Tested() []int {
	var idx []int
	for _, p := range f.Tests {
		idx = append(idx, p.Episodes...)
	}
	slices.Sort(idx)
	return slices.Compact(idx)
}

// plural names several units in a sentence.
func plural(unit string) string {
	if unit == ByEpisode {
		return "episodes"
	}
	return fmt.Sprintf("groups of episodes by %s", unit)
}

func count(bs ...bool) int {
	n := 0
	for _, b := range bs {
		if b {
			n++
		}
	}
	return n
}
