package runners

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/pool"

	"intentlab/ablations"
	"intentlab/ablations/index"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
	"intentlab/judge"
	"intentlab/matrix"
	"intentlab/results"
	"intentlab/runners/predictors"
)

// Kinds are the tables of what can be run; cmd hands the same ones to matrix.Load.
type Kinds struct {
	Methods map[string]predictors.Kind
	Judges  map[string]judge.Kind
	Formats map[string]trajectory.Format
}

// Engine is an experiment with its data read, ready to be planned or run. It is safe for concurrent
// reading; Run may be called once.
type Engine struct {
	Exp    *matrix.Experiment
	Data   []*Data // by dataset index
	Cells  []Cell
	Kinds  Kinds
	Judges []*Judging // by judge index of the experiment
	// Declaration and Identity are stored with the run.
	Declaration results.Declaration
	Identity    string

	variants map[[2]int]*variant
	workers  int
	getenv   func(string) (string, bool)
}

// Judging is a judge of the experiment, built.
type Judging struct {
	Decl  matrix.Judge
	Judge judge.Judge
}

// Cell is a declared cell with the number of its tasks.
type Cell struct {
	matrix.Cell
	Tasks int
}

// Options of Prepare; zero values are sensible.
type Options struct {
	// Workers bounds what runs at once; 0 takes the number of usable processors.
	Workers int
	// Getenv looks up the variables that pass_env names; nil reads the process's environment.
	Getenv func(string) (string, bool)
	// Index keeps what was read of the datasets; nil reads them anew.
	Index *index.Index
}

// Prepare reads and splits every dataset, builds the judges and expands the cells. It writes nothing.
func Prepare(ctx context.Context, e *matrix.Experiment, kinds Kinds, o Options) (*Engine, error) {
	g := &Engine{Exp: e, Kinds: kinds, variants: map[[2]int]*variant{}, workers: o.Workers, getenv: o.Getenv}
	if g.workers < 1 {
		g.workers = runtime.GOMAXPROCS(0)
	}
	if g.getenv == nil {
		g.getenv = os.LookupEnv
	}
	if err := g.readAll(ctx, o.Index); err != nil {
		return nil, err
	}
	name := ablations.NameLabelSpaces(labelled(g.Data, 1))
	for _, d := range g.Data {
		d.Space.Name = name(d.Decl.ID, d.Space.Name)
	}
	for i, d := range g.Data {
		for j, a := range e.Ablations {
			g.variants[[2]int{i, j}] = &variant{data: d, spec: a.Spec, grid: e.Ratios, seed: e.Seed, space: d.Space.Name}
		}
	}
	for _, decl := range e.Judges {
		b := &Judging{Decl: decl}
		if kind, ok := kinds.Judges[decl.Uses]; ok {
			j, err := kind.New(judge.Setup{Options: decl.Options, Lo: decl.Lo, Hi: decl.Hi, Dir: e.Dir})
			if err != nil {
				return nil, fmt.Errorf("judge %s: %w", decl.ID, err)
			}
			b.Judge = j
		}
		g.Judges = append(g.Judges, b)
	}
	for _, c := range e.Cells() {
		d := g.Data[c.Dataset]
		asked, _ := d.asked(d.Fold(c.Fold), e.Evaluate)
		g.Cells = append(g.Cells, Cell{Cell: c, Tasks: len(asked) * len(e.Ratios)})
	}
	return g, g.declare(ctx)
}

// readAll reads the datasets side by side and reports what is wrong with any of them, in declared
// order.
func (g *Engine) readAll(ctx context.Context, x *index.Index) error {
	g.Data = make([]*Data, len(g.Exp.Datasets))
	errs := make([]error, len(g.Exp.Datasets))
	p := pool.New().WithMaxGoroutines(g.workers)
	for i, decl := range g.Exp.Datasets {
		p.Go(func() { g.Data[i], errs[i] = ReadData(ctx, decl, g.Exp.Seed, g.Kinds.Formats[decl.Format], x) })
	}
	p.Wait()
	return errors.Join(errs...)
}

// method, dataset and ablation of a cell.
func (g *Engine) method(c Cell) matrix.Method     { return g.Exp.Methods[c.Method] }
func (g *Engine) dataset(c Cell) *Data            { return g.Data[c.Dataset] }
func (g *Engine) ablation(c Cell) matrix.Ablation { return g.Exp.Ablations[c.Ablation] }
func (g *Engine) variant(c Cell) *variant         { return g.variants[[2]int{c.Dataset, c.Ablation}] }

// Name is the cell's id on the command line: dataset/ablation/method/seed, and /fold with folds.
func (g *Engine) Name(c Cell) string {
	return results.Cell{Dataset: g.dataset(c).Decl.ID, Ablation: g.ablation(c).ID, Method: g.method(c).ID, Seed: c.Seed, Fold: c.Fold}.Name()
}

// judgesOf are the judges of a dataset in matrix order: its own, or the matrix's.
func (g *Engine) judgesOf(d *Data) []*Judging {
	names := d.Decl.Judges
	if len(names) == 0 {
		names = g.Exp.MatrixJudges
	}
	if len(names) == 0 {
		return g.Judges
	}
	var out []*Judging
	for _, n := range names {
		for _, j := range g.Judges {
			if j.Decl.ID == n {
				out = append(out, j)
			}
		}
	}
	return out
}

