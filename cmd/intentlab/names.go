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
