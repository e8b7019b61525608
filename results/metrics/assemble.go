package metrics

import "slices"

// Evaluation is one element of what `intentlab evaluate --json` prints (benchmark.md): one method ×
// ablation × seed over all datasets.
type Evaluation struct {
	Method      string            `json:"method"`
	Ablation    string            `json:"ablation"`
	Seed        int64             `json:"seed"`
	Split       string            `json:"split"`
	Grid        []string          `json:"grid"`
	Datasets    DatasetResults    `json:"datasets"`
	Macro       Aggregate         `json:"macro"`
	Pooled      Aggregate         `json:"pooled"`
	AreaGain    *AreaGain         `json:"area_gain"`
	AreaGainWhy string            `json:"area_gain_why,omitempty"`
	Fingerprint FingerprintRecord `json:"fingerprint"`

	primary string
}

// FingerprintRecord says what the numbers rest on.
type FingerprintRecord struct {
	Data        string `json:"data"`
	Gold        string `json:"gold"`
	Predictions string `json:"predictions"`
	Version     string `json:"version"`
}

// DatasetResults is in declared order; in JSON an object by dataset name.
type DatasetResults []DatasetResult

// MarshalJSON writes {"weblinx":{…},…}.
func (rs DatasetResults) MarshalJSON() ([]byte, error) {
	return ordered(len(rs), func(i int) (string, any) { return rs[i].Dataset, rs[i] })
}

// Aggregate is one level of aggregation over datasets (A11).
type Aggregate struct {
	Closed      AggregateBlock    `json:"closed"`
	Open        AggregateBlock    `json:"open"` // the primary judge's
	OpenByJudge AggregatesByJudge `json:"open_by_judge"`
}

// AggregateBlock names the datasets behind its numbers.
type AggregateBlock struct {
	Judge    string      `json:"judge,omitempty"`
	Datasets []string    `json:"datasets"`
	Excluded []Exclusion `json:"excluded,omitempty"`
	Acc      *Curve      `json:"acc,omitempty"`
	Score    *Curve      `json:"score,omitempty"`
	Values   Values      `json:",inline"` // by path: "nauc", "ttc.solve_rate"
}

// MarshalJSON writes reasons beside nulls.
func (b AggregateBlock) MarshalJSON() ([]byte, error) { return object(b) }

// Exclusion is a dataset that an aggregate leaves out.
type Exclusion struct {
	Dataset string `json:"dataset"`
	Why     string `json:"why"`
}

// AggregatesByJudge is in declared order of the judges; in JSON an object.
type AggregatesByJudge []AggregateBlock

// MarshalJSON writes {"semantic":{…},…}.
func (bs AggregatesByJudge) MarshalJSON() ([]byte, error) {
	return ordered(len(bs), func(i int) (string, any) { return bs[i].Judge, bs[i] })
}

// Meta is what an evaluation says about itself.
type Meta struct {
	Method, Ablation string
	Seed             int64
	Split            string
	// PrimaryJudge is the matrix's first judge; "" takes the first one met.
	PrimaryJudge string
	Fingerprint  FingerprintRecord
}

// EvaluateAll evaluates the tables of one method × ablation × seed, in declared order of the
// datasets, and aggregates them. baseline may be nil.
func EvaluateAll(meta Meta, samples []Sample, baseline *Baseline, o Options) Evaluation {
	results := make([]DatasetResult, len(samples))
	for i, s := range samples {
		results[i] = Evaluate(s, o)
	}
	ev := Assemble(meta, results, o)
	if baseline == nil || baseline.Closed == "" && baseline.Open == "" {
		ev.AreaGainWhy = noBaseline
		return ev
	}
	ev.AreaGain = gainsOf(samples, *baseline, judgesOf(results), ev.primary, o)
	return ev
}

