// Package neardup finds equal and nearly equal texts in a large set. Equal is equal after
// [Normalise]; near is a Jaccard similarity of the token sets of at least [Threshold].
//
// Pairs are found exactly, not by sketches: texts that are similar enough must share a token among the
// rarest few of each (prefix filter) and differ little in size (length filter), so few pairs are
// compared. Chaudhuri, Ganti, Kaushik: A Primitive Operator for Similarity Joins in Data Cleaning,
// ICDE 2006; Bayardo, Ma, Srikant: Scaling Up All Pairs Similarity Search, WWW 2007.
package neardup

import (
	"cmp"
	"slices"
)

// Threshold is the Jaccard similarity from which on two texts are near: 0.8, the bound of Lee et al.:
// Deduplicating Training Data Makes Language Models Better, ACL 2022 (there of the edit similarity).
// One word changed out of ten or more words is near; of three words, any change is another text.
const Threshold = 0.8

// The threshold as a fraction, so that no bound is rounded.
const num, den = 4, 5

// Set is a set of texts. The zero value is empty and ready; it is not safe for concurrent use. It holds
// each distinct text once, as token numbers.
type Set struct {
	forms  map[string]int    // normalised text to form
	tokens map[string]uint32 // token to number
	counts []int             // forms that hold the token
	sets   [][]uint32        // by form, ascending, each token once
}

// None is the form of a text without letters and digits.
const None = -1

// Add takes a text and returns the number of its form: the same one for all texts that are equal after
// normalisation, counted from 0 in the order of first occurrence; [None] for a text without content.
func (s *Set) Add(text string) int {
	n := Normalise(text)
	if n == "" {
		return None
	}
	if f, ok := s.forms[n]; ok {
		return f
	}
	if s.forms == nil {
		s.forms, s.tokens = map[string]int{}, map[string]uint32{}
	}
	f := len(s.sets)
	s.forms[n] = f
	var set []uint32
	for _, t := range Tokens(n) {
		id, ok := s.tokens[t]
		if !ok {
			id = uint32(len(s.counts))
			s.tokens[t] = id
			s.counts = append(s.counts, 0)
		}
		set = append(set, id)
	}
	slices.Sort(set)
	set = slices.Compact(set)
	for _, id := range set {
		s.counts[id]++
	}
	s.sets = append(s.sets, slices.Clip(set))
	return f
}

// Len is the number of forms.
func (s *Set) Len() int { return len(s.sets) }

// Edge joins two near forms, A < B.
type Edge struct {
	A, B       int
	Similarity float64 // Jaccard, from Threshold to 1
}

// Near lists the pairs of forms that are near, ordered by A, then B.
func (s *Set) Near() []Edge {
	// Tokens are numbered anew by rarity, ties by first occurrence, so that a set's first tokens are
	// its rarest.
	order := make([]uint32, len(s.counts))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(cmp.Compare(s.counts[a], s.counts[b]), cmp.Compare(a, b)) })
	rank := make([]uint32, len(order))
	for r, t := range order {
		rank[t] = uint32(r)
	}
	sets := make([][]uint32, len(s.sets))
	bySize := make([]int, len(s.sets))
	for f, set := range s.sets {
		bySize[f] = f
		sets[f] = make([]uint32, len(set))
		for i, t := range set {
			sets[f][i] = rank[t]
		}
		slices.Sort(sets[f])
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(len(sets[a]), len(sets[b])) })

	var edges []Edge
	index := make([][]int32, len(order)) // by token: places in bySize of the sets with it in their prefix
	tried := make([]int32, len(sets))    // by place: 1 + the place it was last compared with
	for place, f := range bySize {
		x := sets[f]
		// |x ∩ y| >= 4/5 |x ∪ y| needs |y| >= 4/5 |x| and |x ∩ y| >= 4/5 |x|: of x's tokens in rank
		// order, one of the first |x| - ceil(4/5 |x|) + 1 must be in y's prefix.
		least := (num*len(x) + den - 1) / den
		prefix := len(x) - least + 1
		for _, t := range x[:prefix] {
			list := index[t]
			// Sizes ascend along the list: drop those that are too small for this and every later set.
			for len(list) > 0 && len(sets[bySize[list[0]]]) < least {
				list = list[1:]
			}
			index[t] = list
			for _, other := range list {
				if tried[other] == int32(place)+1 {
					continue
				}
				tried[other] = int32(place) + 1
				g := bySize[other]
				y := sets[g]
				// i / (|x| + |y| - i) >= 4/5 is i >= 4 (|x| + |y|) / 9.
				need := (num*(len(x)+len(y)) + num + den - 1) / (num + den)
				if shared := overlap(x, y, need); shared >= need {
					edges = append(edges, Edge{min(f, g), max(f, g), float64(shared) / float64(len(x)+len(y)-shared)})
				}
			}
			index[t] = append(index[t], int32(place))
		}
	}
	slices.SortFunc(edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
	return edges
}

// overlap counts what two ascending sets share; it gives up, below need, once need is out of reach.
func overlap(x, y []uint32, need int) int {
	n, i, j := 0, 0, 0
	for i < len(x) && j < len(y) {
		if n+min(len(x)-i, len(y)-j) < need {
			return n
		}
		switch {
		case x[i] == y[j]:
			n++
			i++
			j++
		case x[i] < y[j]:
			i++
		default:
			j++
		}
	}
	return n
}
