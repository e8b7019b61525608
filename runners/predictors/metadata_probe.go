package predictors

import (
	"strings"

	"intentlab/ablations/task"
)

var metadataProbeKind = Kind{
	Name:    "metadata_probe",
	Summary: "a leak probe that sees only metadata, apps and profile",
	Doc: `The nearest training episode by TF-IDF cosine of the metadata gives both answers: fields and profile
entries as words under their keys, and the apps opened so far. It reads no step. Where it beats "majority", the
metadata say something about the intent before anything is done; the ablation no_metadata hides them. Without
an entry that training knows it answers as "majority". Dev is not used.
Source: metrics-and-judge.md A17 and C3 row 2.
Complexity: that of tfidf_knn, over the words of metadata. Memory: 8 bytes a distinct term of an example.`,
	Needs:         Needs{Training: true},
	Deterministic: true,
	Causal:        true,
	CodeVersion:   1,
	New: func(Setup) (Predictor, error) {
		return &neighbourVote{indexLearner{space: featureSpace{name: "metadata 1", idf: true, keys: metadataKeys}}, 1}, nil
	},
}

// metadataKeys appends the tokens of metadata, each chained to its key; those of the graph's nodes
// where the text has none.
func metadataKeys(t *task.Task, keys []uint64) []uint64 {
	before := len(keys)
	under := func(key, value string) {
		from := len(keys)
		keys = tokenKeys(value, keys)
		h := hashString(fnvOffset, key)
		for i := from; i < len(keys); i++ {
			keys[i] = chain(h, keys[i])
		}
	}
	for k, v := range t.Metadata.Fields { // in any order: the bag is sorted
		under("field "+k, v)
	}
	for k, v := range t.Metadata.Profile {
		under("profile "+k, v)
	}
	for _, a := range t.Metadata.Apps {
		under("app", a)
	}
	if t.Graph == nil || len(keys) > before {
		return keys
	}
	for i := range t.Graph.Nodes {
		switch n := &t.Graph.Nodes[i]; n.Type {
		case "metadata":
			under("field "+strings.TrimPrefix(n.ID, "metadata:"), n.Value)
		case "profile_attribute":
			under("profile "+strings.TrimPrefix(n.ID, "profile:"), n.Value)
		case "app":
			under("app", n.Value)
		}
	}
	return keys
}
