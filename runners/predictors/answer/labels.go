// Package answer reads what a chat model replied to a prompt for a closed and an open intent.
package answer

import (
	"fmt"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Labels maps what a model wrote to a label of the space, never by a guess: the label itself; else the
// one label that is equal after [Fold]; else the declared alias that is. Anything else stays as it was
// written and counts as an invalid label.
type Labels struct {
	exact  map[string]bool
	folded map[string]string // folded → label; "" where several labels fold alike
	alias  map[string]string // folded alias → label
}

// NewLabels takes a label space and aliases (alias → label). An alias for a label that is not in the
// space, and two aliases that fold alike for different labels, are errors.
func NewLabels(labels []string, aliases map[string]string) (*Labels, error) {
	l := &Labels{exact: map[string]bool{}, folded: map[string]string{}, alias: map[string]string{}}
	for _, label := range labels {
		l.exact[label] = true
		f := Fold(label)
		if before, ok := l.folded[f]; ok && before != label {
			label = ""
		}
		l.folded[f] = label
	}
	names := make([]string, 0, len(aliases))
	for a := range aliases {
		names = append(names, a)
	}
	sort.Strings(names)
	for _, a := range names {
		label := aliases[a]
		if !l.exact[label] {
			return nil, fmt.Errorf("the alias %q stands for %q, which is no label of this dataset", a, label)
		}
		f := Fold(a)
		if before, ok := l.alias[f]; ok && before != label {
			return nil, fmt.Errorf("the alias %q stands for both %q and %q", a, before, label)
		}
		l.alias[f] = label
	}
	return l, nil
}

// Map returns the label that written stands for; ok is false, and the text itself is returned, where
// it is none.
func (l *Labels) Map(written string) (label string, ok bool) {
	written = strings.TrimSpace(written)
	if l.exact[written] {
		return written, true
	}
	f := Fold(written)
	if label := l.folded[f]; label != "" {
		return label, true
	}
	if label := l.alias[f]; label != "" {
		return label, true
	}
	return written, false
}

var fold = cases.Fold()

// Fold makes spellings of one name equal: NFKC, case folded, quotes and other punctuation at the ends
// dropped, blanks, hyphens and underscores inside taken for one blank.
func Fold(s string) string {
	s = fold.String(norm.NFKC.String(s))
	s = strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '_' || r == '-' || unicode.Is(unicode.Cf, r) }), " ")
}
