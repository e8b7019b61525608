package main

import (
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/term"

	"intentlab/results/tables"
)

// env is all of the process that the program touches, made once for real and once for tests.
type env struct {
	args     []string
	out, err io.Writer
	getenv   func(string) (string, bool)
	environ  func() []string
	// errTerminal and outTerminal say whether a person is watching; width is the terminal's.
	errTerminal, outTerminal bool
	width                    int
	// errWidth asks for the width of the terminal behind err, which may change while a run shows its
	// progress; nil where there is none.
	errWidth func() int
	// interrupts delivers Ctrl-C and termination.
	interrupts func() (ch <-chan os.Signal, stop func())
}

func processEnv() env {
	e := env{args: os.Args[1:], out: os.Stdout, err: os.Stderr, getenv: os.LookupEnv, environ: os.Environ,
		errTerminal: term.IsTerminal(int(os.Stderr.Fd())), outTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		interrupts: func() (<-chan os.Signal, func()) {
			ch := make(chan os.Signal, 2)
			signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
			return ch, func() { signal.Stop(ch) }
		}}
	e.errWidth = func() int {
		w, _, err := term.GetSize(int(os.Stderr.Fd()))
		if err != nil {
			return 80
		}
		return w
	}
	if e.errTerminal {
		e.width = e.errWidth()
	}
	return e
}

// colour reports whether w, which is a terminal or not, may be coloured.
func (e env) colour(terminal bool) bool {
	_, no := e.getenv("NO_COLOR")
	return terminal && !no
}

// style is how tables on stdout mark what is best.
func (e env) style() tables.TextStyle {
	if e.colour(e.outTerminal) {
		return tables.ANSI
	}
	return tables.Plain
}

// tableWidth is how wide a table on stdout may be; 0 is no limit, as for files and pipes.
func (e env) tableWidth() int {
	if !e.outTerminal {
		return 0
	}
	return e.width
}

// version is the program's, from the module or from version control.
func version() (version, commit string) {
	version, commit = "devel", "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, commit
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		version = v
	}
	dirty := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty {
		commit += "+dirty"
	}
	return version, commit
}
