package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"intentlab/ablations/task"
	"intentlab/results"
	"intentlab/runners"
)

type planCmd struct {
	fileArgs
	JSON bool `name:"json" help:"Print the plan as JSON."`
	Jobs jobs `short:"j" placeholder:"N" help:"Processors to use."`
}

// Run prints the plan; it opens an existing store for reading only.
func (c *planCmd) Run(ctx context.Context, e env) error {
	g, err := c.prepare(ctx, e, false, int(c.Jobs))
	if err != nil {
		return err
	}
	store, err := existing(ctx, g.Exp.Store)
	if err != nil {
		return err
	}
	p, err := g.Plan(ctx, store)
	if store != nil {
		err = errors.Join(err, store.Close())
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.out, p)
	}
	return writePlan(e.out, p)
}

// existing opens the store for reading, nil when there is none yet.
func existing(ctx context.Context, path string) (*results.Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	store, err := results.View(ctx, path)
	return store, usage(err)
}

type previewCmd struct {
	fileArgs
	Task   string `required:"" placeholder:"ID" help:"Task id, e.g. weblinx:abc:r0.30."`
	Method string `required:"" placeholder:"M" help:"Method."`

	Ablation string `placeholder:"A" help:"Ablation; default: the first one that the method runs under."`
}

// Run prints the exact input as JSON.
func (c *previewCmd) Run(ctx context.Context, e env) error {
	g, err := c.prepare(ctx, e, false, 0)
	if err != nil {
		return err
	}
	record, err := g.Preview(c.Task, c.Method, c.Ablation)
	if err != nil {
		return usage(err)
	}
	return writeJSON(e.out, record)
}

type explainCmd struct {
	Cell string `arg:"" help:"Cell: dataset/ablation/method/seed, and /fold where there are folds."`
	fileArgs
}

// Run compares what the cell would be keyed by now with what is stored.
func (c *explainCmd) Run(ctx context.Context, e env) error {
	g, err := c.prepare(ctx, e, false, 0)
	if err != nil {
		return err
	}
	store, err := existing(ctx, g.Exp.Store)
	if err != nil {
		return err
	}
	lines, err := g.Explain(ctx, store, c.Cell)
	if store != nil {
		err = errors.Join(err, store.Close())
	}
	if err != nil {
		var unknown *runners.UnknownCellError
		if errors.As(err, &unknown) {
			return usage(err)
		}
		return err
	}
	for _, l := range lines {
		fmt.Fprintln(e.out, l)
	}
	return nil
}

// writeJSON prints v indented, without escaping what people read.
func writeJSON(w io.Writer, v any) error {
	b, err := task.Canonical(v)
	if err != nil {
		return err
	}
	var indented json.RawMessage = b
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(indented)
}
