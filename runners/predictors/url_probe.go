package predictors

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"intentlab/ablations/task"
)

var urlProbeKind = Kind{
	Name:    "url_probe",
	Summary: "a leak probe that reads the first host and answers its label",
	Doc: `Answers with the label that is the host of the first URL in the input, or the same host but for "www.", or
of the same registered domain. A host that is no label is passed over. Without one it answers as "majority".
Where the labels are hosts, this is all that a method needs to score 1: use visibility "safe", or the
ablation no_url. The open answer is the most frequent training intent. Dev is not used.
Reads metadata, then earlier turns, then steps, then the graph, in that order.
Source: metrics-and-judge.md A17 and C3 row 2.
Complexity: linear in the visible text. Memory: a few entries a label.`,
	Needs:         Needs{Training: true},
	Deterministic: true,
	UsesLabels:    true,
	Causal:        true,
	CodeVersion:   1,
	New: func(s Setup) (Predictor, error) {
		return &urlProbe{hosts: hostLabels(s.Labels.Labels)}, nil
	},
}

type urlProbe struct {
	priorLearner
	hosts map[string]string // host, in its three forms, to label
}

// hostLike finds what may be a host, also without a scheme.
var hostLike = regexp.MustCompile(`(?i)[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+`)

// hostForms are the host in lower case, without "www.", and the part that its owner registers: the last
// two labels, or three where these are short ones ("co.uk"). An IP address has no such part.
func hostForms(host string) [3]string {
	host = strings.ToLower(host)
	bare := strings.TrimPrefix(host, "www.")
	parts := strings.Split(bare, ".")
	n := len(parts)
	last := parts[n-1]
	if last != "" && last[0] >= '0' && last[0] <= '9' {
		return [3]string{host, bare, bare}
	}
	keep := 2
	if n > 2 && len(last) == 2 && len(parts[n-2]) <= 3 {
		keep = 3
	}
	return [3]string{host, bare, strings.Join(parts[max(0, n-keep):], ".")}
}

// hostLabels maps the forms of all labels that are hosts. The closer form wins, and of two labels with
// one form the smaller in byte order.
func hostLabels(labels []string) map[string]string {
	out := map[string]string{}
	sorted := slices.Sorted(slices.Values(labels))
	for form := range 3 {
		for _, l := range sorted {
			if hostLike.FindString(l) != l || l == "" {
				continue
			}
			if f := hostForms(l)[form]; out[f] == "" {
				out[f] = l
			}
		}
	}
	return out
}

// Predict reads the strings of the task until one names a label's host.
func (m *urlProbe) Predict(ctx context.Context, t task.Task, _ []task.Task) (task.Answer, error) {
	if err := ready(ctx, m.fitted); err != nil {
		return task.Answer{}, err
	}
	answer := m.prior.answer()
	if label, ok := m.first(&t); ok {
		answer.ClosedIntent, answer.ClosedConfidence = label, confidence(1)
	}
	return answer, nil
}

func (m *urlProbe) first(t *task.Task) (string, bool) {
	if len(m.hosts) == 0 {
		return "", false
	}
	var texts []string
	for _, k := range t.Metadata.Keys() {
		texts = append(texts, t.Metadata.Fields[k])
	}
	texts = append(texts, t.Metadata.Apps...)
	for _, k := range slices.Sorted(maps.Keys(t.Metadata.Profile)) {
		texts = append(texts, t.Metadata.Profile[k])
	}
	for _, steps := range [2][]task.Step{t.ContextSteps, t.ObservedSteps} {
		for i := range steps {
			s := &steps[i]
			texts = append(texts, s.URL, s.Action, s.Element, s.Value, s.Utterance, s.App, s.Observation)
		}
	}
	if t.Graph != nil {
		for i := range t.Graph.Nodes {
			n := &t.Graph.Nodes[i]
			texts = append(texts, n.URL, n.Text, n.Value)
		}
	}
	for _, text := range texts {
		for _, host := range hostLike.FindAllString(text, -1) {
			for _, form := range hostForms(host) {
				if label, ok := m.hosts[form]; ok {
					return label, true
				}
			}
		}
	}
	return "", false
}
