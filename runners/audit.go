package runners

import (
	"context"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/pool"

	"intentlab/ablations/audit"
	"intentlab/ablations/neardup"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
	"intentlab/matrix"
	"intentlab/results/metrics"
)

// Audit says how each variant of an experiment can give its answers away (benchmark.md, "Isolation").
type Audit struct {
	Experiment string         `json:"experiment"`
	Evaluate   string         `json:"evaluate"`
	Variants   []AuditVariant `json:"variants"`
	// Splits says, by dataset, which open intents of dev and test stand in the parts before them.
	Splits []SplitCrossings `json:"splits"`
	// Faults are structural leaks of the declaration: paths to gold that a command is handed.
	Faults []audit.Fault `json:"faults"`
}

// SplitCrossings are the crossings of one dataset.
type SplitCrossings struct {
	Dataset   string             `json:"dataset"`
	Crossings []neardup.Crossing `json:"crossings"`
}

// AuditVariant is one dataset under one ablation. It covers the tasks that are evaluated, of all folds
// and named test lists, each once.
type AuditVariant struct {
	Dataset    string `json:"dataset"`
	Visibility string `json:"visibility"`
	Ablation   string `json:"ablation"`
	Episodes   int    `json:"episodes"`
	Tasks      int    `json:"tasks"`
	// Closed counts tasks that show their closed label or its host, Open those that show a long piece of
	// their open intent.
	Closed AuditLeak    `json:"closed"`
	Open   AuditLeak    `json:"open"`
	Fields []AuditField `json:"fields"`
	// Ceiling is the prefix-collision ceiling: the best accuracy that any function of the visible input
	// could reach on these tasks (metrics-and-judge.md A17).
	Ceiling metrics.Ceiling `json:"ceiling"`
	Probes  []AuditProbe    `json:"probes,omitempty"`
	Faults  []AuditFault    `json:"faults"`
}

// AuditLeak is how often an intent stands verbatim in the input of its own task.
type AuditLeak struct {
	Tasks      int          `json:"tasks"`      // whose intent was searched for
	Unsearched int          `json:"unsearched"` // whose intent is absent or too short to be searched for
	Found      int          `json:"found"`
	Share      *float64     `json:"share"` // Found over Tasks; null without any
	Ratios     []AuditRatio `json:"ratios"`
}

// AuditRatio is the part of one requested ratio.
type AuditRatio struct {
	Ratio string   `json:"ratio"`
	Tasks int      `json:"tasks"`
	Found int      `json:"found"`
	Share *float64 `json:"share"`
}

// Worst is the largest share of any ratio, 0 without tasks.
func (l AuditLeak) Worst() (ratio string, share float64) {
	for _, r := range l.Ratios {
		if r.Share != nil && *r.Share > share {
			ratio, share = r.Ratio, *r.Share
		}
	}
	return ratio, share
}

// First is the smallest ratio at which anything is found, "" for none.
func (l AuditLeak) First() string {
	for _, r := range l.Ratios {
		if r.Found > 0 {
			return r.Ratio
		}
	}
	return ""
}

// AuditField is one kind of match in one field.
type AuditField struct {
	Field string     `json:"field"`
	Match audit.Kind `json:"match"`
	// Shown are the tasks that hold a string in the field and whose intent was searched for, Found those
	// of them with a match.
	Shown    int            `json:"shown"`
	Found    int            `json:"found"`
	Share    float64        `json:"share"`
	Examples []AuditExample `json:"examples"`
}

// AuditExample is the first match of an episode in a field.
type AuditExample struct {
	Task    string `json:"task"`
	Excerpt string `json:"excerpt"`
}

// AuditFault is a structural leak with the tasks that have it.
type AuditFault struct {
	audit.Fault        // of the first task
	Task        string `json:"task"`
	Tasks       int    `json:"tasks"`
}

// Faulty reports whether there is any structural leak.
func (a *Audit) Faulty() bool {
	return len(a.Faults) > 0 || slices.ContainsFunc(a.Variants, func(v AuditVariant) bool { return len(v.Faults) > 0 })
}

// AuditOptions choose what is audited; empty names mean all.
type AuditOptions struct {
	Dataset, Ablation string
	// Probe also fits and asks the probes.
	Probe bool
}

// examplesShown is how many episodes an AuditField quotes.
const examplesShown = 3

// Audit searches the input of every evaluated task of every variant that the matrix asks for. It reads
// no store and writes nothing.
func (g *Engine) Audit(ctx context.Context, o AuditOptions) (*Audit, error) {
	a := &Audit{Experiment: g.Exp.Name, Evaluate: g.Exp.Evaluate, Variants: []AuditVariant{}, Splits: []SplitCrossings{}, Faults: g.goldPaths()}
	err := g.eachVariant(o, func(v *variant, ablation string) error {
		x, err := g.auditVariant(ctx, v)
		if err != nil {
			return fmt.Errorf("auditing %s under %s: %w", v.data.Decl.ID, ablation, err)
		}
		x.Ablation = ablation
		if o.Probe {
			if x.Probes, err = g.probe(ctx, v, ablation); err != nil {
				return fmt.Errorf("probing %s under %s: %w", v.data.Decl.ID, ablation, err)
			}
		}
		a.Variants = append(a.Variants, x)
		if n := len(a.Splits); n == 0 || a.Splits[n-1].Dataset != v.data.Decl.ID {
			a.Splits = append(a.Splits, SplitCrossings{v.data.Decl.ID, v.data.Crossings()})
		}
		return nil
	})
	return a, err
}

