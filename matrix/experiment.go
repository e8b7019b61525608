// Package matrix is the experiment language: it reads HCL files into an [Experiment] and expands
// the experiment into cells. It knows no kind of method, judge or dataset; cmd hands it tables of
// [Kind] (decisions.md, "Kinds").
package matrix

import (
	"github.com/hashicorp/hcl/v2"

	"intentlab/ablations"
	"intentlab/ablations/partition"
	"intentlab/ablations/task"
)

// Kind describes one method kind, judge kind or dataset format to the language.
type Kind struct {
	Name    string
	Summary string // one line, for docs and schema
	// Options returns a pointer to a settings struct with its defaults filled in, fields tagged
	// `hcl:"name,optional"` (or required) and `doc:"…"`; nested blocks as pointer structs. nil: no
	// settings. Further tags: enum:"a,b", min, max, format:"duration|url", and key:"-" (limits,
	// time-outs, workers: in no key), key:"files" (file names and globs that count by content) or
	// key:"path" (content that is identified elsewhere). A settings struct may have
	// Check() map[string]string (attribute → what is wrong; "timeouts.start" for a nested one).
	Options func() any
	Needs   Needs
	// Deterministic kinds run once and are shown for all seeds. UsesRatio and UsesLabels widen the
	// visible hash. CodeVersion is part of every answer or verdict key.
	Deterministic, UsesRatio, UsesLabels bool
	CodeVersion                          int
	// Declares says the three for one method where its settings decide (a program that calls itself
	// deterministic); nil keeps the kind's own.
	Declares func(options any) (deterministic, usesRatio, usesLabels bool)
	// Files lists what a key:"files" field of the settings stands for (absolute, or relative to dir),
	// where the kind knows better than globbing: defaults, folders. nil: globs and folders only.
	Files func(options any, dir string) ([]string, error)
	// Built is false for kinds of the language whose engine comes later: they validate and plan,
	// and `run` refuses them in one sentence.
	Built bool
	// Groups (formats only): the names `split { by }` may take beside "episode" and "cluster". An
	// entry that is no identifier describes names that only the data knows: then any is accepted.
	Groups []string
	// SplitUnit (formats only): the default of `by`.
	SplitUnit string
}

// Needs says what a variant or an experiment must offer a kind.
type Needs struct {
	Graph, Text, Training, Endpoint bool
}

// Kinds are the tables that cmd hands to Load.
type Kinds struct {
	Methods, Judges, Formats map[string]Kind
}

// Inputs is what an experiment is read with besides its files.
type Inputs struct {
	Kinds    Kinds
	Vars     []string // NAME=VALUE in command line order
	VarFiles []string
	Getenv   func(string) (string, bool)
	Environ  func() []string // for INTENTLAB_VAR_name
	// ForRun makes an unset env() that is used as a secret an error (decisions.md, "Keys").
	ForRun bool
}

// Experiment is a fully resolved, validated experiment file.
type Experiment struct {
	Name        string
	Description string
	Files       []string // the HCL files, absolute
	Dir         string   // paths are relative to it
	Ratios      []task.Ratio
	Seeds       []int64
	Seed        uint64
	Evaluate    string // "test", "dev" or "all"
	Store       string // absolute path
	Cache       string // absolute path or ""

	Datasets  []Dataset
	Ablations []Ablation
	Endpoints []Endpoint
	Methods   []Method
	Judges    []Judge // never empty: the default judge is filled in
	Excludes  []Exclude
	Baseline  Baseline
	Budget    *Budget
	Reports   []Report
	// MatrixJudges are the judges in matrix order; the first is primary. Empty means Judges.
	MatrixJudges []string
	// NotBuilt lists what `run` must refuse, one sentence each, in file order.
	NotBuilt []string
	// Warnings were reported but did not stop the load.
	Warnings hcl.Diagnostics
	// Resolved is the canonical configuration without secrets, the input of ConfigHash.
	Resolved map[string]any

	configHash string
}

