package process

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"intentlab/ablations/task"
)

// ErrNoRecord means that a line is no JSON object with a task_id.
var ErrNoRecord = errors.New("not a JSON object with a task_id")

// Prediction is one prediction record (benchmark.md, "predictions.jsonl").
type Prediction struct {
	TaskID string
	Method string
	// Ablation and Seed are set where a record states them; most files don't.
	Ablation string
	Seed     *int64
	Answer   task.Answer
	// Dropped counts confidences, probabilities, scores and usage numbers that were no number in
	// their range (metrics-and-judge.md A2); the answer does not hold them.
	Dropped int
	// Line is the 1-based line in a file, 0 for an answer of a process.
	Line int
}

// Sum identifies the answer of a record: two records of one task with different sums contradict each
// other. Unknown fields, white space and the order of keys don't count.
func (p Prediction) Sum() ([sha256.Size]byte, error) {
	b, err := task.Canonical(struct {
		Answer  task.Answer
		Dropped int
	}{p.Answer, p.Dropped})
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("hash the prediction for %s: %w", p.TaskID, err)
	}
	return sha256.Sum256(b), nil
}

// record has every field raw, so that one malformed field doesn't hide which task it belongs to.
type record struct {
	Type            json.RawMessage `json:"type"`
	TaskID          json.RawMessage `json:"task_id"`
	Method          json.RawMessage `json:"method"`
	Ablation        json.RawMessage `json:"ablation"`
	Seed            json.RawMessage `json:"seed"`
	ClosedIntent    json.RawMessage `json:"closed_intent"`
	Confidence      json.RawMessage `json:"closed_confidence"`
	PredictedIntent json.RawMessage `json:"predicted_intent"`
	TopK            json.RawMessage `json:"closed_topk"`
	JudgeScore      json.RawMessage `json:"open_judge_score"`
	Error           json.RawMessage `json:"error"`
	Usage           json.RawMessage `json:"usage"`

	// Of a worker's own messages.
	Name        json.RawMessage `json:"name"`
	Version     json.RawMessage `json:"version"`
	Fit         json.RawMessage `json:"fit"`
	Concurrency json.RawMessage `json:"concurrency"`
}

// parseRecord reads one JSON object. The bare words NaN, Infinity and -Infinity, which Python
// writes for floats that JSON can't express, become strings, so that only their field is dropped.
func parseRecord(line []byte) (record, bool) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return record{}, false
	}
	var r record
	if json.Unmarshal(line, &r) == nil {
		return r, true
	}
	quoted, changed := quoteNonFinite(line)
	r = record{}
	return r, changed && json.Unmarshal(quoted, &r) == nil
}

// ParsePrediction reads a prediction record. Unknown fields are ignored. The error is ErrNoRecord,
// or says which field has a wrong type; TaskID is set in the latter case.
func ParsePrediction(line []byte) (Prediction, error) {
	r, ok := parseRecord(line)
	if !ok {
		return Prediction{}, ErrNoRecord
	}
	return r.prediction()
}

func (r record) prediction() (Prediction, error) {
	var p Prediction
	if !decode(r.TaskID, &p.TaskID) || p.TaskID == "" {
		return Prediction{}, ErrNoRecord
	}
	texts := []struct {
		name string
		raw  json.RawMessage
		to   *string
	}{
		{"method", r.Method, &p.Method}, {"ablation", r.Ablation, &p.Ablation},
		{"closed_intent", r.ClosedIntent, &p.Answer.ClosedIntent},
		{"predicted_intent", r.PredictedIntent, &p.Answer.PredictedIntent},
	}
	for _, t := range texts {
		if !decode(t.raw, t.to) {
			return p, fmt.Errorf("%s must be a string or null, not %s", t.name, clip(string(t.raw), 60))
		}
	}
	if !decode(r.Seed, &p.Seed) {
		return p, fmt.Errorf("seed must be an integer or null, not %s", clip(string(r.Seed), 60))
	}
	p.Answer.Error = errorText(r.Error)
	p.Answer.ClosedConfidence = p.share(r.Confidence)
	p.Answer.OpenJudgeScore = p.share(r.JudgeScore)
	var top []struct {
		Label string          `json:"label"`
		P     json.RawMessage `json:"p"`
	}
	if !decode(r.TopK, &top) {
		return p, fmt.Errorf("closed_topk must be a list of {label, p} or null, not %s", clip(string(r.TopK), 60))
	}
	for _, e := range top {
		if v := p.share(e.P); v != nil {
			p.Answer.ClosedTopK = append(p.Answer.ClosedTopK, task.LabelProbability{Label: e.Label, P: *v})
		}
	}
	var usage struct {
		Input  json.RawMessage `json:"input_tokens"`
		Output json.RawMessage `json:"output_tokens"`
		Cost   json.RawMessage `json:"cost_usd"`
	}
	if !decode(r.Usage, &usage) {
		return p, fmt.Errorf("usage must be an object or null, not %s", clip(string(r.Usage), 60))
	}
	p.Answer.Usage = task.Usage{
		InputTokens: int(p.number(usage.Input, 1<<53)), OutputTokens: int(p.number(usage.Output, 1<<53)),
		CostUSD: p.number(usage.Cost, math.MaxFloat64),
	}
	return p, nil
}

// decode reads raw into to; null and absent leave to as it is.
func decode(raw json.RawMessage, to any) bool {
	return isNull(raw) || json.Unmarshal(raw, to) == nil
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// share reads a number in [0, 1]; anything else but null is dropped and counted.
func (p *Prediction) share(raw json.RawMessage) *float64 {
	if isNull(raw) {
		return nil
	}
	var v float64
	if json.Unmarshal(raw, &v) != nil || v < 0 || v > 1 {
		p.Dropped++
		return nil
	}
	return &v
}

// number reads a number in [0, most]; anything else but null counts as dropped and gives 0.
func (p *Prediction) number(raw json.RawMessage, most float64) float64 {
	if isNull(raw) {
		return 0
	}
	var v float64
	if json.Unmarshal(raw, &v) != nil || v < 0 || v > most {
		p.Dropped++
		return 0
	}
	return v
}

// errorText reads the field error: null, false and "" are no error, a string is its text, anything
// else its JSON.
func errorText(raw json.RawMessage) string {
	if isNull(raw) || string(raw) == "false" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// quoteNonFinite puts the bare words NaN, Infinity and -Infinity outside of strings in quotes.
func quoteNonFinite(line []byte) ([]byte, bool) {
	words := [][]byte{[]byte("NaN"), []byte("-Infinity"), []byte("Infinity")}
	out := make([]byte, 0, len(line)+16)
	inString, changed := false, false
scan:
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case inString && c == '\\' && i+1 < len(line):
			out = append(out, c, line[i+1])
			i += 2
			continue
		case c == '"':
			inString = !inString
		case !inString:
			for _, w := range words {
				if bytes.HasPrefix(line[i:], w) {
					out = append(append(append(out, '"'), w...), '"')
					i += len(w)
					changed = true
					continue scan
				}
			}
		}
		out = append(out, line[i])
		i++
	}
	return out, changed
}
