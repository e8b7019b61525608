package metrics

import "fmt"

// Pair is two tables cut down to their common support (A9): the same episodes and, within them,
// the tasks that count on both sides. For open scores a task that is unscored on either side is
// out on both. Why is set when the two can't be compared.
type Pair struct {
	This, Reference Sample
	Kind            Kind
	Judge           string
	NEpisodes       int // episodes with a common task
	NTasks          int
	Why             string

	options         Options
	thisJ, refJ     int
	thisCov, refCov float64 // judge coverage of the uncut tables
}

// NewPair aligns two tables of one dataset for closed metrics or, with the judge's name ("" is the
// first one of this), for open ones. The tables are not changed.
func NewPair(this, reference Sample, kind Kind, judge string, o Options) Pair {
	p := Pair{Kind: kind, Judge: judge, options: o, thisJ: -1, refJ: -1}
	p.This, p.Reference = this, reference
	if p.Why = p.mismatch(); p.Why != "" {
		return p
	}
	a, b := this.sorted(), reference.sorted()
	p.This.Episodes, p.Reference.Episodes = nil, nil
	var thisIn, refIn, thisScored, refScored int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].ID < b[j].ID:
			i++
			continue
		case a[i].ID > b[j].ID:
			j++
			continue
		}
		x, y := a[i], b[j]
		i, j = i+1, j+1
		x.Tasks, y.Tasks = append([]Observation(nil), x.Tasks...), append([]Observation(nil), y.Tasks...)
		common := 0
		for k := range x.Tasks {
			in1, scored1, pending1 := p.counts(&x.Tasks[k], p.thisJ)
			in2, scored2, pending2 := p.counts(&y.Tasks[k], p.refJ)
			if in1 && in2 && (pending1 || pending2) {
				p.Why = map[bool]string{true: "answers are pending", false: "the reference's answers are pending"}[pending1]
				return p
			}
			thisIn, refIn = thisIn+count(in1), refIn+count(in2)
			thisScored, refScored = thisScored+count(in1 && scored1), refScored+count(in2 && scored2)
			if !in1 || !in2 || !scored1 || !scored2 {
				x.Tasks[k].State, y.Tasks[k].State = NotAsked, NotAsked
				continue
			}
			if kind == Closed && x.Tasks[k].Gold != y.Tasks[k].Gold {
				p.Why = fmt.Sprintf("the two sides disagree about the closed intent of episode %q", x.ID)
				return p
			}
			common++
		}
		if common == 0 {
			continue
		}
		p.NEpisodes++
		p.NTasks += common
		p.This.Episodes, p.Reference.Episodes = append(p.This.Episodes, x), append(p.Reference.Episodes, y)
	}
	if p.NTasks == 0 {
		p.Why = "the two sides have no task in common"
		return p
	}
	p.thisCov, p.refCov = float64(thisScored)/float64(thisIn), float64(refScored)/float64(refIn)
	if d := p.thisCov - p.refCov; d > MaxCoverageDifference || -d > MaxCoverageDifference {
		p.Why = fmt.Sprintf("judge coverage differs: %.3f against %.3f, %g allowed", p.thisCov, p.refCov, MaxCoverageDifference)
	}
	return p
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// counts tells whether a task is in the kind's metrics, whether it has a value there, and whether
// it is still open.
func (p *Pair) counts(o *Observation, judge int) (in, scored, pending bool) {
	if p.Kind == Closed {
		in = o.closed(p.options)
		return in, true, in && (o.State == Pending || o.State == "")
	}
	_, state, in := o.open(judge, p.options)
	return in, state == Scored || state == MethodFailure, state == ScorePending
}

// mismatch finds what forbids a comparison before any task is looked at, and the judges.
func (p *Pair) mismatch() string {
	for _, s := range []Sample{p.This, p.Reference} {
		if err := s.Check(); err != nil {
			return err.Error()
		}
	}
	if !equalGrids(p.This.Grid, p.Reference.Grid) {
		return "the two sides have different grids"
	}
	if p.Kind == Closed {
		return ""
	}
	for j, info := range p.This.Judges {
		if p.Judge == "" || info.Name == p.Judge {
			p.thisJ, p.Judge = j, info.Name
			break
		}
	}
	for j, info := range p.Reference.Judges {
		if info.Name == p.Judge {
			p.refJ = j
		}
	}
	switch {
	case p.thisJ < 0 && p.Judge == "":
		return "no judge"
	case p.thisJ < 0 || p.refJ < 0:
		return "judge " + p.Judge + " did not score both sides"
	}
	a, b := p.This.Judges[p.thisJ], p.Reference.Judges[p.refJ]
	if a.Fingerprint != b.Fingerprint || a.Theta != b.Theta {
		return "judge " + p.Judge + " has different fingerprints or thresholds on the two sides"
	}
	return ""
}

func equalGrids(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Difference is this − reference for one metric, with both sides on the common support.
type Difference struct {
	Value, This, Reference Value
}

// Difference compares by a registered metric of the pair's kind. For metrics that are better when
// lower a negative value is better.
func (p Pair) Difference(metric string) Difference {
	none := func(why string) Difference { return Difference{None(why), None(why), None(why)} }
	m, ok := findIn(p.options.registry(), metric)
	switch {
	case !ok:
		return none("there is no metric " + metric)
	case p.Why != "":
		return none(p.Why)
	case m.Kind != p.Kind || m.GainOf != "":
		return none(metric + " is no metric to compare " + string(p.Kind) + " answers by")
	}
	side := func(s Sample, judge int) Value {
		sp := newSpace(s, s.Episodes, judge, p.options)
		return m.Combine(sp, total(sp, s.Episodes, m.Statistic, ""))
	}
	d := Difference{This: side(p.This, p.thisJ), Reference: side(p.Reference, p.refJ)}
	d.Value = d.This.Minus(d.Reference)
	return d
}
