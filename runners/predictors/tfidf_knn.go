package predictors

var tfidfKNNKind = Kind{
	Name:    "tfidf_knn",
	Summary: "nearest training episodes by TF-IDF cosine over every visible string",
	Doc: `The k training episodes nearest by cosine of TF-IDF vectors vote on the closed label, each with its
cosine; the confidence is the sum of the winner's votes over the number of voters (with k = 1 the
cosine itself). An episode is one neighbour, by the nearest of its prefixes. The open answer is the
intent of the nearest training episode: the usual open baseline of area gain. A task that shares no
term with the training split gets the prior of "majority".
Text is every visible string: metadata values, apps, profile, earlier turns, steps, and the node strings
of a visible graph that don't stand in the text anyway; so the method runs under visible_graph_only too.
Tokens: NFKC, lower case, runs of letters and digits, single Han ideographs and their bigrams.
Weights: raw counts times ln((1+N)/(1+df)) + 1 over training episodes, which is the default of
scikit-learn; terms that training never saw lengthen the task's vector. Dev is not used.
Source: metrics-and-judge.md C3 row 4; Salton and Buckley 1988.
Complexity: an answer is linear in its tokens and in the postings of its terms. Memory: 8 bytes a
distinct term of an example, through an inverted index.`,
	Options:       func() any { return &tfidfKNNOptions{K: 1} },
	Needs:         Needs{Training: true},
	Deterministic: true,
	Causal:        true,
	CodeVersion:   1,
	New:           newTFIDFKNN,
}

type tfidfKNNOptions struct {
	K int `hcl:"k,optional" doc:"number of nearest training episodes that vote, at least 1"`
}

// Check says which setting is wrong and why.
func (o *tfidfKNNOptions) Check() map[string]string { return checkNeighbours(o.K) }

func checkNeighbours(k int) map[string]string {
	wrong := map[string]string{}
	if k < 1 {
		wrong["k"] = "must be at least 1"
	}
	return wrong
}

func newTFIDFKNN(s Setup) (Predictor, error) {
	o, err := settings(s, &tfidfKNNOptions{K: 1})
	if err != nil {
		return nil, err
	}
	return &neighbourVote{indexLearner{space: textSpace}, o.K}, nil
}
