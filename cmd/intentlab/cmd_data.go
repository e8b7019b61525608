package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"intentlab/ablations"
	"intentlab/ablations/trajectory"
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

type inspectCmd struct {
	Path    string   `arg:"" help:"Experiment file, or with --format a dataset's file or folder."`
	Dataset string   `arg:"" optional:"" help:"Dataset of the experiment; default: all."`
	Format  string   `placeholder:"F" help:"Read PATH as this format."`
	As      string   `enum:"safe,as_published" default:"safe" help:"Visibility: safe or as_published."`
	Var     []string `sep:"none" placeholder:"NAME=VALUE" help:"Set a variable of the experiment."`
	JSON    bool     `name:"json" help:"Print as JSON."`

	Observations string `placeholder:"FILE" help:"With --format: a sidecar of what was on the screen."`
}

// Run reads datasets whole and says what is in them.
func (c *inspectCmd) Run(ctx context.Context, e env) error {
	var sources []trajectory.Source
	if c.Format != "" {
		f, ok := trajectory.Formats[c.Format]
		if !ok {
			return usage(fmt.Errorf("there is no format %q; there are %s", c.Format, strings.Join(trajectory.FormatNames(), ", ")))
		}
		src := trajectory.Source{Name: c.Format, Format: c.Format, Path: c.Path, Visibility: trajectory.Visibility(c.As), Observations: c.Observations}
		if f.Options != nil {
			src.Options = f.Options()
		}
		sources = append(sources, src)
	} else {
		exp, err := fileArgs{File: c.Path, Var: c.Var}.load(e, false)
		if err != nil {
			return err
		}
		for _, d := range exp.Datasets {
			if c.Dataset == "" || c.Dataset == d.ID || c.Dataset == d.Name {
				sources = append(sources, trajectory.Source{Name: d.ID, Format: d.Format, Path: d.Path, Visibility: trajectory.Visibility(d.Visibility), Options: d.Options, Observations: d.Observations})
			}
		}
		if len(sources) == 0 {
			return usage(fmt.Errorf("there is no dataset %q in %s", c.Dataset, c.Path))
		}
	}
	var all []trajectory.Summary
	for _, src := range sources {
		s, err := trajectory.Summarise(ctx, src)
		if err != nil {
			return usage(err)
		}
		all = append(all, s)
	}
	if c.JSON {
		return writeJSON(e.out, all)
	}
	for i, s := range all {
		if i > 0 {
			fmt.Fprintln(e.out)
		}
		if err := writeSummary(e.out, s); err != nil {
			return err
		}
	}
	return nil
}

// writeSummary prints one dataset for people.
func writeSummary(w io.Writer, s trajectory.Summary) error {
	fmt.Fprintf(w, "%s (%s, %s) %s\n", s.Dataset, s.Format, s.Visibility, s.Path)
	fmt.Fprintf(w, "  %d episodes in %d clusters, %d steps (%d utterances), %d context steps\n", s.Episodes, s.Clusters, s.Steps, s.Utterances, s.ContextSteps)
	if s.Evident < s.Steps {
		fmt.Fprintf(w, "  evidence: %d of %d steps show more than an operation and a position\n", s.Evident, s.Steps)
	}
	l := s.Lengths
	fmt.Fprintf(w, "  steps an episode: min %d, quartiles %d %d %d, max %d, mean %.1f\n", l.Min, l.Q1, l.Median, l.Q3, l.Max, l.Mean)
	fmt.Fprintf(w, "  without a closed intent: %d; without an open intent: %d\n", s.NoClosed, s.NoOpen)
	counts := func(title string, list []trajectory.Count) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(w, "  %s:\n", title)
		for i, c := range list {
			if i == 20 {
				fmt.Fprintf(w, "    … and %d more\n", len(list)-i)
				break
			}
			fmt.Fprintf(w, "    %6d  %s\n", c.Count, c.Name)
		}
	}
	counts(fmt.Sprintf("closed labels (%d)", len(s.Labels)), s.Labels)
	counts("official lists", s.Lists)
	counts("fields to split by (distinct values)", s.Groups)
	counts("flags", s.Flags)
	if len(s.NoRole) > 0 {
		var names []string
		for _, c := range s.NoRole {
			names = append(names, fmt.Sprintf("%s (%d)", c.Name, c.Count))
		}
		fmt.Fprintf(w, "  no role, never shown: %s\n", strings.Join(names, ", "))
	}
	if len(s.Skips) > 0 {
		fmt.Fprintln(w, "  left out:")
		for _, k := range s.Skips {
			fmt.Fprintf(w, "    %6d  %s\n", k.Count, k.Reason)
			for _, x := range k.Examples {
				fmt.Fprintf(w, "            %s %s\n", x.Where, x.Detail)
			}
		}
	}
	fmt.Fprintln(w, "  examples:")
	for _, ep := range s.Examples {
		fmt.Fprintf(w, "    %s: %s (%d steps)\n      open:   %s\n      closed: %s\n", s.Dataset, ep.ID, len(ep.Steps), short(ep.OpenIntent), ep.ClosedIntent)
		for i, st := range ep.Steps {
			if i == 3 {
				break
			}
			fmt.Fprintf(w, "      step %d:  %s\n", i, short(st.Utterance+st.Action))
		}
	}
	return nil
}

// short cuts a text to one line of people's length.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}
