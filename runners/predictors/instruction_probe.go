package predictors

import "intentlab/ablations/task"

var instructionProbeKind = Kind{
	Name:    "instruction_probe",
	Summary: "a leak probe that sees only what was said",
	Doc: `The nearest training episode by TF-IDF cosine of the utterances alone gives both answers: tfidf_knn with
k = 1 that reads no action, element, URL or metadata. Where it does as well as a method that reads everything,
the actions were not needed: the user had said what was wanted. Without an utterance that shares a word
with training it answers as "majority". Dev is not used.
Source: metrics-and-judge.md A17 and C3 row 2.
Complexity: that of tfidf_knn, over the words of utterances. Memory: 8 bytes a distinct term of an example.`,
	Needs:         Needs{Training: true},
	Deterministic: true,
	Causal:        true,
	CodeVersion:   1,
	New: func(Setup) (Predictor, error) {
		return &neighbourVote{indexLearner{space: featureSpace{name: "utterances 1", idf: true, keys: utteranceKeys}}, 1}, nil
	},
}

// utteranceKeys appends the tokens of all utterances: earlier turns, steps, or the nodes of a graph
// where the text has none.
func utteranceKeys(t *task.Task, keys []uint64) []uint64 {
	before := len(keys)
	for _, steps := range [2][]task.Step{t.ContextSteps, t.ObservedSteps} {
		for i := range steps {
			keys = tokenKeys(steps[i].Utterance, keys)
		}
	}
	if t.Graph == nil || len(keys) > before {
		return keys
	}
	for i := range t.Graph.Nodes {
		if n := &t.Graph.Nodes[i]; n.Type == "utterance" {
			keys = tokenKeys(n.Text, keys)
		}
	}
	return keys
}
