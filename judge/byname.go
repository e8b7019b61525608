package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ByName builds a judge with default settings for use outside of an experiment: a kind, or a measure
// of the kind lexical. Anchors are 0 and 1.
func ByName(name string) (Judge, error) {
	s := Setup{Lo: 0, Hi: 1, Dir: "."}
	if _, ok := measures[name]; ok {
		s.Options = &lexicalOptions{Measure: name}
		return lexicalKind.New(s)
	}
	k, ok := Kinds[name]
	if !ok || name == fixtureKind.Name {
		known := append([]string{"embedding", "lexical"}, slices.Sorted(maps.Keys(measures))...)
		return nil, fmt.Errorf("there is no judge %q that needs no settings; there are %s", name, strings.Join(known, ", "))
	}
	if k.Options != nil {
		s.Options = k.Options()
	}
	return k.New(s)
}
