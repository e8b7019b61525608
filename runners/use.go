package runners

import (
	"intentlab/ablations/inspection"
	"intentlab/ablations/partition"
)

// Use says what filter, limit and split left of the dataset.
func (d *Data) Use() *inspection.Use {
	u := &inspection.Use{Read: d.Read, Dropped: d.Drops, Limit: d.Decl.Limit, Kept: len(d.Episodes), Unit: d.Split.Unit,
		Unassigned: len(d.Split.Unassigned), Unknown: d.Split.UnknownIDs, Coverage: partition.Covered(d.Episodes, d.Split),
		LabelSpace: d.Space.Name, Labels: len(d.Space.Labels), Seen: len(d.Space.SeenInTrain), Crossings: d.Crossings()}
	for _, n := range d.FoldNumbers() {
		f := d.Fold(n)
		sizes := inspection.FoldSizes{Fold: n, Train: len(f.Train), Dev: len(f.Dev), Tests: []inspection.PartSize{}}
		for _, t := range f.Tests {
			sizes.Tests = append(sizes.Tests, inspection.PartSize{Name: t.Name, Episodes: len(t.Episodes)})
		}
		u.Folds = append(u.Folds, sizes)
	}
	return u
}
