package ablations

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"intentlab/ablations/task"
)

// variantWriter writes the folder of one ablation.
type variantWriter struct {
	*generation
	spec      Spec
	dir       string
	files     *fileSet
	graphsDir string // temporary; "" without a graph
	jsonl     bool
	graphs    *pendingFile  // graphs.jsonl
	line      map[place]int // first graph line of an evaluated episode
}

// writeVariant writes all files of an ablation and gives them their names at the end.
func (g *generation) writeVariant(ctx context.Context, spec Spec) (v GeneratedVariant, err error) {
	w := &variantWriter{generation: g, spec: spec, dir: filepath.Join(g.outDir, spec.Name), files: &fileSet{}, line: map[place]int{}}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return v, fmt.Errorf("make the folder: %w", err)
	}
	defer w.files.abandon()
	v = GeneratedVariant{Ablation: spec.Name, Dir: w.dir, Tasks: len(g.evaluated) * len(g.opts.Grid), Train: w.distinct(g.train), Dev: w.distinct(g.dev)}
	if spec.HasGraph() {
		v.Graphs = v.Tasks + v.Train
		if g.opts.Evaluate == "test" {
			v.Graphs += v.Dev
		}
		w.jsonl = g.opts.Graphs == GraphsJSONL || g.opts.Graphs == GraphsAuto && v.Graphs > MaxGraphFiles
		if w.graphsDir, err = os.MkdirTemp(w.dir, ".visible_graphs.tmp-*"); err != nil {
			return v, fmt.Errorf("make the folder of the graphs: %w", err)
		}
		defer func() { os.RemoveAll(w.graphsDir) }() // gone by then, unless something failed
		if w.jsonl {
			if w.graphs, err = w.files.create(filepath.Join(w.graphsDir, "graphs.jsonl")); err != nil {
				return v, err
			}
		}
	}
	if err := w.writeRecords(ctx); err != nil {
		return v, err
	}
	spaces := make(map[string]task.LabelSpace, len(g.spaces))
	for _, s := range g.spaces {
		spaces[s.Name] = s
	}
	if err := writeJSON(w.files, filepath.Join(w.dir, "label_spaces.json"), spaces); err != nil {
		return v, err
	}
	return v, w.commit()
}

func (g *generation) steps(at place) int {
	return len(g.datasets[at.dataset].Episodes[at.episode].Steps)
}

func (g *generation) distinct(places []place) int {
	n := 0
	for _, at := range places {
		n += len(Distinct(Prefixes(g.steps(at), g.opts.Grid)))
	}
	return n
}

func (w *variantWriter) commit() error {
	if err := w.files.commit(); err != nil {
		return err
	}
	final := filepath.Join(w.dir, "visible_graphs")
	if err := os.RemoveAll(final); err != nil {
		return fmt.Errorf("remove the graphs of an earlier run: %w", err)
	}
	if w.graphsDir == "" {
		return nil
	}
	if err := os.Chmod(w.graphsDir, 0o755); err != nil {
		return fmt.Errorf("open the folder of the graphs to readers: %w", err)
	}
	if err := os.Rename(w.graphsDir, final); err != nil {
		return fmt.Errorf("name the folder of the graphs: %w", err)
	}
	return nil
}

// chunk is what one episode adds to the files.
type chunk struct{ records, graphs []byte }

func (w *variantWriter) writeRecords(ctx context.Context) error {
	line := 1
	for _, part := range []struct {
		files    []string
		places   []place
		examples bool
	}{
		{[]string{"inputs.jsonl", "tasks.jsonl"}, w.evaluated, false},
		{[]string{"train.jsonl"}, w.train, true},
		{[]string{"dev.jsonl"}, w.dev, true},
	} {
		var outs []io.Writer
		for _, name := range part.files {
			f, err := w.files.create(filepath.Join(w.dir, name))
			if err != nil {
				return err
			}
			outs = append(outs, f)
		}
		out := io.MultiWriter(outs...)
		// The number of graphs before an episode is known without building one.
		first := make([]int, len(part.places))
		shared := make([]bool, len(part.places)) // dev graphs that were written with the evaluated tasks
		for i, at := range part.places {
			if from, ok := w.line[at]; ok {
				first[i], shared[i] = from, true
				continue
			}
			first[i] = line
			n := len(w.opts.Grid)
			if part.examples {
				n = len(Distinct(Prefixes(w.steps(at), w.opts.Grid)))
			} else {
				w.line[at] = line
			}
			line += n
		}
		err := inOrder(ctx, len(part.places), w.opts.Workers, func(i int) (chunk, error) {
			return w.episode(part.places[i], part.examples, first[i], shared[i])
		}, func(c chunk) error {
			if _, err := out.Write(c.records); err != nil {
				return fmt.Errorf("write %s: %w", part.files[0], err)
			}
			if w.graphs != nil {
				if _, err := w.graphs.Write(c.graphs); err != nil {
					return fmt.Errorf("write graphs.jsonl: %w", err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// episode makes the records of one episode and its graphs, unless those are written already; first
// is the line of its first graph in graphs.jsonl.
func (w *variantWriter) episode(at place, example bool, first int, shared bool) (chunk, error) {
	d := w.datasets[at.dataset]
	ep := d.Episodes[at.episode]
	var c chunk
	view, err := Open(ep, w.spec, WithSeed(w.opts.Seed), WithLabelSpace(w.spaceName(d.Name, ep.LabelSpace)))
	if err != nil {
		return c, err
	}
	for n, p := range w.order(view, Prefixes(len(ep.Steps), w.opts.Grid)) {
		if example && p.Duplicate {
			if shared {
				continue
			}
			first-- // its line is not there
			continue
		}
		t, err := view.At(p)
		if err != nil {
			return c, err
		}
		if t.Graph != nil {
			if err := w.graph(&c, &t, first+n, shared); err != nil {
				return c, err
			}
		}
		if example {
			c.records, err = appendLine(c.records, ExampleRecord{Task: t, ClosedIntent: ep.ClosedIntent, OpenIntent: ep.OpenIntent})
		} else {
			c.records, err = appendLine(c.records, t)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// order is grid order, but by neutral id where the order would tell the ratio.
func (w *variantWriter) order(view *EpisodeView, ps []Prefix) []Prefix {
	if w.spec.HideRatio {
		slices.SortFunc(ps, func(a, b Prefix) int { return strings.Compare(view.ID(a.Ratio), view.ID(b.Ratio)) })
	}
	return ps
}

func (w *variantWriter) graph(c *chunk, t *task.Task, line int, shared bool) error {
	if w.jsonl {
		path := fmt.Sprintf("graphs.jsonl#%d", line)
		t.VisibleGraphPath = &path
		if shared {
			return nil
		}
		var err error
		c.graphs, err = appendLine(c.graphs, t.Graph)
		return err
	}
	name := GraphFileName(t.ID)
	path := "visible_graphs/" + name
	t.VisibleGraphPath = &path
	if shared {
		return nil
	}
	b, err := appendLine(nil, t.Graph)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.graphsDir, name), b, 0o644); err != nil {
		return fmt.Errorf("write the graph of %s: %w", t.ID, err)
	}
	return nil
}