// eachVariant visits the variants of the matrix that o chooses, in declared order.
func (g *Engine) eachVariant(o AuditOptions, visit func(v *variant, ablation string) error) error {
	wanted := map[[2]int]bool{}
	for _, c := range g.Cells {
		if c.State != matrix.CellExcluded {
			wanted[[2]int{c.Dataset, c.Ablation}] = true
		}
	}
	for i, d := range g.Data {
		for j, ab := range g.Exp.Ablations {
			at := [2]int{i, j}
			if !wanted[at] || o.Dataset != "" && o.Dataset != d.Decl.ID || o.Ablation != "" && o.Ablation != ab.ID {
				continue
			}
			if err := visit(g.variants[at], ab.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// evaluated lists the episodes that are judged in any fold, ascending.
func (d *Data) evaluated(evaluate string) []int {
	in := make([]bool, len(d.Episodes))
	for _, f := range d.Split.Folds {
		_, judged := d.asked(f, evaluate)
		for i, yes := range judged {
			in[i] = in[i] || yes
		}
	}
	var out []int
	for i, yes := range in {
		if yes {
			out = append(out, i)
		}
	}
	return out
}

// auditedEpisode is what was found in the prefixes of one episode, by ratio.
type auditedEpisode struct {
	episode      *trajectory.Episode
	closed, open bool // searched for
	found        []audit.Found
	faults       [][]audit.Fault
	visible      []string // hashes
}

func (g *Engine) auditVariant(ctx context.Context, v *variant) (AuditVariant, error) {
	d := v.data
	places := d.evaluated(g.Exp.Evaluate)
	episodes := make([]auditedEpisode, len(places))
	p := pool.New().WithMaxGoroutines(g.workers).WithContext(ctx).WithCancelOnError().WithFirstError()
	for n, i := range places {
		p.Go(func(ctx context.Context) (err error) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			episodes[n], err = v.audit(i)
			return err
		})
	}
	if err := p.Wait(); err != nil {
		return AuditVariant{}, err
	}
	out := AuditVariant{Dataset: d.Decl.ID, Visibility: d.Decl.Visibility, Episodes: len(places), Tasks: len(places) * len(v.grid),
		Closed: leak(v.grid, episodes, (*auditedEpisode).searchedClosed, audit.Label, audit.Host), Open: leak(v.grid, episodes, (*auditedEpisode).searchedOpen, audit.Intent),
		Fields: fieldLeaks(v.grid, episodes), Ceiling: collision(v.grid, episodes), Faults: faultsOf(v.grid, episodes)}
	return out, nil
}

// audit searches the prefixes of one episode.
func (v *variant) audit(i int) (auditedEpisode, error) {
	ep := &v.data.Episodes[i]
	tasks, err := v.prefixes(i)
	if err != nil {
		return auditedEpisode{}, err
	}
	n := audit.NewNeedles(ep.ClosedIntent, ep.OpenIntent)
	never := neverVisible(v.data.Decl)
	out := auditedEpisode{episode: ep, closed: n.SearchesLabel(), open: n.SearchesIntent()}
	for j := range tasks {
		t := &tasks[j]
		if j > 0 && t.PrefixStepCount == tasks[j-1].PrefixStepCount { // only ids and ratios differ
			last := j - 1
			out.found, out.faults, out.visible = append(out.found, out.found[last]), append(out.faults, out.faults[last]), append(out.visible, out.visible[last])
			continue
		}
		hash, err := task.VisibleHash(*t, nil, 0)
		if err != nil {
			return auditedEpisode{}, fmt.Errorf("hashing %s: %w", t.ID, err)
		}
		out.found, out.faults, out.visible = append(out.found, n.Scan(t)), append(out.faults, audit.Structure(t, never)), append(out.visible, hash)
	}
	return out, nil
}

// neverVisible are the fields that the format promises not to show. Those of normalised episodes are
// fields of the record, not of its metadata, where a user may use the same names; field roles name
// theirs.
func neverVisible(d matrix.Dataset) []string {
	if d.Format != "episodes" {
		return trajectory.Formats[d.Format].NeverVisible
	}
	if o, ok := d.Options.(*trajectory.EpisodesOptions); ok && o.Fields != nil {
		return o.Fields.NeverVisible()
	}
	return nil
}

func (e *auditedEpisode) searchedClosed() bool { return e.closed }
func (e *auditedEpisode) searchedOpen() bool   { return e.open }
