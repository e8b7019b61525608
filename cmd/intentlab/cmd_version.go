package main

import (
	"fmt"
	"runtime"
	"strings"
)

type versionCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

// Run prints the version.
func (c *versionCmd) Run(e env) error {
	v, commit := version()
	if c.JSON {
		return writeJSON(e.out, map[string]string{"version": v, "commit": commit, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
	}
	fmt.Fprintf(e.out, "intentlab %s (%s, %s %s/%s)\n", v, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// commandNames are completed at the first word; files after it.
var commandNames = []string{"init", "validate", "fmt", "schema", "docs", "plan", "preview", "run", "status", "explain", "report", "export",
	"show", "list", "generate", "evaluate", "inspect", "datasets", "methods", "ablations", "judges", "metrics", "version", "completion"}

// Run prints a script that completes command names, then files.
func (c *completionCmd) Run(e env) error {
	words := strings.Join(commandNames, " ")
	switch c.Shell {
	case "bash":
		fmt.Fprintf(e.out, "_intentlab() {\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W %q -- \"${COMP_WORDS[1]}\"))\n  else\n    COMPREPLY=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\"))\n  fi\n}\ncomplete -o filenames -F _intentlab intentlab\n", words)
	case "zsh":
		fmt.Fprintf(e.out, "#compdef intentlab\n_intentlab() {\n  if (( CURRENT == 2 )); then\n    compadd -- %s\n  else\n    _files\n  fi\n}\ncompdef _intentlab intentlab\n", words)
	case "fish":
		fmt.Fprintf(e.out, "complete -c intentlab -n '__fish_use_subcommand' -f -a %q\n", words)
	}
	return nil
}
