package inspection

import (
	"intentlab/ablations/neardup"
	"intentlab/ablations/partition"
)

// Use is what an experiment makes of a dataset: filter, limit and split.
type Use struct {
	// Refused is why the experiment can't use the data, "" where it can. All else is empty then.
	Refused string          `json:"refused,omitempty"`
	Read    int             `json:"read"`
	Dropped partition.Drops `json:"dropped,omitempty"` // by the filter
	Limit   int             `json:"limit,omitempty"`
	Kept    int             `json:"kept"`
	Unit    string          `json:"split_by"`
	// Unassigned counts the kept episodes that stand in no part; Unknown lists explicitly listed ids
	// that are no episode.
	Unassigned int                  `json:"unassigned,omitempty"`
	Unknown    []string             `json:"unknown_ids,omitempty"`
	Folds      []FoldSizes          `json:"folds"`
	Coverage   []partition.Coverage `json:"coverage"`
	LabelSpace string               `json:"label_space"`
	Labels     int                  `json:"labels"`
	Seen       int                  `json:"seen_in_train"` // labels, in the first fold
	// Crossings are the open intents of dev and test that stand in the parts before them too, over all folds.
	Crossings []neardup.Crossing `json:"crossings"`
}

// FoldSizes are the parts of one fold in episodes.
type FoldSizes struct {
	Fold  int        `json:"fold"` // 0: no folds
	Train int        `json:"train"`
	Dev   int        `json:"dev"`
	Tests []PartSize `json:"tests"`
}

// PartSize is a test part and how many episodes it has.
type PartSize struct {
	Name     string `json:"name"`
	Episodes int    `json:"episodes"`
}
