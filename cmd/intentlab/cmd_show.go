package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
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
	if fileName(c.Task) && taskID.MatchString(c.Store) {
		c.Task, c.Store = c.Store, c.Task
	}
	store, run, err := c.view(ctx, e)
	if err != nil {
		return err
	}
	decl, err := run.Declared()
	if err != nil {
		return errors.Join(err, store.Close())
	}
	wanted := results.Where{Task: c.Task}
	if wanted.Methods, err = resolve("method", c.Method, methodNames(decl)); err == nil {
		wanted.Ablations, err = resolve("ablation", c.Ablation, ablationNames(decl))
	}
	if err != nil {
		return errors.Join(usage(err), store.Close())
	}
	names := judgeNames(decl)
	inputs := c.inputs(ctx, e)
	found, elsewhere := 0, false
	if err == nil {
		err = store.Find(ctx, run.ID, wanted, func(d results.TaskDetail) error {
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
	if err == nil && found == 0 && len(c.Method)+len(c.Ablation) > 0 {
		err = store.Find(ctx, run.ID, results.Where{Task: c.Task, Limit: 1}, func(results.TaskDetail) error { elsewhere = true; return nil })
	}
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	if elsewhere {
		return usage(fmt.Errorf("task %s is stored, but not for these methods and ablations: their cells are pending, n/a or excluded, see `intentlab status`", c.Task))
	}
	if found == 0 {
		return usage(fmt.Errorf("no cell of the latest run holds a task %q; `intentlab list` lists tasks", c.Task))
	}
	return nil
}

// taskID is the form of task ids.
var taskID = regexp.MustCompile(`^[^:]+:.+:r\d\.\d+$`)

// fileName reports whether an argument is a store or an experiment file.
func fileName(arg string) bool {
	_, err := os.Stat(arg)
	return err == nil || strings.HasSuffix(arg, ".hcl") || strings.HasSuffix(arg, ".hcl.json") || strings.HasSuffix(arg, ".db")
}

// judgeNames maps fingerprints to the names of the run's judges.
func judgeNames(d results.Declaration) map[string]string {
	names := map[string]string{}
	for _, j := range d.Judges {
		names[j.Fingerprint] = j.ID
	}
	return names
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
	fmt.Fprintf(w, "%s (%s): %s\n", d.Cell.Name(), d.Parts, d.State)
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
