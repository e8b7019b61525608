package report

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"intentlab/results/metrics"
	"intentlab/results/tables"
)

// Names lists the tables that Table builds, in the order of a full report.
func Names() []string {
	return []string{"main", "per_ratio", "per_ratio_open", "ablation_effect", "ttc", "per_dataset", "per_dataset_open"}
}

// Macro is the level of the unweighted mean over datasets, the headline (A11).
const Macro = "macro"

// allLevels is for tables that have the levels as columns.
const allLevels = ""

// Tables holds the evaluations of a whole run, from which its tables are made.
type Tables struct {
	*Source
	All []Evaluated
}

// NewTables evaluates a run.
func NewTables(ctx context.Context, s *Source) (*Tables, error) {
	all, err := s.All(ctx)
	if err != nil {
		return nil, err
	}
	return &Tables{s, all}, nil
}

// Table builds a named table at a level: Macro, or one of Levels.
func (t *Tables) Table(ctx context.Context, name, level string) (*tables.Table, error) {
	if level != Macro && !slices.Contains(t.Levels(), level) {
		return nil, fmt.Errorf("there is no dataset %q in this run; it has %s", level, strings.Join(t.Levels(), ", "))
	}
	switch name {
	case "main":
		return t.metricTable(name, "Methods under each ablation", level, []string{"closed.nauc", "closed.macro_f1", "closed.area_gain_norm",
			"open.nauc", "open.area_gain_norm", "closed.ttc.solve_rate", "closed.ttc.restricted_mean"}), nil
	case "ttc":
		return t.metricTable(name, "Time to a stable answer", level, []string{"closed.ttc.solve_rate", "closed.ttc.restricted_mean", "closed.ttc.median",
			"closed.ttc.stable_nauc", "open.ttc.solve_rate", "open.ttc.restricted_mean", "open.ttc.stable_nauc"}), nil
	case "per_ratio":
		return t.ratioTable(name, "Accuracy of the closed intent by prefix ratio", level, metrics.Closed), nil
	case "per_ratio_open":
		return t.ratioTable(name, "Open score by prefix ratio", level, metrics.Open), nil
	case "per_dataset":
		return t.datasetTable(name, "Closed nAUC by dataset", metrics.Closed), nil
	case "per_dataset_open":
		return t.datasetTable(name, "Open nAUC by dataset", metrics.Open), nil
	case "ablation_effect":
		return t.effectTable(ctx, level)
	}
	return nil, fmt.Errorf("there is no table %q; tables are %s", name, strings.Join(Names(), ", "))
}

// seedsOf are the evaluations of one method under one ablation.
func (t *Tables) seedsOf(method, ablation string) []Evaluated {
	var out []Evaluated
	for _, e := range t.All {
		if e.Method == method && e.Ablation == ablation {
			out = append(out, e)
		}
	}
	return out
}

// mean averages a value over seeds: null as soon as one is, with its reason (A11: seeds first).
func mean(vs []metrics.Value) metrics.Value {
	if len(vs) == 0 {
		return metrics.None("not run")
	}
	sum := 0.0
	for _, v := range vs {
		x, ok := v.Get()
		if !ok {
			return v
		}
		sum += x
	}
	return metrics.Of(sum / float64(len(vs)))
}

// cell makes a table cell of a value at a level; where all datasets of the level are blank, the
// blank's reason says more than the metric's.
func cell(v metrics.Value, es []Evaluated, level string) tables.Cell {
	if x, ok := v.Get(); ok {
		return tables.Value(x)
	}
	why := v.Why()
	for _, e := range es {
		if reason := e.blank(level); reason != "" {
			why = reason
		}
	}
	return tables.None(why)
}

// blank is why a level has no numbers at all.
func (e Evaluated) blank(level string) string {
	why := ""
	for _, b := range e.Blanks {
		if b.Level == level {
			return b.Why
		}
		why = b.Why
	}
	if level == Macro && len(e.Datasets) == 0 {
		return why
	}
	return ""
}

// rows calls add for every ablation and method in declared order; methods stand together under
// their ablation, because that is where they may be compared.
func (t *Tables) rows(add func(ablation, method string, es []Evaluated)) {
	for _, a := range t.Decl.Ablations {
		for _, m := range t.Decl.Methods {
			if es := t.seedsOf(m.ID, a.ID); len(es) > 0 {
				add(a.ID, m.ID, es)
			}
		}
	}
}

func (t *Tables) newTable(name, title, level string) *tables.Table {
	x := &tables.Table{Name: name, Title: title, Merge: 1, Columns: []tables.Column{tables.Label("ablation"), tables.Label("method")}}
	where := "dataset " + level
	switch levels := t.Levels(); {
	case level == Macro && len(levels) == 1:
		where = "dataset " + levels[0] + ", the only one"
	case level == Macro:
		where = "unweighted mean over datasets (macro)"
	}
	x.Caption = fmt.Sprintf("experiment %s, %s, split %s", t.Decl.Experiment, where, t.Decl.Evaluate)
	x.Ranked = "its column under the same ablation"
	x.Constant = []tables.Named{{Name: "experiment", Text: t.Decl.Experiment}, {Name: "level", Text: level}, {Name: "split", Text: t.Decl.Evaluate},
		{Name: "open_judge", Text: t.judgeOf(level)}, {Name: "baseline_closed", Text: t.Decl.Baseline.Closed}, {Name: "baseline_open", Text: t.Decl.Baseline.Open}}
	x.Extra = []string{"seeds", "n_episodes", "n_closed", "n_open"}
	return x
}

