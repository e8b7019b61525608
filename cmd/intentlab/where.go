package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"intentlab/ablations/task"
	"intentlab/results"
)

// condition is one part of --where, as it is written.
type condition struct {
	text   string
	name   string // dataset, ablation, method, seed, fold, ratio, state, wrong, score<=, score>=
	values []string
	bound  float64
}

// parseWhere reads the conditions of list; names are looked up later, by where.
func parseWhere(args []string) ([]condition, error) {
	var out []condition
	for _, arg := range args {
		for _, text := range strings.Split(arg, ",") {
			c, err := parseCondition(strings.TrimSpace(text))
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		}
	}
	return out, nil
}

func parseCondition(text string) (condition, error) {
	if text == "wrong" {
		return condition{text: text, name: text}, nil
	}
	for _, op := range []string{"<=", ">="} {
		name, value, ok := strings.Cut(text, op)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || name != "score" {
			return condition{}, fmt.Errorf("--where %q: want score<=X or score>=X with a number", text)
		}
		return condition{text: text, name: name + op, bound: x}, nil
	}
	name, value, ok := strings.Cut(text, "=")
	if !ok || value == "" {
		return condition{}, fmt.Errorf("--where %q: want name=value, wrong, score<=X or score>=X", text)
	}
	if axes := []string{"dataset", "ablation", "method", "seed", "fold", "ratio", "state"}; !slices.Contains(axes, name) {
		return condition{}, fmt.Errorf("--where %q: %w", text, noSuch("condition", name, axes))
	}
	return condition{text: text, name: name, values: strings.Split(value, "|")}, nil
}

// taskStates are the states that a stored task may have.
var taskStates = []string{results.TaskAnswered, results.TaskAbstained, results.TaskInvalidLabel, results.TaskMethodError, results.TaskMissing,
	results.TaskNotAsked, results.TaskNotApplicable}

// where looks the conditions up in a run's declaration; a name that the run hasn't got is an error.
func where(conditions []condition, d results.Declaration) (results.Where, error) {
	var w results.Where
	for _, c := range conditions {
		var err error
		switch c.name {
		case "wrong":
			w.Wrong = true
		case "score<=":
			w.MaxScore = &c.bound
		case "score>=":
			w.MinScore = &c.bound
		case "dataset":
			w.Datasets, err = resolve("dataset", c.values, datasetNames(d))
		case "ablation":
			w.Ablations, err = resolve("ablation", c.values, ablationNames(d))
		case "method":
			w.Methods, err = resolve("method", c.values, methodNames(d))
		case "seed":
			w.Seeds, err = resolve("seed", c.values, seedNames(d))
		case "fold":
			w.Folds, err = resolve("fold", c.values, foldNames(d))
		case "ratio":
			w.Ratios, err = ratios(c.values, d.Grid)
		case "state":
			if slices.Contains(c.values, "pending") {
				err = fmt.Errorf("tasks that are pending are not stored; `intentlab status` counts them")
			} else {
				w.State, err = resolve("state", c.values, plain(taskStates))
			}
		}
		if err != nil {
			return w, fmt.Errorf("--where %q: %w", c.text, err)
		}
	}
	return w, nil
}

func ratios(values []string, grid []int) ([]string, error) {
	var known []string
	for _, r := range grid {
		known = append(known, task.Ratio(r).String())
	}
	var out []string
	for _, v := range values {
		r, err := task.ParseRatio(v)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(grid, int(r)) {
			return nil, fmt.Errorf("the run has no ratio %s; it has %s", r, strings.Join(known, ", "))
		}
		out = append(out, strconv.Itoa(int(r)))
	}
	return out, nil
}

func plain(ids []string) []named {
	out := make([]named, len(ids))
	for i, id := range ids {
		out[i] = named{id: id}
	}
	return out
}

func datasetNames(d results.Declaration) (out []named) {
	for _, x := range d.Datasets {
		out = append(out, named{x.ID, x.Name})
	}
	return out
}

func ablationNames(d results.Declaration) (out []named) {
	for _, x := range d.Ablations {
		out = append(out, named{x.ID, x.Name})
	}
	return out
}

func methodNames(d results.Declaration) (out []named) {
	for _, x := range d.Methods {
		out = append(out, named{x.ID, x.Name})
	}
	return out
}

func seedNames(d results.Declaration) (out []named) {
	seeds := slices.Clone(d.Seeds)
	for _, m := range d.Methods {
		seeds = append(seeds, m.Seeds...)
	}
	slices.Sort(seeds)
	for _, s := range slices.Compact(seeds) {
		out = append(out, named{id: strconv.FormatInt(s, 10)})
	}
	return out
}

// foldNames are the folds of the run's datasets: 0 of those without folds.
func foldNames(d results.Declaration) (out []named) {
	most, plain := 0, false
	for _, x := range d.Datasets {
		most, plain = max(most, x.Folds), plain || x.Folds == 0
	}
	if plain {
		out = append(out, named{id: "0"})
	}
	for f := range most {
		out = append(out, named{id: strconv.Itoa(f + 1)})
	}
	return out
}
