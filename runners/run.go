package runners

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"

	"intentlab/results"
	"intentlab/runners/predictors"
	"intentlab/runners/progress"
)

// RunOptions say how to run.
type RunOptions struct {
	// RetryFailed takes tasks and cells again that failed for good.
	RetryFailed bool
	// Fresh starts a generation in which no earlier answer is reused.
	Fresh bool
	// Only keeps the cells for which it returns true; nil keeps all. The others stay as they are.
	Only func(Cell) bool
	// Drain, when closed, lets what is in flight finish and starts nothing new.
	Drain <-chan struct{}
	// Until pauses the run at a moment; zero is never.
	Until time.Time
	// Progress is told what happens; nil is silent.
	Progress *progress.Meter
	// Invocation is the program's provenance.
	Invocation results.Invocation
}

// Outcome is how a run ended.
type Outcome struct {
	Run         results.Run
	Interrupted bool   // drained or cancelled: resumable
	Paused      bool   // reached Until: resumable
	Failed      int    // cells that failed or hold failed tasks
	FirstError  string // of what failed now, else of what had failed before
	Told        bool   // FirstError was shown as it came
	// Pending are the tasks left to do when the run was interrupted or paused, and in cells that were
	// to be run and are still pending: what the next run with the same options announces.
	Pending int
}

// run is one invocation at work.
type run struct {
	*Engine
	store      *results.Store
	run        results.Run
	invocation int64
	o          RunOptions
	judgeIDs   map[string]int64
	claims     claims
	ended      atomic.Int64  // cells that came to their end, whatever it was
	final      map[int64]int // tasks of each cell that needed nothing more when the run began

	mu    sync.Mutex
	first string
}

// Run runs what is missing and resumes what was interrupted. Cells run side by side; everything
// that is answered is stored before it counts. The error is of the machine (a store that can't be
// written); failures of methods are rows and show in the outcome.
func (g *Engine) Run(ctx context.Context, store *results.Store, o RunOptions) (Outcome, error) {
	r := &run{Engine: g, store: store, o: o, judgeIDs: map[string]int64{}, claims: newClaims()}
	if r.o.Progress == nil {
		r.o.Progress = progress.New(nil)
	}
	finish := context.WithoutCancel(ctx)
	rows, err := r.open(ctx)
	if err != nil {
		if r.invocation != 0 {
			word := "broken"
			if ctx.Err() != nil {
				word = "interrupted"
			}
			err = errors.Join(err, store.End(finish, r.invocation, word))
		}
		return Outcome{}, err
	}
	todo, err := r.todo(ctx, rows)
	if err != nil {
		return Outcome{}, errors.Join(err, store.End(finish, r.invocation, "broken"))
	}
	r.o.Progress.Event("start", map[string]any{"experiment": r.Exp.Name, "run": r.run.ID, "invocation": r.invocation, "cells": len(todo)})
	runErr := r.cells(ctx, rows, todo)
	out := Outcome{Run: r.run, FirstError: r.first, Told: r.first != ""}
	// A run that was told to stop after its last cell is done, not interrupted.
	if runErr == nil && int(r.ended.Load()) < len(todo) {
		out.Interrupted = ctx.Err() != nil || r.drained()
		out.Paused = !out.Interrupted
	}
	// The state of the store decides the outcome, not what this process believes.
	if err := r.settle(finish, rows, todo, &out); err != nil {
		return out, errors.Join(runErr, err, store.End(finish, r.invocation, "broken"))
	}
	word := "done"
	switch {
	case runErr != nil:
		word = "broken"
	case out.Interrupted:
		word = "interrupted"
	case out.Paused:
		word = "paused"
	case out.Failed > 0:
		word = "failed"
	}
	if word == "done" && r.o.Only == nil {
		err = predictors.RemoveKept(r.keptFolder())
	}
	r.o.Progress.Event("end", map[string]any{"outcome": word, "pending": out.Pending, "failed_cells": out.Failed})
	return out, errors.Join(runErr, err, store.End(finish, r.invocation, word))
}

