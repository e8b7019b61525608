package runners

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc/pool"

	"intentlab/ablations/partition"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
	"intentlab/results"
	"intentlab/results/metrics"
	"intentlab/runners/predictors"
)

// cellRun is one cell at work.
type cellRun struct {
	*run
	cell      Cell
	row       results.Cell
	predictor predictors.Predictor
	learner   predictors.Learner // nil for methods that are not fitted
	fitKey    string
	loaded    sync.Once // the learner's artefact
	loadErr   error
	batch     *batch // nil for methods that are asked one task at a time
	identity  string
	labels    metrics.LabelSet
	stepwise  bool // store every answer before the next prefix is shown
	perTask   bool
	paid      bool // the answers come from an endpoint: a power cut must not lose them
	log       *cappedLog
	final     map[string]bool // tasks that needed nothing more when the run began

	why     atomic.Pointer[predictors.Failure] // the failure that ended the cell
	silent  sync.Map                           // judge id → the error after which it was not asked again
	unready atomic.Int64                       // episodes that are not stored to their end
}

// cell runs one cell: fit, predict, judge, record. Failures of the method are stored with it; the
// error is of the machine. ended is false for a cell that still is to do.
func (r *run) cell(ctx context.Context, c Cell, row results.Cell) (ended bool, err error) {
	w := &cellRun{run: r, cell: c, row: row, labels: metrics.NewLabelSet(r.dataset(c).Space.Labels), log: &cappedLog{}}
	err = r.safely(ctx, row, func() error { return w.start(ctx) })
	if err == nil {
		err = w.episodes(ctx)
	}
	if w.predictor != nil {
		err = errors.Join(err, r.safely(ctx, row, func() error { return asCause(ctx, w.predictor.Close()) }))
	}
	if text := w.log.String(); text != "" {
		if e := r.store.Event(context.WithoutCancel(ctx), r.invocation, "output", row.ID, text); e != nil {
			return false, errors.Join(err, e)
		}
	}
	if ctx.Err() != nil {
		return false, nil // to do, never failed
	}
	if f := w.why.Load(); f != nil {
		return true, r.failCell(ctx, w.row, sentence(f), f.ForGood)
	}
	if f, ok := errors.AsType[*predictors.Failure](err); ok {
		return true, r.failCell(ctx, w.row, sentence(f), f.ForGood)
	}
	if c, ok := errors.AsType[*causeError](err); ok {
		return true, r.failCell(ctx, w.row, c.Error(), false)
	}
	if err != nil {
		return false, err
	}
	// All is stored: a cancel from here on undoes nothing.
	if ended, err = w.finish(context.WithoutCancel(ctx)); ended && err == nil && w.batch != nil {
		err = w.batch.kept.Remove()
	}
	return ended, err
}

// sentence is what a failure says; its word where it says nothing more.
func sentence(f *predictors.Failure) string {
	if f.Detail == "" {
		return f.Reason
	}
	return f.Detail
}

// causeError is a failure of the cell's own making (a fit, a file), as against one of the store.
type causeError struct{ err error }

func (e *causeError) Error() string { return e.err.Error() }
func (e *causeError) Unwrap() error { return e.err }

