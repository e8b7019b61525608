package ablations

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"intentlab/ablations/task"
)

// MaxGraphFiles is the number of tasks up to which an ablation gets one graph file a task.
const MaxGraphFiles = 5000

// The forms in which graphs are written.
const (
	GraphsAuto  = ""      // files up to MaxGraphFiles tasks, else jsonl
	GraphsFiles = "files" // visible_graphs/<GraphFileName>
	GraphsJSONL = "jsonl" // visible_graphs/graphs.jsonl, path "graphs.jsonl#<line>", lines from 1
)

// GenerateOptions says what Generate writes and where.
type GenerateOptions struct {
	Out      string
	GoldOut  string // default Out + ".gold"; must lie outside of Out, and Out outside of it
	Grid     []task.Ratio
	Evaluate string // "test", "dev" or "all" (dev and test)
	Fold     int    // 0: no folds; else files go to fold-<k> below both folders
	Graphs   string // GraphsAuto, GraphsFiles or GraphsJSONL
	Seed     uint64 // of shuffled_steps
	Workers  int    // default GOMAXPROCS; changes no byte
}

// GeneratedVariant counts what one ablation got. Graphs counts distinct graphs.
type GeneratedVariant struct {
	Ablation, Dir             string
	Tasks, Train, Dev, Graphs int
}

// Generated is what Generate wrote.
type Generated struct {
	GoldDir  string
	Gold     int // lines of gold.jsonl
	Variants []GeneratedVariant
}

// Generate writes the benchmark files (benchmark.md, "Files of a variant") of every ablation, and the
// gold of the evaluated part into another folder tree. Datasets are concatenated in the given order,
// episodes in theirs. A file takes its name when it is complete; files of an earlier run are replaced.
// It stops with ctx, and then leaves no half-written file under a final name.
func Generate(ctx context.Context, datasets []Dataset, specs []Spec, opts GenerateOptions) (Generated, error) {
	g, err := newGeneration(datasets, specs, opts)
	if err != nil {
		return Generated{}, err
	}
	out := Generated{GoldDir: g.goldDir}
	if out.Gold, err = g.writeGold(ctx, specs); err != nil {
		return Generated{}, err
	}
	for _, s := range specs {
		v, err := g.writeVariant(ctx, s)
		if err != nil {
			return out, fmt.Errorf("ablation %s: %w", s.Name, err)
		}
		out.Variants = append(out.Variants, v)
	}
	return out, nil
}

// place is one episode of one dataset.
type place struct{ dataset, episode int }

// generation is a checked request.
type generation struct {
	opts                  GenerateOptions
	outDir, goldDir       string
	datasets              []Dataset
	spaceName             func(dataset, space string) string
	spaces                []task.LabelSpace
	evaluated, train, dev []place
	split                 map[place]string   // of evaluated episodes: "test" or "dev"
	lists                 map[place][]string // official test lists of evaluated episodes
}

