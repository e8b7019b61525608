package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// noSuch says that there is no what of a name: which known one was probably meant, or which there are.
func noSuch(what, name string, known []string) error {
	known = slices.Clone(known)
	slices.Sort(known)
	known = slices.Compact(known)
	best, edits := "", 3
	for _, k := range known {
		if d := levenshtein.Distance(strings.ToLower(name), strings.ToLower(k), nil); d < edits && d < len(name) {
			best, edits = k, d
		}
	}
	switch {
	case best != "":
		return fmt.Errorf("there is no %s %q; did you mean %q?", what, name, best)
	case len(known) == 0:
		return fmt.Errorf("there is no %s %q: there is none at all", what, name)
	case len(known) > 12:
		return fmt.Errorf("there is no %s %q; there are %s and %d more", what, name, strings.Join(known[:5], ", "), len(known)-5)
	}
	return fmt.Errorf("there is no %s %q; there are %s", what, name, strings.Join(known, ", "))
}

// named is a block by its id and, for an element of a for_each, by the name that the file refers to
// it with: knn-k1 and knn["k1"].
type named struct{ id, name string }

// resolve returns the ids that the given names stand for: an id, the spelling of the file (quotes may be
// missing, as a shell eats them), or the name before the for_each, which stands for all its elements.
func resolve(what string, names []string, known []named) ([]string, error) {
	unquoted := strings.NewReplacer(`"`, "", `\`, "")
	var out []string
	for _, n := range names {
		plain, found := unquoted.Replace(n), false
		for _, k := range known {
			name := unquoted.Replace(k.name)
			base, _, _ := strings.Cut(name, "[")
			if k.id == n || k.name != "" && (name == plain || base == n) {
				out = append(out, k.id)
				found = true
			}
		}
		if !found {
			var ids []string
			for _, k := range known {
				ids = append(ids, k.id)
			}
			return nil, noSuch(what, n, ids)
		}
	}
	return out, nil
}
