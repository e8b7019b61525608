package metrics

import "fmt"

// part is one dataset's contribution to an aggregate.
type part struct {
	dataset     string
	fingerprint string // of the judge
	values      Values
	curve       Curve
	space       *Space
	sums        map[*Statistic][]float64
	why         string // why none of its numbers is known
}

// partsOf takes the datasets that belong into an aggregate and names the others: those whose steps
// carry no evidence or which the experiment leaves out, and those that structurally have no such intents or no such judge. A dataset
// that only lacks a number (pending, withheld) stays in and makes the aggregate null: dropping it
// would compare methods on different data.
func partsOf(results []DatasetResult, kind Kind, judge string) (parts []part, excluded []Exclusion) {
	for _, r := range results {
		p := part{dataset: r.Dataset}
		why := ""
		switch {
		case r.OutOfMacro != "":
			why = r.OutOfMacro
		case kind == Closed && r.Closed == nil:
			why = r.ClosedWhy
		case kind == Closed:
			p.values, p.space, p.sums, p.curve, p.why = r.closed, r.closedSpace, r.closedSums, r.Closed.Acc, r.closedNull
		default:
			why = "no judge " + judge
			for j, b := range r.OpenByJudge {
				switch {
				case b.Judge != judge:
				case b.NTasks == 0:
					why = "no task has an open intent that the judge can read"
				default:
					why = ""
					p.fingerprint, p.why = b.Fingerprint, r.openNull[j]
					p.values, p.space, p.sums, p.curve = r.open[j], r.openSpaces[j], r.openSums[j], b.Score
				}
			}
		}
		if why != "" {
			excluded = append(excluded, Exclusion{r.Dataset, why})
			continue
		}
		parts = append(parts, p)
	}
	return parts, excluded
}

// mean is the unweighted mean; a null among the values makes it null and is named.
func mean(values []Named) Value {
	if len(values) == 0 {
		return None("no dataset has it")
	}
	sum := 0.0
	for _, v := range values {
		x, ok := v.Value.Get()
		if !ok {
			return None(v.Name + ": " + v.Value.Why())
		}
		sum += x
	}
	return Of(sum / float64(len(values)))
}

// comparable finds what forbids to put the parts into one number.
func comparable(parts []part) string {
	for _, p := range parts {
		switch {
		case p.fingerprint != parts[0].fingerprint:
			return fmt.Sprintf("the judge's fingerprint on %s differs from that on %s", p.dataset, parts[0].dataset)
		case !equalGrids(p.space.Grid, parts[0].space.Grid):
			return fmt.Sprintf("the grid of %s differs from that of %s", p.dataset, parts[0].dataset)
		}
	}
	return ""
}

// macroValues is the unweighted mean over datasets of every metric (A11).
func macroValues(parts []part, kind Kind, o Options) Values {
	why := comparable(parts)
	var out Values
	for _, m := range o.registry() {
		if m.Kind != kind || m.GainOf != "" {
			continue
		}
		v := None(why)
		if why == "" {
			named := make([]Named, len(parts))
			for i, p := range parts {
				named[i] = Named{p.dataset, p.values.Get(m.Name)}
			}
			v = mean(named)
		}
		out = append(out, Named{m.Name[len(kind)+1:], v})
	}
	return out
}

// pooledValues puts all tasks of all datasets into one bag.
func pooledValues(parts []part, kind Kind, o Options) Values {
	why := comparable(parts)
	if len(parts) == 0 {
		why = "no dataset has it"
	}
	for _, p := range parts {
		if why == "" && p.why != "" {
			why = p.dataset + ": " + p.why
		}
	}
	var out Values
	for _, m := range o.registry() {
		if m.Kind != kind || m.GainOf != "" {
			continue
		}
		v := None(why)
		switch {
		case why != "":
		case m.Statistic.ByClass:
			v = None("label spaces of different datasets are disjoint: see the macro")
		default:
			v = m.Combine(parts[0].space, pool(parts, m.Statistic))
		}
		out = append(out, Named{m.Name[len(kind)+1:], v})
	}
	return out
}

// pool adds a statistic over datasets in their order.
func pool(parts []part, st *Statistic) []float64 {
	sum := make([]float64, len(parts[0].sums[st]))
	for _, p := range parts {
		for i, x := range p.sums[st] {
			sum[i] += x
		}
	}
	return sum
}

// macroCurve averages the datasets' curves point by point.
func macroCurve(parts []part) Curve {
	if len(parts) == 0 {
		return Curve{}
	}
	grid := parts[0].space.Grid
	if why := comparable(parts); why != "" {
		return constant(grid, None(why))
	}
	c := Curve{Grid: grid, Values: make([]Value, len(grid))}
	for i := range grid {
		named := make([]Named, len(parts))
		for k, p := range parts {
			named[k] = Named{p.dataset, p.curve.Values[i]}
		}
		c.Values[i] = mean(named)
	}
	return c
}

// pooledCurve is accuracy or mean score over all tasks of all datasets.
func pooledCurve(parts []part) Curve {
	if len(parts) == 0 {
		return Curve{}
	}
	grid := parts[0].space.Grid
	if why := comparable(parts); why != "" {
		return constant(grid, None(why))
	}
	for _, p := range parts {
		if p.why != "" {
			return constant(grid, None(p.dataset+": "+p.why))
		}
	}
	if parts[0].space.Judge >= 0 {
		return openCurve(grid, pool(parts, openCounts), openSum)
	}
	return accuracy(grid, pool(parts, closedCounts))
}
