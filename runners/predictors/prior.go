package predictors

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"intentlab/ablations/task"
)

// weighted is one value of the training split and the number of episodes that carry it.
type weighted struct {
	value string
	mass  float64
}

// prior is the training distribution of the closed labels, in byte order, and the most frequent
// open intent. Masses are in episodes. The zero prior knows nothing and abstains.
type prior struct {
	labels []weighted
	total  float64
	open   string
}

// tally sums weights per value. Sums run in example order, so equal examples give equal bits.
type tally map[string]float64

func (t tally) add(value string, weight float64) {
	if value != "" {
		t[value] += weight
	}
}

// sorted returns the values in byte order. Masses are rounded to 1e-9: ten weights of a tenth don't
// sum to 1 in binary, and a tie between two labels has to stay a tie (V45).
func (t tally) sorted() []weighted {
	out := make([]weighted, 0, len(t))
	for v, m := range t {
		out = append(out, weighted{v, math.Round(m*1e9) / 1e9})
	}
	slices.SortFunc(out, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	return out
}

// heaviest returns the first entry of greatest mass, which in byte order is the smallest value.
func heaviest(ws []weighted) (weighted, bool) {
	best, found := weighted{}, false
	for _, w := range ws {
		if !found || w.mass > best.mass {
			best, found = w, true
		}
	}
	return best, found
}

func newPrior(labels, opens tally) prior {
	p := prior{labels: labels.sorted()}
	for _, l := range p.labels {
		p.total += l.mass
	}
	if o, ok := heaviest(opens.sorted()); ok {
		p.open = o.value
	}
	return p
}

// answer is the majority answer: label, its share as confidence, most frequent open intent.
func (p *prior) answer() task.Answer {
	a := task.Answer{PredictedIntent: p.open}
	if top, ok := heaviest(p.labels); ok {
		a.ClosedIntent, a.ClosedConfidence = top.value, confidence(top.mass/p.total)
	}
	return a
}

// confidence keeps a value in [0, 1] against the last bit of a division or a square root.
func confidence(x float64) *float64 {
	x = min(1, max(0, x))
	return &x
}

// usable refuses a weight or mass that would poison every sum it enters; one over the number of an
// episode's prefixes is never near these bounds.
func usable(weight float64) bool { return weight >= 1e-6 && weight <= 1e12 }

func checkWeight(ex *task.Example) error {
	if !usable(ex.Weight) {
		return fmt.Errorf("training example %s: weight %v, want one over the number of the episode's prefixes", ex.Task.ID, ex.Weight)
	}
	return nil
}

// priorLearner is what majority and stratified_prior share: fitting, saving and loading the prior.
type priorLearner struct {
	prior  prior
	fitted bool
}

// Fit counts the training split; dev is not read.
func (l *priorLearner) Fit(ctx context.Context, train, _ task.Examples) error {
	labels, opens := tally{}, tally{}
	for ex, err := range train(ctx) {
		if err != nil {
			return fmt.Errorf("reading training examples: %w", err)
		}
		if err := checkWeight(&ex); err != nil {
			return err
		}
		labels.add(ex.ClosedIntent, ex.Weight)
		opens.add(ex.OpenIntent, ex.Weight)
	}
	l.prior, l.fitted = newPrior(labels, opens), true
	return nil
}

const priorArtifact = "intentlab prior 1"

// Save writes the labels with their masses, then the open intent.
func (l *priorLearner) Save(w io.Writer) error {
	if !l.fitted {
		return fmt.Errorf("saving a prior that was not fitted")
	}
	enc := newArtifactWriter(w, priorArtifact)
	l.prior.write(enc)
	return enc.close()
}

// write appends the prior to an artefact.
func (p *prior) write(enc *artifactWriter) {
	enc.uvarint(uint64(len(p.labels)))
	for _, x := range p.labels {
		enc.str(x.value)
		enc.float(x.mass)
	}
	enc.str(p.open)
}

// Load reads what Save wrote.
func (l *priorLearner) Load(r io.Reader) error {
	dec, err := newArtifactReader(r, priorArtifact)
	if err != nil {
		return err
	}
	p := readPrior(dec)
	if err := dec.close(); err != nil {
		return err
	}
	l.prior, l.fitted = p, true
	return nil
}

// readPrior reads what write wrote; what is wrong is kept in dec.
func readPrior(dec *artifactReader) prior {
	var p prior
	n := dec.count(9) // a length byte and a mass
	for range n {
		x := weighted{dec.str(), dec.float()}
		switch last := len(p.labels) - 1; {
		case last >= 0 && p.labels[last].value >= x.value:
			dec.fail("labels are not in byte order")
		case !usable(x.mass):
			dec.fail("the mass of a label is out of range")
		}
		if dec.err != nil {
			break
		}
		p.labels = append(p.labels, x)
		p.total += x.mass
	}
	p.open = dec.str()
	return p
}

// Close has nothing to release.
func (l *priorLearner) Close() error { return nil }

// ready says why no answer can be given yet.
func ready(ctx context.Context, fitted bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !fitted {
		return &Failure{Reason: "not_fitted", Detail: "the method was asked before it was fitted or loaded", Cell: true}
	}
	return nil
}
