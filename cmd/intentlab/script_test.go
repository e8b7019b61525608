package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"
	"github.com/rogpeppe/go-internal/testscript"

	"intentlab/runners/process/fakepredictor"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// TestMain makes the test binary four programs: intentlab itself, a predictor that misbehaves on demand
// (its first argument says how), a steady one for runs that are killed, and the tests.
func TestMain(m *testing.M) {
	if os.Getenv("INTENTLAB_TEST_PREDICTOR") != "" {
		if err := steadyPredictor(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testscript.Main(tidyTests{m}, map[string]func(){
		"intentlab": main,
		"fakepredictor": func() {
			if err := os.Setenv("FAKE_MODE", os.Args[1]); err != nil {
				panic(err)
			}
			fakepredictor.Main()
		},
	})
}

// tidyTests removes what the tests of a whole package share.
type tidyTests struct{ *testing.M }

func (m tidyTests) Run() int {
	// Not the developer's own cache; shared by all tests, as by all runs of a user.
	cache, err := os.MkdirTemp("", "intentlab-cache-")
	if err == nil {
		err = os.Setenv("INTENTLAB_CACHE", cache)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	status := m.M.Run()
	if err := errors.Join(os.RemoveAll(builtFolder), os.RemoveAll(cache)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(status, 1)
	}
	return status
}

// TestScript runs testdata/script/*.txtar, one topic each. Scripts find the sample data through the
// variable `data` of their experiments, which INTENTLAB_VAR_data sets.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			sample, err := filepath.Abs("../../experiments/sample")
			if err != nil {
				return err
			}
			language, err := filepath.Abs("../../matrix/testdata")
			e.Setenv("INTENTLAB_VAR_data", sample)
			e.Setenv("SAMPLE", sample)
			e.Setenv("LANGUAGE", language)
			e.Setenv("LANG", "C.UTF-8")
			e.Setenv("INTENTLAB_CACHE", os.Getenv("INTENTLAB_CACHE"))
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":    exitStatus,
			"sametree":  sameTree,
			"absent":    absent,
			"sentences": sentences,
			"sql":       runSQL,
			"count":     countLines,
		},
	})
}

// exitStatus runs a command and demands an exit status: status N command [args...].
func exitStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("running %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// sameTree demands that two folders hold the same files with the same bytes: sametree A B.
func sameTree(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] sametree A B")
	}
	diff, err := treeDifference(ts.MkAbs(args[0]), ts.MkAbs(args[1]))
	ts.Check(err)
	switch {
	case diff != "" && !neg:
		ts.Fatalf("%s and %s differ: %s", args[0], args[1], diff)
	case diff == "" && neg:
		ts.Fatalf("%s and %s are the same", args[0], args[1])
	}
}

// treeDifference names the first difference between two folders; "" means none. Two empty or missing
// folders are an error: they would prove nothing.
func treeDifference(a, b string) (string, error) {
	read := func(root string) (map[string][]byte, error) {
		files := map[string][]byte{}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err == nil {
				files[rel], err = os.ReadFile(path)
			}
			return err
		})
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s holds no file", root)
		}
		return files, err
	}
	left, err := read(a)
	if err != nil {
		return "", err
	}
	right, err := read(b)
	if err != nil {
		return "", err
	}
	var names []string
	for n := range left {
		names = append(names, n)
	}
	for n := range right {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		l, inLeft := left[n]
		r, inRight := right[n]
		switch {
		case !inLeft || !inRight:
			return n + " is in one of them only", nil
		case !bytes.Equal(l, r):
			return n, nil
		}
	}
	return "", nil
}

// absent demands that no file below the given paths, of any kind, and neither output of the last
// command holds a text: absent TEXT PATH... At least one file must be there.
func absent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: absent TEXT PATH...")
	}
	text, files := []byte(args[0]), 0
	for _, stream := range []string{"stdout", "stderr"} {
		if strings.Contains(ts.ReadFile(stream), args[0]) {
			ts.Fatalf("%s holds %q", stream, args[0])
		}
	}
	for _, p := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(p), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files++
			if bytes.Contains(b, text) {
				return fmt.Errorf("%s holds %q", path, text)
			}
			return nil
		}))
	}
	if files == 0 {
		ts.Fatalf("no file was searched")
	}
}

// sentences demands that the last stderr is at most N lines of text, the first of which starts with
// "intentlab: ": sentences N.
func sentences(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sentences N")
	}
	limit, err := strconv.Atoi(args[0])
	ts.Check(err)
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stderr")), "\n")
	if len(lines) > limit {
		ts.Fatalf("stderr has %d lines, want at most %d", len(lines), limit)
	}
	if !strings.HasPrefix(lines[0], "intentlab: ") {
		ts.Fatalf("stderr doesn't start with the program's name: %q", lines[0])
	}
	for _, l := range lines {
		if strings.Contains(l, "goroutine ") || strings.Contains(l, "panic") {
			ts.Fatalf("stderr is no sentence: %q", l)
		}
	}
}

// runSQL runs statements on an SQLite file: sql FILE STATEMENTS.
func runSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql FILE STATEMENTS")
	}
	db, err := sql.Open("sqlite3", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	_, err = db.ExecContext(context.Background(), args[1])
	ts.Check(err)
}

// countLines demands a number of lines in a file or in stdout or stderr: count FILE N.
func countLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: count FILE N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); got != want {
		ts.Fatalf("%s has %d lines, want %d", args[0], got, want)
	}
}
