package predictors

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"intentlab/ablations/task"
)

// topK is how many ranked labels an answer carries.
const topK = 5

// indexLearner is what the methods over an inverted index share: fitting, saving and loading it.
type indexLearner struct {
	space featureSpace
	index *index
	// fitted is called with the new index, for what a method derives from it; may be nil.
	fitted func(*index)
}

// Fit indexes the training split; dev is not read.
func (l *indexLearner) Fit(ctx context.Context, train, _ task.Examples) error {
	ix, err := buildIndex(ctx, l.space, train)
	if err != nil {
		return err
	}
	l.use(ix)
	return nil
}

// Save writes the index.
func (l *indexLearner) Save(w io.Writer) error {
	if l.index == nil {
		return fmt.Errorf("saving an index that was not fitted")
	}
	return l.index.save(w)
}

// Load reads what Save wrote.
func (l *indexLearner) Load(r io.Reader) error {
	ix, err := loadIndex(r, l.space)
	if err != nil {
		return err
	}
	l.use(ix)
	return nil
}

// Close has nothing to release.
func (l *indexLearner) Close() error { return nil }

func (l *indexLearner) use(ix *index) {
	if l.fitted != nil {
		l.fitted(ix)
	}
	l.index = ix
}

// neighbourVote is the k-nearest-neighbour method over any feature space.
type neighbourVote struct {
	indexLearner
	k int
}

// Predict lets the k nearest labelled training episodes vote with their cosines; the confidence of a
// label is the sum of its votes over the number of voters. A task without a neighbour gets the prior.
func (m *neighbourVote) Predict(ctx context.Context, t task.Task, _ []task.Task) (task.Answer, error) {
	if err := ready(ctx, m.index != nil); err != nil {
		return task.Answer{}, err
	}
	ix := m.index
	answer := ix.prior.answer()
	s, length := ix.query(&t)
	defer ix.release(s)
	voters := ix.nearest(s, length, m.k, hasLabel)
	if len(voters) > 0 {
		ranked := ix.vote(voters)
		answer.ClosedIntent, answer.ClosedConfidence = ranked[0].Label, confidence(ranked[0].P)
		answer.ClosedTopK = ranked[:min(topK, len(ranked))]
	}
	near := voters // the nearest with a label is the nearest with an open intent where all have both
	if !ix.both {
		near = ix.nearest(s, length, 1, hasOpen)
	}
	if len(near) > 0 {
		answer.PredictedIntent = ix.opens[ix.examples[near[0].example].open]
	}
	return answer, nil
}

// vote ranks the labels of the voters; equal sums stay in the order of their nearest voter.
func (ix *index) vote(voters []neighbour) []task.LabelProbability {
	var ranked []task.LabelProbability
	for _, v := range voters {
		label := ix.labels[ix.examples[v.example].label]
		at := slices.IndexFunc(ranked, func(r task.LabelProbability) bool { return r.Label == label })
		if at < 0 {
			at, ranked = len(ranked), append(ranked, task.LabelProbability{Label: label})
		}
		ranked[at].P += v.cosine
	}
	for i := range ranked {
		ranked[i].P = min(1, ranked[i].P/float64(len(voters)))
	}
	slices.SortStableFunc(ranked, func(a, b task.LabelProbability) int { return cmp.Compare(b.P, a.P) })
	return ranked
}
