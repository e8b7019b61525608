package runners

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"

	"intentlab/ablations/task"
	"intentlab/matrix"
	"intentlab/results"
	"intentlab/runners/process"
)

// UnknownCellError says that a name is no cell of the matrix.
type UnknownCellError struct{ Name, Example string }

func (e *UnknownCellError) Error() string {
	return fmt.Sprintf("there is no cell %q; cells are named like %s", e.Name, e.Example)
}

// Explain says in plain lines why a cell would or would not run again: its state, and which of the
// canonical inputs of its answers differ from those that are stored. store may be nil.
func (g *Engine) Explain(ctx context.Context, store *results.Store, name string) ([]string, error) {
	at := -1
	for i, c := range g.Cells {
		if g.Name(c) == name {
			at = i
		}
	}
	if at < 0 {
		return nil, &UnknownCellError{name, g.Name(g.Cells[0])}
	}
	c := g.Cells[at]
	p := &planner{Engine: g, store: store, asked: map[string]bool{}, plan: &Plan{}}
	if err := p.find(ctx); err != nil {
		return nil, err
	}
	pc, err := p.cell(ctx, at, c)
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("%s: %s", name, pc.State)}
	if pc.Reason != "" {
		lines = append(lines, "reason: "+pc.Reason)
	}
	if c.State != matrix.CellRun {
		return lines, nil
	}
	lines = append(lines, fmt.Sprintf("%d tasks, %d answered, %d distinct questions to ask", pc.Tasks, pc.Stored, pc.Requests))
	if store == nil {
		return lines, nil
	}
	own := p.rows[at].Identity != 0
	diff, _, err := p.difference(ctx, at, c)
	switch {
	case err != nil:
		return nil, err
	case diff == nil:
		diff = []string{"no earlier cell of this name was run"}
	case len(diff) == 0:
		diff = []string{"nothing that its answers depend on has changed since it was last run"}
	case !own && pc.State == "reuse":
		lines = append(lines, "its answers are stored from elsewhere; the cell of this name that was run last was another:")
	}
	return append(lines, diff...), nil
}

// difference compares the cell with its own row in the run of this declaration and, where it has none
// with an identity, with the newest stored cell of the same name. Nil is no such cell, empty no difference.
// fields are those of the lines that say which setting, file or version changed.
func (p *planner) difference(ctx context.Context, at int, c Cell) (lines, fields []string, err error) {
	old, inputs := p.rows[at], ""
	if old.Identity != 0 {
		inputs, err = p.store.IdentityInputs(ctx, old.Identity)
	} else {
		old, inputs, err = p.store.NewestCell(ctx, p.Exp.Name, p.Engine.dataset(c).Decl.ID, p.ablation(c).ID, p.method(c).ID, c.Seed, c.Fold)
	}
	if err != nil || old.ID == 0 {
		return nil, nil, err
	}
	files, err := p.files(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if err := p.variant(c).prepare(ctx, p.workers); err != nil {
		return nil, nil, err
	}
	lines = []string{}
	d := p.Engine.dataset(c)
	if old.Data != d.Key {
		lines = append(lines, "the episodes of the dataset differ from those of the stored cell")
	}
	if old.Split != d.SplitHash {
		lines = append(lines, "the split differs from that of the stored cell")
	}
	_, now, err := p.Engine.identity(c, files, "")
	if err != nil {
		return nil, nil, err
	}
	fields, err = changedFields(inputs, now, "fit")
	if err != nil {
		return nil, nil, err
	}
	lines = append(lines, fields...)
	if old.Fit != "" {
		key, _, err := p.fitKey(c, files)
		if err != nil {
			return nil, nil, err
		}
		hash, ok, err := p.store.FitHash(ctx, key)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case !ok:
			lines = append(lines, "fit: it must be fitted again (examples, labels or settings differ)")
		case hash != old.Fit:
			lines = append(lines, fmt.Sprintf("fit: %.12s, stored %.12s", hash, old.Fit))
		}
	}
	return lines, fields, nil
}

