package partition

import (
	"fmt"
	"slices"
	"strings"

	"intentlab/ablations/trajectory"
)

// official makes one fold of the dataset's own lists. Test lists are parts of their own and may
// share episodes with one another, never with train or dev.
func (a *Assignment) official(eps []trajectory.Episode, s Split, by, unit string) error {
	o := s.Official
	if o.DevShare < 0 || o.DevShare >= 1000 {
		return fmt.Errorf("official: dev = %.3g must be at least 0 and below 1", float64(o.DevShare)/1000)
	}
	known := map[string][]int{}
	for i, e := range eps {
		for _, name := range e.Lists {
			known[name] = append(known[name], i)
		}
	}
	list := func(part string, names []string) ([]int, error) {
		var idx []int
		for _, name := range names {
			if len(known[name]) == 0 {
				return nil, fmt.Errorf("official: list %q, asked for as %s, has no episodes here; there are %s", name, part, quoted(known))
			}
			idx = append(idx, known[name]...)
		}
		slices.Sort(idx)
		return slices.Compact(idx), nil
	}
	train, err := list("train", o.Train)
	if err != nil {
		return err
	}
	dev, err := list("dev", o.DevLists)
	if err != nil {
		return err
	}
	f := Fold{Train: train, Dev: dev}
	for _, name := range o.Test {
		idx, err := list("test", []string{name})
		if err != nil {
			return err
		}
		f.Tests = append(f.Tests, Part{Name: name, Episodes: idx})
	}
	if len(o.DevLists) == 0 && o.DevShare > 0 {
		if len(train) == 0 {
			return fmt.Errorf("official: dev = %.3g is carved from train, but no train list is named", float64(o.DevShare)/1000)
		}
		units, err := unitsOf(eps, train, by, "split", s.Seed, s.Stratify)
		if err != nil {
			return err
		}
		parts, err := cut(units, []share{{"train", 1000 - o.DevShare}, {"dev", o.DevShare}}, s.Seed, plural(by)+" in train")
		if err != nil {
			return fmt.Errorf("official: %w", err)
		}
		f.Train, f.Dev = episodesOf(parts[0]), episodesOf(parts[1])
	}
	return a.listed(eps, f, by, by != unit)
}

// explicit makes one fold of lists of ids.
func (a *Assignment) explicit(eps []trajectory.Episode, s Split, by, unit string) error {
	at := make(map[string]int, len(eps))
	for i, e := range eps {
		at[e.ID] = i
	}
	list := func(part string, ids []string) ([]int, error) {
		var idx []int
		for _, id := range ids {
			if i, ok := at[id]; ok {
				idx = append(idx, i)
			} else {
				a.UnknownIDs = append(a.UnknownIDs, id)
			}
		}
		if len(ids) > 0 && len(idx) == 0 {
			return nil, fmt.Errorf("ids: none of the %d ids listed for %s (the first is %q) is an episode of the dataset after filter and limit", len(ids), part, ids[0])
		}
		slices.Sort(idx)
		return slices.Compact(idx), nil
	}
	var f Fold
	var err error
	if f.Train, err = list("train", s.IDs.Train); err != nil {
		return err
	}
	if f.Dev, err = list("dev", s.IDs.Dev); err != nil {
		return err
	}
	test, err := list("test", s.IDs.Test)
	if err != nil {
		return err
	}
	if len(test) > 0 {
		f.Tests = []Part{{Name: "test", Episodes: test}}
	}
	slices.Sort(a.UnknownIDs)
	a.UnknownIDs = slices.Compact(a.UnknownIDs)
	return a.listed(eps, f, by, by != unit)
}

// listed checks a fold made of lists and notes the episodes that no list names. Units must not be
// divided where the split asks for another one than the format's own, and a conversation never: its
// later turns quote the instructions of the earlier ones. Official lists cut through the format's
// unit (user, meta task) by design.
func (a *Assignment) listed(eps []trajectory.Episode, f Fold, by string, asked bool) error {
	if err := disjoint(eps, f, ByEpisode); err != nil {
		return err
	}
	if asked || by == byConversation {
		if err := disjoint(eps, f, by); err != nil {
			return err
		}
	}
	used := make([]bool, len(eps))
	for _, part := range [][]int{f.Train, f.Dev, f.Tested()} {
		for _, i := range part {
			used[i] = true
		}
	}
	for i, u := range used {
		if !u {
			a.Unassigned = append(a.Unassigned, i)
		}
	}
	a.Folds = []Fold{f}
	return nil
}

// disjoint says which unit stands in two of train, dev and test.
func disjoint(eps []trajectory.Episode, f Fold, by string) error {
	in := map[string]string{}
	parts := append([]Part{{"train", f.Train}, {"dev", f.Dev}}, f.Tests...)
	for n, p := range parts {
		side := p.Name
		if n >= 2 {
			side = "test"
		}
		for _, i := range p.Episodes {
			key, err := keyOf(eps[i], by)
			if err != nil {
				return err
			}
			if old, ok := in[key]; ok && old != side {
				return fmt.Errorf("%s %q stands in both %s and %s", by, key, old, p.Name)
			}
			in[key] = side
		}
	}
	return nil
}

// quoted lists the names of the lists that exist, in byte order.
func quoted(lists map[string][]int) string {
	if len(lists) == 0 {
		return "no lists in this dataset"
	}
	names := make([]string, 0, len(lists))
	for name := range lists {
		names = append(names, fmt.Sprintf("%q", name))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
