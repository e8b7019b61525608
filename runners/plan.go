package runners

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"intentlab/ablations/neardup"
	"intentlab/ablations/partition"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
	"intentlab/judge"
	"intentlab/matrix"
	"intentlab/results"
	"intentlab/runners/predictors"
)

// Plan says what a run would do.
type Plan struct {
	Experiment string        `json:"experiment"`
	Store      string        `json:"store"`
	Datasets   []PlanDataset `json:"datasets"`
	Cells      []PlanCell    `json:"cells"`
	Totals     PlanTotals    `json:"totals"`
	// Refused are the sentences with which `run` would refuse the file.
	Refused []string `json:"refused,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// PlanDataset describes a dataset after reading and splitting.
type PlanDataset struct {
	Dataset  string          `json:"dataset"`
	Episodes int             `json:"episodes"`
	Skipped  map[string]int  `json:"skipped,omitempty"`
	Dropped  partition.Drops `json:"dropped,omitempty"`
	Labels   int             `json:"labels"`
	// Release says how much of a published release was read.
	Release  trajectory.Completeness `json:"release"`
	Coverage []partition.Coverage    `json:"coverage"`
	// Unreadable counts the gold intents that a judge of the dataset can't read, by judge.
	Unreadable map[string]int `json:"unreadable_gold,omitempty"`
	// Steps of all episodes, and those that show more than an operation and a position.
	Steps   int `json:"steps"`
	Evident int `json:"evident_steps"`
	// OutOfMacro says why macro averages leave the dataset out; "" where they don't.
	OutOfMacro string `json:"out_of_macro,omitempty"`
	// Crossings are the open intents of dev and test that stand in the parts before them.
	Crossings []neardup.Crossing `json:"crossings"`
}

// PlanCell is one cell: state is reuse, resume, run, n/a or excluded.
type PlanCell struct {
	Cell     string `json:"cell"`
	Dataset  string `json:"dataset"`
	Ablation string `json:"ablation"`
	Method   string `json:"method"`
	State    string `json:"state"`
	Reason   string `json:"reason,omitempty"`
	Tasks    int    `json:"tasks"`
	Stored   int    `json:"stored"`   // tasks whose answer is stored
	Requests int    `json:"requests"` // distinct questions that would be asked

	unasked int // tasks that the method's sample leaves out
}

// PlanTotals adds the cells up. Requests are distinct over the whole matrix.
type PlanTotals struct {
	Cells       map[string]int `json:"cells"`
	Tasks       int            `json:"tasks"`
	Stored      int            `json:"stored"`
	Requests    int            `json:"requests"`
	InputTokens int            `json:"input_tokens"` // of methods with an endpoint: 4 bytes of visible input a token, without the prompt
	CostUSD     float64        `json:"cost_usd"`     // of the input tokens, where a price is declared
	Unpriced    []string       `json:"unpriced,omitempty"`
	// Judged are the tasks with stored answers that a judge without any score in the store will judge.
	Judged []PlanJudging `json:"judged_anew,omitempty"`
}

// PlanJudging counts the tasks of one judge.
type PlanJudging struct {
	Judge string `json:"judge"`
	Tasks int    `json:"tasks"`
}

// planner carries what the cells of one plan share.
type planner struct {
	*Engine
	store *results.Store
	run   *results.Run
	rows  map[int]results.Cell // by position
	gen   int
	asked map[string]bool
	plan  *Plan

	judged map[string]int // tasks by judge
	scored map[string]bool
}

// Plan works the cells out against a store, which may be nil for none yet. It writes nothing.
func (g *Engine) Plan(ctx context.Context, store *results.Store) (*Plan, error) {
	p := &planner{Engine: g, store: store, asked: map[string]bool{}, judged: map[string]int{}, scored: map[string]bool{},
		plan: &Plan{Experiment: g.Exp.Name, Store: g.Exp.Store, Refused: slices.Clone(g.Exp.NotBuilt), Totals: PlanTotals{Cells: map[string]int{}}}}
	if err := p.find(ctx); err != nil {
		return nil, err
	}
	for _, d := range g.Data {
		p.dataset(d)
	}
	for i, c := range g.Cells {
		pc, err := p.cell(ctx, i, c)
		if err != nil {
			return nil, fmt.Errorf("planning cell %s: %w", g.Name(c), err)
		}
		if err := p.judging(ctx, c, pc); err != nil {
			return nil, err
		}
		if pc.State == "run" && store != nil {
			// What changed says more than that nothing is stored.
			_, changed, err := p.difference(ctx, i, c)
			if err != nil {
				return nil, fmt.Errorf("planning cell %s: %w", g.Name(c), err)
			}
			if len(changed) > 0 {
				pc.Reason = strings.Join(changed, ", ")
			}
		}
		p.plan.Cells = append(p.plan.Cells, pc)
		t := &p.plan.Totals
		t.Cells[pc.State]++
		if c.State == matrix.CellRun {
			t.Tasks += pc.Tasks
			t.Stored += pc.Stored
		}
	}
	p.plan.Totals.Requests = len(p.asked)
	for _, j := range g.Judges {
		if n := p.judged[j.Decl.ID]; n > 0 {
			p.plan.Totals.Judged = append(p.plan.Totals.Judged, PlanJudging{j.Decl.ID, n})
		}
	}
	p.plan.Refused = append(p.plan.Refused, g.Missing(nil)...)
	return p.plan, nil
}

// judging counts the tasks of a cell with stored answers for each judge that has scored nothing yet.
func (p *planner) judging(ctx context.Context, c Cell, pc PlanCell) error {
	if p.store == nil || c.State != matrix.CellRun || pc.Stored == 0 {
		return nil
	}
	d := p.Engine.dataset(c)
	asked, judged := d.asked(d.Fold(c.Fold), p.Exp.Evaluate)
	tasks := 0
	for _, i := range asked {
		if judged[i] && d.Episodes[i].OpenIntent != "" {
			tasks += len(p.Exp.Ratios)
		}
	}
	for _, j := range p.judgesOf(d) {
		if j.Judge == nil {
			continue
		}
		yes, known := p.scored[j.Decl.ID]
		if !known {
			var err error
			if yes, err = p.store.Scored(ctx, j.Judge.Fingerprint()); err != nil {
				return err
			}
			p.scored[j.Decl.ID] = yes
		}
		if !yes {
			p.judged[j.Decl.ID] += tasks
		}
	}
	return nil
}

// find looks for the run of this very declaration and data.
func (p *planner) find(ctx context.Context) error {
	if p.store == nil {
		return nil
	}
	runs, err := p.store.Runs(ctx)
	if err != nil {
		return err
	}
	if p.gen, err = p.store.Generation(ctx, p.Exp.Name); err != nil {
		return err
	}
	for i, r := range runs {
		if r.Experiment == p.Exp.Name && r.Identity == p.Identity && r.Generation == p.gen {
			p.run = &runs[i]
		}
	}
	if p.run == nil {
		return nil
	}
	cells, err := p.store.Cells(ctx, p.run.ID)
	if err != nil {
		return err
	}
	p.rows = map[int]results.Cell{}
	for _, c := range cells {
		p.rows[c.Position] = c
	}
	return nil
}

func (p *planner) dataset(d *Data) {
	pd := PlanDataset{Dataset: d.Decl.ID, Episodes: len(d.Episodes), Skipped: SkipCounts(d.Skips), Dropped: d.Drops,
		Labels: len(d.Space.Labels), Coverage: partition.Covered(d.Episodes, d.Split), Unreadable: map[string]int{},
		Steps: d.Steps, Evident: d.Evident, OutOfMacro: d.OutOfMacro(), Crossings: d.Crossings(), Release: d.Release}
	if note := d.Release.Note(); note != "" {
		p.plan.Notes = append(p.plan.Notes, d.Decl.ID+": "+note)
	}
	for _, c := range pd.Crossings {
		if c.From == "train" && c.In != "dev" && c.Equal+c.Near > 0 {
			p.plan.Notes = append(p.plan.Notes, fmt.Sprintf("%s: the open intents of %d of %d %s episodes stand in train too (%d equal, %d nearly; %d of them in their own cluster); `intentlab audit` shows examples", d.Decl.ID, c.Equal+c.Near, c.Texts, c.In, c.Equal, c.Near, c.SameCluster))
		}
	}
	for _, j := range p.judgesOf(d) {
		if j.Judge == nil {
			continue
		}
		for _, ep := range d.Episodes {
			if ep.OpenIntent != "" && judge.Unsupported(j.Judge, ep.OpenIntent) {
				pd.Unreadable[j.Decl.ID]++
			}
		}
		if n := pd.Unreadable[j.Decl.ID]; n > 0 {
			p.plan.Notes = append(p.plan.Notes, fmt.Sprintf("judge %s can't read %d of the %d gold intents of %s: they are out of its metrics for all methods; give the dataset a judge of its own (judges = [judge.…])", j.Decl.ID, n, len(d.Episodes), d.Decl.ID))
		}
	}
	switch {
	case d.Evident == 0 && d.OutOfMacro() == "":
		p.plan.Notes = append(p.plan.Notes, fmt.Sprintf("%s carries no evidence, since %s; it counts in macro averages as the experiment says (in_macro)", d.Decl.ID, noEvidence))
	case d.Evident == 0:
		p.plan.Notes = append(p.plan.Notes, fmt.Sprintf("%s carries no evidence, since %s: it is left out of macro averages", d.Decl.ID, noEvidence))
	case d.OutOfMacro() != "":
		p.plan.Notes = append(p.plan.Notes, fmt.Sprintf("%s is left out of macro averages: %s", d.Decl.ID, d.OutOfMacro()))
	}
	p.plan.Datasets = append(p.plan.Datasets, pd)
}

// cell works out one cell.
func (p *planner) cell(ctx context.Context, i int, c Cell) (PlanCell, error) {
	pc := PlanCell{Cell: p.Name(c), Dataset: p.Engine.dataset(c).Decl.ID, Ablation: p.ablation(c).ID, Method: p.method(c).ID,
		Tasks: c.Tasks, State: string(c.State), Reason: c.Reason}
	if c.State != matrix.CellRun {
		return pc, nil
	}
	if row, ok := p.rows[i]; ok && !wants(row, false) {
		pc.State, pc.Stored, pc.Reason = "reuse", c.Tasks, row.Reason
		if row.State == results.CellFailed { // for good: what it had stored by then
			counts, err := p.store.TaskCounts(ctx, row.ID)
			if err != nil {
				return pc, err
			}
			pc.Stored = 0
			for _, n := range counts {
				pc.Stored += n
			}
		}
		return pc, nil
	}
	if err := p.variant(c).prepare(ctx, p.workers); err != nil {
		return pc, err
	}
	identity, why, err := p.known(ctx, c)
	if err != nil {
		return pc, err
	}
	if err := p.count(ctx, c, identity, why == "", &pc); err != nil {
		return pc, err
	}
	switch {
	case pc.Requests == 0:
		pc.State, pc.Reason = "reuse", "all answers are stored"
	case pc.Stored > 0:
		pc.State, pc.Reason = "resume", fmt.Sprintf("%d of %d tasks are answered", pc.Stored, pc.Tasks-pc.unasked)
	case why == "":
		pc.State, pc.Reason = "run", "no answer is stored under its key"
	default:
		pc.State, pc.Reason = "run", why
	}
	return pc, nil
}

// known returns the identity of a cell's answers. Where it can't be told without fitting, or nothing
// can be stored yet, why says so and the identity stands for the one to come: equal exactly where
// that will be equal, so that questions that cells share are counted once.
func (p *planner) known(ctx context.Context, c Cell) (identity, why string, err error) {
	m := p.method(c)
	kind := p.Kinds.Methods[m.Uses]
	if kind.New == nil {
		return p.Name(c), "kind " + m.Uses + " is not built yet", nil
	}
	files, err := p.files(ctx, c)
	if err != nil {
		return p.Name(c), err.Error(), nil
	}
	if p.store == nil {
		why = "there is no store yet"
	}
	fit := ""
	command, isCommand := m.Options.(*predictors.CommandOptions)
	if kind.Needs.Training || isCommand && command.Protocol == "worker" {
		key, _, err := p.fitKey(c, files)
		if err != nil {
			return "", "", err
		}
		hash, ok := "", false
		if p.store != nil {
			if hash, ok, err = p.store.FitHash(ctx, key); err != nil {
				return "", "", err
			}
		}
		switch {
		case !ok:
			fit = "of " + key // equal examples and settings give equal fits
			if why == "" {
				why = "it was not fitted on these examples with these settings yet"
			}
		case !isCommand || hash != noFit:
			fit = hash
		}
	}
	identity, _, err = p.Engine.identity(c, files, fit)
	return identity, why, err
}

// count counts stored tasks and distinct questions; tasks that a sample leaves out are neither.
// stored says whether the store may hold any.
func (p *planner) count(ctx context.Context, c Cell, identity string, stored bool, pc *PlanCell) error {
	d := p.Engine.dataset(c)
	asked, _ := d.asked(d.Fold(c.Fold), p.Exp.Evaluate)
	wanted, err := p.sampled(c, asked)
	if err != nil {
		return err
	}
	perTask := p.traits(p.method(c)).perTask
	own := map[string]bool{}
	for _, i := range asked {
		if wanted != nil && !wanted[i] {
			pc.unasked += len(p.Exp.Ratios)
			continue
		}
		hashes, err := p.visibleHashes(c, i)
		if err != nil {
			return err
		}
		keys := make([]string, len(hashes))
		for j, h := range hashes {
			id := ""
			if perTask {
				id = task.ID(d.Decl.ID, d.Episodes[i].ID, p.Exp.Ratios[j])
			}
			keys[j] = answerKey(identity, h, id)
		}
		var have map[string]results.Prediction
		if stored {
			if have, err = p.store.Predictions(ctx, p.gen, distinct(keys)); err != nil {
				return err
			}
		}
		for _, k := range keys {
			if x, ok := have[k]; ok && (x.State != results.PredictionFailed || x.ForGood) {
				pc.Stored++
				continue
			}
			own[k] = true
			p.asked[k] = true
		}
	}
	pc.Requests = len(own)
	return p.cost(c, asked, pc)
}

// cost estimates input tokens and money of a method that calls an endpoint.
func (p *planner) cost(c Cell, asked []int, pc *PlanCell) error {
	m := p.method(c)
	if m.Endpoint == "" || pc.Requests == 0 {
		return nil
	}
	bytes, prefixes := 0, 0
	for _, i := range asked {
		tasks, err := p.variant(c).prefixes(i)
		if err != nil {
			return err
		}
		for j, t := range tasks {
			if j > 0 && t.PrefixStepCount == tasks[j-1].PrefixStepCount {
				continue
			}
			b, err := task.Canonical(t)
			if err != nil {
				return err
			}
			bytes += len(b)
			prefixes++
		}
	}
	tokens := bytes / 4 * pc.Requests / max(prefixes, 1)
	p.plan.Totals.InputTokens += tokens
	for _, e := range p.Exp.Endpoints {
		if e.Name != m.Endpoint {
			continue
		}
		if e.Price == nil {
			p.plan.Totals.Unpriced = appendNew(p.plan.Totals.Unpriced, e.Name)
			return nil
		}
		p.plan.Totals.CostUSD += float64(tokens) * e.Price.Input / 1e6
	}
	return nil
}

func appendNew(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}
