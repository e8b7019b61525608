package predictors

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// FilesOptions are the settings of the kind `files`.
type FilesOptions struct {
	Command       []string          `hcl:"command" doc:"the program and its arguments; {inputs}, {predictions}, {train}, {dev}, {label_spaces} and {seed} stand for the paths of the files and the seed; arguments that name files beside the experiment file are made absolute"`
	Inputs        []string          `hcl:"inputs,optional" key:"files" default:"the files that the command names, and the sources of the script's kind below its folder" doc:"globs of the files whose contents are part of the method's identity; a folder stands for everything below it"`
	Env           map[string]string `hcl:"env,optional" doc:"variables that are set for the program"`
	PassEnv       []string          `hcl:"pass_env,optional" key:"-" doc:"names of variables that are passed through to the program, whose environment is otherwise scrubbed; their values are no part of the identity"`
	Deterministic bool              `hcl:"deterministic,optional" doc:"the program gives the same answers for every seed, so one seed is run"`
	UsesRatio     bool              `hcl:"uses_ratio,optional" doc:"the program's answers depend on the requested ratio itself, so equal prefixes are asked once per ratio"`
	UsesLabels    bool              `hcl:"uses_labels,optional" doc:"the program's answers depend on the candidate labels"`
	Timeouts      *FilesTimeouts    `hcl:"timeouts,block" key:"-" doc:"how long the program may take"`
}

// FilesTimeouts is the waiting time of the kind `files`, as a Go duration ("90m", "6h").
type FilesTimeouts struct {
	Run string `hcl:"run,optional" format:"duration" default:"6h" doc:"from the start of the program to its end"`
}

const filesRun = 6 * time.Hour

func newFilesOptions() any { return &FilesOptions{UsesLabels: true, Timeouts: &FilesTimeouts{}} }

// Declared implements [Declarer].
func (o *FilesOptions) Declared() Declared {
	return Declared{Deterministic: o.Deterministic, UsesRatio: o.UsesRatio, UsesLabels: o.UsesLabels}
}

// Launch implements [Launcher].
func (o *FilesOptions) Launch() Launch {
	return Launch{Command: o.Command, Inputs: o.Inputs, Env: o.Env, PassEnv: o.PassEnv}
}

// filesVariable is the variable of the program's environment that says the same as each placeholder.
var filesVariable = map[string]string{"inputs": "INTENTLAB_INPUTS", "predictions": "INTENTLAB_PREDICTIONS", "train": "INTENTLAB_TRAIN",
	"dev": "INTENTLAB_DEV", "label_spaces": "INTENTLAB_LABEL_SPACES", "seed": "INTENTLAB_SEED"}

// filesPlaceholder is an argument, or the value of a flag, that can be nothing but a placeholder.
var filesPlaceholder = regexp.MustCompile(`^(?:-[^={}]*=)?\{([a-z_]+)\}$`)

// Check says what is wrong with the settings: attribute to sentence.
func (o *FilesOptions) Check() map[string]string {
	wrong := o.Launch().check()
	for _, arg := range o.Command {
		if m := filesPlaceholder.FindStringSubmatch(arg); m != nil && filesVariable[m[1]] == "" {
			wrong["command"] = fmt.Sprintf("{%s} is not one of {%s}", m[1], strings.Join(slices.Sorted(maps.Keys(filesVariable)), "}, {"))
		}
	}
	if _, err := o.within(); err != nil {
		wrong["timeouts"] = err.Error()
	}
	return wrong
}

// within reads the time-out.
func (o *FilesOptions) within() (time.Duration, error) {
	if o.Timeouts == nil || o.Timeouts.Run == "" {
		return filesRun, nil
	}
	d, err := time.ParseDuration(o.Timeouts.Run)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("run: want a duration above zero such as \"90m\" or \"6h\", not %q", o.Timeouts.Run)
	}
	return d, nil
}
