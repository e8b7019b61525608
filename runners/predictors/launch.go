package predictors

import (
	"fmt"
	"strings"
)

// Launch is what a method's settings say about the program that it starts.
type Launch struct {
	Command []string
	Inputs  []string // globs of the files that count by content
	Env     map[string]string
	PassEnv []string
}

// Launcher is implemented by the settings of the kinds that start a program: command and files.
type Launcher interface{ Launch() Launch }

// check says what is wrong with the settings that all such kinds share: attribute to sentence.
func (l Launch) check() map[string]string {
	wrong := map[string]string{}
	if len(l.Command) == 0 || l.Command[0] == "" {
		wrong["command"] = "want the program and its arguments as a list of strings"
	}
	for _, name := range l.PassEnv {
		if name == "" || strings.ContainsRune(name, '=') {
			wrong["pass_env"] = fmt.Sprintf("want names of variables, not %q", name)
		}
	}
	for name := range l.Env {
		if name == "" || strings.ContainsRune(name, '=') {
			wrong["env"] = fmt.Sprintf("%q can't be the name of a variable", name)
		}
	}
	return wrong
}

// CommandEnv resolves what `env` sets and `pass_env` lets through into NAME=VALUE entries, in the
// order of pass_env and then of the names in env. A variable that is passed but not set is left out.
func CommandEnv(l Launch, lookup func(string) (string, bool)) []string {
	var env []string
	for _, name := range l.PassEnv {
		if v, ok := lookup(name); ok {
			env = append(env, name+"="+v)
		}
	}
	for _, name := range sortedKeys(l.Env) {
		env = append(env, name+"="+l.Env[name])
	}
	return env
}
