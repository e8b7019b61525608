package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"intentlab/ablations/index"
	"intentlab/matrix"
	"intentlab/results"
	"intentlab/runners"
)

// jobs is the value of -j; 0, which nobody can give, takes the number of processors.
type jobs int

// UnmarshalText implements encoding.TextUnmarshaler.
func (j *jobs) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(string(b))
	if err != nil || n < 1 {
		return fmt.Errorf("want a number from 1, not %q", b)
	}
	*j = jobs(n)
	return nil
}

// fileArgs are shared by all commands that read an experiment.
type fileArgs struct {
	File    string   `arg:"" optional:"" help:"Experiment file, or a folder of them; default: the only .hcl of the current folder."`
	Var     []string `sep:"none" placeholder:"NAME=VALUE" help:"Set a variable (may be repeated)."`
	VarFile []string `sep:"none" placeholder:"FILE" help:"Read variables from a file (may be repeated)."`

	VerifyData bool `help:"Hash all data files again instead of trusting their size and times."`
}

// load reads and validates the experiment and prints all diagnostics.
func (f fileArgs) load(e env, forRun bool) (*matrix.Experiment, error) {
	file := f.File
	if file == "" {
		only, err := onlyExperiment(".")
		if err != nil {
			return nil, usage(err)
		}
		file = only
	}
	exp, src, diags := matrix.Load([]string{file}, matrix.Inputs{Kinds: languageKinds(), Vars: f.Var, VarFiles: f.VarFile,
		Getenv: e.getenv, Environ: e.environ, ForRun: forRun})
	if len(diags) > 0 {
		if err := matrix.Render(e.err, diags, src, e.colour(e.errTerminal), e.width); err != nil {
			return nil, fmt.Errorf("printing diagnostics: %w", err)
		}
	}
	if diags.HasErrors() {
		return nil, told(exitUsage)
	}
	return exp, nil
}

// prepare loads an experiment and its data.
func (f fileArgs) prepare(ctx context.Context, e env, forRun bool, workers int) (*runners.Engine, error) {
	exp, err := f.load(e, forRun)
	if err != nil {
		return nil, err
	}
	if forRun && len(exp.NotBuilt) > 0 {
		return nil, usage(fmt.Errorf("%s", strings.Join(exp.NotBuilt, "; ")))
	}
	return f.prepareLoaded(ctx, e, exp, workers)
}

// prepareLoaded reads the data of an experiment.
func (f fileArgs) prepareLoaded(ctx context.Context, e env, exp *matrix.Experiment, workers int) (*runners.Engine, error) {
	g, err := runners.Prepare(ctx, exp, engineKinds(), runners.Options{Workers: workers, Getenv: e.getenv, Index: openIndex(e, f.VerifyData)})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, usage(err)
	}
	return g, nil
}

// openIndex is the index of datasets in the user's cache folder. What keeps it from being used is said
// once.
func openIndex(e env, verify bool) *index.Index {
	var once sync.Once
	return index.Open(index.Folder(e.getenv), verify, func(why string) {
		once.Do(func() { fmt.Fprintf(e.err, "note: %s\n", why) })
	})
}

// onlyExperiment finds the one .hcl file of a folder.
func onlyExperiment(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "*.hcl"))
	if err != nil {
		return "", fmt.Errorf("looking for an experiment file in %s: %w", dir, err)
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("there is no .hcl file here; name an experiment file, or write one with `intentlab init`")
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("there are %d .hcl files here (%s): name one", len(found), strings.Join(found, ", "))
}

// storeArg names a store: the file itself, an experiment file, or nothing.
type storeArg struct {
	Store   string   `arg:"" optional:"" help:"Store (.db) or experiment file (.hcl); default: the store of the only .hcl of the current folder."`
	Var     []string `sep:"none" placeholder:"NAME=VALUE" help:"Set a variable of the experiment file."`
	VarFile []string `sep:"none" placeholder:"FILE" help:"Read variables of the experiment file from a file."`
}

// path resolves the argument to the store's file and, where an experiment file was given, the
// experiment's name.
func (s storeArg) path(e env) (path, experiment string, err error) {
	name := s.Store
	info, err := os.Stat(name)
	isDir := err == nil && info.IsDir()
	if name != "" && !isDir && !strings.HasSuffix(name, ".hcl") && !strings.HasSuffix(name, ".hcl.json") {
		return name, "", nil
	}
	exp, err := fileArgs{File: name, Var: s.Var, VarFile: s.VarFile}.load(e, false)
	if err != nil {
		return "", "", err
	}
	return exp.Store, exp.Name, nil
}

// view opens the store for reading, and the latest run of the experiment that was named, or of all.
func (s storeArg) view(ctx context.Context, e env) (*results.Store, results.Run, error) {
	path, experiment, err := s.path(e)
	if err != nil {
		return nil, results.Run{}, err
	}
	st, err := results.View(ctx, path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no store %s yet: run the experiment first", path)
		}
		return nil, results.Run{}, usage(err)
	}
	run, err := latest(ctx, st, experiment)
	if err != nil {
		st.Close()
		return nil, results.Run{}, usage(err)
	}
	return st, run, nil
}

// latest is the run of the experiment that was worked on last, or of the whole store for "".
func latest(ctx context.Context, st *results.Store, experiment string) (results.Run, error) {
	if experiment == "" {
		return st.Latest(ctx)
	}
	return st.LatestOf(ctx, experiment)
}
