package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

// The exit statuses, the same for every command (decisions.md, "Exit status").
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2 // the command, file or data contract is wrong
	exitFailedCells = 3
	exitLimit       = 4
	exitPaused      = 5
	exitInterrupted = 130
)

const exitHelp = `
Exit status: 0 done; 1 failed; 2 the command, file or data contract is wrong; 3 finished with failed cells;
4 a declared limit missed; 5 paused, resumable; 130 interrupted, resumable.
What a person reads goes to stderr, what was asked for to stdout.`

// statusError carries an exit status. printed means that the user has been told already.
type statusError struct {
	status  int
	err     error
	printed bool
}

func (e *statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}
func (e *statusError) Unwrap() error { return e.err }

// usage marks an error as one of the command, file or data contract.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &statusError{status: exitUsage, err: err}
}

// told ends the program with a status after everything was said.
func told(status int) error { return &statusError{status: status, printed: true} }

// cli is the command line. Every command is a struct with its own flags and a Run.
type cli struct {
	Init     initCmd     `cmd:"" help:"Write a commented starter experiment with sample data."`
	Validate validateCmd `cmd:"" help:"Check an experiment file; report every mistake with its place."`
	Fmt      fmtCmd      `cmd:"" help:"Format experiment files."`
	Schema   schemaCmd   `cmd:"" help:"Print the whole language as JSON Schema."`
	Docs     docsCmd     `cmd:"" help:"Print the whole language as Markdown."`

	Plan    planCmd    `cmd:"" help:"Show what a run would do, cell by cell; runs nothing."`
	Preview previewCmd `cmd:"" help:"Print exactly what a method would be shown for a task."`
	Run     runCmd     `cmd:"" help:"Run what is missing, resume what was interrupted, print the tables."`
	Status  statusCmd  `cmd:"" help:"Show what is done, failed and left; works on a running store."`
	Explain explainCmd `cmd:"" help:"Say why a cell would (not) run again."`
	Audit   auditCmd   `cmd:"" help:"Search what methods see for what they are to predict."`

	Report reportCmd `cmd:"" help:"Print the tables of a store."`
	Export exportCmd `cmd:"" help:"Write tables or evaluations as csv, json or markdown."`
	Show   showCmd   `cmd:"" help:"Show one task: what the method saw and said, and what the judge said."`
	List   listCmd   `cmd:"" help:"List tasks by condition."`

	Generate generateCmd `cmd:"" help:"Write the benchmark files of every variant."`
	Evaluate evaluateCmd `cmd:"" help:"Score a predictions file that was made elsewhere."`
	Inspect  inspectCmd  `cmd:"" help:"Say what is in a dataset."`

	Datasets  datasetsCmd  `cmd:"" help:"List the dataset formats, or describe one."`
	Methods   methodsCmd   `cmd:"" help:"List the method kinds, or describe one."`
	Ablations ablationsCmd `cmd:"" help:"List the ablation presets, or describe one."`
	Judges    judgesCmd    `cmd:"" help:"List the judge kinds, or describe one."`
	Metrics   metricsCmd   `cmd:"" help:"List the metrics, or describe one."`

	Version    versionCmd    `cmd:"" help:"Print the version."`
	Completion completionCmd `cmd:"" help:"Print a completion script for bash, zsh or fish."`
}

// unwound stops kong after it has printed help.
type unwound struct{ status int }

// run is the whole program: it parses, runs one command and returns the exit status.
func run(ctx context.Context, e env) (status int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unwound:
			status = r.status
		default:
			fmt.Fprintf(e.err, "intentlab: internal error: %v\n%s\nThis is a bug; nothing that was stored is lost.\n", r, debug.Stack())
			status = exitFailed
		}
	}()
	var root cli
	k, err := kong.New(&root, kong.Name("intentlab"),
		kong.Description("Experiment matrices for early intent prediction: datasets × ablations × methods × seeds, from one file.\n"+exitHelp),
		kong.Writers(e.out, e.err), kong.Exit(func(code int) { panic(unwound{code}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.UsageOnError())
	if err != nil {
		fmt.Fprintf(e.err, "intentlab: %v\n", err)
		return exitFailed
	}
	args := e.args
	if len(args) == 0 {
		args = []string{"--help"}
	}
	kc, err := k.Parse(longVars(args))
	if err != nil {
		fmt.Fprintf(e.err, "intentlab: %v (intentlab --help lists the commands)\n", err)
		return exitUsage
	}
	kc.BindTo(ctx, (*context.Context)(nil))
	kc.Bind(e)
	err = kc.Run()
	return conclude(e, err)
}

// longVars lets -var and -var-file be written with one dash, as Terraform users do.
func longVars(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		name, _, _ := strings.Cut(a, "=")
		if name == "-var" || name == "-var-file" {
			a = "-" + a
		}
		out[i] = a
	}
	return out
}

// conclude prints an error, one sentence a line, and returns its status.
func conclude(e env, err error) int {
	if err == nil {
		return exitDone
	}
	status := exitFailed
	if s, ok := errors.AsType[*statusError](err); ok {
		status = s.status
		if s.printed {
			return status
		}
	} else if errors.Is(err, context.Canceled) {
		status = exitInterrupted
	}
	for line := range strings.Lines(strings.TrimSpace(err.Error())) { // one a line where several were found
		fmt.Fprintf(e.err, "intentlab: %s\n", strings.TrimRight(line, "\n"))
	}
	return status
}
