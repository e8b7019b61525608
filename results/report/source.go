// Package report turns the rows of a store into evaluations and tables. It asks no model and reads
// no dataset: everything it prints can be recounted from the one file.
package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"intentlab/results"
	"intentlab/results/metrics"
)

// Source reads one run. It keeps the gold of the datasets in memory, not the answers.
type Source struct {
	Run  results.Run
	Decl results.Declaration

	store   *results.Store
	cells   map[cellKey][]results.Cell // by fold, in declared order
	gold    map[string]*goldOf
	parts   map[partKey]map[string][]string
	version string
	options metrics.Options
	recent  []read // the tables read last
}

// read is what samples returned for one method × ablation × seed. A baseline and a reference are
// asked for again and again, so the last few are kept.
type read struct {
	method, ablation string
	seed             int64
	samples          []metrics.Sample
	blanks           []Blank
	answers          string
}

// keptReads is enough for a method, its reference and two baselines over a few seeds.
const keptReads = 8

type cellKey struct {
	dataset, ablation, method string
	seed                      int64
}

type partKey struct {
	split string
	fold  int
}

// goldOf is the gold of one dataset: by episode, one entry a ratio of the grid.
type goldOf struct {
	episodes map[string]*episodeGold
	task     map[string]place // task id → where it belongs
	hash     string
}

type episodeGold struct {
	cluster string
	total   int
	tasks   []results.Gold
}

type place struct {
	episode string
	ratio   int // index on the grid
}

// Open prepares a run for reading. version is the program's, for the fingerprint of every number.
func Open(ctx context.Context, store *results.Store, run results.Run, version string, o metrics.Options) (*Source, error) {
	decl, err := run.Declared()
	if err != nil {
		return nil, err
	}
	s := &Source{Run: run, Decl: decl, store: store, cells: map[cellKey][]results.Cell{}, gold: map[string]*goldOf{},
		parts: map[partKey]map[string][]string{}, version: version, options: o}
	cells, err := store.Cells(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		k := cellKey{c.Dataset, c.Ablation, c.Method, c.Seed}
		s.cells[k] = append(s.cells[k], c)
	}
	return s, nil
}

func (s *Source) method(id string) (results.MethodInfo, bool) {
	for _, m := range s.Decl.Methods {
		if m.ID == id {
			return m, true
		}
	}
	return results.MethodInfo{}, false
}

// judges of a dataset as the metrics want them, in declared order.
func (s *Source) judges(d results.DatasetInfo) []metrics.JudgeInfo {
	var out []metrics.JudgeInfo
	for _, name := range d.Judges {
		for _, j := range s.Decl.Judges {
			if j.ID == name {
				out = append(out, metrics.JudgeInfo{Name: j.ID, Fingerprint: j.Fingerprint, Theta: j.Theta})
			}
		}
	}
	return out
}

// Level is what a part of a dataset is called in results: the dataset alone for its test part (or
// for dev, where only dev is evaluated), else dataset/part.
func (s *Source) Level(d results.DatasetInfo, part string) string {
	if part == "test" || part == "dev" && s.Decl.Evaluate == "dev" {
		return d.ID
	}
	return d.ID + "/" + part
}

// Levels lists all evaluated levels in declared order.
func (s *Source) Levels() []string {
	var out []string
	for _, d := range s.Decl.Datasets {
		for _, p := range d.Parts {
			out = append(out, s.Level(d, p))
		}
	}
	return out
}

