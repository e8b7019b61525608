package main

import (
	"context"
	"fmt"
	"strings"

	"intentlab/matrix"
	"intentlab/runners"
)

type auditCmd struct {
	fileArgs
	MaxLeak  *float64 `placeholder:"SHARE" help:"Exit with 4 when at any ratio of any variant more than this share of tasks show their answer, e.g. 0.05."`
	Of       string   `enum:"closed,open,both" default:"both" help:"What --max-leak counts: closed, open or both."`
	Dataset  string   `placeholder:"D" help:"Audit this dataset only."`
	Ablation string   `placeholder:"A" help:"Audit this ablation only."`
	Probes   bool     `help:"Also fit the leak probes, in memory, and print how often they are right, beside the prior."`
	JSON     bool     `name:"json" help:"Print the audit as JSON."`
	Jobs     jobs     `short:"j" placeholder:"N" help:"Processors to use."`
}

// Run searches what methods see for what they are to predict. Structural leaks end with exitUsage: the
// declaration or the data is wrong; a limit that is passed with exitLimit.
func (c *auditCmd) Run(ctx context.Context, e env) error {
	if c.MaxLeak != nil && !(*c.MaxLeak >= 0 && *c.MaxLeak <= 1) {
		return usage(fmt.Errorf("--max-leak %v: want a share between 0 and 1", *c.MaxLeak))
	}
	exp, err := c.load(e, false)
	if err != nil {
		return err
	}
	o, err := c.options(exp)
	if err != nil {
		return err
	}
	g, err := c.prepareLoaded(ctx, e, exp, int(c.Jobs))
	if err != nil {
		return err
	}
	a, err := g.Audit(ctx, o)
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(e.out, a)
	} else {
		err = writeAudit(e.out, e.style(), a)
	}
	if err != nil {
		return err
	}
	return c.judge(e, a)
}

// options resolves the names of a dataset and an ablation, by name or id.
func (c *auditCmd) options(exp *matrix.Experiment) (o runners.AuditOptions, err error) {
	var datasets, ablations [][2]string
	for _, d := range exp.Datasets {
		datasets = append(datasets, [2]string{d.ID, d.Name})
	}
	for _, a := range exp.Ablations {
		ablations = append(ablations, [2]string{a.ID, a.Name})
	}
	find := func(what, name string, list [][2]string) string {
		var known []string
		for _, x := range list {
			if name == x[0] || name == x[1] {
				return x[0]
			}
			known = append(known, x[0])
		}
		if name != "" && err == nil {
			err = usage(fmt.Errorf("there is no %s %q; there are %s", what, name, strings.Join(known, ", ")))
		}
		return ""
	}
	o.Dataset = find("dataset", c.Dataset, datasets)
	o.Ablation = find("ablation", c.Ablation, ablations)
	o.Probe = c.Probes
	return o, err
}

// judge says on stderr what makes the audit fail and returns the exit status.
func (c *auditCmd) judge(e env, a *runners.Audit) error {
	status := exitDone
	if c.MaxLeak != nil {
		for _, v := range a.Variants {
			for _, x := range []struct {
				name, what string
				leak       runners.AuditLeak
			}{{"closed", "closed label or its host", v.Closed}, {"open", "open intent", v.Open}} {
				if c.Of != "both" && c.Of != x.name {
					continue
				}
				if ratio, share := x.leak.Worst(); share > *c.MaxLeak {
					status = exitLimit
					fmt.Fprintf(e.err, "intentlab: %s under %s: at ratio %s a share of %.3f of the tasks show their %s, more than %v\n", v.Dataset, v.Ablation, ratio, share, x.what, *c.MaxLeak)
				}
			}
		}
	}
	for _, f := range a.Faults {
		status = exitUsage
		fmt.Fprintf(e.err, "intentlab: structural leak (%s): %s\n", f.Rule, f.Detail)
	}
	for _, v := range a.Variants {
		for _, f := range v.Faults {
			status = exitUsage
			fmt.Fprintf(e.err, "intentlab: structural leak (%s) in %d tasks of %s under %s, the first %s: %s\n", f.Rule, f.Tasks, v.Dataset, v.Ablation, f.Task, f.Detail)
		}
	}
	if status == exitDone {
		return nil
	}
	return told(status)
}