// start builds the predictor, fits it unless a stored fit serves, and fixes the identity.
func (w *cellRun) start(ctx context.Context) error {
	g, c := w.Engine, w.cell
	m, v := g.method(c), g.variant(c)
	if err := v.prepare(ctx, g.workers); err != nil {
		return &causeError{err}
	}
	files, err := g.files(ctx, c)
	if err != nil {
		return &causeError{err}
	}
	kind := g.Kinds.Methods[m.Uses]
	setup := predictors.Setup{Options: m.Options, Seed: c.Seed, Dataset: v.data.Decl.ID, Ablation: g.ablation(c).ID,
		Labels: g.space(c), Dir: g.Exp.Dir, Fold: c.Fold, Log: w.log}
	if o, ok := m.Options.(predictors.Launcher); ok {
		w.stepwise = kind.Causal
		setup.Env = predictors.CommandEnv(o.Launch(), g.getenv)
	}
	if m.Endpoint != "" {
		w.stepwise, w.paid = true, true
	}
	w.perTask = g.traits(m).perTask
	if w.predictor, err = kind.New(setup); err != nil {
		return &causeError{fmt.Errorf("method %s: %w", m.ID, err)}
	}
	if err := w.checkFile(ctx); err != nil {
		return err
	}
	fit, err := w.prepareFit(ctx, files)
	if err != nil {
		return err
	}
	hash, inputs, err := g.identity(c, files, fit)
	if err != nil {
		return err
	}
	w.identity = hash
	if b, ok := w.predictor.(predictors.Batch); ok {
		w.batch = &batch{predictor: b, kept: w.kept()}
	}
	w.row.State, w.row.Reason, w.row.ForGood, w.row.Fit = results.CellPending, "", false, fit
	if w.row.DuplicateOf, err = w.twin(ctx, v); err != nil {
		return &causeError{err}
	}
	if w.row.Identity, err = w.store.IdentityID(ctx, hash, inputs); err != nil {
		return err
	}
	if w.run.final[w.row.ID] > 0 {
		if w.final, err = w.store.FinalTasks(ctx, w.row.ID, w.o.RetryFailed); err != nil {
			return err
		}
	}
	return w.store.SetCell(ctx, w.row)
}

// checkFile refuses a predictions file with answers to tasks that the dataset hasn't got: usually it
// was made for another split or another copy (A2).
func (w *cellRun) checkFile(ctx context.Context) error {
	f, ok := w.predictor.(interface {
		Unknown(ctx context.Context, known func(taskID string) bool) ([]string, error)
	})
	if !ok {
		return nil
	}
	known := map[string]bool{}
	for i := range w.dataset(w.cell).Episodes {
		tasks, err := w.variant(w.cell).prefixes(i)
		if err != nil {
			return &causeError{err}
		}
		for _, t := range tasks {
			known[t.ID] = true
		}
	}
	unknown, err := f.Unknown(ctx, func(id string) bool { return known[id] })
	if err != nil {
		return asCause(ctx, err)
	}
	if len(unknown) > 0 {
		return &predictors.Failure{Reason: "unknown_task", ForGood: true, Cell: true,
			Detail: fmt.Sprintf("%d predictions are for tasks that the dataset hasn't got, the first: %s", len(unknown), unknown[0])}
	}
	return nil
}

// space is the label space as the training split of the cell's fold has seen it.
func (g *Engine) space(c Cell) task.LabelSpace {
	d := g.dataset(c)
	s := partition.LabelSpace(d.Episodes, d.Fold(c.Fold))
	s.Name = d.Space.Name
	return s
}

// twin names the ablation, earlier in the file, whose variant of this dataset is byte-identical. The
// hashes leave the ratio out, so that a method that looks at it is no twin where only one hides it.
func (w *cellRun) twin(ctx context.Context, v *variant) (string, error) {
	for j := range w.cell.Ablation {
		other := w.variants[[2]int{w.cell.Dataset, j}]
		if err := other.prepare(ctx, w.workers); err != nil {
			return "", err
		}
		if other.digest == v.digest && (!w.traits(w.method(w.cell)).usesRatio || other.spec.HideRatio == v.spec.HideRatio) {
			return w.Exp.Ablations[j].ID, nil
		}
	}
	return "", nil
}

