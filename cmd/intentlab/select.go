package main

import (
	"fmt"
	"slices"
	"strings"

	"intentlab/matrix"
	"intentlab/runners"
)

// cellFilter reads --only: axis=name pairs, separated by commas or given again. Names of one axis
// are alternatives; axes narrow each other down.
func cellFilter(g *runners.Engine, only []string) (func(runners.Cell) bool, error) {
	if len(only) == 0 {
		return nil, nil
	}
	axes := map[string][]named{"dataset": datasetNames(g.Declaration), "ablation": ablationNames(g.Declaration),
		"method": methodNames(g.Declaration), "seed": seedNames(g.Declaration), "fold": foldNames(g.Declaration)}
	want := map[string][]string{}
	for _, arg := range only {
		for _, pair := range strings.Split(arg, ",") {
			axis, name, ok := strings.Cut(strings.TrimSpace(pair), "=")
			if !ok || name == "" {
				return nil, fmt.Errorf("--only %q: want axis=name, e.g. dataset=weblinx", pair)
			}
			if axes[axis] == nil {
				return nil, fmt.Errorf("--only %q: axes are dataset, ablation, method, seed and fold", pair)
			}
			ids, err := resolve(axis, []string{name}, axes[axis])
			if err != nil {
				return nil, fmt.Errorf("--only %s: %w", pair, err)
			}
			want[axis] = append(want[axis], ids...)
		}
	}
	matches := func(c runners.Cell) bool {
		for axis, value := range map[string]string{
			"dataset": g.Exp.Datasets[c.Dataset].ID, "ablation": g.Exp.Ablations[c.Ablation].ID, "method": g.Exp.Methods[c.Method].ID,
			"seed": fmt.Sprint(c.Seed), "fold": fmt.Sprint(c.Fold),
		} {
			if want[axis] != nil && !slices.Contains(want[axis], value) {
				return false
			}
		}
		return true
	}
	var never []string
	for _, c := range g.Cells {
		switch {
		case !matches(c):
		case c.State == matrix.CellRun:
			return matches, nil
		default:
			never = append(never, fmt.Sprintf("%s is %s (%s)", g.Name(c), c.State, c.Reason))
		}
	}
	switch n := len(never); {
	case n == 0:
		return nil, fmt.Errorf("--only %s: no cell of the matrix matches", strings.Join(only, " "))
	case n > 1:
		return nil, fmt.Errorf("--only %s: nothing to run: %s, and so on for %d more", strings.Join(only, " "), never[0], n-1)
	}
	return nil, fmt.Errorf("--only %s: nothing to run: %s", strings.Join(only, " "), never[0])
}