// Assemble aggregates results of one method × ablation × seed, without gains.
func Assemble(meta Meta, results []DatasetResult, o Options) Evaluation {
	ev := Evaluation{Method: meta.Method, Ablation: meta.Ablation, Seed: meta.Seed, Split: meta.Split,
		Datasets: results, Fingerprint: meta.Fingerprint, Grid: []string{}, primary: meta.PrimaryJudge}
	var grid []int
	for _, r := range results {
		grid = append(grid, r.Grid...)
	}
	slices.Sort(grid)
	for _, r := range slices.Compact(grid) {
		ev.Grid = append(ev.Grid, RatioKey(r))
	}
	judges := judgesOf(results)
	if ev.primary == "" && len(judges) > 0 {
		ev.primary = judges[0]
	}
	for _, level := range []struct {
		to      *Aggregate
		combine func([]part, Kind, Options) Values
		curve   func([]part) Curve
	}{{&ev.Macro, macroValues, macroCurve}, {&ev.Pooled, pooledValues, pooledCurve}} {
		block := func(kind Kind, judge string) AggregateBlock {
			b := AggregateBlock{Judge: judge, Datasets: []string{}}
			parts, excluded := partsOf(results, kind, judge)
			b.Excluded = excluded
			for _, p := range parts {
				b.Datasets = append(b.Datasets, p.dataset)
			}
			b.Values = level.combine(parts, kind, o)
			c := level.curve(parts)
			if b.Acc = &c; kind == Open {
				b.Acc, b.Score = nil, &c
			}
			return b
		}
		level.to.Closed = block(Closed, "")
		for _, j := range judges {
			level.to.OpenByJudge = append(level.to.OpenByJudge, block(Open, j))
		}
		level.to.Open = block(Open, ev.primary)
	}
	return ev
}

// judgesOf lists the judges in order of first appearance.
func judgesOf(results []DatasetResult) []string {
	var names []string
	for _, r := range results {
		for _, o := range r.OpenByJudge {
			if !slices.Contains(names, o.Judge) {
				names = append(names, o.Judge)
			}
		}
	}
	return names
}

// Value is a registered metric at a level: a dataset's name, "macro" or "pooled". judge names the
// judge of open metrics, "" the primary one. Gains have no pooled level.
func (ev Evaluation) Value(level, metric, judge string) Value {
	m, ok := Find(metric)
	for i := range ev.Datasets {
		if m2, ok2 := findIn(ev.Datasets[i].options.registry(), metric); ok2 {
			m, ok = m2, true
		}
	}
	if !ok {
		return None("there is no metric " + metric)
	}
	if m.GainOf != "" {
		g := ev.Gain(level, m.Kind, judge)
		if m.GainOf == string(m.Kind)+".auc" {
			return g.Raw
		}
		return g.Norm
	}
	path := metric[len(m.Kind)+1:]
	if level == "macro" || level == "pooled" {
		a := ev.Macro
		if level == "pooled" {
			a = ev.Pooled
		}
		if m.Kind == Closed {
			return a.Closed.Values.Get(path)
		}
		if judge == "" {
			return a.Open.Values.Get(path)
		}
		for _, b := range a.OpenByJudge {
			if b.Judge == judge {
				return b.Values.Get(path)
			}
		}
		return None("there is no judge " + judge)
	}
	for _, r := range ev.Datasets {
		if r.Dataset == level {
			return r.Value(metric, judge)
		}
	}
	return None("there is no dataset " + level)
}

// Gain is the area gain at a level: a dataset's name or "macro".
func (ev Evaluation) Gain(level string, kind Kind, judge string) Gain {
	if ev.AreaGain == nil {
		return GainsByDataset(nil).get(level, "")
	}
	g := ev.AreaGain
	if kind == Closed {
		if level == "macro" {
			return g.Macro.Closed
		}
		return g.Closed.get(level, g.Baseline)
	}
	if judge == "" {
		judge = ev.primary
		for _, r := range ev.Datasets {
			// A dataset with judges of its own is measured by the first of them, as its score is.
			if r.Dataset == level && len(r.OpenByJudge) > 0 {
				judge = r.OpenByJudge[0].Judge
			}
		}
	}
	for _, j := range g.OpenByJudge {
		if j.Judge != judge {
			continue
		}
		if level == "macro" {
			return j.Macro
		}
		return j.ByData.get(level, g.OpenBaseline)
	}
	return GainsByDataset(nil).get(level, g.OpenBaseline)
}