// open registers run, invocation, data and cells and returns the stored cells in declared order.
func (r *run) open(ctx context.Context) ([]results.Cell, error) {
	decl, err := r.declarationJSON()
	if err != nil {
		return nil, err
	}
	if r.run, err = r.store.OpenRun(ctx, r.Exp.Name, r.Identity, decl, r.o.Fresh); err != nil {
		return nil, err
	}
	if r.invocation, err = r.store.Begin(ctx, r.run.ID, r.o.Invocation); err != nil {
		return nil, err
	}
	for _, d := range r.Data {
		episodes, gold, parts := d.rows(r.Exp.Ratios)
		if err := r.store.PutData(ctx, d.Key, d.SplitHash, episodes, gold, parts); err != nil {
			return nil, err
		}
	}
	for _, j := range r.Judges {
		if j.Judge == nil {
			continue
		}
		inputs, err := canonical(j.Judge.Identity())
		if err != nil {
			return nil, fmt.Errorf("judge %s: %w", j.Decl.ID, err)
		}
		if r.judgeIDs[j.Decl.ID], err = r.store.JudgeID(ctx, j.Judge.Fingerprint(), inputs); err != nil {
			return nil, err
		}
	}
	cells := make([]results.Cell, len(r.Cells))
	for i, c := range r.Cells {
		d := r.dataset(c)
		state := results.CellPending
		switch string(c.State) {
		case results.CellNA, results.CellExcluded:
			state = string(c.State)
		}
		cells[i] = results.Cell{Dataset: d.Decl.ID, Ablation: r.ablation(c).ID, Method: r.method(c).ID, Seed: c.Seed, Fold: c.Fold,
			Data: d.Key, Split: d.SplitHash, State: state, Reason: c.Reason, Tasks: c.Tasks}
	}
	return r.store.PutCells(ctx, r.run.ID, cells)
}

// todo picks the cells that have something to do, and counts the tasks in which it is.
func (r *run) todo(ctx context.Context, rows []results.Cell) ([]int, error) {
	var err error
	if r.final, err = r.store.Final(ctx, r.run.ID, r.o.RetryFailed); err != nil {
		return nil, err
	}
	var out []int
	for i, row := range rows {
		if r.o.Only != nil && !r.o.Only(r.Cells[i]) {
			continue
		}
		if wants(row, r.o.RetryFailed) {
			out = append(out, i)
			r.o.Progress.Expect(row.Method, row.Tasks-r.final[row.ID], r.final[row.ID])
		}
	}
	return out, nil
}

// wants reports whether a plain run takes a cell: pending ones, failed-by-circumstance ones, and
// with retry those that failed for good. A cell that is done carries a reason when something in it
// failed.
func wants(row results.Cell, retry bool) bool {
	switch row.State {
	case results.CellPending:
		return true
	case results.CellFailed:
		return retry || !row.ForGood
	case results.CellDone:
		return row.Reason != "" && (retry || !row.ForGood)
	}
	return false
}

// cells runs the cells, several at once. Those that wait for an endpoint have a queue for it, beside
// the one of the processors, so that a slow or parked service holds up nobody else.
func (r *run) cells(ctx context.Context, rows []results.Cell, todo []int) error {
	queues := map[string][]int{}
	var names []string
	for _, i := range todo {
		at := r.method(r.Cells[i]).Endpoint
		if _, known := queues[at]; !known {
			names = append(names, at)
		}
		queues[at] = append(queues[at], i)
	}
	all := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
	for _, name := range names {
		width := r.workers
		if name != "" {
			width = endpointCells
		}
		all.Go(func(ctx context.Context) error { return r.queue(ctx, rows, queues[name], width) })
	}
	return all.Wait()
}

// endpointCells is how many cells of one endpoint are at work side by side: enough to keep its slots
// filled while one cell fits or ends, few enough that cells end one after the other.
const endpointCells = 4

