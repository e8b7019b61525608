package predictors

import (
	"context"
	"fmt"
	"strconv"

	"intentlab/ablations/task"
	"intentlab/results/metrics/draw"
)

var stratifiedPriorKind = Kind{
	Name:    "stratified_prior",
	Summary: "a label drawn from the training distribution",
	Doc: `Draws the closed label from the training distribution (episodes count once) with the label's share as
confidence; the open answer is the most frequent training intent. Expected accuracy is the sum of squared
shares where test and training agree: what chance gives to a method that knows the prior only.
The draw depends on the seed and the visible input, never on the order of tasks; equal visible inputs get
equal answers. Dev is not used.
Source: metrics-and-judge.md C3 row 1, vector V45.
Complexity: O(examples) to fit, a hash of the visible input and O(labels) an answer. Memory: one entry a
distinct label and intent.`,
	Needs:       Needs{Training: true},
	Causal:      true,
	CodeVersion: 1,
	New: func(s Setup) (Predictor, error) {
		return &stratifiedPrior{seed: s.Seed}, nil
	},
}

type stratifiedPrior struct {
	priorLearner
	seed int64
}

// Predict draws from SplitMix64 seeded with hash(seed, visible hash).
func (m *stratifiedPrior) Predict(ctx context.Context, t task.Task, _ []task.Task) (task.Answer, error) {
	if err := ready(ctx, m.fitted); err != nil {
		return task.Answer{}, err
	}
	answer := task.Answer{PredictedIntent: m.prior.open}
	if len(m.prior.labels) == 0 {
		return answer, nil
	}
	visible, err := task.VisibleHash(t, nil, 0)
	if err != nil {
		return task.Answer{}, &Failure{Reason: "bad_input", ForGood: true,
			Detail: fmt.Sprintf("hashing the visible input of task %s: %v", t.ID, err)}
	}
	drawn := m.prior.at(draw.New(draw.Seed(strconv.FormatInt(m.seed, 10), visible)).Float64())
	answer.ClosedIntent, answer.ClosedConfidence = drawn.value, confidence(drawn.mass/m.prior.total)
	return answer, nil
}

// at returns the label at quantile u in [0, 1) of the distribution, labels in byte order. p has at
// least one label.
func (p *prior) at(u float64) weighted {
	rest := u * p.total
	for _, l := range p.labels {
		if rest < l.mass {
			return l
		}
		rest -= l.mass
	}
	return p.labels[len(p.labels)-1] // u so near 1 that the subtractions lost the last bit
}
