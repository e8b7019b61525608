package main

import (
	"encoding/json"
	"io"

	"intentlab/ablations/task"
	"intentlab/results"
)

// shownTask is a task of a cell as `show --json` and `list --json` print it, in the field names of
// the benchmark's files and without row numbers of the store.
type shownTask struct {
	TaskID     string                 `json:"task_id"`
	Cell       shownCell              `json:"cell"`
	State      string                 `json:"state"`
	Parts      string                 `json:"parts,omitempty"`
	Gold       shownGold              `json:"gold"`
	Prediction *shownPrediction       `json:"prediction,omitempty"`
	Verdicts   []results.JudgedDetail `json:"verdicts,omitempty"`
}

type shownCell struct {
	Dataset  string `json:"dataset"`
	Ablation string `json:"ablation"`
	Method   string `json:"method"`
	Seed     int64  `json:"seed"`
	Fold     int    `json:"fold"`
}

type shownGold struct {
	ClosedIntent string     `json:"closed_intent,omitempty"`
	LabelSpace   string     `json:"label_space,omitempty"`
	OpenIntent   string     `json:"open_intent,omitempty"`
	Ratio        task.Ratio `json:"requested_prefix_ratio"`
	Steps        int        `json:"prefix_step_count"`
	TotalSteps   int        `json:"total_steps"`
}

type shownPrediction struct {
	State           string          `json:"state"`
	ClosedIntent    string          `json:"closed_intent,omitempty"`
	Confidence      *float64        `json:"closed_confidence,omitempty"`
	PredictedIntent string          `json:"predicted_intent,omitempty"`
	TopK            json.RawMessage `json:"closed_topk,omitempty"`
	Error           string          `json:"error,omitempty"`
	Detail          string          `json:"detail,omitempty"`
	Attempts        int             `json:"attempts"`
	InputTokens     int             `json:"input_tokens"`
	OutputTokens    int             `json:"output_tokens"`
	CostUSD         float64         `json:"cost_usd"`
	VisibleHash     string          `json:"visible_hash"`
	Key             string          `json:"answer_key"`
}

// writeTask prints a task as one JSON line.
func writeTask(w io.Writer, d results.TaskDetail) error {
	s := shownTask{TaskID: d.Task, State: d.State, Parts: d.Parts, Verdicts: d.Verdicts,
		Cell: shownCell{d.Cell.Dataset, d.Cell.Ablation, d.Cell.Method, d.Cell.Seed, d.Cell.Fold},
		Gold: shownGold{d.Gold.ClosedIntent, d.Gold.LabelSpace, d.Gold.OpenIntent, task.Ratio(d.Gold.Ratio), d.Gold.Steps, d.Gold.TotalSteps}}
	if p := d.Prediction; p.Key != "" {
		s.Prediction = &shownPrediction{State: p.State, ClosedIntent: p.ClosedIntent, Confidence: p.Confidence, PredictedIntent: p.PredictedIntent,
			TopK: json.RawMessage(p.TopK), Error: p.Error, Detail: p.Detail, Attempts: p.Attempts, InputTokens: p.InputTokens,
			OutputTokens: p.OutputTokens, CostUSD: p.CostUSD, VisibleHash: p.Visible, Key: p.Key}
	}
	return writeLine(w, s)
}
