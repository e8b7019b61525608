package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"intentlab/matrix"
	"intentlab/results"
	"intentlab/results/metrics"
	"intentlab/results/report"
	"intentlab/runners"
	"intentlab/runners/process"
	"intentlab/runners/progress"
)

type runCmd struct {
	fileArgs
	Only        []string `sep:"none" placeholder:"AXIS=NAME" help:"Run only cells of these datasets, ablations, methods, seeds or folds, e.g. dataset=weblinx,method=knn-k1; names after one axis are alternatives."`
	RetryFailed bool     `help:"Take tasks again that failed for good."`
	Fresh       bool     `help:"Reuse no earlier answer; nothing is deleted."`
	Until       string   `placeholder:"HH:MM" help:"Pause cleanly at this time of day (exit status 5)."`
	Jobs        jobs     `short:"j" placeholder:"N" help:"Cells at once; default: the number of processors."`
	Events      string   `placeholder:"FILE" help:"Append what happens to FILE as JSON lines, for other programs."`
	NoTables    bool     `help:"Don't print the tables at the end; report blocks are still written."`
}

// Run runs the experiment: what is stored is kept, what is missing is done.
func (c *runCmd) Run(ctx context.Context, e env) error {
	until, err := clock(c.Until, time.Now())
	if err != nil {
		return usage(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	drain := make(chan struct{})
	stopWatching := watchInterrupts(e, drain, cancel)
	defer stopWatching()

	g, err := c.prepare(ctx, e, true, int(c.Jobs))
	if err != nil {
		return err
	}
	only, err := cellFilter(g, c.Only)
	if err != nil {
		return usage(err)
	}
	if missing := g.Missing(only); len(missing) > 0 {
		return usage(errors.New(strings.Join(missing, "\n")))
	}
	if err := process.RemoveAbandoned(); err != nil {
		fmt.Fprintf(e.err, "note: %v\n", err)
	}
	store, err := results.Open(ctx, g.Exp.Store)
	if err != nil {
		return err
	}
	out, err := c.run(ctx, e, g, store, runners.RunOptions{RetryFailed: c.RetryFailed, Fresh: c.Fresh, Only: only, Drain: drain, Until: until})
	if err == nil && !out.Interrupted && !out.Paused && (!c.NoTables || len(g.Exp.Reports) > 0) {
		err = c.conclude(ctx, e, store, out.Run, g.Exp.Reports)
	}
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	return outcome(e, c, out)
}

func (c *runCmd) run(ctx context.Context, e env, g *runners.Engine, store *results.Store, o runners.RunOptions) (runners.Outcome, error) {
	if n := store.Notice(); n != "" {
		fmt.Fprintln(e.err, n)
	}
	v, commit := version()
	o.Invocation = results.Invocation{Version: v, GitCommit: commit, Tool: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}
	events, closeEvents, err := c.events()
	if err != nil {
		return runners.Outcome{}, err
	}
	o.Progress = progress.New(events)
	store.Live(func() ([]byte, error) { return json.Marshal(o.Progress.Snapshot()) })
	screen := progress.Screen{W: e.err, Interval: 10 * time.Second}
	if e.errTerminal {
		screen.Width = e.errWidth
	}
	stop := o.Progress.Show(screen)
	out, err := g.Run(ctx, store, o)
	stop()
	// The log is lost, not the run: what was answered is stored.
	if lost := errors.Join(events.Err(), closeEvents()); lost != nil {
		fmt.Fprintf(e.err, "note: %v\n", lost)
	}
	return out, err
}

// events opens the log that --events asks for; earlier runs' lines in it are kept.
func (c *runCmd) events() (*progress.Events, func() error, error) {
	if c.Events == "" {
		return nil, func() error { return nil }, nil
	}
	f, err := os.OpenFile(c.Events, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, usage(fmt.Errorf("opening the log of events: %w", err))
	}
	return progress.NewEvents(f), f.Close, nil
}

// outcome says how the run ended and what to do next.
func outcome(e env, c *runCmd, out runners.Outcome) error {
	again := "intentlab run " + c.File
	for _, v := range c.Var {
		again += " --var " + v
	}
	for _, o := range c.Only {
		again += " --only " + o
	}
	again = strings.TrimSpace(again)
	if c.RetryFailed && (out.Interrupted || out.Paused) {
		again += " --retry-failed"
	}
	switch {
	case out.Interrupted:
		fmt.Fprintf(e.err, "interrupted with %d tasks to do; `%s` goes on from here\n", out.Pending, again)
		return told(exitInterrupted)
	case out.Paused:
		fmt.Fprintf(e.err, "paused with %d tasks to do; `%s` goes on from here\n", out.Pending, again)
		return told(exitPaused)
	case out.Failed > 0:
		first := ""
		if !out.Told {
			first = ", the first: " + out.FirstError
		}
		fmt.Fprintf(e.err, "%s with failures%s\n`%s` lists them, with --output CELL it prints what a program wrote;\n`%s` tries again what a crash, a time-out or the machine brought about, with --retry-failed also what failed for good\n",
			count(out.Failed, "cell"), first, strings.TrimSpace("intentlab status "+c.File), again)
		return told(exitFailedCells)
	}
	return nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// watchInterrupts closes drain at the first Ctrl-C and cancels at the second.
func watchInterrupts(e env, drain chan struct{}, cancel context.CancelFunc) (stop func()) {
	ch, release := e.interrupts()
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-quit:
				return
			case <-ch:
				if n == 0 {
					fmt.Fprintln(e.err, "\nfinishing what is in flight; interrupt again to stop now")
					close(drain)
					continue
				}
				cancel()
				return
			}
		}
	}()
	return func() {
		release()
		close(quit)
		<-ended
	}
}

// clock reads a time of day as the next such moment.
func clock(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation("15:04", s, now.Location())
	if err != nil {
		return time.Time{}, fmt.Errorf("--until %q: want a time of day such as 07:00", s)
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at, nil
}

// conclude ends a run with its tables on stdout and writes what the report blocks ask for.
func (c *runCmd) conclude(ctx context.Context, e env, store *results.Store, run results.Run, reports []matrix.Report) error {
	src, err := report.Open(ctx, store, run, versionOf(), metrics.Options{})
	if err != nil {
		return err
	}
	all, err := report.NewTables(ctx, src)
	if err != nil {
		return err
	}
	if !c.NoTables {
		if err := writeLevels(ctx, e, all, defaultTables(), []string{report.Macro}, "text"); err != nil {
			return err
		}
	}
	for _, r := range reports {
		for _, format := range r.Formats {
			if err := (exportTo{e, r.Out}).all(ctx, all, format, r.Tables); err != nil {
				return fmt.Errorf("report %s: %w", r.Name, err)
			}
		}
	}
	return nil
}

func versionOf() string {
	v, _ := version()
	return v
}
