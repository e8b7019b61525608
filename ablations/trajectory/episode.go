// Package trajectory reads recorded trajectories of every supported dataset format into one
// normalised form, the [Episode]. It knows the intents; nothing a predictor imports may import it.
package trajectory

import (
	"context"
	"iter"

	"intentlab/ablations/task"
)

// Episode is one normalised trajectory (benchmark.md, "Episode").
type Episode struct {
	Dataset      string            `json:"dataset"`    // the dataset block's name
	ID           string            `json:"episode_id"` // percent-encoded where it holds : / % # or control characters
	ClusterID    string            `json:"cluster_id"` // unit of resampling
	OpenIntent   string            `json:"open_intent"`
	ClosedIntent string            `json:"closed_intent"` // empty: closed is not available
	LabelSpace   string            `json:"closed_label_space"`
	Metadata     map[string]string `json:"metadata,omitempty"` // visible fields only, after visibility
	Apps         []string          `json:"apps,omitempty"`     // visible app list (as_published only); apps so far come from steps
	Profile      map[string]string `json:"profile,omitempty"`
	ContextSteps []task.Step       `json:"context_steps,omitempty"` // earlier turns; not counted in k or T
	Steps        []task.Step       `json:"steps"`
	Flags        []string          `json:"flags,omitempty"`  // e.g. "placeholder_steps"
	Groups       map[string]string `json:"groups,omitempty"` // units a split may go by: user, website, meta_task, conversation; never visible
	Lists        []string          `json:"lists,omitempty"`  // official list names the episode stands in, e.g. "train", "test_task"
	// Mask is what the reader has done to all visible text, to be done to observations too; nil for
	// nothing, and always once the episode has been read.
	Mask func(string) string `json:"-"`
}

// Visibility says which metadata a predictor may see (benchmark.md, table "What is visible").
type Visibility string

// The two visibilities.
const (
	Safe        Visibility = "safe"
	AsPublished Visibility = "as_published"
)

// Source is one dataset to read. Options is the value that the format's Options returned, decoded.
type Source struct {
	Name       string
	Format     string
	Path       string // file or folder
	Visibility Visibility
	Options    any
	// Observations is a sidecar of what was on the screen, joined on episode and step; "" for none. See
	// docs/datasets.md, "Observations".
	Observations string
}

// Skip is one record or file that was left out, and why. Reason is a short stable word such as
// no_steps, no_replay, invalid_json, duplicate, litter, not_of_this_format; Where names the file
// and line, offset or record. One reason stands for no record: [NoRole], whose Where is a field.
type Skip struct {
	Where  string `json:"where"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
	Count  int    `json:"count,omitempty"` // no_role: in how many places the field stood
}

// Reader streams the episodes of a source in file order. skipped is called (never concurrently) for
// whatever is left out. A damaged file ends the stream with an error that names file and line or
// byte; a single bad record is skipped only where datasets.md says so.
type Reader func(ctx context.Context, src Source, skipped func(Skip)) iter.Seq2[Episode, error]

// Format describes one on-disk format. One file a format.
type Format struct {
	Name    string
	Summary string
	Version int // the reader's version; part of the data identity
	// What the loader decided, for `intentlab datasets NAME` (benchmark.md, first table).
	EpisodeIs, OpenIntentIs, ClosedIntentIs, ClusterIs, StepsAre string
	LabelSpace                                                   string
	// VisibleSafe, VisibleAsPublished and NeverVisible list metadata fields.
	VisibleSafe, VisibleAsPublished, NeverVisible []string
	// SplitUnit is the default unit of a split: "episode", or coarser (decisions.md).
	SplitUnit string
	// Groups lists the fields that `split { by = … }` may name.
	Groups []string
	// Options returns a pointer to the format's settings with their defaults filled in; fields carry
	// `hcl:"name,optional"` and `doc:"…"` tags. Nil when there are none.
	Options func() any
	Source  string // paper or card, for the docs
	// Releases are what complete copies hold, as far as it is known.
	Releases []Release
	// Listed reads the official lists that lie beside the data at path: ids, as they stand in the files,
	// with the lists that name them. Nil where the format has no such files.
	Listed func(ctx context.Context, path string) (map[string][]string, error)
	Read   Reader
}