// loadGold reads a dataset's gold once.
func (s *Source) loadGold(ctx context.Context, key string) (*goldOf, error) {
	if g, ok := s.gold[key]; ok {
		return g, nil
	}
	at := map[int]int{}
	for i, r := range s.Decl.Grid {
		at[r] = i
	}
	g := &goldOf{episodes: map[string]*episodeGold{}, task: map[string]place{}}
	sum := sha256.New()
	err := s.store.GoldOf(ctx, key, func(x results.Gold) error {
		i, ok := at[x.Ratio]
		if !ok {
			return nil // of another run's grid
		}
		e := g.episodes[x.Episode]
		if e == nil {
			e = &episodeGold{cluster: x.Cluster, total: x.TotalSteps, tasks: make([]results.Gold, len(s.Decl.Grid))}
			g.episodes[x.Episode] = e
		}
		e.tasks[i] = x
		g.task[x.Task] = place{x.Episode, i}
		fmt.Fprintf(sum, "%s %d %q %q\n", x.Task, x.Steps, x.ClosedIntent, x.OpenIntent)
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Whether a prefix repeats the one before it depends on the grid, and gold serves runs with several.
	for _, e := range g.episodes {
		for i := range e.tasks {
			e.tasks[i].Duplicate = i > 0 && e.tasks[i].Steps == e.tasks[i-1].Steps
		}
	}
	g.hash = hex.EncodeToString(sum.Sum(nil))
	s.gold[key] = g
	return g, nil
}

func (s *Source) partsOf(ctx context.Context, split string, fold int) (map[string][]string, error) {
	k := partKey{split, fold}
	if p, ok := s.parts[k]; ok {
		return p, nil
	}
	p, err := s.store.PartsOf(ctx, split, fold)
	if err != nil {
		return nil, err
	}
	s.parts[k] = p
	return p, nil
}

// Blank says why a dataset × ablation × method × seed has no numbers at all: "" when it has.
type Blank struct{ Level, Why string }

// samples returns the evaluation tables of one method × ablation × seed, in declared order, which
// levels have none and why, and a hash of the answers. The tables must not be changed.
func (s *Source) samples(ctx context.Context, method, ablation string, seed int64) ([]metrics.Sample, []Blank, string, error) {
	m, _ := s.method(method)
	if !slices.Contains(m.Seeds, seed) && len(m.Seeds) > 0 {
		seed = m.Seeds[0] // a deterministic method runs once and stands for all seeds
	}
	for i, r := range s.recent {
		if r.method == method && r.ablation == ablation && r.seed == seed {
			s.recent = append(slices.Delete(s.recent, i, i+1), r)
			return r.samples, r.blanks, r.answers, nil
		}
	}
	samples, blanks, answers, err := s.readSamples(ctx, method, ablation, seed)
	if err != nil {
		return nil, nil, "", err
	}
	if len(s.recent) == keptReads {
		s.recent = slices.Delete(s.recent, 0, 1)
	}
	s.recent = append(s.recent, read{method, ablation, seed, samples, blanks, answers})
	return samples, blanks, answers, nil
}

func (s *Source) readSamples(ctx context.Context, method, ablation string, seed int64) ([]metrics.Sample, []Blank, string, error) {
	var out []metrics.Sample
	var blanks []Blank
	answers := sha256.New()
	for _, d := range s.Decl.Datasets {
		cells := s.cells[cellKey{d.ID, ablation, method, seed}]
		if why := blankReason(cells); why != "" {
			for _, p := range d.Parts {
				blanks = append(blanks, Blank{s.Level(d, p), why})
			}
			continue
		}
		tables := map[string]*metrics.Sample{}
		for _, p := range d.Parts {
			tables[p] = &metrics.Sample{Dataset: s.Level(d, p), Ablation: ablation, Method: method, Seed: seed, Grid: s.Decl.Grid,
				LabelSpace: d.LabelSpace, Labels: d.Labels, Judges: s.judges(d), OutOfMacro: d.OutOfMacro}
		}
		for _, c := range cells {
			if err := s.fill(ctx, d, c, tables, answers); err != nil {
				return nil, nil, "", err
			}
		}
		for _, p := range d.Parts {
			out = append(out, *tables[p])
		}
	}
	return out, blanks, hex.EncodeToString(answers.Sum(nil)), nil
}

// blankReason is why a dataset has no table at all for these cells.
func blankReason(cells []results.Cell) string {
	if len(cells) == 0 {
		return "not declared"
	}
	for _, c := range cells {
		switch c.State {
		case results.CellNA:
			return "n/a: " + c.Reason
		case results.CellExcluded:
			return "excluded: " + c.Reason
		case results.CellFailed:
			return "failed: " + c.Reason
		}
	}
	return ""
}
