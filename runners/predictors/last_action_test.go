package predictors

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"intentlab/ablations/task"
)

var lastActionKind = Kind{
	Name:    "last_action",
	Summary: "the label that most often followed the last operation seen",
	Doc: `Looks the last visible operation up in a table that training filled, and backs off to the prior.
Source: metrics-and-judge.md C3 row 3. Complexity: O(steps) an answer. Memory: one entry an operation and label.`,
	Options:       func() any { return &lastActionOptions{MinEpisodes: 2} },
	Needs:         Needs{Text: true, Training: true},
	Deterministic: true,
	Causal:        true,
	CodeVersion:   1,
	New: func(s Setup) (Predictor, error) {
		o, err := settings(s, &lastActionOptions{MinEpisodes: 2})
		if err != nil {
			return nil, err
		}
		return &lastAction{min: o.MinEpisodes}, nil
	},
}

type lastActionOptions struct {
	MinEpisodes float64 `hcl:"min_episodes,optional" doc:"episodes that an operation must have been seen in, at least 1 (default 2)"`
}

// Check says which setting is wrong and why.
func (o *lastActionOptions) Check() map[string]string {
	if o.MinEpisodes < 1 {
		return map[string]string{"min_episodes": "must be at least 1"}
	}
	return nil
}

// lastAction is written by Fit or Load and only read by Predict, which may run many at once.
type lastAction struct {
	min   float64
	table map[string]tally // operation → label → episodes; "" is the prior
	open  tally
}

func lastOp(t *task.Task) string {
	for i := len(t.ObservedSteps) - 1; i >= 0; i-- {
		if op := t.ObservedSteps[i].Op; op != "" {
			return op
		}
	}
	return ""
}

// Fit reads the training examples once; dev is there for thresholds and early stopping.
func (m *lastAction) Fit(ctx context.Context, train, _ task.Examples) error {
	m.table, m.open = map[string]tally{"": {}}, tally{}
	for ex, err := range train(ctx) {
		if err != nil {
			return fmt.Errorf("reading training examples: %w", err)
		}
		op := lastOp(&ex.Task)
		if m.table[op] == nil {
			m.table[op] = tally{}
		}
		m.table[op].add(ex.ClosedIntent, ex.Weight) // a weight, not 1: every episode counts once
		m.table[""].add(ex.ClosedIntent, ex.Weight)
		m.open.add(ex.OpenIntent, ex.Weight)
	}
	return nil
}

// Predict answers from the visible task alone.
func (m *lastAction) Predict(ctx context.Context, t task.Task, _ []task.Task) (task.Answer, error) {
	if err := ready(ctx, m.table != nil); err != nil {
		return task.Answer{}, err
	}
	p := newPrior(m.table[lastOp(&t)], m.open)
	if p.total < m.min {
		p = newPrior(m.table[""], m.open)
	}
	return p.answer(), nil
}

type lastActionArtifact struct {
	Table map[string]tally `json:"table"`
	Open  tally            `json:"open"`
}

// Save writes the fit; encoding/json sorts keys, so equal examples give equal bytes.
func (m *lastAction) Save(w io.Writer) error {
	return json.NewEncoder(w).Encode(lastActionArtifact{m.table, m.open})
}

// Load reads what Save wrote.
func (m *lastAction) Load(r io.Reader) error {
	var a lastActionArtifact
	if err := json.NewDecoder(r).Decode(&a); err != nil {
		return fmt.Errorf("reading the table of last actions: %w", err)
	}
	m.table, m.open = a.Table, a.Open
	return nil
}

// Close has nothing to release.
func (m *lastAction) Close() error { return nil }
