package ablations

import (
	"fmt"
	"sort"

	"intentlab/ablations/partition"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// Dataset is one dataset block after reading, filter and limit.
type Dataset struct {
	Name   string // as in task ids
	Format string
	// Fingerprint is the identity of the episodes below; blocks with equal fingerprints hold the same
	// data. Empty: unknown, and then the block is taken to differ from every other.
	Fingerprint string
	Episodes    []trajectory.Episode
	Fold        partition.Fold
}

// NameLabelSpaces decides what the label spaces of the datasets are called and returns the name of a
// space of a dataset. Blocks share a space's own name only when all blocks that use it hold the same
// data; otherwise each has `<dataset>/<space>` (benchmark.md, "Files of a variant"). The names depend
// on no order.
func NameLabelSpaces(datasets []Dataset) func(dataset, space string) string {
	type user struct {
		fingerprint string
		differs     bool
	}
	users := map[string]*user{}
	for i, d := range datasets {
		id := d.Fingerprint
		if id == "" {
			id = fmt.Sprintf("block %d", i)
		}
		for _, space := range spacesOf(d) {
			if u, ok := users[space]; !ok {
				users[space] = &user{fingerprint: id}
			} else if u.fingerprint != id {
				u.differs = true
			}
		}
	}
	return func(dataset, space string) string {
		if u := users[space]; space != "" && u != nil && u.differs {
			return dataset + "/" + space
		}
		return space
	}
}

func spacesOf(d Dataset) []string {
	known := map[string]bool{"": true}
	var out []string
	for _, ep := range d.Episodes {
		if !known[ep.LabelSpace] {
			known[ep.LabelSpace] = true
			out = append(out, ep.LabelSpace)
		}
	}
	return out
}

// LabelSpaces returns the label spaces of the datasets in byte order of their names: the closed
// labels of all splits after filter and limit, and those that the training split of the fold shows.
// Blocks that share a space unite what they have seen in training.
func LabelSpaces(datasets []Dataset) []task.LabelSpace {
	name := NameLabelSpaces(datasets)
	type sets struct{ labels, seen map[string]bool }
	all := map[string]*sets{}
	for _, d := range datasets {
		at := func(ep trajectory.Episode) *sets {
			n := name(d.Name, ep.LabelSpace)
			if all[n] == nil {
				all[n] = &sets{map[string]bool{}, map[string]bool{}}
			}
			return all[n]
		}
		for _, ep := range d.Episodes {
			if ep.ClosedIntent != "" && ep.LabelSpace != "" {
				at(ep).labels[ep.ClosedIntent] = true
			}
		}
		for _, i := range d.Fold.Train {
			if ep := d.Episodes[i]; ep.ClosedIntent != "" && ep.LabelSpace != "" {
				at(ep).seen[ep.ClosedIntent] = true
			}
		}
	}
	var out []task.LabelSpace
	for _, n := range sortedKeys(all) {
		out = append(out, task.LabelSpace{Name: n, Labels: sortedKeys(all[n].labels), SeenInTrain: sortedKeys(all[n].seen)})
	}
	return out
}

// sortedKeys returns the keys in byte order, never nil, so that it prints as [].
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
