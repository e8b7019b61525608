package predictors

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"intentlab/ablations/task"
)

var lengthProbeKind = Kind{
	Name:    "length_probe",
	Summary: "a leak probe that sees only the ratio and the number of steps",
	Doc: `Answers with the most frequent training label among the prefixes of the same requested ratio and number
of steps, then of the nearest number of steps at that ratio (a tie goes to the smaller), then with the prior.
Ratio and number of steps together tell how long the episode will be: the future. Where this probe beats
"majority", use the ablation hide_ratio; there it sees the number of steps alone. A method reads no text
to do as well as this one.
The prefixes of an episode that training leaves out, since they repeat the one before, are counted at their
ratios too. The confidence is the label's share. The open answer is the most frequent training intent.
Dev is not used.
Source: metrics-and-judge.md A17 and C3 row 2.
Complexity: O(examples × ratios) to fit, O(log) of the table's size an answer. Memory: one entry a ratio and number of steps, and one a label of each.`,
	Needs:         Needs{Training: true},
	Deterministic: true,
	UsesRatio:     true,
	Causal:        true,
	CodeVersion:   1,
	New:           func(Setup) (Predictor, error) { return &lengthProbe{}, nil },
}

// lengthEntry is what training shows at one ratio and number of steps.
type lengthEntry struct {
	ratio  task.Ratio // 0 where the ablation hides it
	steps  int
	label  string
	chance float64 // share of the label
}

type lengthProbe struct {
	prior  prior
	table  []lengthEntry // by ratio and steps
	fitted bool
}

type lengthKey struct {
	ratio task.Ratio
	steps int
}

// cut is one distinct prefix of a training episode.
type cut struct {
	lengthKey
	label string
}

// Fit counts labels by ratio and number of steps, each episode once at every ratio.
func (m *lengthProbe) Fit(ctx context.Context, train, _ task.Examples) error {
	labels, opens := tally{}, tally{}
	var cuts []cut
	var starts []int // of the episodes in cuts
	dataset, episode := "", ""
	ratios := map[task.Ratio]bool{}
	for ex, err := range train(ctx) {
		if err != nil {
			return fmt.Errorf("reading training examples: %w", err)
		}
		if err := checkWeight(&ex); err != nil {
			return err
		}
		labels.add(ex.ClosedIntent, ex.Weight)
		opens.add(ex.OpenIntent, ex.Weight)
		t := &ex.Task
		if len(cuts) == 0 || t.Dataset != dataset || t.EpisodeID != episode {
			dataset, episode = t.Dataset, t.EpisodeID
			starts = append(starts, len(cuts))
		}
		ratios[t.RequestedRatio] = true
		cuts = append(cuts, cut{lengthKey{t.RequestedRatio, t.PrefixStepCount}, ex.ClosedIntent})
	}
	m.prior = newPrior(labels, opens)
	m.table = tabulate(slices.Sorted(maps.Keys(ratios)), cuts, starts)
	m.fitted = true
	return nil
}

// tabulate fills in the ratios between the distinct prefixes of each episode, which repeat the prefix
// before, and keeps the heaviest label of each key.
func tabulate(grid []task.Ratio, cuts []cut, starts []int) []lengthEntry {
	counts := map[lengthKey]tally{}
	for n, from := range starts {
		to := len(cuts)
		if n+1 < len(starts) {
			to = starts[n+1]
		}
		for i := from; i < to; i++ {
			last := i+1 == to
			for _, r := range grid {
				if r != cuts[i].ratio && (r < cuts[i].ratio || !last && r >= cuts[i+1].ratio) {
					continue
				}
				k := lengthKey{r, cuts[i].steps}
				if counts[k] == nil {
					counts[k] = tally{}
				}
				counts[k].add(cuts[i].label, 1)
			}
		}
	}
	var out []lengthEntry
	for k, c := range counts {
		labels := c.sorted()
		top, ok := heaviest(labels)
		if !ok {
			continue
		}
		all := 0.0
		for _, l := range labels {
			all += l.mass
		}
		out = append(out, lengthEntry{k.ratio, k.steps, top.value, top.mass / all})
	}
	slices.SortFunc(out, func(a, b lengthEntry) int {
		return cmp.Or(cmp.Compare(a.ratio, b.ratio), cmp.Compare(a.steps, b.steps))
	})
	return out
}

// at is the entry of the nearest number of steps at a ratio.
func (m *lengthProbe) at(ratio task.Ratio, steps int) (lengthEntry, bool) {
	i, _ := slices.BinarySearchFunc(m.table, lengthKey{ratio, steps}, func(e lengthEntry, k lengthKey) int {
		return cmp.Or(cmp.Compare(e.ratio, k.ratio), cmp.Compare(e.steps, k.steps))
	})
	best, found := lengthEntry{}, false
	if i > 0 && m.table[i-1].ratio == ratio {
		best, found = m.table[i-1], true
	}
	if i < len(m.table) && m.table[i].ratio == ratio && (!found || m.table[i].steps-steps < steps-best.steps) {
		best, found = m.table[i], true
	}
	return best, found
}

// Predict looks the prefix's length up.
func (m *lengthProbe) Predict(ctx context.Context, t task.Task, _ []task.Task) (task.Answer, error) {
	if err := ready(ctx, m.fitted); err != nil {
		return task.Answer{}, err
	}
	answer := m.prior.answer()
	if e, ok := m.at(t.RequestedRatio, t.PrefixStepCount); ok {
		answer.ClosedIntent, answer.ClosedConfidence = e.label, confidence(e.chance)
	}
	return answer, nil
}

const lengthArtifact = "intentlab length probe 1"

// Save writes the prior, then the table.
func (m *lengthProbe) Save(w io.Writer) error {
	if !m.fitted {
		return fmt.Errorf("saving a length probe that was not fitted")
	}
	enc := newArtifactWriter(w, lengthArtifact)
	m.prior.write(enc)
	enc.uvarint(uint64(len(m.table)))
	for _, e := range m.table {
		enc.uvarint(uint64(e.ratio))
		enc.uvarint(uint64(e.steps))
		enc.str(e.label)
		enc.float(e.chance)
	}
	return enc.close()
}

// Load reads what Save wrote.
func (m *lengthProbe) Load(r io.Reader) error {
	dec, err := newArtifactReader(r, lengthArtifact)
	if err != nil {
		return err
	}
	p := readPrior(dec)
	var table []lengthEntry
	for range dec.count(11) { // two numbers, a length byte and a share
		e := lengthEntry{task.Ratio(dec.below(1001, "ratio")), int(dec.below(1<<31, "number of steps")), dec.str(), dec.float()}
		if last := len(table) - 1; last >= 0 && cmp.Or(cmp.Compare(table[last].ratio, e.ratio), cmp.Compare(table[last].steps, e.steps)) >= 0 {
			dec.fail("the table is not in order")
		}
		if !(e.chance > 0 && e.chance <= 1) {
			dec.fail("the share of a label is out of range")
		}
		if dec.err != nil {
			break
		}
		table = append(table, e)
	}
	if err := dec.close(); err != nil {
		return err
	}
	m.prior, m.table, m.fitted = p, table, true
	return nil
}

// Close has nothing to release.
func (m *lengthProbe) Close() error { return nil }
