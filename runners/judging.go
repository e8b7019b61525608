package runners

import (
	"context"
	"fmt"
	"strings"

	"intentlab/ablations/trajectory"
	"intentlab/judge"
	"intentlab/results"
)

// stateMethodError is the score state of a task whose method failed: 0, in the denominator (B5).
const stateMethodError = "method_error"

// judge scores the open answers of one episode with every judge of its dataset and adds verdicts and
// scores to the batch. Equal answers share a verdict, and a stored verdict is never asked for again.
func (w *cellRun) judge(ctx context.Context, ep trajectory.Episode, ids []string, got []results.Prediction, b *results.Batch) error {
	for _, j := range w.judgesOf(w.dataset(w.cell)) {
		if err := w.judgeWith(ctx, j, ep, ids, got, b); err != nil {
			return err
		}
	}
	return nil
}

func (w *cellRun) judgeWith(ctx context.Context, j *Judging, ep trajectory.Episode, ids []string, got []results.Prediction, b *results.Batch) error {
	by := w.judgeIDs[j.Decl.ID]
	questions := make([]judge.Question, len(got))
	keys := make([]string, len(got))
	for i, p := range got {
		// A failure is judged as an empty answer first: gold that the judge can't read takes the task
		// out for all methods, also for those that failed.
		q := judge.Question{Gold: judge.Normalise(ep.OpenIntent), Platform: ep.Metadata["platform"]}
		if p.State == results.PredictionAnswered {
			q.Predicted = judge.Normalise(p.PredictedIntent)
		}
		var err error
		if keys[i], err = judge.VerdictKey(j.Judge.Fingerprint(), q); err != nil {
			return &causeError{err}
		}
		questions[i] = q
	}
	have, err := w.store.Verdicts(ctx, distinct(keys))
	if err != nil {
		return err
	}
	for i, p := range got {
		v, ok := have[keys[i]]
		if !ok {
			said, err := j.Judge.Judge(ctx, questions[i])
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				return &causeError{fmt.Errorf("judge %s: %w", j.Decl.ID, err)}
			}
			v = results.Verdict{Judge: by, Key: keys[i], Gold: questions[i].Gold, Predicted: questions[i].Predicted, State: string(said.State),
				Level: said.Level, Reason: said.Reason, Raw: said.Raw, Flags: strings.Join(said.Flags, " ")}
			if said.State == judge.Scored {
				v.Score = &said.Score
			}
			have[keys[i]] = v
			b.Verdicts = append(b.Verdicts, v)
		}
		b.Scores = append(b.Scores, scoreRow(ids[i], by, v, p))
	}
	return nil
}

// scoreRow is what a verdict means for a task (B5): method failures count 0, judge failures and
// unreadable gold carry no score.
func scoreRow(id string, by int64, v results.Verdict, p results.Prediction) results.ScoreRow {
	r := results.ScoreRow{Task: id, Judge: by, VerdictKey: v.Key, Score: v.Score, State: v.State}
	zero := 0.0
	switch judge.State(v.State) {
	case judge.MethodEmpty:
		r.Score = &zero
		if p.State == results.PredictionFailed {
			r.State = stateMethodError
		}
	case judge.Scored:
	default:
		r.Score = nil
	}
	return r
}
