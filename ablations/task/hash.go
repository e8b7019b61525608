package task

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sort"
)

// Canonical is the one JSON form that is hashed: struct fields in declared order, map keys in byte
// order, no HTML escaping, no trailing newline.
func Canonical(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Hash is the lower-case hex SHA-256 of the canonical form.
func Hash(v any) (string, error) {
	b, err := Canonical(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// visible is what decides an answer (decisions.md, "Visible hash"): not the ids, the ablation's
// name, the ratio fields or the duplicate flag.
type visible struct {
	Metadata        Metadata `json:"metadata"`
	ContextSteps    []Step   `json:"context_steps"`
	ObservedSteps   []Step   `json:"observed_steps"`
	Nodes           []Node   `json:"nodes"`
	Edges           []Edge   `json:"edges"`
	PrefixStepCount int      `json:"prefix_step_count"`
}

// VisibleHash identifies the visible input of t. labels is nil unless the kind declares
// uses_labels, ratio is 0 unless it declares uses_ratio.
func VisibleHash(t Task, labels []string, ratio Ratio) (string, error) {
	v := visible{Metadata: t.Metadata, ContextSteps: t.ContextSteps, ObservedSteps: t.ObservedSteps, PrefixStepCount: t.PrefixStepCount}
	if t.Graph != nil {
		v.Nodes, v.Edges = t.Graph.Nodes, t.Graph.Edges
	}
	base, err := Hash(v)
	if err != nil {
		return "", err
	}
	return WidenHash(base, labels, ratio)
}

// WidenHash adds the label space's labels and the ratio to a visible hash, so that one hash of the
// (large) input serves kinds that look at them and kinds that don't.
func WidenHash(base string, labels []string, ratio Ratio) (string, error) {
	if labels == nil && ratio == 0 {
		return base, nil
	}
	sorted := append([]string(nil), labels...)
	sort.Strings(sorted)
	return Hash(struct {
		Visible string   `json:"visible"`
		Labels  []string `json:"labels,omitempty"`
		Ratio   Ratio    `json:"ratio,omitempty"`
	}{base, sorted, ratio})
}
