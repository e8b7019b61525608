// Package partition decides which episodes are learnt from and which are tested: filter, then
// limit (a seeded, nested sample), then split (decisions.md, "Data order", "Split, cluster, label").
// Splits only hash; they draw nothing, so adding episodes moves few and file order moves none.
package partition

// Split is a resolved `split` block. Shares are permille and sum to 1000.
type Split struct {
	Train, Dev, Test int
	By               string // "episode", "cluster", or a group of the format; "" takes the format's SplitUnit
	Stratify         bool   // by closed label
	Seed             uint64
	Folds            int // 0: no folds
	Official         *Official
	IDs              *IDLists // explicit id lists; nil when absent
	AllowUnseen      bool
}

// Official takes the dataset's own lists. DevShare (permille) is carved from train by hash when
// DevLists is empty.
type Official struct {
	Train    []string
	DevLists []string
	DevShare int
	Test     []string
}

// IDLists are explicit episode ids (files are read by package matrix).
type IDLists struct{ Train, Dev, Test []string }

// Default is 0.6/0.2/0.2, stratified, by the format's own unit.
func Default() Split { return Split{Train: 600, Dev: 200, Test: 200, Stratify: true} }

// Filter is a resolved `filter` block; zero values filter nothing.
type Filter struct {
	MinSteps, MaxSteps int
	Scores             string // JSONL with episode_id and score (1–5); an episode without a score is dropped and counted
	MinScore           float64
}

// Part is a named list of episodes, as indices into the sampled episode slice, ascending.
type Part struct {
	Name     string // "test", or the official list's name
	Episodes []int
}

// Fold is one way of dividing the episodes. Without folds there is exactly one.
type Fold struct {
	Train, Dev []int
	Tests      []Part // one called "test" unless official lists name several
}
