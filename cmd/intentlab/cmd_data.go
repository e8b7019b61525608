package main

import (
	"context"
	"errors"
	"fmt"

	"intentlab/ablations"
)

type generateCmd struct {
	fileArgs
	Out             string `required:"" placeholder:"DIR" help:"Folder for the model-visible files."`
	GoldOut         string `placeholder:"DIR" help:"Folder for the evaluator's files; default: DIR.gold. Never below the other."`
	LimitPerDataset int    `placeholder:"N" help:"At most N episodes a dataset: a seeded, nested sample."`
	Graphs          string `enum:"auto,files,jsonl" default:"auto" help:"files: one a graph; jsonl: one file; auto: files up to 5,000 tasks."`
	Jobs            jobs   `short:"j" placeholder:"N" help:"Processors to use; changes no byte."`
}

// Run writes the files of every variant and fold.
func (c *generateCmd) Run(ctx context.Context, e env) error {
	exp, err := c.load(e, false)
	if err != nil {
		return err
	}
	if c.LimitPerDataset > 0 {
		for i := range exp.Datasets {
			if l := exp.Datasets[i].Limit; l == 0 || l > c.LimitPerDataset {
				exp.Datasets[i].Limit = c.LimitPerDataset
			}
		}
	}
	g, err := c.prepareLoaded(ctx, e, exp, int(c.Jobs))
	if err != nil {
		return err
	}
	graphs := c.Graphs
	if graphs == "auto" {
		graphs = ablations.GraphsAuto
	}
	for _, fold := range g.Folds() {
		datasets, specs := g.Generation(fold)
		made, err := ablations.Generate(ctx, datasets, specs, ablations.GenerateOptions{Out: c.Out, GoldOut: c.GoldOut, Grid: exp.Ratios,
			Evaluate: exp.Evaluate, Fold: fold, Graphs: graphs, Seed: exp.Seed, Workers: int(c.Jobs)})
		if _, ok := errors.AsType[*ablations.PlacementError](err); ok {
			return usage(err)
		}
		if err != nil {
			return err
		}
		for _, v := range made.Variants {
			fmt.Fprintf(e.err, "%s: %d tasks, %d train and %d dev examples, %d graphs\n", v.Dir, v.Tasks, v.Train, v.Dev, v.Graphs)
		}
		fmt.Fprintf(e.err, "%s: %d gold records\n", made.GoldDir, made.Gold)
	}
	return nil
}