// queue runs cells in order, width of them side by side.
func (r *run) queue(ctx context.Context, rows []results.Cell, todo []int, width int) error {
	p := pool.New().WithMaxGoroutines(width).WithContext(ctx).WithCancelOnError().WithFirstError()
	for _, i := range todo {
		if ctx.Err() != nil || r.stopping() {
			break
		}
		p.Go(func(ctx context.Context) error {
			if ctx.Err() != nil || r.stopping() {
				return nil
			}
			r.o.Progress.Event("cell", map[string]any{"cell": rows[i].Name(), "state": "started", "tasks": rows[i].Tasks})
			ended, err := r.cell(ctx, r.Cells[i], rows[i])
			if ended && err == nil {
				r.ended.Add(1)
			}
			return err
		})
	}
	return p.Wait()
}

// safely calls f; a panic in it is the failure of the cell, not of the run. The stack becomes an
// event.
func (r *run) safely(ctx context.Context, row results.Cell, f func() error) (err error) {
	caught := panics.Try(func() { err = f() })
	if caught == nil {
		return err
	}
	if err := r.store.Event(context.WithoutCancel(ctx), r.invocation, "panic", row.ID, caught.String()); err != nil {
		return err
	}
	return &predictors.Failure{Reason: "panic", Detail: fmt.Sprintf("method %s broke: %v", row.Method, caught.Value), Cell: true, ForGood: true}
}

// failCell records that a cell failed as a whole.
func (r *run) failCell(ctx context.Context, row results.Cell, reason string, forGood bool) error {
	row.State, row.Reason, row.ForGood = results.CellFailed, oneLine(reason), forGood
	r.failed(row, reason)
	r.o.Progress.Event("cell", map[string]any{"cell": row.Name(), "state": row.State, "reason": row.Reason})
	return r.store.FinishCell(context.WithoutCancel(ctx), row)
}

// oneLine makes one line of what a method or a library said, so that it fits a list or a footnote.
func oneLine(s string) string {
	const most = 600 // bytes
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// failed shows the first failure at once and remembers it.
func (r *run) failed(row results.Cell, reason string) {
	r.o.Progress.Event("failure", map[string]any{"cell": row.Name(), "reason": oneLine(reason)})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == "" {
		r.first = row.Name() + ": " + oneLine(reason)
		r.o.Progress.Say("first failure: " + r.first)
	}
}

// stopping reports whether nothing new may be started: the run is drained, or its moment has come.
func (r *run) stopping() bool {
	return r.drained() || !r.o.Until.IsZero() && !time.Now().Before(r.o.Until)
}

func (r *run) drained() bool {
	select {
	case <-r.o.Drain:
		return true
	default:
		return false
	}
}

// settle counts what the cells that this invocation was for came to; those that Only left out don't
// count. before are the cells in declared order as they were found.
func (r *run) settle(ctx context.Context, before []results.Cell, todo []int, out *Outcome) error {
	rows, err := r.store.Cells(ctx, r.run.ID)
	if err != nil {
		return err
	}
	asked, chosen := map[int64]bool{}, map[int64]bool{}
	for i, row := range before {
		asked[row.ID] = r.o.Only == nil || r.o.Only(r.Cells[i])
	}
	for _, i := range todo {
		chosen[before[i].ID] = true
	}
	final, err := r.store.Final(ctx, r.run.ID, r.o.RetryFailed)
	if err != nil {
		return err
	}
	for _, row := range rows {
		stopped := out.Interrupted || out.Paused
		if asked[row.ID] && (stopped && wants(row, r.o.RetryFailed) || row.State == results.CellPending && chosen[row.ID]) {
			out.Pending += row.Tasks - final[row.ID]
		}
		switch {
		case !asked[row.ID]:
		case row.State == results.CellFailed, row.State == results.CellDone && row.Reason != "":
			out.Failed++
			if out.FirstError == "" {
				out.FirstError = row.Name() + ": " + row.Reason
			}
		}
	}
	return nil
}
