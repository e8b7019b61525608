package runners

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/pool"

	"intentlab/ablations/audit"
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
	// Faults are structural leaks of the declaration: paths to gold that a command is handed.
	Faults []audit.Fault `json:"faults"`
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
type AuditOptions struct{ Dataset, Ablation string }

// examplesShown is how many episodes an AuditField quotes.
const examplesShown = 3

// Audit searches the input of every evaluated task of every variant that the matrix asks for. It reads
// no store and writes nothing.
func (g *Engine) Audit(ctx context.Context, o AuditOptions) (*Audit, error) {
	a := &Audit{Experiment: g.Exp.Name, Evaluate: g.Exp.Evaluate, Variants: []AuditVariant{}, Faults: g.goldPaths()}
	err := g.eachVariant(o, func(v *variant, ablation string) error {
		x, err := g.auditVariant(ctx, v)
		if err != nil {
			return fmt.Errorf("auditing %s under %s: %w", v.data.Decl.ID, ablation, err)
		}
		x.Ablation = ablation
		a.Variants = append(a.Variants, x)
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
	never := neverVisible(v.data.Decl.Format)
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
// fields of the record, not of its metadata, where a user may use the same names.
func neverVisible(format string) []string {
	if format == "episodes" {
		return nil
	}
	return trajectory.Formats[format].NeverVisible
}

func (e *auditedEpisode) searchedClosed() bool { return e.closed }
func (e *auditedEpisode) searchedOpen() bool   { return e.open }

// leak counts the tasks in which one of the kinds was found.
func leak(grid []task.Ratio, es []auditedEpisode, searched func(*auditedEpisode) bool, kinds ...audit.Kind) AuditLeak {
	l := AuditLeak{Ratios: make([]AuditRatio, len(grid))}
	for j, r := range grid {
		x := &l.Ratios[j]
		x.Ratio = r.String()
		for i := range es {
			if !searched(&es[i]) {
				l.Unsearched++
				continue
			}
			x.Tasks++
			if es[i].found[j].Has(kinds...) {
				x.Found++
			}
		}
		x.Share = share(x.Found, x.Tasks)
		l.Tasks += x.Tasks
		l.Found += x.Found
	}
	l.Share = share(l.Found, l.Tasks)
	return l
}

func share(found, of int) *float64 {
	if of == 0 {
		return nil
	}
	s := float64(found) / float64(of)
	return &s
}

// fieldLeaks counts matches by field and kind, in byte order of the fields.
func fieldLeaks(grid []task.Ratio, es []auditedEpisode) []AuditField {
	type key struct {
		field string
		kind  audit.Kind
	}
	shown := map[string][2]int{} // by field: tasks with a closed label that is searched for, with an intent
	found := map[key]*AuditField{}
	for i := range es {
		e := &es[i]
		quoted := map[key]bool{}
		for j, r := range grid {
			f := e.found[j]
			for _, field := range f.Shown {
				n := shown[field]
				if e.closed {
					n[0]++
				}
				if e.open {
					n[1]++
				}
				shown[field] = n
			}
			for _, h := range f.Hits {
				k := key{h.Field, h.Kind}
				x := found[k]
				if x == nil {
					x = &AuditField{Field: h.Field, Match: h.Kind, Examples: []AuditExample{}}
					found[k] = x
				}
				x.Found++
				if !quoted[k] && len(x.Examples) < examplesShown {
					quoted[k] = true
					x.Examples = append(x.Examples, AuditExample{Task: task.ID(e.episode.Dataset, e.episode.ID, r), Excerpt: h.Excerpt})
				}
			}
		}
	}
	out := []AuditField{}
	for k, x := range found {
		if x.Shown = shown[k.field][0]; k.kind == audit.Intent {
			x.Shown = shown[k.field][1]
		}
		x.Share = float64(x.Found) / float64(x.Shown)
		out = append(out, *x)
	}
	order := []audit.Kind{audit.Label, audit.Host, audit.Intent}
	slices.SortFunc(out, func(a, b AuditField) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Match), slices.Index(order, b.Match)), cmp.Compare(b.Found, a.Found), cmp.Compare(a.Field, b.Field))
	})
	return out
}

// collision groups the tasks of each ratio by their visible input.
func collision(grid []task.Ratio, es []auditedEpisode) metrics.Ceiling {
	c := metrics.Ceiling{Acc: metrics.Curve{Grid: make([]int, len(grid)), Values: make([]metrics.Value, len(grid))}}
	for j, r := range grid {
		var groups [][]string
		index := map[string]int{}
		for i := range es {
			label := es[i].episode.ClosedIntent
			if label == "" {
				continue
			}
			at, ok := index[es[i].visible[j]]
			if !ok {
				at = len(groups)
				index[es[i].visible[j]] = at
				groups = append(groups, nil)
			}
			groups[at] = append(groups[at], label)
		}
		c.Acc.Grid[j], c.Acc.Values[j] = int(r), metrics.CollisionCeiling(groups)
	}
	c.AUC, c.NAUC = metrics.Area(c.Acc, false)
	return c
}

// faultsOf gathers structural leaks by rule, with the first task of each.
func faultsOf(grid []task.Ratio, es []auditedEpisode) []AuditFault {
	out := []AuditFault{}
	for i := range es {
		for j, r := range grid {
			var counted []audit.Rule
			for _, f := range es[i].faults[j] {
				if slices.Contains(counted, f.Rule) {
					continue
				}
				counted = append(counted, f.Rule)
				at := slices.IndexFunc(out, func(x AuditFault) bool { return x.Rule == f.Rule })
				if at < 0 {
					at = len(out)
					out = append(out, AuditFault{Fault: f, Task: task.ID(es[i].episode.Dataset, es[i].episode.ID, r)})
				}
				out[at].Tasks++
			}
		}
	}
	return out
}
