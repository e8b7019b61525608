package main

import (
	"context"
	"errors"
	"fmt"

	"intentlab/results"
)

type statusCmd struct {
	storeArg
	JSON bool `name:"json" help:"Print as JSON."`
}

// Run shows the latest run's progress; it works while another process writes.
func (c *statusCmd) Run(ctx context.Context, e env) error {
	store, run, err := c.view(ctx, e)
	if err != nil {
		return err
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
	fmt.Fprintf(e.out, "\nanswers: %d distinct, %d input and %d output tokens, %.4f USD\n", st.Predictions, st.InputTokens, st.OutputTokens, st.CostUSD)
	for _, f := range st.Failures {
		fmt.Fprintf(e.out, "failed: %s/%s/%s/%d: %s\n", f.Dataset, f.Ablation, f.Method, f.Seed, f.Reason)
	}
	return nil
}
