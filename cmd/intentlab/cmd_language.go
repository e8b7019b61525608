package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"intentlab/experiments"
	"intentlab/matrix"
)

type validateCmd struct{ fileArgs }

// Run reports every mistake of the file.
func (c *validateCmd) Run(e env) error {
	exp, err := c.load(e, false)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.err, "%s is valid: %s, %s, %s, %s, %s\n", exp.Name, count(len(exp.Datasets), "dataset"), count(len(exp.Ablations), "ablation"),
		count(len(exp.Methods), "method"), count(len(exp.Judges), "judge"), count(len(exp.Cells()), "cell"))
	for _, s := range exp.NotBuilt {
		fmt.Fprintf(e.err, "note: run will refuse this file: %s\n", s)
	}
	return nil
}

type fmtCmd struct {
	Files []string `arg:"" help:"Experiment files."`
	Check bool     `help:"Change nothing; exit with status 1 when a file is not formatted."`
}

// Run formats the files in place.
func (c *fmtCmd) Run(e env) error {
	changed := 0
	for _, f := range c.Files {
		src, err := os.ReadFile(f)
		if err != nil {
			return usage(fmt.Errorf("reading %s: %w", f, err))
		}
		out, diags := matrix.Format(src, f)
		if diags.HasErrors() {
			return usage(fmt.Errorf("%s can't be formatted, it does not parse: %s", f, diags[0].Detail))
		}
		if bytes.Equal(src, out) {
			continue
		}
		changed++
		fmt.Fprintln(e.out, f)
		if c.Check {
			continue
		}
		if err := replaceFile(f, out); err != nil {
			return err
		}
	}
	if c.Check && changed > 0 {
		return told(exitFailed)
	}
	return nil
}

// replaceFile writes a file whole or not at all and keeps its mode.
func replaceFile(path string, content []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	if err := os.WriteFile(tmp, content, info.Mode().Perm()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

type schemaCmd struct{}

// Run prints the language as JSON Schema.
func (schemaCmd) Run(e env) error {
	b, err := matrix.Schema(languageKinds())
	if err == nil {
		_, err = e.out.Write(b)
	}
	return err
}

type docsCmd struct{}

// Run prints the language as Markdown.
func (docsCmd) Run(e env) error {
	b, err := matrix.Docs(languageKinds())
	if err == nil {
		_, err = e.out.Write(b)
	}
	return err
}

type initCmd struct {
	Dir string `arg:"" optional:"" default:"." help:"Folder; made if it isn't there."`
}

// Run writes the starter experiment and the sample.
func (c *initCmd) Run(e env) error {
	files, err := experiments.Init(c.Dir)
	if err != nil {
		return usage(err)
	}
	where := ""
	if c.Dir != "." {
		where = "cd " + c.Dir + " && "
	}
	fmt.Fprintf(e.err, "wrote %s to %s; next: %sintentlab run\n", count(len(files), "file"), c.Dir, where)
	return nil
}
