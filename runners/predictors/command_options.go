package predictors

import (
	"fmt"
	"time"

	"intentlab/runners/process"
)

// CommandOptions are the settings of the kind `command`.
type CommandOptions struct {
	Protocol      string            `hcl:"protocol,optional" doc:"lines (no training data) or worker (handshake, fit, load)"`
	Command       []string          `hcl:"command" doc:"the program and its arguments; arguments that name files beside the experiment file are made absolute"`
	Inputs        []string          `hcl:"inputs,optional" key:"files" default:"the files that the command names, and the sources of the script's kind below its folder" doc:"globs of the files whose contents are part of the method's identity; a folder stands for everything below it"`
	Env           map[string]string `hcl:"env,optional" doc:"variables that are set for the program"`
	PassEnv       []string          `hcl:"pass_env,optional" key:"-" doc:"names of variables that are passed through to the program, whose environment is otherwise scrubbed; their values are no part of the identity"`
	Workers       int               `hcl:"workers,optional" key:"-" doc:"how many copies of the program run at once; an episode stays with one"`
	Concurrency   int               `hcl:"concurrency,optional" key:"-" doc:"how many tasks of different episodes a lines program may hold at once (a worker says it in its ready message)"`
	Restarts      int               `hcl:"restarts,optional" key:"-" doc:"how often a program that crashed or was stopped is started again, per cell"`
	Deterministic bool              `hcl:"deterministic,optional" doc:"the program gives the same answers for every seed, so one seed is run"`
	UsesRatio     bool              `hcl:"uses_ratio,optional" doc:"the program's answers depend on the requested ratio itself, so equal prefixes are asked once per ratio"`
	UsesLabels    bool              `hcl:"uses_labels,optional" doc:"the program's answers depend on the candidate labels"`
	Timeouts      *CommandTimeouts  `hcl:"timeouts,block" key:"-" doc:"how long the program may take"`
}

// CommandTimeouts are the waiting times of the kind `command`, as Go durations ("90s", "2m").
type CommandTimeouts struct {
	Start  string `hcl:"start,optional" format:"duration" default:"1m" doc:"until a worker is ready; also added to the first answer, which may load a model"`
	Fit    string `hcl:"fit,optional" format:"duration" default:"1h" doc:"from the first example until the worker has fitted"`
	Answer string `hcl:"answer,optional" format:"duration" default:"1m" doc:"until a task is answered"`
	Finish string `hcl:"finish,optional" format:"duration" default:"10s" doc:"until the program has ended after the end of its input"`
}

func newCommandOptions() any {
	return &CommandOptions{Protocol: string(process.Lines), Workers: 1, Concurrency: 4, Restarts: 3,
		UsesLabels: true, Timeouts: &CommandTimeouts{}}
}

// Declared says what one method's settings declare about it, where the kind alone can't know.
type Declared struct {
	// Deterministic, UsesRatio and UsesLabels take the place of the kind's own.
	Deterministic, UsesRatio, UsesLabels bool
	// PerTask methods answer by task id: equal visible inputs must not share an answer.
	PerTask bool
}

// Declarer is implemented by the settings of the kinds command, files and predictions.
type Declarer interface{ Declared() Declared }

// Declared implements Declarer.
func (o *CommandOptions) Declared() Declared {
	return Declared{Deterministic: o.Deterministic, UsesRatio: o.UsesRatio, UsesLabels: o.UsesLabels}
}

// Launch implements [Launcher].
func (o *CommandOptions) Launch() Launch {
	return Launch{Command: o.Command, Inputs: o.Inputs, Env: o.Env, PassEnv: o.PassEnv}
}

// Check says what is wrong with the settings: attribute to sentence.
func (o *CommandOptions) Check() map[string]string {
	wrong := o.Launch().check()
	if o.Protocol != string(process.Lines) && o.Protocol != string(process.Worker) {
		wrong["protocol"] = fmt.Sprintf("want %q or %q, not %q", process.Lines, process.Worker, o.Protocol)
	}
	for name, n := range map[string]int{"workers": o.Workers, "concurrency": o.Concurrency} {
		if n < 1 || n > 1024 {
			wrong[name] = fmt.Sprintf("want a number from 1 to 1024, not %d", n)
		}
	}
	if o.Restarts < 0 {
		wrong["restarts"] = fmt.Sprintf("want 0 or more, not %d", o.Restarts)
	}
	if _, err := o.timeouts(); err != nil {
		wrong["timeouts"] = err.Error()
	}
	return wrong
}

// timeouts reads the durations and fills in the defaults.
func (o *CommandOptions) timeouts() (process.Timeouts, error) {
	given := CommandTimeouts{}
	if o.Timeouts != nil {
		given = *o.Timeouts
	}
	t := process.Timeouts{Start: time.Minute, Fit: time.Hour, Answer: time.Minute, Finish: 10 * time.Second}
	for _, f := range []struct {
		name, given string
		to          *time.Duration
	}{{"start", given.Start, &t.Start}, {"fit", given.Fit, &t.Fit}, {"answer", given.Answer, &t.Answer}, {"finish", given.Finish, &t.Finish}} {
		if f.given == "" {
			continue
		}
		d, err := time.ParseDuration(f.given)
		if err != nil || d <= 0 {
			return t, fmt.Errorf("%s: want a duration above zero such as \"90s\" or \"2m\", not %q", f.name, f.given)
		}
		*f.to = d
	}
	return t, nil
}
