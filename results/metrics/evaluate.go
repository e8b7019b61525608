package metrics

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// registry is the metrics in force.
func (o Options) registry() []Metric {
	if o.Registry != nil {
		return o.Registry
	}
	return builtin()
}

func findIn(registry []Metric, name string) (Metric, bool) {
	for _, m := range registry {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// Evaluate computes everything about one dataset. A table whose episodes don't fit the grid can't
// be evaluated: see [Sample.Check].
func Evaluate(s Sample, o Options) DatasetResult {
	es := s.sorted()
	r := DatasetResult{Dataset: s.Dataset, Ablation: s.Ablation, Method: s.Method, Seed: s.Seed,
		Grid: s.Grid, OutOfMacro: s.OutOfMacro, options: o}
	if o.SkipMissing {
		r.MissingPolicy = "skip"
	}
	all := r.count(s, es)
	why := all.why()
	if err := s.Check(); err != nil {
		why = err.Error()
	}
	r.DuplicateDisagreement = None(why)
	if why == "" {
		r.DuplicateDisagreement = disagreement(es)
	}
	r.closedBlock(s, es, why)
	for j := range s.Judges {
		r.openBlock(s, es, j, why)
	}
	switch {
	case len(r.OpenByJudge) > 0:
		r.Open = r.OpenByJudge[0]
	default:
		r.OpenWhy = "no judge"
	}
	return r
}

// Check reports a table that can't be evaluated: a grid that isn't strictly increasing within
// (0, 1000], an episode with another number of tasks than the grid has ratios, or an ID twice.
func (s Sample) Check() error {
	if len(s.Grid) == 0 {
		return fmt.Errorf("%s: the grid has no ratio", s.Dataset)
	}
	for i, r := range s.Grid {
		if r < 1 || r > 1000 || i > 0 && r <= s.Grid[i-1] {
			return fmt.Errorf("%s: the grid's ratios must increase within (0, 1], but %s stands at place %d", s.Dataset, RatioKey(r), i+1)
		}
	}
	es := s.sorted()
	for i, e := range es {
		if len(e.Tasks) != len(s.Grid) {
			return fmt.Errorf("%s: episode %q has %d tasks for %d ratios", s.Dataset, e.ID, len(e.Tasks), len(s.Grid))
		}
		if i > 0 && e.ID == es[i-1].ID {
			return fmt.Errorf("%s: episode %q stands twice in the table", s.Dataset, e.ID)
		}
	}
	return nil
}

// count fills the numbers of episodes and tasks and the coverage.
func (r *DatasetResult) count(s Sample, es []Episode) tally {
	var all tally
	byRatio := make([]tally, len(s.Grid))
	clusters := map[string]bool{}
	for _, e := range es {
		asked := false
		for i := range e.Tasks {
			o := &e.Tasks[i]
			all.add(o.State)
			if i < len(byRatio) {
				byRatio[i].add(o.State)
			}
			if o.asked() {
				asked = true
				if o.Duplicate {
					r.NDuplicates++
				}
			}
		}
		if !asked {
			continue
		}
		r.NEpisodes++
		cluster := e.Cluster
		if cluster == "" {
			cluster = e.ID
		}
		clusters[cluster] = true
	}
	r.NClusters, r.NTasks, r.NPending = len(clusters), all.asked(), all.pending
	r.NNotAsked, r.NNotApplicable = all.notAsked, all.notApplicable
	r.Coverage = all.coverage()
	for i, t := range byRatio {
		r.CoverageByRatio = append(r.CoverageByRatio, RatioCoverage{s.Grid[i], t.coverage()})
	}
	return all
}

// newSpace gathers a sample's constants; judge is -1 for closed metrics.
func newSpace(s Sample, es []Episode, judge int, o Options) *Space {
	sp := &Space{Grid: s.Grid, Judge: judge, Options: o}
	if judge >= 0 {
		sp.Theta = s.Judges[judge].Theta
		return sp
	}
	labels := map[string]bool{}
	for _, e := range es {
		for i := range e.Tasks {
			t := &e.Tasks[i]
			if !t.closed(o) {
				continue
			}
			labels[t.Gold] = true
			if t.State == Answered && t.Predicted != "" {
				labels[t.Predicted] = true
			}
		}
	}
	sp.Classes = slices.SortedFunc(maps.Keys(labels), strings.Compare)
	sp.class = make(map[string]int, len(sp.Classes))
	for i, l := range sp.Classes {
		sp.class[l] = i
	}
	return sp
}

// measure computes the registered metrics of one kind. With a reason, all are null.
func measure(sp *Space, es []Episode, kind Kind, why string) (Values, map[*Statistic][]float64) {
	sums := map[*Statistic][]float64{}
	var values Values
	for _, m := range sp.Options.registry() {
		if m.Kind != kind || m.GainOf != "" {
			continue
		}
		sum, ok := sums[m.Statistic]
		if !ok {
			sum = total(sp, es, m.Statistic, why)
			sums[m.Statistic] = sum
		}
		v := None(why)
		if why == "" {
			v = m.Combine(sp, sum)
		}
		values = append(values, Named{m.Name, v})
	}
	return values, sums
}

// total adds a statistic over episodes in their order; with a reason it stays zero.
func total(sp *Space, es []Episode, st *Statistic, why string) []float64 {
	sum := make([]float64, st.Size(sp))
	if why == "" {
		for i := range es {
			st.Add(sp, &es[i], sum)
		}
	}
	return sum
}

// rest returns the metrics whose names were not taken by a field, named within the block.
func rest(values Values, kind Kind, taken map[string]bool) Values {
	var out Values
	for _, v := range values {
		if !taken[v.Name] {
			out = append(out, Named{strings.TrimPrefix(v.Name, string(kind)+"."), v.Value})
		}
	}
	return out
}
