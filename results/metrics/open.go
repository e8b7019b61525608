package metrics

import "fmt"

// MinCoverage is the share of answers a judge must have scored before a cell's number is published
// (B5).
const MinCoverage = 0.98

// MaxCoverageDifference is how far two compared methods' coverages may lie apart (B5).
const MaxCoverageDifference = 0.02

// openCounts holds, per ratio: sum of scores, scored tasks (method failures are scored 0), tasks in
// all, passes, method failures. Index field·m + ratio.
var openCounts = &Statistic{
	Name: "open_counts",
	Size: func(sp *Space) int { return openFields * len(sp.Grid) },
	Add: func(sp *Space, e *Episode, sum []float64) {
		m := len(sp.Grid)
		for i := range e.Tasks {
			score, state, in := e.Tasks[i].open(sp.Judge, sp.Options)
			if !in {
				continue
			}
			sum[openIn*m+i]++
			switch state {
			case Scored:
				sum[openSum*m+i] += score
				sum[openScored*m+i]++
				sum[openPass*m+i] += indicator(score > sp.Theta)
			case MethodFailure:
				sum[openScored*m+i]++
				sum[openFailed*m+i]++
			}
		}
	},
}

const (
	openSum = iota
	openScored
	openIn
	openPass
	openFailed
	openFields
)

// openCurve divides a field by the scored tasks, under the coverage rule.
func openCurve(grid []int, sum []float64, field int) Curve {
	m := len(grid)
	c := Curve{Grid: grid, Values: make([]Value, m)}
	for i := range grid {
		scored, in := sum[openScored*m+i], sum[openIn*m+i]
		switch {
		case in == 0:
			c.Values[i] = None("no eligible task")
		case scored < MinCoverage*in:
			c.Values[i] = None(fmt.Sprintf("the judge scored %g of %g answers, %g needed; `intentlab list` tells why it did not score the rest", scored, in, MinCoverage))
		default:
			c.Values[i] = Of(sum[field*m+i] / scored)
		}
	}
	return c
}

// bounds are the normalised areas with all unscored answers at 0 and at 1.
func bounds(sp *Space, sum []float64) (low, high Value) {
	m := len(sp.Grid)
	lo := constant(sp.Grid, None("no eligible task"))
	hi := constant(sp.Grid, None("no eligible task"))
	for i := range sp.Grid {
		if in := sum[openIn*m+i]; in > 0 {
			s := sum[openSum*m+i]
			lo.Values[i] = Of(s / in)
			hi.Values[i] = Of((s + in - sum[openScored*m+i]) / in)
		}
	}
	_, low = Area(lo, sp.Options.Interpolate)
	_, high = Area(hi, sp.Options.Interpolate)
	return low, high
}

// openCollapse is the normalised area over effective ratios; an episode with an unscored node is
// left out. Behind the collapse sums stand the scored tasks and all tasks per ratio, for the
// coverage rule.
var openCollapse = &Statistic{
	Name: "open_collapse",
	Size: func(sp *Space) int { return collapseSize + 2*len(sp.Grid) },
	Add: func(sp *Space, e *Episode, sum []float64) {
		var kBuf [32]int
		var yBuf [32]Value
		steps, y := kBuf[:0], yBuf[:0]
		for i := range e.Tasks {
			score, state, in := e.Tasks[i].open(sp.Judge, sp.Options)
			if !in {
				continue
			}
			v := None("unscored")
			sum[collapseSize+len(sp.Grid)+i]++
			if state == Scored || state == MethodFailure {
				v = Of(score)
				sum[collapseSize+i]++
			}
			steps, y = append(steps, e.Tasks[i].Steps), append(y, v)
		}
		addCollapsed(steps, y, sum)
	},
}

// openStable is the stable point of the open intent (A8): strictly above theta from some ratio on.
// The first part lets unscored answers fail, the second lets them pass, the last entry counts the
// episodes where that matters.
var openStable = &Statistic{
	Name: "open_stable",
	Size: func(sp *Space) int { return 2*(len(sp.Grid)+ttcExtra) + 1 },
	Add: func(sp *Space, e *Episode, sum []float64) {
		var atBuf [32]int
		var failBuf, passBuf [32]bool
		at, pessimistic, optimistic := atBuf[:0], failBuf[:0], passBuf[:0]
		for i := range e.Tasks {
			score, state, in := e.Tasks[i].open(sp.Judge, sp.Options)
			if !in {
				continue
			}
			unscored := state != Scored && state != MethodFailure
			pass := state == Scored && score > sp.Theta
			at = append(at, i)
			pessimistic = append(pessimistic, pass)
			optimistic = append(optimistic, pass || unscored)
		}
		half := len(sp.Grid) + ttcExtra
		addStable(sp, e, at, pessimistic, sum[:half])
		addStable(sp, e, at, optimistic, sum[half:2*half])
		if n := len(at); n > 0 && at[n-1] == len(sp.Grid)-1 && Stable(pessimistic) != Stable(optimistic) {
			sum[2*half]++
		}
	},
}

func openMetrics() []Metric {
	score := func(normalised bool) func(*Space, []float64) Value {
		return func(sp *Space, sum []float64) Value {
			area, n := Area(openCurve(sp.Grid, sum, openSum), sp.Options.Interpolate)
			if normalised {
				return n
			}
			return area
		}
	}
	auc := share(Open, "auc", "Open AUC", "raw trapezoid area under the mean judge score over requested ratios (A7)", openCounts, score(false))
	auc.Unit = "score × ratio"
	all := []Metric{
		share(Open, "nauc", "Open nAUC", "area under the mean judge score over requested ratios, divided by the grid's width; null below 0.98 judge coverage (A7, B5)",
			openCounts, score(true)),
		auc,
		share(Open, "nauc_effective", "Open nAUC (effective)", "mean over episodes of the area over effective ratios k/T, equal prefixes collapsed (A10)",
			openCollapse, func(sp *Space, sum []float64) Value {
				m := len(sp.Grid)
				for i, r := range sp.Grid {
					if scored, in := sum[collapseSize+i], sum[collapseSize+m+i]; scored < MinCoverage*in {
						return None(fmt.Sprintf("the judge scored %g of %g answers at %s, %g needed", scored, in, RatioKey(r), MinCoverage))
					}
				}
				return ratio(sum[collapseSum], sum[collapseN], "no episode has a complete curve")
			}),
		share(Open, "pass_nauc", "Pass nAUC", "normalised area under the share of scores strictly above the judge's threshold (A7)",
			openCounts, func(sp *Space, sum []float64) Value {
				_, n := Area(openCurve(sp.Grid, sum, openPass), sp.Options.Interpolate)
				return n
			}),
	}
	for i := range all {
		if all[i].Unit == "share" {
			all[i].Unit = "score"
		}
	}
	return all
}
