package runners

import (
	"context"
	"errors"
	"fmt"
	"math"

	"intentlab/ablations/task"
	"intentlab/results"
	"intentlab/results/metrics"
	"intentlab/runners/predictors"
)

// episode answers, stores and judges the prefixes of one episode. Equal visible inputs are asked
// once; the answer of the smallest ratio serves the others.
func (w *cellRun) episode(ctx context.Context, i int, judged, wanted bool) error {
	ep := w.dataset(w.cell).Episodes[i]
	ids := make([]string, len(w.Exp.Ratios))
	for j, r := range w.Exp.Ratios {
		ids[j] = task.ID(ep.Dataset, ep.ID, r)
	}
	if !wanted {
		rows := make([]results.TaskRow, len(ids))
		for j, id := range ids {
			rows[j] = results.TaskRow{Task: id, State: results.TaskNotAsked}
		}
		if err := w.store.Put(ctx, w.run.run.Generation, results.Batch{Cell: w.row.ID, Tasks: rows}); err != nil {
			return err
		}
		w.stored(ids, 0, nil)
		return nil
	}
	hashes, err := w.visibleHashes(w.cell, i)
	if err != nil {
		return &causeError{err}
	}
	keys := make([]string, len(ids))
	for j, h := range hashes {
		id := ""
		if w.perTask {
			id = ids[j]
		}
		keys[j] = answerKey(w.identity, h, id)
	}
	a := &asking{cellRun: w, episode: i, keys: keys, hashes: hashes}
	defer func() { a.claims.abandon(a.held...) }() // whatever happens, a panic too
	got, err := a.all(ctx)
	if err != nil || got == nil {
		return err
	}
	rows := make([]results.TaskRow, len(ids))
	var failed []string
	for j, id := range ids {
		rows[j] = results.TaskRow{Task: id, State: w.state(ep.ClosedIntent, ep.OpenIntent, got[j]), Key: keys[j]}
		if got[j].State == results.PredictionFailed {
			if failed = append(failed, got[j].Error); len(failed) == 1 {
				w.failed(w.row, got[j].Error+": "+got[j].Detail)
			}
		}
	}
	batch := results.Batch{Cell: w.row.ID, Predictions: a.fresh, Tasks: rows, Paid: w.paid}
	var judging error
	if judged && ep.OpenIntent != "" {
		// The judges of this version are local and quick: one commit an episode holds all. What the
		// method said is stored even where a judge fails.
		judging = w.judge(ctx, ep, ids, got, &batch)
	}
	if err := w.store.Put(context.WithoutCancel(ctx), w.run.run.Generation, batch); err != nil || judging != nil {
		return errors.Join(err, judging)
	}
	a.claims.settle(a.held...)
	w.stored(ids, a.asked, failed)
	return nil
}

// stored counts an episode that is stored to its end, and those of its tasks that were to do.
func (w *cellRun) stored(ids []string, asked int, failed []string) {
	w.unready.Add(-1)
	tasks := 0
	for _, id := range ids {
		if !w.final[id] {
			tasks++
		}
	}
	w.o.Progress.Did(w.row.Method, tasks, asked, failed)
}

// state is the state of a task given its prediction, by the rules of A2.
func (w *cellRun) state(closed, open string, p results.Prediction) string {
	given := metrics.Given{Closed: p.ClosedIntent, Open: p.PredictedIntent}
	switch p.State {
	case results.PredictionFailed:
		given.State = metrics.MethodError
	case results.PredictionMissing:
		given.State = metrics.Missing
	}
	o := metrics.Join(metrics.Gold{ClosedEligible: closed != "", Closed: closed, OpenEligible: open != ""}, given, w.labels, 0)
	return string(o.State)
}

// asking collects the answers of one episode.
type asking struct {
	*cellRun
	episode      int
	keys, hashes []string
	tasks        []task.Task // built only when something must be asked
	earlier      []task.Task // distinct prefixes before the one at hand
	asked        int
	fresh        []results.Prediction // answered, not yet stored
	held         []string             // claims to give back once stored
}

// all returns the prediction of every ratio, or nil when the cell stopped in between; what was
// answered until then is stored. Fresh answers of a whole episode are left to the caller to store.
func (a *asking) all(ctx context.Context) (got []results.Prediction, err error) {
	have, err := a.store.Predictions(ctx, a.run.run.Generation, distinct(a.keys))
	if err != nil {
		return nil, err
	}
	got = make([]results.Prediction, len(a.keys))
	for j, key := range a.keys {
		p, ok := have[key]
		switch {
		case j > 0 && key == a.keys[j-1]:
			got[j] = got[j-1]
			continue
		case ok && a.usable(p):
			got[j] = p
		default:
			p, ok, err := a.one(ctx, j)
			if err != nil {
				return nil, errors.Join(err, a.flush(context.WithoutCancel(ctx)))
			}
			if !ok {
				return nil, a.flush(context.WithoutCancel(ctx))
			}
			got[j], have[key] = p, p
		}
		if a.tasks != nil {
			a.earlier = append(a.earlier, a.tasks[j])
		}
	}
	return got, nil
}

