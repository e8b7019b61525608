package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"intentlab/results"
)

type listCmd struct {
	storeArg
	Where []string `sep:"none" placeholder:"CONDITION" help:"dataset=, ablation=, method=, seed=, fold=, ratio=, state= (names separated by |), wrong, score<=X or score>=X of the first judge; separated by commas or given again."`
	Limit int      `default:"50" help:"At most so many; 0 is no limit."`
	JSON  bool     `name:"json" help:"Print as JSON lines, with everything that is stored."`
}

// listColumns heads the list on a terminal; elsewhere the fields stand alone, separated by tabs.
const listColumns = "task\tpart\tablation\tmethod\tseed\tstate\twanted\tsaid\tscore\tsaid open\n"

// Help is shown by `list --help`.
func (c *listCmd) Help() string {
	return "One task a line, separated by tabs: task, part, ablation, method, seed, state, the gold label, the label that was said,\n" +
		"the score of the first judge, the open answer. On a terminal the columns are aligned and headed."
}

// Run lists matching tasks, one a line.
func (c *listCmd) Run(ctx context.Context, e env) error {
	conditions, err := parseWhere(c.Where)
	if err != nil {
		return usage(err)
	}
	store, run, err := c.view(ctx, e)
	if err != nil {
		return err
	}
	decl, err := run.Declared()
	if err != nil {
		return errors.Join(err, store.Close())
	}
	wanted, err := where(conditions, decl)
	if err != nil {
		return errors.Join(usage(err), store.Close())
	}
	wanted.Limit = c.Limit
	out, flush := e.out, func() error { return nil }
	if e.outTerminal && !c.JSON {
		aligned := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
		out, flush = aligned, aligned.Flush
		if _, err := io.WriteString(out, listColumns); err != nil {
			return errors.Join(err, store.Close())
		}
	}
	n := 0
	err = store.Find(ctx, run.ID, wanted, func(d results.TaskDetail) error {
		n++
		if c.JSON {
			return writeTask(e.out, d)
		}
		score := "-"
		if len(d.Verdicts) > 0 && d.Verdicts[0].Score != nil {
			score = fmt.Sprintf("%.3f", *d.Verdicts[0].Score)
		}
		_, err := fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", d.Task, d.Parts, d.Cell.Ablation, d.Cell.Method, d.Cell.Seed, d.State,
			short(d.Gold.ClosedIntent), short(d.Prediction.ClosedIntent), score, short(d.Prediction.PredictedIntent))
		return err
	})
	if err = errors.Join(err, flush(), store.Close()); err != nil {
		return err
	}
	switch {
	case c.Limit > 0 && n == c.Limit:
		fmt.Fprintf(e.err, "the first %d; --limit 0 lists all\n", n)
	case n == 0:
		fmt.Fprintln(e.err, "no stored task matches")
	}
	return nil
}
