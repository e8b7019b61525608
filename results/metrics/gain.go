package metrics

import "encoding/json"

// withStatistics is why a gain has no interval or p-value yet.
const withStatistics = "comes with the statistics"

// Gain is an area gain with its uncertainty (A9): this − baseline.
type Gain struct {
	Raw          Value    `json:"raw"`
	Norm         Value    `json:"norm"`
	Headroom     Value    `json:"headroom"` // share of the room up to the ceiling (A17)
	CI           Interval `json:"ci"`
	P            Value    `json:"p"`
	PHolm        Value    `json:"p_holm"`
	NPaired      int      `json:"n_paired"` // episodes
	NPairedTasks int      `json:"n_paired_tasks"`
}

// MarshalJSON writes reasons beside nulls.
func (g Gain) MarshalJSON() ([]byte, error) { return object(g) }

// Interval is a confidence interval of the normalised gain, or the reason why there is none. The
// zero Interval is null.
type Interval struct {
	Low, High float64
	Known     bool
	Reason    string
}

// MarshalJSON writes [low, high] or null.
func (c Interval) MarshalJSON() ([]byte, error) {
	if !c.Known {
		return []byte("null"), nil
	}
	return json.Marshal([2]float64{c.Low, c.High})
}

func (c Interval) whyJSON() ([]byte, error) {
	switch {
	case c.Known:
		return nil, nil
	case c.Reason == "":
		return json.Marshal("not computed")
	}
	return encode(c.Reason)
}

// Gain is the pair's area gain.
func (p Pair) Gain() Gain {
	raw := p.Difference(string(p.Kind) + ".auc")
	g := Gain{Raw: raw.Value, Headroom: p.headroom(raw), Norm: p.Difference(string(p.Kind) + ".nauc").Value,
		CI: Interval{Reason: withStatistics}, P: None(withStatistics), PHolm: None(withStatistics)}
	if p.Why == "" {
		g.NPaired, g.NPairedTasks = p.NEpisodes, p.NTasks
	}
	return g
}

// NamedGain is a gain on one dataset.
type NamedGain struct {
	Name string
	Gain Gain
}

// GainsByDataset is in declared order of the datasets; in JSON an object.
type GainsByDataset []NamedGain

// MarshalJSON writes {"weblinx":{…},…}.
func (gs GainsByDataset) MarshalJSON() ([]byte, error) {
	return ordered(len(gs), func(i int) (string, any) { return gs[i].Name, gs[i].Gain })
}

func (gs GainsByDataset) get(name, baseline string) Gain {
	for _, g := range gs {
		if g.Name == name {
			return g.Gain
		}
	}
	why := "there is no gain on " + name
	if baseline == "" {
		why = noBaseline
	}
	return Gain{Raw: None(why), Norm: None(why), Headroom: None(why), CI: Interval{Reason: why}, P: None(why), PHolm: None(why)}
}

// JudgeGains are one judge's open gains.
type JudgeGains struct {
	Judge  string
	ByData GainsByDataset
	Macro  Gain
}

// GainsByJudge is in declared order of the judges; in JSON an object.
type GainsByJudge []JudgeGains

// MarshalJSON writes {"semantic":{"weblinx":{…},…},…}.
func (gs GainsByJudge) MarshalJSON() ([]byte, error) {
	return ordered(len(gs), func(i int) (string, any) { return gs[i].Judge, gs[i].ByData })
}

// AreaGain is the "area_gain" block: method gain within one ablation, split, grid and seed.
type AreaGain struct {
	Baseline     string         `json:"baseline"`      // of closed gains
	OpenBaseline string         `json:"open_baseline"` // of open gains
	Closed       GainsByDataset `json:"closed"`
	Open         GainsByDataset `json:"open"` // the primary judge's
	OpenByJudge  GainsByJudge   `json:"open_by_judge"`
	Macro        MacroGain      `json:"macro"`
}

// MacroGain is the mean of the datasets' gains, over the datasets that the macro takes.
type MacroGain struct {
	Closed Gain `json:"closed"`
	Open   Gain `json:"open"`
}

// Baseline is what gains are measured against: the names of the closed and the open baseline
// method ("" for none) and their tables by dataset, of the same ablation and seed.
type Baseline struct {
	Closed, Open               string
	ClosedSamples, OpenSamples map[string]Sample
}

const noBaseline = "no baseline is declared"

// gainsOf pairs each table with its baseline's.
func gainsOf(samples []Sample, b Baseline, judges []string, primary string, o Options) *AreaGain {
	g := &AreaGain{Baseline: b.Closed, OpenBaseline: b.Open}
	side := func(kind Kind, judge string) GainsByDataset {
		refs, name := b.ClosedSamples, b.Closed
		if kind == Open {
			refs, name = b.OpenSamples, b.Open
		}
		var out GainsByDataset
		for _, s := range samples {
			if name == "" || kind == Open && !s.hasJudge(judge) || kind == Closed && !s.hasClosed(o) {
				continue
			}
			p := Pair{Kind: kind, Why: "the baseline has no answers on " + s.Dataset, options: o}
			if ref, ok := refs[s.Dataset]; ok {
				p = NewPair(s, ref, kind, judge, o)
			}
			out = append(out, NamedGain{s.Dataset, p.Gain()})
		}
		return out
	}
	g.Closed = side(Closed, "")
	g.Macro.Closed = macroGain(g.Closed, samples, b.Closed)
	g.Macro.Open = macroGain(nil, nil, b.Open)
	for _, j := range judges {
		open := side(Open, j)
		jg := JudgeGains{j, open, macroGain(open, samples, b.Open)}
		g.OpenByJudge = append(g.OpenByJudge, jg)
		if j == primary {
			g.Open, g.Macro.Open = open, jg.Macro
		}
	}
	return g
}

func (s Sample) hasJudge(name string) bool {
	for _, j := range s.Judges {
		if j.Name == name {
			return true
		}
	}
	return false
}

func (s Sample) hasClosed(o Options) bool {
	for _, e := range s.Episodes {
		for i := range e.Tasks {
			if e.Tasks[i].closed(o) {
				return true
			}
		}
	}
	return false
}

// macroGain averages the datasets' gains.
func macroGain(gs GainsByDataset, samples []Sample, baseline string) Gain {
	out := gs.get("macro", baseline)
	if baseline == "" {
		return out
	}
	var raw, norm, headroom []Named
	n, tasks := 0, 0
	for _, g := range gs {
		if outOfMacro(samples, g.Name) {
			continue
		}
		raw, norm = append(raw, Named{g.Name, g.Gain.Raw}), append(norm, Named{g.Name, g.Gain.Norm})
		headroom = append(headroom, Named{g.Name, g.Gain.Headroom})
		n, tasks = n+g.Gain.NPaired, tasks+g.Gain.NPairedTasks
	}
	const why = withStatistics
	return Gain{Raw: mean(raw), Norm: mean(norm), Headroom: mean(headroom), CI: Interval{Reason: why}, P: None(why), PHolm: None(why), NPaired: n, NPairedTasks: tasks}
}

func outOfMacro(samples []Sample, dataset string) bool {
	for _, s := range samples {
		if s.Dataset == dataset {
			return s.OutOfMacro != ""
		}
	}
	return false
}