// Dataset is one dataset block (one per for_each element; Name then is `name["key"]`, ID `name-key`).
type Dataset struct {
	Name       string // as referred to: weblinx, or weblinx["a"]
	ID         string // as in task ids and tables: weblinx, or weblinx-a
	Format     string
	Path       string // absolute
	Visibility string
	Limit      int // 0: all
	Filter     partition.Filter
	Split      partition.Split
	Judges     []string // own judges; empty: the matrix's
	// Observations is an absolute path or "".
	Observations string
	// InMacro overrides whether the dataset counts in macro averages; nil leaves it to its evidence.
	InMacro *bool
	Options any
	// Settings is the canonical form of Options, as for methods.
	Settings map[string]any
	Range    hcl.Range
}

// Ablation is one ablation block.
type Ablation struct {
	Name, ID  string
	Spec      ablations.Spec
	Reference string // ID of the ablation that its effect is measured against
	Range     hcl.Range
}

// Endpoint is one endpoint block. The key is held apart from everything that is stored or printed.
type Endpoint struct {
	Name              string
	Provider          string
	BaseURL           string
	APIKey            Secret
	MaxConcurrency    int
	RequestsPerMinute int
	TokensPerMinute   int
	Timeout           string
	ExtraBody         map[string]any
	Headers           map[string]string
	Price             *Price
	Range             hcl.Range
}

// Price is USD per million tokens.
type Price struct{ Input, Output, CachedInput float64 }

// Secret is a string that prints, formats and marshals as "(secret)".
type Secret struct{ value string }

// NewSecret wraps a value.
func NewSecret(v string) Secret { return Secret{v} }

// Reveal returns the value, for the one place that sends it.
func (s Secret) Reveal() string { return s.value }

// String hides the value.
func (s Secret) String() string { return "(secret)" }

// GoString hides the value from %#v.
func (s Secret) GoString() string { return "(secret)" }

// MarshalJSON hides the value.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"(secret)"`), nil }

// Method is one method block, expanded by for_each.
type Method struct {
	Name, ID string
	Uses     string // the kind
	Kind     Kind
	Options  any
	Endpoint string // name, "" when none
	// Settings is the canonical form of Options for the answer key: no secrets, limits or time-outs,
	// files by content (see docs on identity).
	Settings map[string]any
	Seeds    []int64 // own seeds, else the experiment's; one seed (the first) for deterministic kinds
	Sample   *Sample
	// NoDedup asks every task, equal visible inputs too: episode and ratio are then part of the key.
	NoDedup bool
	Range   hcl.Range
}

// Sample is a method's own nested subset.
type Sample struct {
	Episodes int
	Seed     uint64
}

// Judge is one judge block.
type Judge struct {
	Name, ID string
	Uses     string
	Kind     Kind
	Options  any
	Endpoint string
	Settings map[string]any
	Lo, Hi   float64 // calibration anchors; 0 and 1 by default
	// Theta is the pass threshold (strictly greater), 0.7 by default.
	Theta     float64
	IsDefault bool // no judge block was written: embedding, uncalibrated
	Range     hcl.Range
}

// Exclude takes cells out by choice; empty lists match everything, not both.
type Exclude struct {
	Datasets, Ablations, Methods []string
	Seeds                        []int64
	Reason                       string
	Range                        hcl.Range
}

// Baseline names the method IDs that area gain is measured against; "" when there is none.
type Baseline struct{ Closed, Open string }

// Budget is the run's limits.
type Budget struct {
	USD      float64
	Requests int64
	Tokens   int64
	OnLimit  string
}

// Report is one report block.
type Report struct {
	Name    string
	Tables  []string
	Formats []string
	Out     string // absolute
	Range   hcl.Range
}

// CellState says what the declaration makes of a point of the matrix.
type CellState string

// The states of a declared cell.
const (
	CellRun      CellState = "run"
	CellNA       CellState = "n/a"
	CellExcluded CellState = "excluded"
)

// Cell is one point of the matrix.
type Cell struct {
	Dataset, Ablation, Method int // indices into the experiment
	Seed                      int64
	Fold                      int // 0 without folds, else 1..k
	State                     CellState
	Reason                    string
}
