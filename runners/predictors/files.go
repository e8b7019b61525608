package predictors

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"intentlab/ablations/task"
	"intentlab/runners/process"
)

var filesKind = Kind{
	Name:    "files",
	Summary: "a program run once over inputs.jsonl that writes predictions.jsonl",
	Doc: "Runs a program of yours once a cell. It finds its tasks in a file, with the training and dev examples beside\n" +
		"it, and leaves one prediction record a line in another. Each distinct visible input stands in the file once, at\n" +
		"its smallest ratio. The program sees the later prefixes of an episode while it answers the earlier ones, so the\n" +
		"method is stamped \"saw all prefixes\". Its answers depend on all that it was handed: other episodes, examples or\n" +
		"labels run it again. Only a program that ends with exit status 0 has answered; a finished file is kept beside the\n" +
		"store until its answers are in it, so that after a crash it is adopted and the program is not run again.\n" +
		"Memory: about 150 bytes a record; tasks, examples and answers are streamed.",
	Options: newFilesOptions, UsesLabels: true, Causal: false, Batch: true, CodeVersion: 1, New: newFiles,
}

// Questions is all that a cell asks.
type Questions struct {
	// Tasks streams what is asked, in a fixed order: each distinct visible input once.
	Tasks func(ctx context.Context) iter.Seq2[task.Task, error]
	// Record maps the id of every task of the cell to the id of the one in Tasks that looks the same,
	// mostly itself.
	Record map[string]string
	// Train and Dev are the examples; both may be empty.
	Train, Dev task.Examples
	// Kept is where the answers wait until they are stored.
	Kept Kept
}

// Batch is a predictor that is handed all tasks of a cell at once. Ask is called once, before any
// Predict; its error, a *Failure or a context error, ends the cell.
type Batch interface {
	Predictor
	Ask(ctx context.Context, q Questions) error
}

// Files is the predictor of the kind files.
type Files struct {
	setup   Setup
	options *FilesOptions
	within  time.Duration
	log     *process.Log

	answers *predictionsFile // set by Ask
	record  map[string]string
}

func newFiles(s Setup) (Predictor, error) {
	o, err := settings(s, newFilesOptions().(*FilesOptions))
	if err != nil {
		return nil, err
	}
	within, err := o.within()
	if err != nil {
		return nil, fmt.Errorf("files: timeouts: %w", err)
	}
	return &Files{setup: s, options: o, within: within, log: process.NewLog(s.Log)}, nil
}

// Ask runs the program over the questions, unless what it would write was kept. See [Batch].
func (f *Files) Ask(ctx context.Context, q Questions) error {
	path, err := q.Kept.Find()
	if err != nil {
		return err
	}
	if path != "" {
		f.log.Printf("the predictions of an earlier start were finished but not stored: they are adopted, and the program is not run again")
	} else if path, err = f.run(ctx, q); err != nil {
		return methodFailure(err)
	}
	if f.answers, err = openPredictions(ctx, path, true, func(Prediction) bool { return true }); err == nil {
		f.answers.report(f.log, "predictions.jsonl")
		f.record = q.Record
		err = f.onlyAsked()
	}
	var bad *Failure
	if errors.As(err, &bad) {
		bad.Detail = strings.ReplaceAll(bad.Detail, path, "predictions.jsonl")
		return errors.Join(bad, q.Kept.Remove())
	}
	return err
}