func newGeneration(datasets []Dataset, specs []Spec, opts GenerateOptions) (*generation, error) {
	if opts.GoldOut == "" {
		opts.GoldOut = filepath.Clean(opts.Out) + ".gold"
	}
	if opts.Workers < 1 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.Out == "" {
		return nil, fmt.Errorf("no output folder is named")
	}
	if err := separateTrees(opts.Out, opts.GoldOut); err != nil {
		return nil, err
	}
	if err := CheckGrid(opts.Grid); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{GraphsAuto, GraphsFiles, GraphsJSONL}, opts.Graphs) {
		return nil, fmt.Errorf("graphs %q: want files or jsonl", opts.Graphs)
	}
	if err := checkSpecs(specs); err != nil {
		return nil, err
	}
	g := &generation{opts: opts, outDir: opts.Out, goldDir: opts.GoldOut, datasets: datasets,
		spaceName: NameLabelSpaces(datasets), spaces: LabelSpaces(datasets),
		split: map[place]string{}, lists: map[place][]string{}}
	if opts.Fold > 0 {
		fold := fmt.Sprintf("fold-%d", opts.Fold)
		g.outDir, g.goldDir = filepath.Join(opts.Out, fold), filepath.Join(opts.GoldOut, fold)
	}
	for i, d := range datasets {
		if err := g.divide(i, d); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func checkSpecs(specs []Spec) error {
	known := map[string]bool{}
	for _, s := range specs {
		if s.Name == "" || strings.HasPrefix(s.Name, ".") || strings.ContainsAny(s.Name, `/\:`) {
			return fmt.Errorf("ablation name %q can't be the name of a folder", s.Name)
		}
		if known[s.Name] {
			return fmt.Errorf("two ablations are called %s", s.Name)
		}
		known[s.Name] = true
		if err := s.Check(); err != nil {
			return fmt.Errorf("ablation %s: %w", s.Name, err)
		}
		if ok, what := s.Built(); !ok {
			return fmt.Errorf("ablation %s: %s is not built yet", s.Name, what)
		}
	}
	return nil
}

// divide lists the episodes of a dataset by what is written of them.
func (g *generation) divide(i int, d Dataset) error {
	for j, other := range g.datasets[:i] {
		if other.Name == d.Name {
			return fmt.Errorf("datasets %d and %d are both called %s", j+1, i+1, d.Name)
		}
	}
	ids := make(map[string]bool, len(d.Episodes))
	for _, ep := range d.Episodes {
		if ep.Dataset != d.Name {
			return fmt.Errorf("dataset %s: episode %s says that it is of dataset %s", d.Name, ep.ID, ep.Dataset)
		}
		if ids[ep.ID] {
			return fmt.Errorf("dataset %s: two episodes are called %s", d.Name, ep.ID)
		}
		ids[ep.ID] = true
	}
	for _, list := range [][]int{d.Fold.Train, d.Fold.Dev} {
		for _, e := range list {
			if e < 0 || e >= len(d.Episodes) {
				return fmt.Errorf("dataset %s: the split names episode %d of %d", d.Name, e, len(d.Episodes))
			}
		}
	}
	var evaluated []place
	add := func(e int, split, list string) error {
		if e < 0 || e >= len(d.Episodes) {
			return fmt.Errorf("dataset %s: the split names episode %d of %d", d.Name, e, len(d.Episodes))
		}
		p := place{i, e}
		if had, ok := g.split[p]; ok && had != split {
			return fmt.Errorf("dataset %s: episode %s is in dev and in test", d.Name, d.Episodes[e].ID)
		} else if !ok {
			evaluated = append(evaluated, p)
		}
		g.split[p] = split
		if list != "" && list != split {
			g.lists[p] = append(g.lists[p], list)
		}
		return nil
	}
	switch g.opts.Evaluate {
	case "test", "dev", "all":
	default:
		return fmt.Errorf("evaluate %q: want test, dev or all", g.opts.Evaluate)
	}
	if g.opts.Evaluate != "test" {
		for _, e := range d.Fold.Dev {
			if err := add(e, "dev", ""); err != nil {
				return err
			}
		}
	}
	if g.opts.Evaluate != "dev" {
		for _, part := range d.Fold.Tests {
			for _, e := range part.Episodes {
				if err := add(e, "test", part.Name); err != nil {
					return err
				}
			}
		}
	}
	if len(evaluated) == 0 {
		return fmt.Errorf("dataset %s: the %s part is empty", d.Name, g.opts.Evaluate)
	}
	slices.SortFunc(evaluated, func(a, b place) int { return a.episode - b.episode })
	g.evaluated = append(g.evaluated, evaluated...)
	for _, e := range d.Fold.Train {
		if _, ok := g.split[place{i, e}]; ok {
			return fmt.Errorf("dataset %s: episode %s is in train and evaluated", d.Name, d.Episodes[e].ID)
		}
		g.train = append(g.train, place{i, e})
	}
	for _, e := range d.Fold.Dev {
		g.dev = append(g.dev, place{i, e})
	}
	return nil
}
