package predictors

import (
	"context"
	"math"
	"slices"

	"intentlab/ablations/task"
)

var naiveBayesKind = Kind{
	Name:    "naive_bayes",
	Summary: "multinomial naive Bayes over every visible string",
	Doc: `Multinomial naive Bayes over the tokens of tfidf_knn: P(c) is the share of training episodes, P(t|c) =
(N_tc + alpha) / (N_c + alpha·V) with counts weighted so that every episode counts once and V distinct
training terms; terms that training never saw say nothing. The confidence is the posterior (log-sum-exp),
closed_topk the five most probable labels; a tie goes to the smallest label in byte order.
The open answer is the intent of the training episode that is nearest by TF-IDF cosine among those of the
predicted label; where none shares a term, the most frequent training intent.
Reads every visible string, so it runs under visible_graph_only too. Dev is not used.
Source: metrics-and-judge.md C3 row 5; McCallum and Nigam 1998.
Complexity: an answer is linear in its tokens, the labels, and the postings of its terms. Memory: 8 bytes a
distinct term of an example, 16 bytes a distinct term of a label.`,
	Options:       func() any { return &naiveBayesOptions{Alpha: 1} },
	Needs:         Needs{Training: true},
	Deterministic: true,
	Causal:        true,
	CodeVersion:   1,
	New:           newNaiveBayes,
}

type naiveBayesOptions struct {
	Alpha float64 `hcl:"alpha,optional" doc:"additive smoothing of term counts, above 0 and at most 1000"`
}

// Check says which setting is wrong and why.
func (o *naiveBayesOptions) Check() map[string]string {
	// Far below 1e-9 the logarithms are all smoothing; far above 1000 the counts vanish.
	if !(o.Alpha >= 1e-9 && o.Alpha <= 1000) {
		return map[string]string{"alpha": "must be at least 1e-9 and at most 1000"}
	}
	return map[string]string{}
}

func newNaiveBayes(s Setup) (Predictor, error) {
	o, err := settings(s, &naiveBayesOptions{Alpha: 1})
	if err != nil {
		return nil, err
	}
	nb := &naiveBayes{alpha: o.Alpha}
	nb.indexLearner = indexLearner{space: textSpace, fitted: nb.derive}
	return nb, nil
}

// classTerm is ln(N_tc + alpha) - ln(alpha) for a label that holds the term.
type classTerm struct {
	label int32
	gain  float64
}

type naiveBayes struct {
	indexLearner
	alpha float64
	start []float64 // per label: ln P(c); -Inf is impossible, since each label has an episode
	token []float64 // per label: ln alpha - ln(N_c + alpha·V), what a token costs that the label never had
	from  []int     // terms+1 offsets into gains
	gains []classTerm
}

// derive turns the index into log probabilities; they are sparse, since most terms occur under few
// labels only. Sums run over examples in order, within them over terms in order.
func (m *naiveBayes) derive(ix *index) {
	m.start, m.token = make([]float64, len(ix.labels)), make([]float64, len(ix.labels))
	m.from, m.gains = []int{0}, nil
	size := make([]float64, len(ix.labels))
	counts := make([]float64, len(ix.labels))
	for id := range ix.terms {
		clear(counts)
		for _, p := range ix.list(id) {
			if ex := &ix.examples[p.example]; ex.label >= 0 {
				counts[ex.label] += float64(ex.weight * float64(p.count))
			}
		}
		for c, n := range counts {
			if n > 0 {
				size[c] += n
				m.gains = append(m.gains, classTerm{int32(c), math.Log(n+m.alpha) - math.Log(m.alpha)})
			}
		}
		m.from = append(m.from, len(m.gains))
	}
	for c, l := range ix.prior.labels {
		m.start[c] = math.Log(l.mass / ix.prior.total)
		m.token[c] = math.Log(m.alpha) - math.Log(size[c]+m.alpha*float64(len(ix.terms)))
	}
}

// posterior returns P(label | terms) in the order of the labels.
func (m *naiveBayes) posterior(ix *index, terms []feature) []float64 {
	p := slices.Clone(m.start)
	known := 0.0
	for _, f := range terms {
		id, ok := ix.lookup[f.key]
		if !ok {
			continue
		}
		n := float64(f.count)
		known += n
		for _, g := range m.gains[m.from[id]:m.from[id+1]] {
			p[g.label] += float64(n * g.gain)
		}
	}
	if known > 0 { // without a known term the vocabulary may be empty and token infinite
		for c := range p {
			p[c] += float64(known * m.token[c])
		}
	}
	top := slices.Max(p)
	sum := 0.0
	for c := range p {
		p[c] = math.Exp(p[c] - top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// Predict ranks the labels by posterior.
func (m *naiveBayes) Predict(ctx context.Context, t task.Task, _ []task.Task) (task.Answer, error) {
	if err := ready(ctx, m.index != nil); err != nil {
		return task.Answer{}, err
	}
	ix := m.index
	answer := task.Answer{PredictedIntent: ix.prior.open}
	s, length := ix.query(&t)
	defer ix.release(s)
	keep := hasOpen
	if len(ix.labels) > 0 {
		p := m.posterior(ix, s.bag)
		ranked := rank(p)
		label := ranked[0]
		answer.ClosedIntent, answer.ClosedConfidence = ix.labels[label], confidence(p[label])
		for _, c := range ranked {
			answer.ClosedTopK = append(answer.ClosedTopK, task.LabelProbability{Label: ix.labels[c], P: p[c]})
		}
		keep = func(ex *trained) bool { return ex.open >= 0 && ex.label == label }
	}
	if near := ix.nearest(s, length, 1, keep); len(near) > 0 {
		answer.PredictedIntent = ix.opens[ix.examples[near[0].example].open]
	}
	return answer, nil
}

// rank returns the topK most probable labels; equal ones stay in byte order.
func rank(p []float64) []int32 {
	var best []int32
	for c := range p {
		at := len(best)
		for at > 0 && p[best[at-1]] < p[c] {
			at--
		}
		if at < topK {
			best = slices.Insert(best, at, int32(c))
			best = best[:min(topK, len(best))]
		}
	}
	return best
}