// usable reports whether a stored prediction answers the question for good.
func (a *asking) usable(p results.Prediction) bool {
	return p.State != results.PredictionFailed || p.ForGood && !a.o.RetryFailed
}

// one asks about one ratio, or takes the answer that another cell is about to store. ok is false
// when the run or the cell stopped before it was asked.
func (a *asking) one(ctx context.Context, j int) (p results.Prediction, ok bool, err error) {
	for {
		if a.over() {
			return p, false, nil
		}
		mine, settled, err := a.claims.take(ctx, a.keys[j])
		if err != nil {
			return p, false, err
		}
		if mine {
			a.held = append(a.held, a.keys[j])
		}
		if mine && !settled {
			break
		}
		// Somebody has answered between the first look and the claim, or was about to.
		have, err := a.store.Predictions(ctx, a.run.run.Generation, a.keys[j:j+1])
		if err != nil {
			return p, false, err
		}
		// What this very invocation has asked is not asked once more, though it failed: the next run
		// tries again, and equal questions of several cells fail alike.
		if p, found := have[a.keys[j]]; found && (a.usable(p) || mine) {
			if mine {
				a.held = a.held[:len(a.held)-1]
				a.claims.settle(a.keys[j])
			}
			return p, true, nil
		}
		if mine {
			break
		}
	}
	if err := a.ready(ctx); err != nil {
		return p, false, err
	}
	if a.tasks == nil {
		if a.tasks, err = a.variant(a.cell).prefixes(a.episode); err != nil {
			return p, false, &causeError{err}
		}
		for k := range j {
			if k == 0 || a.keys[k] != a.keys[k-1] {
				a.earlier = append(a.earlier, a.tasks[k])
			}
		}
	}
	p, stop, err := a.predict(ctx, j)
	if err != nil {
		return p, false, err
	}
	a.asked++
	a.fresh = append(a.fresh, p)
	if a.stepwise {
		if err := a.flush(context.WithoutCancel(ctx)); err != nil {
			return p, false, err
		}
	}
	return p, !stop, nil
}

// predict asks the predictor and turns its word, or its failure, into a row. stop means that the
// cell can't go on.
func (a *asking) predict(ctx context.Context, j int) (p results.Prediction, stop bool, err error) {
	p = results.Prediction{Key: a.keys[j], Identity: a.row.Identity, Visible: a.hashes[j], State: results.PredictionAnswered, Attempts: 1}
	answer, err := a.predictor.Predict(ctx, a.tasks[j], a.earlier)
	if ctx.Err() != nil {
		return p, true, context.Cause(ctx)
	}
	if errors.Is(err, predictors.ErrMissing) {
		p.State = results.PredictionMissing
		return p, false, nil
	}
	if err != nil {
		f, ok := errors.AsType[*predictors.Failure](err)
		if !ok {
			f = &predictors.Failure{Reason: "error", Detail: err.Error(), ForGood: true}
		}
		p.State, p.ForGood, p.Error, p.Detail = results.PredictionFailed, f.ForGood, f.Reason, f.Detail
		if f.Cell {
			a.why.CompareAndSwap(nil, f)
		}
		return p, f.Cell, nil
	}
	if answer.Error != "" {
		p.State, p.ForGood, p.Error, p.Detail = results.PredictionFailed, true, "reported", answer.Error
		return p, false, nil
	}
	p.ClosedIntent, p.Confidence, p.PredictedIntent = answer.ClosedIntent, answer.ClosedConfidence, answer.PredictedIntent
	p.InputTokens, p.OutputTokens, p.CostUSD = answer.Usage.InputTokens, answer.Usage.OutputTokens, answer.Usage.CostUSD
	if len(answer.ClosedTopK) > 0 {
		if p.TopK, err = canonical(answer.ClosedTopK); err != nil {
			p.State, p.ForGood, p.Error, p.Detail = results.PredictionFailed, true, "bad_answer", fmt.Sprintf("the ranked labels can't be stored: %v", err)
		}
	}
	if p.Confidence != nil && !finite(*p.Confidence) {
		p.Confidence = nil // dropped, as any confidence outside of [0, 1] (A2)
	}
	if !finite(p.CostUSD) {
		p.CostUSD = 0
		p.State, p.ForGood, p.Error, p.Detail = results.PredictionFailed, true, "bad_answer", "the cost is not a number"
	}
	return p, false, nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// flush stores what was answered and gives the claims back.
func (a *asking) flush(ctx context.Context) error {
	if len(a.fresh) > 0 {
		if err := a.store.Put(ctx, a.run.run.Generation, results.Batch{Cell: a.row.ID, Predictions: a.fresh, Paid: a.paid}); err != nil {
			return err
		}
		a.fresh = a.fresh[:0]
	}
	a.claims.settle(a.held...)
	a.held = a.held[:0]
	return nil
}

func distinct(keys []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, k := range keys {
		if !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}