// metricTable has registered metrics as columns.
func (t *Tables) metricTable(name, title, level string, names []string) *tables.Table {
	x := t.newTable(name, title, level)
	var shown []metrics.Metric
	for _, n := range names {
		m, ok := metrics.Find(n)
		if !ok {
			continue
		}
		shown = append(shown, m)
		c := tables.Column{Name: m.Name, Title: m.Title, Align: tables.Right, Direction: tables.Direction(m.Direction), Decimals: m.Decimals}
		x.Columns = append(x.Columns, c)
	}
	t.rows(func(ablation, method string, es []Evaluated) {
		cells := []tables.Cell{tables.Text(ablation, t.twins(ablation, level)...), tables.Text(method, t.notes(method, es, level)...)}
		for _, m := range shown {
			vs := make([]metrics.Value, len(es))
			for i, e := range es {
				vs[i] = e.shown(level, m)
			}
			c := cell(mean(vs), es, level)
			c.Unranked = m.GainOf != "" && (method == t.baseline(m.Kind) || c.Value != nil && *c.Value <= 0) // no gain is no best gain
			cells = append(cells, c)
		}
		x.Add(ablation, cells...)
		x.Rows[len(x.Rows)-1].Extra = t.extra(es, level)
	})
	x.Mark(0)
	x.Footnotes = append(x.Footnotes, t.footnotes(level, shown)...)
	return x
}

// shown is a metric as a table prints it: a stable point of open answers obeys the coverage rule of
// the open score beside it (B5); the JSON has it all the same, with its optimistic end.
func (e Evaluated) shown(level string, m metrics.Metric) metrics.Value {
	v := e.Value(level, m.Name, "")
	if m.Kind == metrics.Open && strings.Contains(m.Name, ".ttc.") && v.Known() {
		if score := e.Value(level, "open.nauc", ""); !score.Known() {
			return score
		}
	}
	return v
}

// stamps are what every number of a method must be read with.
func (t *Tables) stamps(method string) []string {
	if m, ok := t.method(method); ok && m.SawAll {
		return []string{"saw all prefixes at once"}
	}
	return nil
}

// twins says on which datasets of a level an ablation shows exactly what an earlier one does.
func (t *Tables) twins(ablation, level string) []string {
	same := map[string][]string{}
	var order []string
	for _, d := range t.Decl.Datasets {
		if level != Macro && level != allLevels && level != d.ID && !strings.HasPrefix(level, d.ID+"/") {
			continue
		}
		for _, m := range t.Decl.Methods {
			found := ""
			for _, seed := range m.Seeds {
				for _, c := range t.cells[cellKey{d.ID, ablation, m.ID, seed}] {
					if c.DuplicateOf != "" {
						found = c.DuplicateOf
					}
				}
			}
			if found != "" {
				if same[found] == nil {
					order = append(order, found)
				}
				same[found] = append(same[found], d.ID)
				break
			}
		}
	}
	var out []string
	for _, o := range order {
		out = append(out, fmt.Sprintf("byte-identical to %s for %s: predicted once, shown in both rows", o, strings.Join(same[o], ", ")))
	}
	return out
}

// ratioTable has the grid as columns.
func (t *Tables) ratioTable(name, title, level string, kind metrics.Kind) *tables.Table {
	x := t.newTable(name, title, level)
	for _, r := range t.Decl.Grid {
		x.Columns = append(x.Columns, tables.Number(metrics.RatioKey(r), metrics.RatioKey(r), tables.Higher))
		x.Columns[len(x.Columns)-1].Decimals = 3
	}
	t.rows(func(ablation, method string, es []Evaluated) {
		cells := []tables.Cell{tables.Text(ablation, t.twins(ablation, level)...), tables.Text(method, t.notes(method, es, level)...)}
		for _, r := range t.Decl.Grid {
			vs := make([]metrics.Value, len(es))
			for i, e := range es {
				vs[i] = e.curve(level, kind).At(r)
			}
			cells = append(cells, cell(mean(vs), es, level))
		}
		x.Add(ablation, cells...)
		x.Rows[len(x.Rows)-1].Extra = t.extra(es, level)
	})
	x.Mark(0)
	metric, _ := metrics.Find(string(kind) + ".nauc")
	x.Footnotes = append(x.Footnotes, t.footnotes(level, []metrics.Metric{metric})...)
	return x
}

// curve is accuracy or the first judge's score over the grid at a level.
func (e Evaluated) curve(level string, kind metrics.Kind) metrics.Curve {
	if level == Macro {
		switch {
		case kind == metrics.Closed && e.Macro.Closed.Acc != nil:
			return *e.Macro.Closed.Acc
		case kind == metrics.Open && e.Macro.Open.Score != nil:
			return *e.Macro.Open.Score
		}
		return metrics.Curve{}
	}
	for _, d := range e.Datasets {
		switch {
		case d.Dataset != level:
		case kind == metrics.Closed && d.Closed != nil:
			return d.Closed.Acc
		case kind == metrics.Open && d.Open != nil:
			return d.Open.Score
		}
	}
	return metrics.Curve{}
}
