package predictors

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"intentlab/runners/process"
)

// scriptName is an argument that can be nothing but a script.
var scriptName = regexp.MustCompile(`^[^\s:*?=]+\.(py|sh|bash|js|mjs|ts|rb|pl|[rR]|jl|lua|php|jar)$`)

// CheckCommand reports a program or a script that the command names and that isn't there, by the path
// that the user wrote. dir is the experiment's folder, env what CommandEnv gives. The script is the first
// argument whose name ends as scripts do; behind -m and -c stand modules and code.
func CheckCommand(l Launch, dir string, env []string) error {
	args := commandArgs(l.Command, dir)
	if err := process.Find(args[0], env); err != nil {
		if filepath.Base(l.Command[0]) == l.Command[0] {
			return fmt.Errorf("there is no program %q in PATH", l.Command[0])
		}
		if _, missing := os.Stat(args[0]); missing == nil {
			return fmt.Errorf("program %q can't be run: %w", l.Command[0], err)
		}
		return fmt.Errorf("there is no program %q%s", l.Command[0], below(l.Command[0], dir))
	}
	for i, arg := range args {
		if i == 0 || args[i-1] == "-m" || args[i-1] == "-c" || strings.HasPrefix(arg, "-") || !scriptName.MatchString(arg) {
			continue
		}
		if _, err := os.Stat(arg); err != nil {
			return fmt.Errorf("there is no script %q%s", l.Command[i], below(l.Command[i], dir))
		}
		return nil
	}
	return nil
}

// below says where a relative path was looked for.
func below(path, dir string) string {
	if filepath.IsAbs(path) {
		return ""
	}
	return " in " + dir
}
