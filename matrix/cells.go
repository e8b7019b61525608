package matrix

import (
	"fmt"
	"slices"
)

// Cells expands the matrix in declared order: datasets × ablations × methods × seeds × folds. A
// point that a method's needs rule out is n/a, one that an exclude names is excluded; both carry
// the reason. A deterministic method has one seed.
func (e *Experiment) Cells() []Cell {
	var out []Cell
	e.eachPoint(func(c Cell) {
		c.State, c.Reason = e.state(c)
		out = append(out, c)
	})
	return out
}

func (e *Experiment) eachPoint(f func(Cell)) {
	for d := range e.Datasets {
		folds := e.Datasets[d].Split.Folds
		first := min(folds, 1) // folds count from 1; 0 is "no folds"
		for a := range e.Ablations {
			for m := range e.Methods {
				for _, seed := range e.Methods[m].Seeds {
					for fold := first; fold <= folds; fold++ {
						f(Cell{Dataset: d, Ablation: a, Method: m, Seed: seed, Fold: fold})
					}
				}
			}
		}
	}
}

func (e *Experiment) state(c Cell) (CellState, string) {
	a, d := &e.Ablations[c.Ablation], &e.Datasets[c.Dataset]
	needs := e.Methods[c.Method].Kind.Needs
	switch {
	case needs.Graph && !a.Spec.HasGraph():
		return CellNA, fmt.Sprintf("needs a graph; %s has none", a.ID)
	case needs.Text && !a.Spec.HasText():
		return CellNA, fmt.Sprintf("needs text; %s has none", a.ID)
	case needs.Training && !d.trains():
		return CellNA, fmt.Sprintf("needs training data; %s has none", d.ID)
	}
	for i := range e.Excludes {
		if e.Excludes[i].matches(e, c) {
			return CellExcluded, e.Excludes[i].Reason
		}
	}
	return CellRun, ""
}

// trains reports whether the split leaves anything to learn from.
func (d *Dataset) trains() bool {
	switch s := d.Split; {
	case s.Folds > 0:
		return true
	case s.Official != nil:
		return len(s.Official.Train) > 0
	case s.IDs != nil:
		return len(s.IDs.Train) > 0
	default:
		return s.Train > 0
	}
}

func (x *Exclude) matches(e *Experiment, c Cell) bool {
	in := func(list []string, id string) bool { return len(list) == 0 || slices.Contains(list, id) }
	return in(x.Datasets, e.Datasets[c.Dataset].ID) && in(x.Ablations, e.Ablations[c.Ablation].ID) &&
		in(x.Methods, e.Methods[c.Method].ID) && (len(x.Seeds) == 0 || slices.Contains(x.Seeds, c.Seed))
}