// declare fills in what is stored with the run.
func (g *Engine) declare(ctx context.Context) error {
	e := g.Exp
	d := results.Declaration{Experiment: e.Name, Description: e.Description, ConfigHash: e.ConfigHash(), Config: e.Resolved,
		Seeds: e.Seeds, Evaluate: e.Evaluate, Baseline: results.BaselineInfo{Closed: e.Baseline.Closed, Open: e.Baseline.Open}}
	for _, r := range e.Ratios {
		d.Grid = append(d.Grid, int(r))
	}
	for _, x := range g.Data {
		info := results.DatasetInfo{ID: x.Decl.ID, Name: keyedName(x.Decl.Name), Key: x.Key, Format: x.Decl.Format, Fingerprint: x.Fingerprint, Split: x.SplitHash, LabelSpace: x.Space.Name,
			Labels: x.Space.Labels, Folds: x.Decl.Split.Folds, Parts: x.parts(e.Evaluate), Episodes: len(x.Episodes),
			Skipped: SkipCounts(x.Skips), Dropped: map[string]int{}, OutOfMacro: x.OutOfMacro()}
		for _, drop := range x.Drops {
			info.Dropped[string(drop.Reason)] = drop.Count
		}
		for _, j := range g.judgesOf(x) {
			info.Judges = append(info.Judges, j.Decl.ID)
		}
		d.Datasets = append(d.Datasets, info)
	}
	for _, a := range e.Ablations {
		d.Ablations = append(d.Ablations, results.AblationInfo{ID: a.ID, Name: keyedName(a.Name), Reference: a.Reference, Spec: a.Spec})
	}
	for _, m := range e.Methods {
		kind := g.Kinds.Methods[m.Uses]
		d.Methods = append(d.Methods, results.MethodInfo{ID: m.ID, Name: keyedName(m.Name), Uses: m.Uses, Deterministic: m.Kind.Deterministic, Seeds: m.Seeds,
			SawAll: !kind.Causal, Settings: m.Settings})
	}
	for _, j := range g.Judges {
		info := results.JudgeInfo{ID: j.Decl.ID, Uses: j.Decl.Uses, Theta: j.Decl.Theta, Uncalibrated: j.Decl.IsDefault}
		if j.Judge != nil {
			info.Fingerprint = j.Judge.Fingerprint()
		}
		d.Judges = append(d.Judges, info)
	}
	g.Declaration = d
	// What makes a new run: everything that decides a cell or its numbers, by content. Reports,
	// limits, prices and paths are left out (experiment-language.md, "Identity").
	id := d
	id.Config, id.ConfigHash, id.Description = nil, "", ""
	id.Datasets, id.Ablations, id.Methods = slices.Clone(d.Datasets), slices.Clone(d.Ablations), slices.Clone(d.Methods)
	for i := range id.Datasets {
		id.Datasets[i].Name = ""
		id.Datasets[i].OutOfMacro = "" // of the tables, not of the run
	}
	for i := range id.Ablations {
		id.Ablations[i].Name = ""
	}
	for i := range id.Methods {
		id.Methods[i].Name = ""
	}
	answers, err := g.answersOf(ctx)
	if err != nil {
		return err
	}
	g.Identity, err = task.Hash(struct {
		Declaration results.Declaration
		Excludes    []matrix.Exclude
		Samples     []*matrix.Sample
		KeyVersion  int
		Answers     []methodAnswers
	}{id, plainExcludes(e.Excludes), samplesOf(e.Methods), KeyVersion, answers})
	return err
}

// keyedName is the name of an element of a for_each; "" of other blocks, whose name is their id.
func keyedName(name string) string {
	if strings.Contains(name, "[") {
		return name
	}
	return ""
}

// methodAnswers is what decides a method's answers beside its declaration. Without it a cell that is
// done would stay so after its predictions file, or the program itself, has changed.
type methodAnswers struct {
	CodeVersion int
	PerTask     bool
	Provider    string `json:",omitempty"`
	Files       map[string]string
}

func (g *Engine) answersOf(ctx context.Context) ([]methodAnswers, error) {
	out := make([]methodAnswers, len(g.Exp.Methods))
	for i, m := range g.Exp.Methods {
		out[i] = methodAnswers{CodeVersion: g.Kinds.Methods[m.Uses].CodeVersion, PerTask: g.traits(m).perTask, Provider: g.provider(m.Endpoint), Files: map[string]string{}}
	}
	for _, c := range g.Cells {
		if c.State != matrix.CellRun {
			continue
		}
		files, err := g.files(ctx, c)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			continue // a file that can't be read fails its cell, when it runs
		}
		for name, hash := range files {
			out[c.Method].Files[name] = hash
		}
	}
	return out, nil
}

// plainExcludes drops positions in the file: moving a block is no change.
func plainExcludes(xs []matrix.Exclude) []matrix.Exclude {
	out := make([]matrix.Exclude, len(xs))
	for i, x := range xs {
		out[i] = matrix.Exclude{Datasets: x.Datasets, Ablations: x.Ablations, Methods: x.Methods, Seeds: x.Seeds}
	}
	return out
}

func samplesOf(ms []matrix.Method) []*matrix.Sample {
	out := make([]*matrix.Sample, len(ms))
	for i, m := range ms {
		out[i] = m.Sample
	}
	return out
}

// canonical is task.Canonical as a string, for columns that hold JSON.
func canonical(v any) (string, error) {
	b, err := task.Canonical(v)
	return string(b), err
}

// declarationJSON is the stored form.
func (g *Engine) declarationJSON() ([]byte, error) { return task.Canonical(g.Declaration) }
