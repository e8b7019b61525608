package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"intentlab/results"
	"intentlab/results/metrics"
	"intentlab/results/report"
)

type reportCmd struct {
	storeArg
	Table   []string `sep:"," placeholder:"NAME" help:"Tables: main, per_ratio, per_ratio_open, ablation_effect, ttc, per_dataset, per_dataset_open, or all. Default: main, per_ratio, ablation_effect."`
	Dataset string   `placeholder:"D" help:"Show one dataset instead of the macro average."`
	Recount bool     `help:"Rebuild the stored per-ratio scores from the rows first and say whether any changed."`
	JSON    bool     `name:"json" help:"Print the tables as JSON."`
}

func defaultTables() []string { return []string{"main", "per_ratio", "ablation_effect"} }

// Run prints the tables; it works while the experiment runs.
func (c *reportCmd) Run(ctx context.Context, e env) error {
	if c.Recount {
		if err := c.recount(ctx, e); err != nil {
			return err
		}
	}
	src, done, err := c.source(ctx, e)
	if err != nil {
		return err
	}
	format := "text"
	if c.JSON {
		format = "json"
	}
	names, err := tableNames(c.Table)
	var all *report.Tables
	if err == nil {
		all, err = report.NewTables(ctx, src)
	}
	if err == nil {
		err = writeLevels(ctx, e, all, names, []string{levelOf(c.Dataset)}, format)
	}
	return errors.Join(err, done())
}

func levelOf(dataset string) string {
	if dataset == "" {
		return report.Macro
	}
	return dataset
}

// recount opens the store for writing, since a repaired record is stored.
func (c *reportCmd) recount(ctx context.Context, e env) error {
	path, experiment, err := c.path(e)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return usage(fmt.Errorf("there is no store %s yet: run the experiment first", path))
	}
	store, err := results.Open(ctx, path)
	if err != nil {
		return err
	}
	run, err := latest(ctx, store, experiment)
	cells, changed := 0, 0
	if err == nil {
		cells, changed, err = store.Recount(ctx, run.ID)
	}
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	fmt.Fprintf(e.err, "recounted %s: %d differed from the stored record\n", count(cells, "finished cell"), changed)
	return nil
}

// source opens the store's latest run for reading.
func (s storeArg) source(ctx context.Context, e env) (*report.Source, func() error, error) {
	store, run, err := s.view(ctx, e)
	if err != nil {
		return nil, nil, err
	}
	src, err := report.Open(ctx, store, run, versionOf(), metrics.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return src, store.Close, nil
}

func tableNames(asked []string) ([]string, error) {
	if len(asked) == 0 {
		return defaultTables(), nil
	}
	if slices.Contains(asked, "all") {
		return report.Names(), nil
	}
	for _, n := range asked {
		if !slices.Contains(report.Names(), n) {
			return nil, usage(fmt.Errorf("there is no table %q; tables are %s", n, strings.Join(report.Names(), ", ")))
		}
	}
	return asked, nil
}

// writeLevels prints tables at the given levels; as JSON they are one array. A table without a row
// (the effect of ablations where there is only one) is left out.
func writeLevels(ctx context.Context, e env, all *report.Tables, names, levels []string, format string) error {
	w := e.out
	open, between, end := "", "\n", ""
	if format == "json" {
		open, between, end = "[\n", ",\n", "]\n"
	}
	written := 0
	for _, name := range names {
		for _, level := range levels {
			t, err := all.Table(ctx, name, level)
			if err != nil {
				return usage(err)
			}
			if len(t.Rows) == 0 {
				continue
			}
			before := open
			if written++; written > 1 {
				before = between
			}
			if _, err := io.WriteString(w, before); err != nil {
				return fmt.Errorf("writing table %s: %w", name, err)
			}
			if format == "json" {
				err = t.JSON(w)
			} else {
				for n, part := range t.Within(e.tableWidth()) {
					if n > 0 {
						fmt.Fprintln(w)
					}
					err = errors.Join(err, part.Text(w, e.style()))
				}
			}
			if err != nil {
				return fmt.Errorf("writing table %s: %w", name, err)
			}
		}
	}
	if written == 0 {
		end = open + end
	}
	_, err := io.WriteString(w, end)
	return err
}

type exportCmd struct {
	storeArg
	Format string   `required:"" enum:"csv,json,markdown" help:"csv (one file a table, unrounded), json (the evaluations), markdown (one file a table)."`
	Table  []string `sep:"," placeholder:"NAME" help:"Tables for csv and markdown, or all; default: all."`
	Out    string   `short:"o" placeholder:"DIR" help:"Folder to write to; default: stdout."`
}

// Run writes the exports; equal stores give equal bytes.
func (c *exportCmd) Run(ctx context.Context, e env) error {
	src, done, err := c.source(ctx, e)
	if err != nil {
		return err
	}
	return errors.Join(c.export(ctx, e, src), done())
}

func (c *exportCmd) export(ctx context.Context, e env, src *report.Source) error {
	all, err := report.NewTables(ctx, src)
	if err != nil {
		return err
	}
	if len(c.Table) == 0 {
		c.Table = []string{"all"}
	}
	names, err := tableNames(c.Table)
	if err != nil {
		return err
	}
	return exportTo{e, c.Out}.all(ctx, all, c.Format, names)
}

// exportTo writes exports to a folder, or to stdout where dir is "".
type exportTo struct {
	env
	dir string
}

// all writes tables at every level, or for json the evaluations, whatever the tables.
func (x exportTo) all(ctx context.Context, all *report.Tables, format string, names []string) error {
	if format == "json" {
		return x.write("evaluations.json", func(w io.Writer) error { return report.WriteJSON(w, all.All) })
	}
	for i, name := range names {
		levels := append([]string{report.Macro}, all.Levels()...)
		if strings.HasPrefix(name, "per_dataset") {
			levels = levels[:1]
		}
		for j, level := range levels {
			t, err := all.Table(ctx, name, level)
			if err != nil {
				return err
			}
			file := name + "." + strings.ReplaceAll(level, "/", "-") + "." + map[string]string{"csv": "csv", "markdown": "md"}[format]
			if x.dir == "" && i+j > 0 {
				fmt.Fprintln(x.out)
			}
			err = x.write(file, func(w io.Writer) error {
				if format == "csv" {
					return t.CSV(w)
				}
				return t.Markdown(w)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// write renders to a file of the output folder, whole or not at all, or to stdout.
func (x exportTo) write(name string, render func(io.Writer) error) error {
	if x.dir == "" {
		return render(x.out)
	}
	var buf bytes.Buffer
	if err := render(&buf); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := os.MkdirAll(x.dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of the export: %w", err)
	}
	path := filepath.Join(x.dir, name)
	if err := os.WriteFile(path+".part", buf.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	fmt.Fprintln(x.err, path)
	return nil
}
