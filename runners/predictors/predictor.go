// Package predictors holds the method kinds. A predictor sees task.Task and nothing that knows an
// intent; training and dev examples reach it through Fit only.
package predictors

import (
	"context"
	"io"

	"intentlab/ablations/task"
	"intentlab/runners/endpoint"
)

// Predictor answers prefix tasks. Predict is safe for concurrent use by different episodes; within
// one episode the engine calls it in grid order, each time after the previous answer is stored
// (causal reveal). earlier holds the distinct tasks of the same episode that came before, so that a
// worker started in between can be brought up to date.
//
// An error is a *Failure for a failure of the method (kept with the task), or a context error. An
// [endpoint.Error] with the reason Quota or Budget may be wrapped in it instead: the task was not
// answered and is to do. Usage and Trace of the answer count with an error too: what was spent on a
// failure was spent.
type Predictor interface {
	Predict(ctx context.Context, t task.Task, earlier []task.Task) (task.Answer, error)
	// Close releases processes and files; it waits for whatever the predictor started.
	Close() error
}

// Learner is a predictor that is fitted before it predicts. Exactly one of Fit and Load is called
// once, before any Predict. Save writes what Load reads; its bytes are a function of examples,
// settings and seed only.
type Learner interface {
	Predictor
	Fit(ctx context.Context, train, dev task.Examples) error
	Save(w io.Writer) error
	Load(r io.Reader) error
}

// Previewer is a predictor that can say what it would send for a task, without sending anything: the
// first request of each of its stages. A learner must be fitted or loaded before.
type Previewer interface {
	Predictor
	Requests(ctx context.Context, t task.Task) ([]endpoint.Request, error)
}

// Failure is a method's failure on one task. ForGood failures are taken again only by
// --retry-failed; others (a crash, a time-out) by the next plain run.
type Failure struct {
	Reason  string // short stable word: timeout, crashed, bad_answer, not_json, contradictory, refused …
	Detail  string // one sentence, with the tail of stderr where there is one
	ForGood bool
	// Cell means that nothing more can be asked in this cell (contradictory answers, unknown task id,
	// the program does not start).
	Cell bool
}

func (f *Failure) Error() string { return f.Reason + ": " + f.Detail }

// Needs says what a kind requires of the variant (experiment-language.md, "Needs").
type Needs struct{ Graph, Text, Training, Endpoint bool }

// Setup is what a predictor is built with.
type Setup struct {
	Options any // what Kind.Options returned, decoded
	// Name is the method's id in the experiment: who pays, as "method NAME".
	Name string
	// Endpoint is the service of kinds that need one, nil for all others; a predictor that is built for
	// a preview only has none either.
	Endpoint endpoint.Caller
	Seed     int64
	Dataset  string
	Ablation string
	// Labels is the dataset's label space, for kinds that need candidates.
	Labels task.LabelSpace
	// Dir is the experiment's folder, against which a command's arguments are resolved.
	Dir string
	// Env holds the variables that `env` sets and `pass_env` lets through, already resolved.
	Env []string
	// Log receives what a process prints to stderr and noise on its stdout; never nil.
	Log io.Writer
	// ArtifactDir is a private folder for a worker's own artefact; "" for built-in kinds.
	ArtifactDir string
	// Fold is 0 without folds.
	Fold int
}

// Kind is one method kind. One file a kind.
type Kind struct {
	Name, Summary string
	// Doc says source, complexity and memory in a few lines, for `intentlab methods NAME`.
	Doc string
	// Options returns a pointer to the settings with defaults, fields tagged hcl and doc; nil if none.
	Options func() any
	Needs   Needs
	// Deterministic kinds give the same answers for every seed.
	Deterministic, UsesRatio, UsesLabels bool
	// Causal kinds are shown prefixes one at a time; false stamps "saw all prefixes".
	Causal bool
	// Batch kinds are handed all tasks and examples of a cell at once (their predictor is a [Batch]): what
	// they are handed is part of the key of every answer.
	Batch bool
	// CodeVersion changes whenever the kind's answers may change.
	CodeVersion int
	New         func(Setup) (Predictor, error)
}
