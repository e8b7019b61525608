package report

import (
	"context"
	"fmt"
	"slices"

	"intentlab/results"
	"intentlab/results/metrics"
	"intentlab/results/tables"
)

// datasetTable has the levels as columns and the macro at the end.
func (t *Tables) datasetTable(name, title string, kind metrics.Kind) *tables.Table {
	x := t.newTable(name, title, Macro)
	x.Caption = fmt.Sprintf("experiment %s, split %s", t.Decl.Experiment, t.Decl.Evaluate)
	x.Extra = nil // the levels differ in n
	levels := append(t.Levels(), Macro)
	for _, l := range levels {
		head := l
		if kind == metrics.Open {
			head = fmt.Sprintf("%s (%s)", l, t.judgeOf(l))
		}
		x.Columns = append(x.Columns, tables.Number(l, head, tables.Higher))
	}
	metric := string(kind) + ".nauc"
	t.rows(func(ablation, method string, es []Evaluated) {
		cells := []tables.Cell{tables.Text(ablation, t.twins(ablation, allLevels)...), tables.Text(method, t.notes(method, es, Macro)...)}
		for _, l := range levels {
			vs := make([]metrics.Value, len(es))
			for i, e := range es {
				vs[i] = e.Value(l, metric, "")
			}
			cells = append(cells, cell(mean(vs), es, l))
		}
		x.Add(ablation, cells...)
	})
	x.Mark(0)
	m, _ := metrics.Find(metric)
	x.Footnotes = append(x.Footnotes, t.footnotesOf(Macro, allLevels, []metrics.Metric{m})...)
	return x
}

// judgeOf names the judge whose scores stand in a level's column.
func (t *Tables) judgeOf(level string) string {
	if level != Macro {
		for _, d := range t.Decl.Datasets {
			for _, p := range d.Parts {
				if t.Level(d, p) == level && len(d.Judges) > 0 {
					return d.Judges[0]
				}
			}
		}
	}
	if len(t.Decl.Judges) > 0 {
		return t.Decl.Judges[0].ID
	}
	return "no judge"
}

// effectTable shows what an ablation changes: the same method under the ablation and under its
// reference, paired on common tasks (A9, "ablation effect"). Differences are this − reference.
func (t *Tables) effectTable(ctx context.Context, level string) (*tables.Table, error) {
	x := t.newTable("ablation_effect", "Effect of each ablation on each method", level)
	x.Columns = []tables.Column{tables.Label("ablation"), tables.Label("reference"), tables.Label("method")}
	x.Merge = 2
	x.Extra = nil // pairs: both sides have their own
	names := []string{"closed.nauc", "closed.ttc.solve_rate", "closed.ttc.restricted_mean", "open.nauc"}
	var shown []metrics.Metric
	for _, n := range names {
		if m, ok := metrics.Find(n); ok {
			shown = append(shown, m)
			x.Columns = append(x.Columns, tables.Column{Name: "d_" + m.Name, Title: "Δ " + m.Title, Align: tables.Right,
				Direction: tables.Direction(m.Direction), Decimals: m.Decimals})
		}
	}
	effects := map[[2]string][]metrics.Value{}
	// Method by method, so that its reference is read once for all ablations.
	for _, m := range t.Decl.Methods {
		for _, a := range t.Decl.Ablations {
			if a.Reference == "" || a.Reference == a.ID {
				continue
			}
			vs, err := t.effects(ctx, m, a, level, shown)
			if err != nil {
				return nil, err
			}
			effects[[2]string{a.ID, m.ID}] = vs
		}
	}
	for _, a := range t.Decl.Ablations {
		for _, m := range t.Decl.Methods {
			vs, ok := effects[[2]string{a.ID, m.ID}]
			if !ok {
				continue
			}
			cells := []tables.Cell{tables.Text(a.ID, t.twins(a.ID, level)...), tables.Text(a.Reference), tables.Text(m.ID, t.stamps(m.ID)...)}
			for _, v := range vs {
				cells = append(cells, tables.Maybe(v.Ptr(), v.Why()))
			}
			x.Add(a.ID, cells...)
		}
	}
	x.Footnotes = append(x.Footnotes, "differences are this − reference, on the tasks that both have; for TTC negative is better")
	x.Footnotes = append(x.Footnotes, t.footnotes(level, shown)...)
	return x, nil
}

// effects are the differences of one method between an ablation and its reference, by metric, as the
// mean over seeds.
func (t *Tables) effects(ctx context.Context, m results.MethodInfo, a results.AblationInfo, level string, shown []metrics.Metric) ([]metrics.Value, error) {
	bySeed := make([][]metrics.Value, len(shown))
	for _, seed := range m.Seeds {
		that, refBlanks, _, err := t.samples(ctx, m.ID, a.Reference, seed)
		if err != nil {
			return nil, err
		}
		this, blanks, _, err := t.samples(ctx, m.ID, a.ID, seed)
		if err != nil {
			return nil, err
		}
		for i, metric := range shown {
			bySeed[i] = append(bySeed[i], t.effect(metric, level, this, that, slices.Concat(blanks, refBlanks)))
		}
	}
	out := make([]metrics.Value, len(shown))
	for i, vs := range bySeed {
		out[i] = mean(vs)
	}
	return out, nil
}

// effect is one difference at a level; at Macro the mean over the datasets that macros take.
func (t *Tables) effect(m metrics.Metric, level string, this, that []metrics.Sample, blanks []Blank) metrics.Value {
	ref := map[string]metrics.Sample{}
	for _, s := range that {
		ref[s.Dataset] = s
	}
	primary := ""
	if len(t.Decl.Judges) > 0 {
		primary = t.Decl.Judges[0].ID
	}
	var vs []metrics.Value
	why := "no dataset has both"
	for _, b := range blanks {
		why = b.Why
		if b.Level == level {
			return metrics.None(b.Why)
		}
	}
	for _, s := range this {
		judge := ""
		switch {
		case level != Macro && s.Dataset != level:
			continue
		case level == Macro && s.OutOfMacro != "":
			continue
		case level == Macro && m.Kind == metrics.Open:
			if judge = primary; !hasJudge(s, judge) {
				continue
			}
		}
		r, ok := ref[s.Dataset]
		if !ok {
			why = "the reference has no answers on " + s.Dataset
			for _, b := range blanks {
				if b.Level == s.Dataset {
					why = b.Why
				}
			}
			continue
		}
		vs = append(vs, metrics.NewPair(s, r, m.Kind, judge, t.options).Difference(m.Name).Value)
	}
	if len(vs) == 0 {
		return metrics.None(why)
	}
	return mean(vs)
}

func hasJudge(s metrics.Sample, name string) bool {
	for _, j := range s.Judges {
		if j.Name == name {
			return true
		}
	}
	return false
}
