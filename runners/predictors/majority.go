package predictors

import (
	"context"

	"intentlab/ablations/task"
)

var majorityKind = Kind{
	Name:    "majority",
	Summary: "the most frequent training label, always",
	Doc: `Answers every task with the most frequent closed label of the training split (episodes count
once; a tie goes to the smallest label in byte order) and its share as confidence, and with the most
frequent training intent as open answer. The usual baseline of area gain.
Source: metrics-and-judge.md C3 row 1, vector V45. Reads nothing of the task; dev is not used.
Complexity: O(examples) to fit, O(1) an answer. Memory: one entry a distinct label and intent.`,
	Needs:         Needs{Training: true},
	Deterministic: true,
	Causal:        true,
	CodeVersion:   1,
	New:           func(Setup) (Predictor, error) { return &majority{}, nil },
}

type majority struct{ priorLearner }

// Predict gives the same answer to every task.
func (m *majority) Predict(ctx context.Context, _ task.Task, _ []task.Task) (task.Answer, error) {
	if err := ready(ctx, m.fitted); err != nil {
		return task.Answer{}, err
	}
	return m.prior.answer(), nil
}
