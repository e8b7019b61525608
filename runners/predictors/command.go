package predictors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"intentlab/ablations/task"
	"intentlab/runners/process"
)

var commandKind = Kind{
	Name:    "command",
	Summary: "any program that reads tasks and writes predictions as JSON lines",
	Doc: "Runs a program of yours as a child process and speaks one of two protocols with it over stdin and stdout:\n" +
		"`lines` (tasks in, predictions out) or `worker` (handshake, training examples, a fitted artefact, tasks).\n" +
		"Prefixes are revealed causally: the next one of an episode is sent only after the previous answer.\n" +
		"The program runs in a fresh private folder (also its HOME), in its own process group, with a scrubbed\n" +
		"environment plus `env` and `pass_env`, and is started again after a crash or a time-out.",
	Options: newCommandOptions, Deterministic: false, UsesLabels: true, Causal: true, CodeVersion: 1, New: newCommand,
}

// Command is the predictor of the kind command. It is a [Learner] only if Fits says so.
type Command struct {
	protocol process.Protocol
	pool     *pool
	log      *process.Log
	artifact string                 // folder of the artefact
	private  *process.PrivateFolder // holds artifact where that is ours to remove
}

// newCommand starts nothing yet; a program that does not start fails the first question.
func newCommand(s Setup) (Predictor, error) {
	o, err := settings(s, newCommandOptions().(*CommandOptions))
	if err != nil {
		return nil, err
	}
	timeouts, err := o.timeouts()
	if err != nil {
		return nil, fmt.Errorf("command: timeouts: %w", err)
	}
	log := process.NewLog(s.Log)
	cfg := process.Config{
		Program:  process.Program{Args: commandArgs(o.Command, s.Dir), Name: strings.Join(o.Command, " "), Env: s.Env, Log: log},
		Protocol: process.Protocol(o.Protocol), Seed: s.Seed, Ablation: s.Ablation, Labels: s.Labels,
		Timeouts: timeouts, Concurrency: o.Concurrency,
	}
	return &Command{protocol: cfg.Protocol, pool: newPool(cfg, o.Workers, o.Restarts), log: log, artifact: s.ArtifactDir}, nil
}

// Predict asks the program, which may be started for it. See [Predictor].
func (c *Command) Predict(ctx context.Context, t task.Task, earlier []task.Task) (task.Answer, error) {
	p, err := c.pool.ask(ctx, t, earlier)
	if err != nil {
		return task.Answer{}, methodFailure(err)
	}
	return p.Answer, nil
}

// InFlight is how many episodes are worth keeping in flight: workers times the tasks that one holds,
// 1 for a worker that has not said it yet (Fits has it said).
func (c *Command) InFlight() int {
	p := c.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.protocol == process.Lines {
		return len(p.workers) * max(1, p.cfg.Concurrency)
	}
	return len(p.workers) * max(1, p.holds)
}

// Fits starts a worker, unless one runs, and reports whether it says that it wants to be fitted. The
// engine calls it before Fit or Load; a `lines` program never fits and is not started for this.
func (c *Command) Fits(ctx context.Context) (bool, error) {
	if c.protocol != process.Worker {
		return false, nil
	}
	s, err := c.pool.session(ctx, c.pool.workers[0])
	if err != nil {
		return false, methodFailure(c.pool.note(ctx, err))
	}
	return s.Ready().Fit, nil
}

// Fit sends the examples to one worker and ends it once it has left its artefact; every worker that
// predicts is started afresh and loads it, so that a resumed run answers as an uninterrupted one.
// A failure ends the cell.
func (c *Command) Fit(ctx context.Context, train, dev task.Examples) error {
	if c.protocol != process.Worker {
		return errors.New("command: a program of the protocol lines can't be fitted")
	}
	if err := c.artifactFolder(); err != nil {
		return err
	}
	err := c.pool.fit(ctx, train, dev, c.artifact)
	var f *process.Failure
	if errors.As(err, &f) {
		return methodFailure(c.pool.note(ctx, &process.Failure{Reason: f.Reason, Detail: f.Detail, ForGood: f.ForGood, Cell: true}))
	}
	return err
}

// Save writes the artefact as a tar archive whose bytes depend on names, contents and executable
// bits only.
func (c *Command) Save(w io.Writer) error { return packFolder(w, c.artifact) }

// Load unpacks what Save wrote and has every worker load it, now or when it starts.
func (c *Command) Load(r io.Reader) error {
	if err := c.artifactFolder(); err != nil {
		return err
	}
	if err := unpackFolder(r, c.artifact); err != nil {
		return err
	}
	return methodFailure(c.pool.load(c.artifact))
}

func (c *Command) artifactFolder() error {
	if c.artifact != "" {
		if err := os.MkdirAll(c.artifact, 0o700); err != nil {
			return fmt.Errorf("make the artefact folder: %w", err)
		}
		return nil
	}
	private, err := process.NewPrivateFolder("artifact")
	if err != nil {
		return fmt.Errorf("make the artefact folder: %w", err)
	}
	c.private = private
	// A folder below: what lies in the artefact's own is packed.
	dir := filepath.Join(private.Path, "artifact")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make the artefact folder: %w", err)
	}
	c.artifact = dir
	return nil
}

// Stats counts what was odd in the output of the program's copies that have ended; after Close, of all.
func (c *Command) Stats() process.Stats {
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	return c.pool.stats
}

// Close ends the program (end of input, then its time to finish, then SIGTERM and SIGKILL) and waits
// for it. After a cancelled Predict it does not give it time to finish. The error is a *Failure for a
// contradiction that came out only now, or that the log could not be written.
func (c *Command) Close() error {
	err := methodFailure(c.pool.close())
	if c.private != nil {
		if rerr := c.private.Remove(); rerr != nil {
			err = errors.Join(err, fmt.Errorf("remove the artefact folder: %w", rerr))
		}
	}
	if lerr := c.log.Err(); lerr != nil {
		err = errors.Join(err, fmt.Errorf("keep the output of the command: %w", lerr))
	}
	return err
}

// methodFailure turns a failure of the process into one of the method; other errors pass.
func methodFailure(err error) error {
	var f *process.Failure
	if !errors.As(err, &f) {
		return err
	}
	return &Failure{Reason: f.Reason, Detail: f.Detail, ForGood: f.ForGood, Cell: f.Cell}
}
