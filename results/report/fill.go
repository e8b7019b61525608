package report

import (
	"context"
	"fmt"
	"io"

	"intentlab/results"
	"intentlab/results/metrics"
)

// fill adds the episodes of one cell to the tables of the parts they stand in.
func (s *Source) fill(ctx context.Context, d results.DatasetInfo, c results.Cell, tables map[string]*metrics.Sample, answers io.Writer) error {
	gold, err := s.loadGold(ctx, c.Data)
	if err != nil {
		return err
	}
	parts, err := s.partsOf(ctx, c.Split, c.Fold)
	if err != nil {
		return err
	}
	labels, judges := metrics.NewLabelSet(d.Labels), s.judges(d)
	byFingerprint := map[string]int{}
	for i, j := range judges {
		byFingerprint[j.Fingerprint] = i
	}
	episodes := map[string][]metrics.Observation{}
	wanted := func(episode string) []metrics.Observation {
		for _, p := range parts[episode] {
			if tables[p] == nil {
				continue
			}
			if o, ok := episodes[episode]; ok {
				return o
			}
			o := pending(gold.episodes[episode], labels, len(judges))
			episodes[episode] = o
			return o
		}
		return nil
	}
	for episode := range parts {
		wanted(episode)
	}
	err = s.store.Tasks(ctx, c.ID, func(a results.Answered) error {
		at, ok := gold.task[a.Task]
		if !ok {
			return nil
		}
		row := wanted(at.episode)
		if row == nil {
			return nil
		}
		g := gold.episodes[at.episode].tasks[at.ratio]
		p := a.Prediction
		row[at.ratio] = metrics.Join(goldSide(g), metrics.Given{State: givenState(a.State), Closed: p.ClosedIntent, Open: p.PredictedIntent, Confidence: p.Confidence}, labels, len(judges))
		// A method's hash may cover its labels and the ratio too: within one ratio of one dataset it tells
		// apart exactly what the visible input does.
		row[at.ratio].Visible = p.Visible
		confidence := "-"
		if p.Confidence != nil {
			confidence = fmt.Sprint(*p.Confidence)
		}
		_, err := fmt.Fprintf(answers, "%s %s %q %s %q\n", a.Task, a.State, p.ClosedIntent, confidence, p.PredictedIntent)
		return err
	})
	if err != nil {
		return err
	}
	err = s.store.Scores(ctx, c.ID, func(x results.TaskScore) error {
		j, ok := byFingerprint[x.Judge]
		at, known := gold.task[x.Task]
		if !ok || !known {
			return nil
		}
		if row := wanted(at.episode); row != nil && row[at.ratio].State != metrics.Pending {
			row[at.ratio].Open[j] = OpenScore(x.State, x.Score)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for episode, row := range episodes {
		e := gold.episodes[episode]
		if e == nil {
			return fmt.Errorf("store %s: episode %s of dataset %s has no gold", s.store.Path(), episode, d.ID)
		}
		for _, p := range parts[episode] {
			if t := tables[p]; t != nil {
				t.Episodes = append(t.Episodes, metrics.Episode{ID: episode, Cluster: e.cluster, Total: e.total, Tasks: row})
			}
		}
	}
	return nil
}

// pending is an episode of which nothing is known yet.
func pending(e *episodeGold, labels metrics.LabelSet, judges int) []metrics.Observation {
	if e == nil {
		return nil
	}
	out := make([]metrics.Observation, len(e.tasks))
	for i, g := range e.tasks {
		out[i] = metrics.Join(goldSide(g), metrics.Given{State: metrics.Pending}, labels, judges)
	}
	return out
}

func goldSide(g results.Gold) metrics.Gold {
	return metrics.Gold{Steps: g.Steps, Duplicate: g.Duplicate, ClosedEligible: g.ClosedIntent != "", Closed: g.ClosedIntent, OpenEligible: g.OpenIntent != ""}
}

// givenState is what Join must be told; the states that follow from the answer itself are left to it.
func givenState(state string) metrics.State {
	switch state {
	case results.TaskMethodError:
		return metrics.MethodError
	case results.TaskMissing:
		return metrics.Missing
	case results.TaskNotAsked:
		return metrics.NotAsked
	case results.TaskNotApplicable:
		return metrics.NotApplicable
	}
	return ""
}

// OpenScore reads the state and score of a verdict by the policy of metrics-and-judge.md B5: method
// failures count 0, gold that the judge can't read is out, all else without a score is unscored.
func OpenScore(state string, score *float64) metrics.OpenScore {
	switch state {
	case "scored":
		if score != nil {
			return metrics.OpenScore{State: metrics.Scored, Score: *score}
		}
	case "method_empty", "method_error":
		return metrics.OpenScore{State: metrics.MethodFailure}
	case "gold_unsupported_text", "gold_missing":
		return metrics.OpenScore{State: metrics.GoldOut}
	}
	return metrics.OpenScore{State: metrics.JudgeFailure}
}