// run writes the files, runs the program and keeps what it wrote.
func (f *Files) run(ctx context.Context, q Questions) (kept string, err error) {
	private, err := process.NewPrivateFolder("files")
	if err != nil {
		return "", fmt.Errorf("make a folder for the files of the program: %w", err)
	}
	defer func() {
		if rerr := private.Remove(); rerr != nil {
			err = errors.Join(err, fmt.Errorf("remove the files of the program: %w", rerr))
		}
	}()
	at := map[string]string{"seed": strconv.FormatInt(f.setup.Seed, 10)}
	for _, name := range []string{"inputs", "predictions", "train", "dev"} {
		at[name] = filepath.Join(private.Path, name+".jsonl")
	}
	at["label_spaces"] = filepath.Join(private.Path, "label_spaces.json")
	if err := f.write(ctx, q, at); err != nil {
		return "", err
	}
	var pairs, env []string
	for _, name := range sortedKeys(at) {
		pairs = append(pairs, "{"+name+"}", at[name])
		env = append(env, filesVariable[name]+"="+at[name])
	}
	args := commandArgs(f.options.Command, f.setup.Dir)
	for i := range args {
		args[i] = strings.NewReplacer(pairs...).Replace(args[i])
	}
	program := process.Program{Args: args, Name: strings.Join(f.options.Command, " "), Env: append(env, f.setup.Env...), Log: f.log}
	if err := process.Run(ctx, program, f.within); err != nil {
		return "", err
	}
	info, err := os.Stat(at["predictions"])
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &Failure{Reason: "no_file", ForGood: true, Cell: true,
			Detail: fmt.Sprintf("%q ended without an error but wrote no predictions ({predictions} or INTENTLAB_PREDICTIONS says where)", program.Name)}
	case err == nil && !info.Mode().IsRegular():
		return "", &Failure{Reason: "no_file", ForGood: true, Cell: true, Detail: fmt.Sprintf("%q left something that is no file in place of its predictions", program.Name)}
	case err != nil:
		return "", fmt.Errorf("look for the predictions: %w", err)
	}
	return q.Kept.Put(at["predictions"])
}

// write writes what the program reads.
func (f *Files) write(ctx context.Context, q Questions, at map[string]string) error {
	labels := append([]string{}, f.setup.Labels.Labels...)
	err := writeLines(at["inputs"], func(line func(any) error) error {
		for t, err := range q.Tasks(ctx) {
			if err != nil {
				return err
			}
			if err := line(process.Input(t, labels)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for name, examples := range map[string]task.Examples{"train": q.Train, "dev": q.Dev} {
		err := writeLines(at[name], func(line func(any) error) error {
			for e, err := range examples(ctx) {
				if err != nil {
					return err
				}
				if err := line(process.ExampleInput(e)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	spaces := map[string]task.LabelSpace{}
	if s := f.setup.Labels; s.Name != "" {
		spaces[s.Name] = task.LabelSpace{Labels: labels, SeenInTrain: append([]string{}, s.SeenInTrain...)}
	}
	return writeLines(at["label_spaces"], func(line func(any) error) error { return line(spaces) })
}

// writeLines writes JSON values, one a line.
func writeLines(path string, all func(line func(any) error) error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the files of the program: %w", err)
	}
	out := bufio.NewWriterSize(file, 1<<20)
	err = all(func(v any) error {
		b, err := task.Canonical(v)
		if err == nil {
			_, err = out.Write(append(b, '\n'))
		}
		return err
	})
	if err == nil {
		err = out.Flush()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write %s for the program: %w", filepath.Base(path), err)
	}
	return nil
}

// onlyAsked refuses a record for a task that the program was not given.
func (f *Files) onlyAsked() error {
	for _, id := range f.answers.order {
		if f.record[id] != id {
			return &Failure{Reason: "unknown_task", ForGood: true, Cell: true,
				Detail: fmt.Sprintf("%s, line %d: the task %q was not in inputs.jsonl", f.answers.path, f.answers.index[id].line, id)}
		}
	}
	return nil
}

// Predict returns what the program wrote for the task. A task that it left out has failed for good.
func (f *Files) Predict(ctx context.Context, t task.Task, _ []task.Task) (task.Answer, error) {
	if err := ready(ctx, f.answers != nil); err != nil {
		return task.Answer{}, err
	}
	id := f.record[t.ID]
	answer, ok, err := f.answers.answer(id)
	if err == nil && !ok {
		err = &Failure{Reason: "no_answer", ForGood: true, Detail: fmt.Sprintf("the program wrote no prediction for %s", id)}
	}
	return answer, err
}

// Close closes the file of answers; the program has ended in Ask.
func (f *Files) Close() error {
	var err error
	if f.answers != nil {
		err = f.answers.close()
	}
	if lerr := f.log.Err(); lerr != nil {
		err = errors.Join(err, lerr)
	}
	if err != nil {
		return fmt.Errorf("close the predictions of the program: %w", err)
	}
	return nil
}
