package trajectory

import (
	"context"
	"fmt"
	"slices"
	"sort"
)

// Release is what one published version of a dataset holds when it is complete.
type Release struct {
	Name     string
	Unit     string  // what an episode is, in the plural
	Episodes int     // distinct; 0: not known, and only the lists are compared
	Lists    []Count // episodes by official list, as the reader names it; lists that are not known are absent
	Known    string  // where the counts come from
}

// ListShare is how much of a list is here.
type ListShare struct {
	Name string `json:"name"`
	Here int    `json:"here"`
	Of   int    `json:"of"`
}

// Completeness says how much of a release is here. It is information: people work with parts, and data
// of one's own may have the same form.
type Completeness struct {
	// Release, Unit and Known are those of the release that is meant, "" where the format has none or
	// more is here than any holds. See [Tally.Complete] for the choice.
	Release string      `json:"release,omitempty"`
	Unit    string      `json:"unit,omitempty"`
	Known   string      `json:"known,omitempty"`
	Here    int         `json:"here"`
	Of      int         `json:"of,omitempty"`
	Lists   []ListShare `json:"lists,omitempty"`
	// Listed are the lists that lie beside the data, and MissingIDs the ids in them that are not here, in
	// byte order. Empty where there are none.
	Listed     []ListShare `json:"listed,omitempty"`
	ListedIDs  int         `json:"listed_ids,omitempty"` // distinct
	MissingIDs []string    `json:"missing_ids,omitempty"`
}

// Note says in one sentence that something is missing, "" where nothing is known to be.
func (c Completeness) Note() string {
	missing := len(c.MissingIDs)
	switch {
	case c.Here < c.Of && missing > 0:
		return fmt.Sprintf("%d of the %d %s that %s has when complete are here; of the %d that the lists beside the data name, %d are not", c.Here, c.Of, c.Unit, c.Release, c.ListedIDs, missing)
	case c.Here < c.Of:
		return fmt.Sprintf("%d of the %d %s that %s has when complete are here", c.Here, c.Of, c.Unit, c.Release)
	case missing > 0:
		return fmt.Sprintf("of the %d episodes that the lists beside the data name, %d are not here", c.ListedIDs, missing)
	}
	return ""
}

// Tally counts the episodes of a source for [Tally.Complete]; it holds their ids.
type Tally struct {
	ids   set
	lists map[string]int
}

// Add counts an episode.
func (t *Tally) Add(e Episode) {
	if t.ids == nil {
		t.ids, t.lists = set{}, map[string]int{}
	}
	t.ids[e.ID] = true
	for _, l := range e.Lists {
		t.lists[l]++
	}
}

// Complete compares what was counted with the format's releases and with the lists that lie beside the
// data. Of several releases the one is meant whose lists agree exactly with most of those here; among
// equals the smallest. A release that holds less than is here, in all or in a list, or nothing of a
// list that is here, is not meant.
func (t *Tally) Complete(ctx context.Context, src Source) (Completeness, error) {
	f := Formats[src.Format]
	c := Completeness{Here: len(t.ids)}
	best, exact := Release{}, -1
	for _, r := range f.Releases {
		n, ok := t.agree(r, f.Releases)
		if ok && (n > exact || n == exact && r.total() < best.total()) {
			best, exact = r, n
		}
	}
	if exact >= 0 {
		c.Release, c.Unit, c.Known, c.Of = best.Name, best.Unit, best.Known, best.total()
		if best.Episodes == 0 {
			c.Here = 0
		}
		for _, l := range best.Lists {
			c.Lists = append(c.Lists, ListShare{l.Name, t.lists[l.Name], l.Count})
			if best.Episodes == 0 { // these lists share no episode
				c.Here += t.lists[l.Name]
			}
		}
	}
	if f.Listed == nil {
		return c, nil
	}
	listed, err := f.Listed(ctx, src.Path)
	if err != nil {
		return c, fmt.Errorf("dataset %q: %w", src.Name, err)
	}
	c.ListedIDs = len(listed)
	here, of := map[string]int{}, map[string]int{}
	for id, lists := range listed {
		encoded := EncodeID(id)
		if !t.ids[encoded] {
			c.MissingIDs = append(c.MissingIDs, encoded)
		}
		for _, l := range lists {
			of[l]++
			if t.ids[encoded] {
				here[l]++
			}
		}
	}
	sort.Strings(c.MissingIDs)
	for _, l := range counts(of) {
		c.Listed = append(c.Listed, ListShare{l.Name, here[l.Name], l.Count})
	}
	return c, nil
}

// agree counts the lists of r that are here whole; ok is false where more is here than r holds. all are
// the releases of the format.
func (t *Tally) agree(r Release, all []Release) (exact int, ok bool) {
	if r.Episodes > 0 && len(t.ids) > r.Episodes {
		return 0, false
	}
	if r.Episodes > 0 && len(r.Lists) > 0 {
		for _, other := range all {
			for _, l := range other.Lists {
				if t.lists[l.Name] > 0 && !slices.ContainsFunc(r.Lists, func(c Count) bool { return c.Name == l.Name }) {
					return 0, false
				}
			}
		}
	}
	named := 0
	for _, l := range r.Lists {
		n := t.lists[l.Name]
		if n > l.Count {
			return 0, false
		}
		if n == l.Count {
			exact++
		}
		named += n
	}
	// Of a release whose total isn't known, only the lists can tell that it is meant.
	return exact, r.Episodes > 0 || named > 0 && exact > 0
}

func (r Release) total() int {
	if r.Episodes > 0 {
		return r.Episodes
	}
	n := 0
	for _, l := range r.Lists {
		n += l.Count
	}
	return n
}
