package runners

import (
	"context"
	"errors"
	"fmt"
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
	identity  string
	labels    metrics.LabelSet
	stepwise  bool // store every answer before the next prefix is shown
	perTask   bool
	log       *cappedLog

	failures, forGood atomic.Int64
	why               atomic.Pointer[predictors.Failure] // the failure that ended the cell
	firstFailure      atomic.Pointer[string]
}

// cell runs one cell: fit, predict, judge, record. Failures of the method are stored with it; the
// error is of the machine.
func (r *run) cell(ctx context.Context, c Cell, row results.Cell) error {
	w := &cellRun{run: r, cell: c, row: row, labels: metrics.NewLabelSet(r.dataset(c).Space.Labels), log: &cappedLog{}}
	err := w.start(ctx)
	if err == nil {
		err = w.episodes(ctx)
	}
	if w.predictor != nil {
		err = errors.Join(err, w.predictor.Close())
	}
	if text := w.log.String(); text != "" {
		if e := r.store.Event(context.WithoutCancel(ctx), r.invocation, "output", row.ID, text); e != nil {
			return errors.Join(err, e)
		}
	}
	if ctx.Err() != nil {
		return nil // to do, never failed
	}
	if f := w.why.Load(); f != nil {
		return r.failCell(ctx, w.row, f.Detail, f.ForGood)
	}
	if f, ok := errors.AsType[*predictors.Failure](err); ok {
		return r.failCell(ctx, w.row, f.Detail, f.ForGood)
	}
	if c, ok := errors.AsType[*causeError](err); ok {
		return r.failCell(ctx, w.row, c.Error(), false)
	}
	if err != nil {
		return err
	}
	return w.finish(ctx)
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
		Labels: w.space(), Dir: g.Exp.Dir, Fold: c.Fold, Log: w.log}
	if o, ok := m.Options.(*predictors.CommandOptions); ok {
		w.stepwise = true
		setup.Env = predictors.CommandEnv(o, g.getenv)
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
	w.row.State, w.row.Reason, w.row.ForGood, w.row.Fit = results.CellPending, "", false, fit
	w.row.DuplicateOf = w.twin(v)
	if w.row.Identity, err = w.store.IdentityID(ctx, hash, inputs); err != nil {
		return err
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
		return asCause(err)
	}
	if len(unknown) > 0 {
		return &predictors.Failure{Reason: "unknown_task", ForGood: true, Cell: true,
			Detail: fmt.Sprintf("%d predictions are for tasks that the dataset hasn't got, the first: %s", len(unknown), unknown[0])}
	}
	return nil
}

// space is the label space as the fold's training split has seen it.
func (w *cellRun) space() task.LabelSpace {
	d := w.dataset(w.cell)
	s := partition.LabelSpace(d.Episodes, d.Fold(w.cell.Fold))
	s.Name = d.Space.Name
	return s
}

// twin names the ablation, earlier in the file, whose variant of this dataset is byte-identical.
func (w *cellRun) twin(v *variant) string {
	for j := range w.Exp.Ablations {
		other := w.variants[[2]int{w.cell.Dataset, j}]
		if j == w.cell.Ablation {
			return ""
		}
		if other.prepare(context.Background(), w.workers) == nil && other.digest == v.digest {
			return w.Exp.Ablations[j].ID
		}
	}
	return ""
}

// episodes runs the episodes of the cell side by side; within one they are strictly in grid order.
func (w *cellRun) episodes(ctx context.Context) error {
	d := w.dataset(w.cell)
	asked, judged := d.asked(d.Fold(w.cell.Fold), w.Exp.Evaluate)
	wanted, err := w.sampled(d, asked)
	if err != nil {
		return &causeError{err}
	}
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
				if err := w.episode(ctx, i, judged[i], wanted == nil || wanted[i]); err != nil {
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
	return w.workers
}

// over reports whether nothing new may be started in this cell.
func (w *cellRun) over() bool { return w.why.Load() != nil || w.draining() }

// sampled is the subset of episodes that a method with a `sample` block is asked about; nil is all.
func (w *cellRun) sampled(d *Data, asked []int) (map[int]bool, error) {
	s := w.method(w.cell).Sample
	if s == nil || s.Episodes <= 0 {
		return nil, nil
	}
	eps := make([]trajectory.Episode, len(asked))
	for n, i := range asked {
		eps[n] = d.Episodes[i]
	}
	idx, err := partition.Sample(eps, s.Episodes, s.Seed, partition.SampleUnit(w.Kinds.Formats[d.Decl.Format].SplitUnit))
	if err != nil {
		return nil, fmt.Errorf("sampling for method %s: %w", w.method(w.cell).ID, err)
	}
	out := map[int]bool{}
	for _, n := range idx {
		out[asked[n]] = true
	}
	return out, nil
}

// finish records the outcome of a cell that ran to its end.
func (w *cellRun) finish(ctx context.Context) error {
	counts, err := w.store.TaskCounts(ctx, w.row.ID)
	if err != nil {
		return err
	}
	stored := 0
	for _, n := range counts {
		stored += n
	}
	if stored < w.row.Tasks {
		return nil // drained: pending
	}
	w.row.State, w.row.Reason, w.row.ForGood = results.CellDone, "", false
	if n := w.failures.Load(); n > 0 {
		w.row.Reason = fmt.Sprintf("%d of %d tasks failed (%s)", counts[results.TaskMethodError], w.row.Tasks, *w.firstFailure.Load())
		w.row.ForGood = w.forGood.Load() == n
		w.failed(w.row, w.row.Reason)
	}
	return w.store.FinishCell(ctx, w.row)
}
