package runners

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"

	"intentlab/ablations"
	"intentlab/ablations/task"
	"intentlab/runners/predictors"
)

// batch is the state of a cell whose method is handed all of its tasks at once.
type batch struct {
	predictor predictors.Batch
	kept      predictors.Kept
	once      sync.Once
	err       error
}

// givenInputs are the canonical inputs of what a batch method is handed beside its settings. Nothing
// keeps such a method from making an answer of all that it sees, so all of it is part of every key.
type givenInputs struct {
	Inputs string       `json:"inputs"` // digest of the distinct visible inputs, in order
	Train  string       `json:"train"`
	Dev    string       `json:"dev"`
	Labels string       `json:"labels,omitempty"` // digest of the label space and which of it train has
	Ratios []task.Ratio `json:"ratios,omitempty"` // that the examples show to a method which looks at them
}

// question is where a visible input is asked: an episode and the place of its ratio in the grid.
type question struct{ episode, ratio int }

// questions are the distinct visible inputs of a cell. An input stands for all that look the same: the
// one with the smallest ratio, of these the first in the order of the dataset.
type questions struct {
	episodes []int               // that are asked about, in the order of the dataset
	keys     [][]string          // by place in episodes, and ratio
	asked    map[string]question // by key
}

// questions lists what a cell asks.
func (g *Engine) questions(c Cell) (*questions, error) {
	d := g.dataset(c)
	asked, _ := d.asked(d.Fold(c.Fold), g.Exp.Evaluate)
	wanted, err := g.sampled(c, asked)
	if err != nil {
		return nil, err
	}
	perTask := g.traits(g.method(c)).perTask
	q := &questions{asked: map[string]question{}}
	for _, i := range asked {
		if wanted != nil && !wanted[i] {
			continue
		}
		hashes, err := g.visibleHashes(c, i)
		if err != nil {
			return nil, err
		}
		keys := slices.Clone(hashes)
		for j := range keys {
			if perTask {
				keys[j] += " " + task.ID(d.Episodes[i].Dataset, d.Episodes[i].ID, g.Exp.Ratios[j])
			}
			if at, ok := q.asked[keys[j]]; !ok || j < at.ratio {
				q.asked[keys[j]] = question{i, j}
			}
		}
		q.episodes, q.keys = append(q.episodes, i), append(q.keys, keys)
	}
	return q, nil
}

// given is the part of a batch cell's identity that its kind and settings don't tell.
func (g *Engine) given(c Cell) (*givenInputs, error) {
	q, err := g.questions(c)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	for n, i := range q.episodes {
		for j, key := range q.keys[n] {
			if q.asked[key] == (question{i, j}) {
				io.WriteString(sum, key+"\n") // a hash.Hash never fails
			}
		}
	}
	v, t, d := g.variant(c), g.traits(g.method(c)), g.dataset(c)
	fold := d.Fold(c.Fold)
	out := &givenInputs{Inputs: hex.EncodeToString(sum.Sum(nil)), Train: v.exampleDigest(fold.Train), Dev: v.exampleDigest(fold.Dev)}
	if t.usesLabels {
		s := g.space(c)
		if out.Labels, err = task.Hash([][]string{s.Labels, s.SeenInTrain}); err != nil {
			return nil, fmt.Errorf("identity of the labels of cell %s: %w", g.Name(c), err)
		}
	}
	if t.usesRatio && !v.spec.HideRatio {
		out.Ratios = v.grid
	}
	return out, nil
}

// keptFolder is where finished files wait until their answers are stored.
func (g *Engine) keptFolder() string { return g.Exp.Store + ".files" }

// kept is the place of the cell's finished file. Cells with one identity share it; a fresh generation
// does not adopt what an earlier one left.
func (w *cellRun) kept() predictors.Kept {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %d", w.identity, w.run.run.Generation) // a hash.Hash never fails
	return predictors.Kept{Dir: w.keptFolder(), Fingerprint: hex.EncodeToString(sum.Sum(nil))}
}

// askAll has a batch method answer all tasks of the cell. Of cells with one identity the first runs the
// program, and the others adopt what it kept.
func (w *cellRun) askAll(ctx context.Context) error {
	q, err := w.questions(w.cell)
	if err != nil {
		return err
	}
	record, err := w.records(q)
	if err != nil {
		return err
	}
	for mine := false; !mine; {
		if mine, _, err = w.claims.take(ctx, w.batch.kept.Fingerprint); err != nil {
			return err
		}
	}
	defer w.claims.abandon(w.batch.kept.Fingerprint)
	d, v := w.dataset(w.cell), w.variant(w.cell)
	fold := d.Fold(w.cell.Fold)
	return w.batch.predictor.Ask(ctx, predictors.Questions{Tasks: w.stream(q), Record: record,
		Train: v.examples(fold.Train), Dev: v.examples(fold.Dev), Kept: w.batch.kept})
}

// records says which record answers each task.
func (w *cellRun) records(q *questions) (map[string]string, error) {
	v := w.variant(w.cell)
	ids, of := make([][]string, len(q.episodes)), make(map[string]string, len(q.asked))
	for n, i := range q.episodes {
		var err error
		if ids[n], err = v.taskIDs(i); err != nil {
			return nil, err
		}
		for j, key := range q.keys[n] {
			if q.asked[key] == (question{i, j}) {
				of[key] = ids[n][j]
			}
		}
	}
	out := make(map[string]string, len(q.episodes)*len(v.grid))
	for n := range q.episodes {
		for j, key := range q.keys[n] {
			out[ids[n][j]] = of[key]
		}
	}
	return out, nil
}

// stream builds the tasks that are asked, episode by episode, in grid order; by neutral id where the
// order would tell the ratio, as in inputs.jsonl.
func (w *cellRun) stream(q *questions) func(context.Context) iter.Seq2[task.Task, error] {
	v := w.variant(w.cell)
	return func(ctx context.Context) iter.Seq2[task.Task, error] {
		return func(yield func(task.Task, error) bool) {
			for n, i := range q.episodes {
				if err := context.Cause(ctx); err != nil {
					yield(task.Task{}, err)
					return
				}
				tasks, err := v.prefixes(i)
				if err != nil {
					yield(task.Task{}, err)
					return
				}
				asked := tasks[:0:0]
				for j, key := range q.keys[n] {
					if q.asked[key] == (question{i, j}) {
						asked = append(asked, tasks[j])
					}
				}
				if v.spec.HideRatio {
					slices.SortFunc(asked, func(a, b task.Task) int { return cmp.Compare(a.ID, b.ID) })
				}
				for _, t := range asked {
					if !yield(t, nil) {
						return
					}
				}
			}
		}
	}
}

// taskIDs are the ids of an episode's prefixes as a method sees them.
func (v *variant) taskIDs(i int) ([]string, error) {
	ep := v.data.Episodes[i]
	if !v.spec.HidesID(ep) {
		out := make([]string, len(v.grid))
		for j, r := range v.grid {
			out[j] = task.ID(ep.Dataset, ep.ID, r)
		}
		return out, nil
	}
	view, err := ablations.Open(ep, v.spec, v.options(ep)...)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(v.grid))
	for j, r := range v.grid {
		out[j] = view.ID(r)
	}
	return out, nil
}
