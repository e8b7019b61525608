package runners

import (
	"context"
	"strings"

	"intentlab/ablations/trajectory"
	"intentlab/judge"
	"intentlab/results"
)

// stateMethodError is the score state of a task whose method failed: 0, in the denominator (B5).
const stateMethodError = "method_error"

// stateJudgeTransport is the score state of a task whose judge could not be asked: unscored (B5).
const stateJudgeTransport = "judge_transport"

// judge scores the open answers of one episode with every judge of its dataset and adds verdicts and
// scores to the batch. Equal answers share a verdict, and a stored verdict is never asked for again.
func (w *cellRun) judge(ctx context.Context, ep trajectory.Episode, ids []string, got []results.Prediction, b *results.Batch) error {
	for _, j := range w.judgesOf(w.dataset(w.cell)) {
		if j.Judge == nil {
			continue // of a kind that is not built; `run` refuses it before
		}
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
		if !ok || !final(v) {
			said, err := w.ask(ctx, j, questions[i])
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				b.Scores = append(b.Scores, results.ScoreRow{Task: ids[i], Judge: by, State: stateJudgeTransport})
				continue
			}
			v = results.Verdict{Judge: by, Key: keys[i], Gold: questions[i].Gold, Predicted: questions[i].Predicted, State: string(said.State),
				Level: said.Level, Reason: said.Reason, Raw: said.Raw, Flags: strings.Join(said.Flags, " ")}
			switch {
			case said.State != judge.Scored:
			case said.Score >= 0 && said.Score <= 1: // false for NaN
				v.Score = &said.Score
			default:
				v.State = string(judge.BadScore)
			}
			have[keys[i]] = v
			b.Verdicts = append(b.Verdicts, v)
		}
		b.Scores = append(b.Scores, scoreRow(ids[i], by, v, p))
	}
	return nil
}

// ask asks a judge that has not failed in this cell yet. A judge that fails is not asked again there,
// the other judges and the method's own answers are left alone, and the next run goes on with it.
func (w *cellRun) ask(ctx context.Context, j *Judging, q judge.Question) (judge.Verdict, error) {
	if err, stopped := w.silent.Load(j.Decl.ID); stopped {
		return judge.Verdict{}, err.(error)
	}
	v, err := j.Judge.Judge(ctx, q)
	if err != nil && ctx.Err() == nil {
		w.silent.LoadOrStore(j.Decl.ID, err)
	}
	return v, err
}

// final reports whether a stored verdict is replayed; failures of the judge are tried again (B4.7).
func final(v results.Verdict) bool {
	switch judge.State(v.State) {
	case judge.Scored, judge.MethodEmpty, judge.UnsupportedGold, judge.UnsupportedText:
		return true
	}
	return false
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
