package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"intentlab/ablations/task"
	"intentlab/matrix"
	"intentlab/results"
	"intentlab/runners"
)

// shownInputs rebuilds what methods saw of a task. The store holds no inputs, so it takes the
// experiment file and its data; without them show says how to get the input instead.
type shownInputs struct {
	engine *runners.Engine
	why    string
	seen   map[string]bool // dataset and ablation that were printed
}

// inputs prepares the one dataset that the task belongs to.
func (c *showCmd) inputs(ctx context.Context, e env) *shownInputs {
	in := &shownInputs{seen: map[string]bool{}}
	if c.JSON {
		return in
	}
	file := c.Store
	if file == "" {
		file, _ = onlyExperiment(".") // without one, view has failed already
	}
	if !strings.HasSuffix(file, ".hcl") && !strings.HasSuffix(file, ".hcl.json") {
		in.why = "name the experiment file instead of the store to see the input"
		return in
	}
	f := fileArgs{File: file, Var: c.Var}
	exp, err := f.load(e, false)
	if err != nil {
		in.why = "the experiment file is not valid any more"
		return in
	}
	dataset, _, _ := strings.Cut(c.Task, ":")
	var keep []matrix.Dataset
	for _, d := range exp.Datasets {
		if d.ID == dataset {
			keep = append(keep, d)
		}
	}
	exp.Datasets = keep
	if in.engine, err = f.prepareLoaded(ctx, e, exp, 0); err != nil {
		in.why = err.Error()
	}
	return in
}

// write prints the input of a cell's ablation, once each.
func (in *shownInputs) write(w io.Writer, d results.TaskDetail) error {
	if in.engine == nil {
		if in.why != "" && !in.seen[""] {
			in.seen[""] = true
			fmt.Fprintf(w, "  saw: not shown: %s\n", in.why)
		}
		return nil
	}
	if in.seen[d.Cell.Ablation] {
		return nil
	}
	in.seen[d.Cell.Ablation] = true
	t, err := in.engine.Visible(d.Task, "", d.Cell.Ablation)
	if err != nil {
		_, err = fmt.Fprintf(w, "  saw: not shown: %v\n", err)
		return err
	}
	fmt.Fprintf(w, "  saw under %s:\n", d.Cell.Ablation)
	if !t.Metadata.Empty() {
		b, err := task.Canonical(t.Metadata)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "    metadata %s\n", b)
	}
	for _, s := range t.ContextSteps {
		fmt.Fprintf(w, "    earlier  %s\n", stepText(s))
	}
	for _, s := range t.ObservedSteps {
		fmt.Fprintf(w, "    step %-3d %s\n", s.Index, stepText(s))
	}
	if t.Graph != nil {
		fmt.Fprintf(w, "    graph    %d nodes, %d edges; `intentlab preview` prints it\n", len(t.Graph.Nodes), len(t.Graph.Edges))
	}
	return nil
}

// stepText is a step on one line.
func stepText(s task.Step) string {
	text := s.Action
	if s.Utterance != "" {
		text = strings.TrimSpace(s.Speaker+": "+s.Utterance) + text
	}
	if text == "" {
		text = strings.TrimSpace(strings.Join([]string{s.Op, s.Element, s.Value, s.URL}, " "))
	}
	text = short(text)
	if s.Observation != "" {
		text += " | on the screen: " + short(s.Observation)
	}
	if s.Screenshot != "" {
		text += " | " + s.Screenshot
	}
	return text
}
