package predictors

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"intentlab/ablations/task"
	"intentlab/results/metrics/draw"
)

var shuffledLabelsKind = Kind{
	Name:    "shuffled_labels",
	Summary: "a leak probe: another kind, fitted on permuted intents",
	Doc: `Fits the kind that "of" names, with its defaults, on training episodes whose intents were dealt out anew: a
permutation drawn from the seed, the same for all prefixes of an episode, with closed and open intent kept together;
dev likewise. What is left to learn is the prior, so its nAUC must fall to that of "majority". Where it does
not, something else than the training split tells the answers.
Source: metrics-and-judge.md A17; Ojala and Garriga 2010.
Complexity: that of the kind, and one reading of the examples more. Memory: the kind's, and the intents of all
episodes while it is fitted.`,
	Options:     func() any { return &shuffledLabelsOptions{Of: "tfidf_knn"} },
	Needs:       Needs{Training: true},
	Causal:      true,
	CodeVersion: 1,
	New:         newShuffledLabels,
}

type shuffledLabelsOptions struct {
	Of string `hcl:"of,optional" doc:"the kind that is fitted on permuted intents: naive_bayes, tfidf_knn, instruction_probe or metadata_probe"`
}

// shuffledKind is a kind that shuffled_labels can fit: one that runs under every ablation.
func shuffledKind(name string) (Kind, bool) {
	for _, k := range []Kind{naiveBayesKind, tfidfKNNKind, instructionProbeKind, metadataProbeKind} {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Check says which setting is wrong and why.
func (o *shuffledLabelsOptions) Check() map[string]string {
	if _, ok := shuffledKind(o.Of); !ok {
		return map[string]string{"of": fmt.Sprintf("must be one of naive_bayes, tfidf_knn, instruction_probe and metadata_probe, not %q", o.Of)}
	}
	return map[string]string{}
}

func newShuffledLabels(s Setup) (Predictor, error) {
	o, err := settings(s, &shuffledLabelsOptions{Of: "tfidf_knn"})
	if err != nil {
		return nil, err
	}
	kind, _ := shuffledKind(o.Of)
	seed := s.Seed
	s.Options = nil
	p, err := kind.New(s)
	if err != nil {
		return nil, err
	}
	l, ok := p.(Learner)
	if !ok {
		return nil, fmt.Errorf("building shuffled_labels: %s is not fitted", o.Of)
	}
	return &shuffledLabels{Learner: l, seed: seed}, nil
}

type shuffledLabels struct {
	Learner
	seed int64
}

// Fit hands the inner learner permuted intents.
func (m *shuffledLabels) Fit(ctx context.Context, train, dev task.Examples) error {
	return m.Learner.Fit(ctx, shuffledIntents(train, m.seed, "train"), shuffledIntents(dev, m.seed, "dev"))
}

// dealt is an episode with the intents that it has or is given.
type dealt struct{ episode, closed, open string }

// shuffledIntents deals the intents of the episodes out anew. The permutation depends on the seed, the
// part and the episodes, not on their order; examples are read once more for it.
func shuffledIntents(examples task.Examples, seed int64, part string) task.Examples {
	return func(ctx context.Context) iter.Seq2[task.Example, error] {
		return func(yield func(task.Example, error) bool) {
			var all []dealt
			known := map[string]bool{}
			for ex, err := range examples(ctx) {
				if err != nil {
					yield(task.Example{}, err)
					return
				}
				if id := episodeKey(&ex.Task); !known[id] {
					known[id] = true
					all = append(all, dealt{id, ex.ClosedIntent, ex.OpenIntent})
				}
			}
			given := deal(all, seed, part)
			for ex, err := range examples(ctx) {
				if err == nil {
					x := given[episodeKey(&ex.Task)]
					ex.ClosedIntent, ex.OpenIntent = x.closed, x.open
				}
				if !yield(ex, err) || err != nil {
					return
				}
			}
		}
	}
}

func episodeKey(t *task.Task) string { return t.Dataset + "\x00" + t.EpisodeID }

// deal permutes the intents (Fisher and Yates, in Durstenfeld's form) over the episodes in byte order.
func deal(all []dealt, seed int64, part string) map[string]dealt {
	slices.SortFunc(all, func(a, b dealt) int { return cmp.Compare(a.episode, b.episode) })
	from := make([]int, len(all))
	for i := range from {
		from[i] = i
	}
	r := draw.New(draw.Seed(strconv.FormatInt(seed, 10), "shuffled_labels", part))
	for i := len(from) - 1; i > 0; i-- {
		j := r.Intn(i + 1)
		from[i], from[j] = from[j], from[i]
	}
	out := make(map[string]dealt, len(all))
	for i, x := range all {
		out[x.episode] = all[from[i]]
	}
	return out
}
