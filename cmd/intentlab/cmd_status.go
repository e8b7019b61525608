package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"intentlab/results"
	"intentlab/runners/progress"
)

type statusCmd struct {
	storeArg
	JSON   bool   `name:"json" help:"Print as JSON."`
	Output string `placeholder:"CELL" help:"Print what the programs of this cell wrote to stderr, instead: dataset/ablation/method/seed, and /fold where there are folds."`
}

// Run shows the latest run's progress; it works while another process writes.
func (c *statusCmd) Run(ctx context.Context, e env) error {
	store, run, err := c.view(ctx, e)
	if err != nil {
		return err
	}
	if c.Output != "" {
		return errors.Join(c.output(ctx, e, store, run), store.Close())
	}
	st, err := store.Status(ctx, run.ID)
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.out, st)
	}
	return writeStatus(e, run, st)
}

func writeStatus(e env, run results.Run, st results.Status) error {
	fmt.Fprintf(e.out, "%s, run %d: %s\n", run.Experiment, run.ID, st.Doing)
	done := fmt.Sprintf("%d done", st.Cells[results.CellDone])
	if n := len(st.Failures) - st.Cells[results.CellFailed]; n > 0 {
		done += fmt.Sprintf(" (%d of them with failed tasks)", n)
	}
	fmt.Fprintf(e.out, "cells: %s, %d failed, %d pending, %d n/a, %d excluded\n",
		done, st.Cells[results.CellFailed], st.Cells[results.CellPending], st.Cells[results.CellNA], st.Cells[results.CellExcluded])
	fmt.Fprintf(e.out, "tasks: %d of %d stored", st.Stored, st.Expected)
	for _, s := range []string{results.TaskMethodError, results.TaskInvalidLabel, results.TaskAbstained, results.TaskMissing, results.TaskNotAsked} {
		if n := st.Tasks[s]; n > 0 {
			fmt.Fprintf(e.out, ", %d %s", n, s)
		}
	}
	fmt.Fprintf(e.out, "\nanswers: %d distinct", st.Predictions)
	if st.InputTokens+st.OutputTokens > 0 || st.CostUSD > 0 {
		fmt.Fprintf(e.out, ", %d input and %d output tokens, %.4f USD", st.InputTokens, st.OutputTokens, st.CostUSD)
	}
	fmt.Fprintln(e.out)
	if st.Live != nil {
		var live progress.Snapshot
		if err := json.Unmarshal(st.Live, &live); err != nil {
			return fmt.Errorf("reading the progress of the running process: %w", err)
		}
		width := 0
		if e.outTerminal {
			width = e.width
		}
		fmt.Fprintln(e.out, "this invocation:")
		for _, l := range live.Block(width) {
			fmt.Fprintln(e.out, "  "+l)
		}
	}
	failures := mergeFolds(st.Failures)
	for _, f := range failures {
		fmt.Fprintf(e.out, "failed: %s: %s\n", f.cells(), f.reason())
	}
	if len(failures) > 0 {
		fmt.Fprintf(e.err, "`intentlab status --output %s` prints what its program wrote to stderr\n", st.Failures[0].Name())
	}
	return nil
}

// output prints what a cell's programs wrote; a name without its fold stands for all folds.
func (c *statusCmd) output(ctx context.Context, e env, store *results.Store, run results.Run) error {
	cells, err := store.Cells(ctx, run.ID)
	if err != nil {
		return err
	}
	var names []string
	found, silent := false, true
	for _, cell := range cells {
		names = append(names, cell.Name())
		if cell.Name() != c.Output && foldless(cell).Name() != c.Output {
			continue
		}
		found = true
		text, err := store.Output(ctx, cell.ID)
		if err != nil {
			return err
		}
		if text == "" {
			continue
		}
		silent = false
		if cell.Name() != c.Output {
			fmt.Fprintf(e.out, "%s:\n", cell.Name())
		}
		fmt.Fprint(e.out, text)
	}
	switch {
	case !found:
		return usage(noSuch("cell", c.Output, names))
	case silent:
		fmt.Fprintf(e.err, "%s: nothing was printed to stderr\n", c.Output)
	}
	return nil
}

func foldless(c results.Cell) results.Cell {
	c.Fold = 0
	return c
}

// foldFailures are cells that failed alike and differ in their fold only.
type foldFailures struct {
	first         results.Cell
	folds         []string
	failed, tasks int    // where the reason counts tasks
	rest          string // of the reason, behind the counts
}

var taskCounts = regexp.MustCompile(`^(\d+) of (\d+) tasks failed`)

// mergeFolds joins cells that follow one another.
func mergeFolds(cells []results.Cell) []foldFailures {
	var out []foldFailures
	at := map[string]int{}
	for _, c := range cells {
		f := foldFailures{first: c, rest: c.Reason}
		if m := taskCounts.FindStringSubmatch(c.Reason); m != nil {
			f.failed, _ = strconv.Atoi(m[1]) // digits
			f.tasks, _ = strconv.Atoi(m[2])
			f.rest = c.Reason[len(m[0]):]
		}
		key := fmt.Sprintf("%s\x00%v\x00%s", foldless(c).Name(), f.tasks > 0, f.rest)
		i, ok := at[key]
		if !ok || c.Fold == 0 {
			i = len(out)
			at[key] = i
			out = append(out, f)
		} else {
			out[i].failed += f.failed
			out[i].tasks += f.tasks
		}
		out[i].folds = append(out[i].folds, strconv.Itoa(c.Fold))
	}
	return out
}

// cells names the cells: with one fold as `explain` takes it.
func (f foldFailures) cells() string {
	if len(f.folds) == 1 {
		return f.first.Name()
	}
	return fmt.Sprintf("%s, folds %s", foldless(f.first).Name(), strings.Join(f.folds, " "))
}

func (f foldFailures) reason() string {
	if f.tasks == 0 {
		return f.rest
	}
	return fmt.Sprintf("%d of %d tasks failed%s", f.failed, f.tasks, f.rest)
}
