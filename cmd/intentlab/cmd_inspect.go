package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"intentlab/ablations/inspection"
	"intentlab/ablations/trajectory"
	"intentlab/matrix"
	"intentlab/runners"
)

type inspectCmd struct {
	Path    string   `arg:"" help:"Experiment file, or with --format a dataset's file or folder."`
	Dataset string   `arg:"" optional:"" help:"Dataset of the experiment; default: all."`
	Format  string   `placeholder:"F" help:"Read PATH as this format."`
	As      string   `enum:"safe,as_published" default:"safe" help:"Visibility: safe or as_published."`
	Var     []string `sep:"none" placeholder:"NAME=VALUE" help:"Set a variable of the experiment."`
	JSON    bool     `name:"json" help:"Print as JSON."`

	Observations string `placeholder:"FILE" help:"With --format: a sidecar of what was on the screen."`

	Against       string `placeholder:"PATH" help:"Compare with another copy, or with its manifest, episode by episode; exit with 4 where they differ."`
	WriteManifest string `placeholder:"FILE" help:"Write ids and hashes of all episodes, no text, for --against elsewhere."`
	HTML          string `name:"html" placeholder:"FILE" help:"Write a page with the distributions."`
}

// inspected is one dataset to look at; decl is nil where no experiment declares it.
type inspected struct {
	src  trajectory.Source
	decl *matrix.Dataset
	seed uint64
}

// Run reads datasets whole and says what is in them.
func (c *inspectCmd) Run(ctx context.Context, e env) error {
	sources, err := c.sources(e)
	if err != nil {
		return err
	}
	if len(sources) > 1 && (c.Against != "" || c.WriteManifest != "") {
		return usage(fmt.Errorf("%s has %d datasets: name the one that --against and --write-manifest are for", c.Path, len(sources)))
	}
	var reports []*inspection.Report
	for _, s := range sources {
		r, m, err := inspection.Inspect(ctx, s.src)
		if err != nil {
			return dataError(ctx, err)
		}
		if s.decl != nil {
			d, err := runners.ReadData(ctx, *s.decl, s.seed, trajectory.Formats[s.decl.Format], openIndex(e, false))
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil: // somebody who looks wants to see the data all the same
				r.Experiment = &inspection.Use{Refused: err.Error()}
			default:
				r.Experiment = d.Use()
			}
		}
		if c.WriteManifest != "" {
			if err := toFile(c.WriteManifest, m.Write); err != nil {
				return err
			}
		}
		if c.Against != "" {
			if r.Difference, err = c.compare(ctx, s.src, m); err != nil {
				return dataError(ctx, err)
			}
		}
		reports = append(reports, r)
	}
	if err := c.print(e, reports); err != nil {
		return err
	}
	if d := reports[0].Difference; d != nil && !d.None() {
		return told(exitLimit)
	}
	return nil
}

// dataError is what is wrong with the data, or that somebody interrupted.
func dataError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return usage(err)
}

// sources resolves the arguments.
func (c *inspectCmd) sources(e env) ([]inspected, error) {
	if c.Format != "" {
		f, ok := trajectory.Formats[c.Format]
		if !ok {
			return nil, usage(fmt.Errorf("there is no format %q; there are %s", c.Format, strings.Join(trajectory.FormatNames(), ", ")))
		}
		src := trajectory.Source{Name: c.Format, Format: c.Format, Path: c.Path, Visibility: trajectory.Visibility(c.As), Observations: c.Observations}
		if f.Options != nil {
			src.Options = f.Options()
		}
		return []inspected{{src: src}}, nil
	}
	if c.Observations != "" {
		return nil, usage(errors.New("--observations goes with --format; in an experiment the dataset names them (observations = \"…\")"))
	}
	exp, err := fileArgs{File: c.Path, Var: c.Var}.load(e, false)
	if err != nil {
		return nil, err
	}
	var out []inspected
	for i, d := range exp.Datasets {
		if c.Dataset == "" || c.Dataset == d.ID || c.Dataset == d.Name {
			src := trajectory.Source{Name: d.ID, Format: d.Format, Path: d.Path, Visibility: trajectory.Visibility(d.Visibility), Options: d.Options, Observations: d.Observations}
			out = append(out, inspected{src, &exp.Datasets[i], exp.Seed})
		}
	}
	if len(out) == 0 {
		return nil, usage(fmt.Errorf("there is no dataset %q in %s", c.Dataset, c.Path))
	}
	return out, nil
}

// compare reads the other copy, or its manifest.
func (c *inspectCmd) compare(ctx context.Context, src trajectory.Source, here *inspection.Manifest) (*inspection.Difference, error) {
	there, is, err := inspection.ReadManifest(c.Against)
	if err != nil {
		return nil, err
	}
	if !is {
		src.Path = c.Against
		if _, there, err = inspection.Inspect(ctx, src); err != nil {
			return nil, err
		}
	}
	d, err := inspection.Compare(here, there)
	if err != nil {
		return nil, fmt.Errorf("comparing with %s: %w", c.Against, err)
	}
	d.With = c.Against
	return &d, nil
}

// print writes the reports where they were asked for.
func (c *inspectCmd) print(e env, reports []*inspection.Report) error {
	if c.HTML != "" {
		if err := toFile(c.HTML, func(w io.Writer) error { return inspection.WritePage(w, reports) }); err != nil {
			return err
		}
	}
	if c.JSON {
		return writeJSON(e.out, reports)
	}
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(e.out)
		}
		if err := writeInspection(e.out, r); err != nil {
			return err
		}
	}
	return nil
}

// toFile writes a file whole, or leaves none behind.
func toFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return usage(fmt.Errorf("create the file that was asked for: %w", err))
	}
	err = write(f)
	if cerr := f.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("close %s: %w", path, cerr)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
