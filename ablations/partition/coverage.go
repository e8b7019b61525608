package partition

import (
	"fmt"
	"slices"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// Coverage is how many of a test part's episodes have a closed label that occurs in train. Every
// episode has equally many prefix tasks, so the share of episodes is the share of tasks.
type Coverage struct {
	Fold     int    `json:"fold"` // 1-based; 0 when there is one fold only
	Part     string `json:"part"`
	Episodes int    `json:"episodes"` // with a closed label
	Seen     int    `json:"seen"`
	// UnseenLabels are the labels of the part that train lacks, in byte order.
	UnseenLabels []string `json:"unseen_labels,omitempty"`
}

// Share is Seen/Episodes in [0, 1]; ok is false where no episode of the part has a closed label.
func (c Coverage) Share() (share float64, ok bool) {
	if c.Episodes == 0 {
		return 0, false
	}
	return float64(c.Seen) / float64(c.Episodes), true
}

// Covered reports the seen-label coverage of every test part of a, in the order of folds and parts.
func Covered(eps []trajectory.Episode, a Assignment) []Coverage {
	var out []Coverage
	for n, f := range a.Folds {
		number := 0
		if len(a.Folds) > 1 {
			number = n + 1
		}
		seen := labelsOf(eps, f.Train)
		for _, p := range f.Tests {
			c := Coverage{Fold: number, Part: p.Name}
			for _, i := range p.Episodes {
				label := eps[i].ClosedIntent
				switch {
				case label == "":
					continue
				case seen[label]:
					c.Seen++
				default:
					c.UnseenLabels = append(c.UnseenLabels, label)
				}
				c.Episodes++
			}
			slices.Sort(c.UnseenLabels)
			c.UnseenLabels = slices.Compact(c.UnseenLabels)
			out = append(out, c)
		}
	}
	return out
}

// CheckCoverage refuses a split under which no test episode at all, over all folds and parts, has a
// label that occurs in train, unless allow_unseen is set. One named part without coverage is no
// error (Mind2Web's test_domain is made so); it shows in [Covered]. Data without closed labels passes.
func CheckCoverage(eps []trajectory.Episode, a Assignment, allowUnseen bool) error {
	episodes, seen := 0, 0
	var example string
	for _, c := range Covered(eps, a) {
		episodes += c.Episodes
		seen += c.Seen
		if example == "" && len(c.UnseenLabels) > 0 {
			example = c.UnseenLabels[0]
		}
	}
	if allowUnseen || episodes == 0 || seen > 0 {
		return nil
	}
	return fmt.Errorf("split by %s: none of the %d test episodes has a closed label that occurs in train (%q, for one, does not); set allow_unseen = true if that is meant", a.Unit, episodes, example)
}

// LabelSpace lists the closed labels of all episodes (after filter and limit) in byte order, and
// those of the fold's training episodes. The name is the episodes' own; it is empty, as is the
// space, where none has a closed label.
func LabelSpace(eps []trajectory.Episode, f Fold) task.LabelSpace {
	space := task.LabelSpace{Labels: sorted(labelsOf(eps, allOf(len(eps)))), SeenInTrain: sorted(labelsOf(eps, f.Train))}
	for _, e := range eps {
		if e.ClosedIntent != "" && e.LabelSpace != "" {
			space.Name = e.LabelSpace
			break
		}
	}
	return space
}

// labelsOf is the set of closed labels of the episodes idx.
func labelsOf(eps []trajectory.Episode, idx []int) map[string]bool {
	set := map[string]bool{}
	for _, i := range idx {
		if l := eps[i].ClosedIntent; l != "" {
			set[l] = true
		}
	}
	return set
}

// sorted lists a set in byte order; never nil, so that JSON shows [].
func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for l := range set {
		out = append(out, l)
	}
	slices.Sort(out)
	return out
}