// episodes runs the episodes of the cell side by side; within one they are strictly in grid order.
func (w *cellRun) episodes(ctx context.Context) error {
	d := w.dataset(w.cell)
	asked, judged := d.asked(d.Fold(w.cell.Fold), w.Exp.Evaluate)
	wanted, err := w.sampled(w.cell, asked)
	if err != nil {
		return &causeError{err}
	}
	w.unready.Store(int64(len(asked)))
	p := pool.New().WithMaxGoroutines(w.parallel()).WithContext(ctx).WithCancelOnError().WithFirstError()
	for _, chain := range w.chains(d, asked) {
		if ctx.Err() != nil || w.over() {
			break
		}
		p.Go(func(ctx context.Context) error {
			for _, i := range chain {
				if ctx.Err() != nil || w.over() {
					return nil
				}
				if err := w.safely(ctx, w.row, func() error { return w.episode(ctx, i, judged[i], wanted == nil || wanted[i]) }); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return p.Wait()
}

// chains groups the episodes that must follow one another: the turns of a conversation for a method
// that might remember, since the context of turn k+1 tells what turn k asked for (decisions.md:
// "turn k+1 only after every answer to turn k"). All other episodes stand alone.
func (w *cellRun) chains(d *Data, asked []int) [][]int {
	var out [][]int
	at := map[string]int{}
	for _, i := range asked {
		conversation := d.Episodes[i].Groups["conversation"]
		if n, ok := at[conversation]; ok && w.stepwise && conversation != "" {
			out[n] = append(out[n], i)
			continue
		}
		at[conversation] = len(out)
		out = append(out, []int{i})
	}
	return out
}

// parallel is how many episodes of this cell are in flight: what the program can hold, or the
// engine's own width.
func (w *cellRun) parallel() int {
	if c, ok := w.predictor.(interface{ InFlight() int }); ok {
		return max(c.InFlight(), 1)
	}
	// More than there are processors: who waits for its commit leaves room for the others, and their
	// commits join.
	return 4 * w.workers
}

// over reports whether nothing new may be started in this cell.
func (w *cellRun) over() bool { return w.why.Load() != nil || w.stopping() }

// sampled is the subset of a cell's episodes that a method with a `sample` block is asked about; nil
// is all.
func (g *Engine) sampled(c Cell, asked []int) (map[int]bool, error) {
	m, d := g.method(c), g.dataset(c)
	if m.Sample == nil || m.Sample.Episodes <= 0 {
		return nil, nil
	}
	eps := make([]trajectory.Episode, len(asked))
	for n, i := range asked {
		eps[n] = d.Episodes[i]
	}
	idx, err := partition.Sample(eps, m.Sample.Episodes, m.Sample.Seed, partition.SampleUnit(g.Kinds.Formats[d.Decl.Format].SplitUnit))
	if err != nil {
		return nil, fmt.Errorf("sampling for method %s: %w", m.ID, err)
	}
	out := map[int]bool{}
	for _, n := range idx {
		out[asked[n]] = true
	}
	return out, nil
}

// finish records the outcome of a cell that ran to its end. Everything is counted from the rows, so
// that it is the same after any number of resumes.
func (w *cellRun) finish(ctx context.Context) (ended bool, err error) {
	if w.unready.Load() > 0 {
		return false, nil // drained: pending
	}
	n, forGood, first, err := w.store.Failures(ctx, w.row.ID)
	if err != nil {
		return false, err
	}
	var reasons []string
	w.row.State, w.row.ForGood = results.CellDone, n > 0 && forGood == n
	if n > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %d tasks failed (%s)", n, w.row.Tasks, first))
	}
	for _, j := range w.judgesOf(w.dataset(w.cell)) {
		if err, ok := w.silent.Load(j.Decl.ID); ok {
			reasons = append(reasons, fmt.Sprintf("judge %s stopped: %v", j.Decl.ID, err))
			w.row.ForGood = false
		}
	}
	if w.row.Reason = oneLine(strings.Join(reasons, "; ")); w.row.Reason != "" {
		w.failed(w.row, w.row.Reason)
	}
	w.o.Progress.Event("cell", map[string]any{"cell": w.row.Name(), "state": w.row.State, "reason": w.row.Reason})
	return true, w.store.FinishCell(ctx, w.row)
}
