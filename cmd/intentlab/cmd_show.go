package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"intentlab/ablations/task"
	"intentlab/results"
)

type showCmd struct {
	Task     string   `arg:"" help:"Task id, e.g. weblinx:abc:r0.30."`
	storeArg          // the store
	Method   []string `sep:"," placeholder:"M" help:"Only these methods."`
	Ablation []string `sep:"," placeholder:"A" help:"Only these ablations."`
	JSON     bool     `name:"json" help:"Print as JSON lines."`
}

// Run prints a task in every cell that has it.
func (c *showCmd) Run(ctx context.Context, e env) error {
	store, run, err := c.view(ctx, e)
	if err != nil {
		return err
	}
	names, err := judgeNames(run)
	inputs := c.inputs(ctx, e)
	found := 0
	if err == nil {
		err = store.Find(ctx, run.ID, results.Where{Task: c.Task, Methods: c.Method, Ablations: c.Ablation}, func(d results.TaskDetail) error {
			found++
			if c.JSON {
				return writeTask(e.out, d)
			}
			if err := writeDetail(e.out, d, names, found == 1); err != nil {
				return err
			}
			return inputs.write(e.out, d)
		})
	}
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	if found == 0 {
		return usage(fmt.Errorf("no cell of the latest run holds a task %q; `intentlab list` lists tasks", c.Task))
	}
	return nil
}

// judgeNames maps fingerprints to the names of the run's judges.
func judgeNames(run results.Run) (map[string]string, error) {
	d, err := run.Declared()
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, j := range d.Judges {
		names[j.Fingerprint] = j.ID
	}
	return names, nil
}

func writeLine(w io.Writer, v any) error {
	b, err := task.Canonical(v)
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", b)
	}
	return err
}

func writeDetail(w io.Writer, d results.TaskDetail, judges map[string]string, head bool) error {
	if head {
		fmt.Fprintf(w, "%s: %d of %d steps, ratio %s\n", d.Task, d.Gold.Steps, d.Gold.TotalSteps, task.Ratio(d.Gold.Ratio))
		fmt.Fprintf(w, "  wanted closed: %s (%s)\n  wanted open:   %s\n", d.Gold.ClosedIntent, d.Gold.LabelSpace, d.Gold.OpenIntent)
	}
	name := fmt.Sprintf("%s/%s/%s/%d", d.Cell.Dataset, d.Cell.Ablation, d.Cell.Method, d.Cell.Seed)
	if d.Cell.Fold > 0 {
		name += fmt.Sprintf("/%d", d.Cell.Fold)
	}
	fmt.Fprintf(w, "%s (%s): %s\n", name, d.Parts, d.State)
	if d.Prediction.Error != "" {
		fmt.Fprintf(w, "  failed: %s: %s (attempt %d)\n", d.Prediction.Error, d.Prediction.Detail, d.Prediction.Attempts)
	}
	right := "wrong"
	if strings.TrimSpace(d.Prediction.ClosedIntent) == strings.TrimSpace(d.Gold.ClosedIntent) {
		right = "right"
	}
	if d.Prediction.ClosedIntent != "" {
		fmt.Fprintf(w, "  said closed: %s (%s", d.Prediction.ClosedIntent, right)
		if d.Prediction.Confidence != nil {
			fmt.Fprintf(w, ", confidence %.3f", *d.Prediction.Confidence)
		}
		fmt.Fprintln(w, ")")
	}
	if d.Prediction.PredictedIntent != "" {
		fmt.Fprintf(w, "  said open:   %s\n", d.Prediction.PredictedIntent)
	}
	for _, j := range d.Verdicts {
		by := judges[j.Judge]
		if by == "" {
			by = j.Judge[:12]
		}
		score := "no score"
		if j.Score != nil {
			score = fmt.Sprintf("%.3f", *j.Score)
		}
		fmt.Fprintf(w, "  judge %s: %s (%s)", by, score, j.State)
		if j.Raw != "" {
			fmt.Fprintf(w, ", measured %s", j.Raw)
		}
		if j.Flags != "" {
			fmt.Fprintf(w, ", %s", j.Flags)
		}
		if j.Reason != "" {
			fmt.Fprintf(w, ": %s", j.Reason)
		}
		fmt.Fprintln(w)
	}
	return nil
}

type listCmd struct {
	storeArg
	Where []string `sep:"none" placeholder:"CONDITION" help:"dataset=, ablation=, method=, seed=, fold=, ratio=, state= (names separated by |), wrong, score<=X or score>=X of the first judge; separated by commas or given again."`
	Limit int      `default:"50" help:"At most so many; 0 is no limit."`
	JSON  bool     `name:"json" help:"Print as JSON lines, with everything that is stored."`
}

// Run lists matching tasks, one a line.
func (c *listCmd) Run(ctx context.Context, e env) error {
	where, err := parseWhere(c.Where)
	if err != nil {
		return usage(err)
	}
	where.Limit = c.Limit
	store, run, err := c.view(ctx, e)
	if err != nil {
		return err
	}
	n := 0
	err = store.Find(ctx, run.ID, where, func(d results.TaskDetail) error {
		n++
		if c.JSON {
			return writeTask(e.out, d)
		}
		score := "-"
		if len(d.Verdicts) > 0 && d.Verdicts[0].Score != nil {
			score = fmt.Sprintf("%.3f", *d.Verdicts[0].Score)
		}
		_, err := fmt.Fprintf(e.out, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", d.Task, d.Parts, d.Cell.Ablation, d.Cell.Method, d.Cell.Seed, d.State,
			d.Prediction.ClosedIntent, score, short(d.Prediction.PredictedIntent))
		return err
	})
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	if c.Limit > 0 && n == c.Limit {
		fmt.Fprintf(e.err, "the first %d; --limit 0 lists all\n", n)
	}
	return nil
}

// parseWhere reads the conditions of list.
func parseWhere(conditions []string) (results.Where, error) {
	var w results.Where
	for _, arg := range conditions {
		for _, c := range strings.Split(arg, ",") {
			if err := condition(&w, strings.TrimSpace(c)); err != nil {
				return w, err
			}
		}
	}
	return w, nil
}

func condition(w *results.Where, c string) error {
	if c == "wrong" {
		w.Wrong = true
		return nil
	}
	for _, op := range []string{"<=", ">="} {
		name, value, ok := strings.Cut(c, op)
		if !ok {
			continue
		}
		var x float64
		if _, err := fmt.Sscanf(value, "%g", &x); err != nil || name != "score" {
			return fmt.Errorf("--where %q: want score<=X or score>=X with a number", c)
		}
		if op == "<=" {
			w.MaxScore = &x
		} else {
			w.MinScore = &x
		}
		return nil
	}
	name, value, ok := strings.Cut(c, "=")
	if !ok || value == "" {
		return fmt.Errorf("--where %q: want name=value, wrong, score<=X or score>=X", c)
	}
	values := strings.Split(value, "|")
	switch name {
	case "dataset":
		w.Datasets = values
	case "ablation":
		w.Ablations = values
	case "method":
		w.Methods = values
	case "seed":
		w.Seeds = values
	case "fold":
		w.Folds = values
	case "state":
		w.State = values
	case "ratio":
		for _, v := range values {
			r, err := task.ParseRatio(v)
			if err != nil {
				return fmt.Errorf("--where %q: %w", c, err)
			}
			w.Ratios = append(w.Ratios, fmt.Sprint(int(r)))
		}
	default:
		return fmt.Errorf("--where %q: names are dataset, ablation, method, seed, fold, ratio and state", c)
	}
	return nil
}