// changedFields lists the leaves in which two canonical JSON objects differ, in byte order.
func changedFields(stored, now, ignore string) ([]string, error) {
	a, err := leaves(stored)
	if err != nil {
		return nil, err
	}
	b, err := leaves(now)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for k := range a {
		names[k] = true
	}
	for k := range b {
		names[k] = true
	}
	delete(names, ignore)
	sorted := make([]string, 0, len(names))
	for k := range names {
		sorted = append(sorted, k)
	}
	sort.Strings(sorted)
	var out []string
	for _, k := range sorted {
		x, inA := a[k]
		y, inB := b[k]
		file, isFile := fileOf(k, x, y)
		switch {
		case isFile && !inA:
			out = append(out, file+" is new")
		case isFile && !inB:
			out = append(out, file+" is gone")
		case isFile && x != y:
			out = append(out, file+" changed")
		case !inA:
			out = append(out, fmt.Sprintf("%s: %s, not there before", k, y))
		case !inB:
			out = append(out, fmt.Sprintf("%s: gone, was %s", k, x))
		case x != y:
			out = append(out, fmt.Sprintf("%s: %s, was %s", k, y, x))
		}
	}
	return out, nil
}

// fileOf names the file whose content a leaf of the inputs is the hash of.
func fileOf(path, stored, now string) (string, bool) {
	for _, v := range []string{stored, now} {
		if v != "" && !contentHash.MatchString(v) {
			return "", false
		}
	}
	for _, prefix := range []string{"files.", "settings.inputs.", "settings."} {
		if name, ok := strings.CutPrefix(path, prefix); ok {
			return name, true
		}
	}
	return "", false
}

var contentHash = regexp.MustCompile(`^"[0-9a-f]{64}"$`)

// leaves flattens a JSON object to dotted paths.
func leaves(s string) (map[string]string, error) {
	var v any
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("reading stored key inputs: %w", err)
	}
	out := map[string]string{}
	var walk func(path string, v any) error
	walk = func(path string, v any) error {
		if m, ok := v.(map[string]any); ok {
			for k, x := range m {
				p := k
				if path != "" {
					p = path + "." + k
				}
				if err := walk(p, x); err != nil {
					return err
				}
			}
			return nil
		}
		b, err := task.Canonical(v)
		out[path] = string(bytes.TrimSpace(b))
		return err
	}
	return out, walk("", v)
}

// Preview returns the record that a method would be sent for a task: the line of inputs.jsonl with
// the graph inline and, for methods that look at them, the candidate labels. ablation "" takes the
// first one that the method runs under.
func (g *Engine) Preview(id, method, ablation string) (any, error) {
	t, d, err := g.visible(id, method, ablation)
	if err != nil {
		return nil, err
	}
	return process.Input(t, d.Space.Labels), nil
}

// Visible returns what methods see of a task under an ablation; method "" is any that runs there.
func (g *Engine) Visible(id, method, ablation string) (task.Task, error) {
	t, _, err := g.visible(id, method, ablation)
	return t, err
}

func (g *Engine) visible(id, method, ablation string) (task.Task, *Data, error) {
	for _, c := range g.Cells {
		m, d := g.method(c), g.dataset(c)
		if method != "" && m.ID != method && m.Name != method || ablation != "" && g.ablation(c).ID != ablation || c.State != matrix.CellRun {
			continue
		}
		for i, ep := range d.Episodes {
			if !strings.HasPrefix(id, task.ID(d.Decl.ID, ep.ID, 1)[:len(d.Decl.ID)+len(ep.ID)+2]) {
				continue
			}
			tasks, err := g.variant(c).prefixes(i)
			if err != nil {
				return task.Task{}, nil, err
			}
			for j, r := range g.Exp.Ratios {
				if task.ID(d.Decl.ID, ep.ID, r) == id {
					return tasks[j], d, nil
				}
			}
		}
	}
	if err := g.checkNames(method, ablation); err != nil {
		return task.Task{}, nil, err
	}
	return task.Task{}, nil, fmt.Errorf("there is no task %q under method %s: ids are dataset:episode:rX.XX, see `intentlab inspect`", id, method)
}

func (g *Engine) checkNames(method, ablation string) error {
	known := method == ""
	for _, m := range g.Exp.Methods {
		known = known || m.ID == method || m.Name == method
	}
	if !known {
		return fmt.Errorf("there is no method %q in this experiment", method)
	}
	for _, a := range g.Exp.Ablations {
		if ablation == "" || a.ID == ablation {
			return nil
		}
	}
	return fmt.Errorf("there is no ablation %q in this experiment", ablation)
}
