package metrics

// Area integrates a curve over its grid by the trapezoid rule (metrics-and-judge.md A4): the raw
// integral, in [0, width], and the same over the width, in [0, 1] for values in [0, 1]. On the
// tenths grid the width is 0.9.
//
// A null on the curve is a gap: both are null, unless interpolate is set and the gap is interior,
// which is then bridged by its neighbours. Nothing is ever extrapolated. A grid of one point has
// area 0 and its value as the normalised area (degenerate).
func Area(c Curve, interpolate bool) (area, normalised Value) {
	last := len(c.Values) - 1
	if last < 0 {
		return None("the grid is empty"), None("the grid is empty")
	}
	for i, v := range c.Values {
		if v.known || interpolate && i > 0 && i < last {
			continue
		}
		none := None("gap at " + RatioKey(c.Grid[i]) + ": " + v.Why())
		return none, none
	}
	if last == 0 {
		return Of(0), c.Values[0]
	}
	// Widths are integers, so that the area of the constant 1 is exact.
	sum, from := 0.0, 0
	for i := 1; i <= last; i++ {
		if !c.Values[i].known {
			continue
		}
		sum += float64(c.Grid[i]-c.Grid[from]) * (c.Values[from].number + c.Values[i].number)
		from = i
	}
	return Of(sum / 2000), Of(sum / float64(2*(c.Grid[last]-c.Grid[0])))
}

// GridName names an area's grid where it isn't the one from 0.1 to 1.0: "" for that, else
// "@0.2-1.0" (A4: numbers on different grids are never put into one column).
func GridName(grid []int) string {
	if len(grid) == 0 || grid[0] == 100 && grid[len(grid)-1] == 1000 {
		return ""
	}
	return "@" + shortRatio(grid[0]) + "-" + shortRatio(grid[len(grid)-1])
}

// shortRatio writes at least one decimal: 0.2, 0.25, 1.0.
func shortRatio(permille int) string {
	s := RatioKey(permille)
	if permille%100 == 0 {
		s = s[:len(s)-1]
	}
	return s
}

// Collapse integrates an episode over its effective ratios (A10): steps are the numbers of visible
// steps of its tasks in grid order, y their values; the first task of each distinct number of steps
// is kept, and the area is divided by its own width. With one node left the value is y itself and
// degenerate is true. Null y's make the result null.
func Collapse(steps []int, y []Value) (normalised Value, degenerate bool) {
	sum, kept := 0.0, 0
	var first, last int
	var before float64
	for i, k := range steps {
		if kept > 0 && k == last {
			continue
		}
		v, ok := y[i].Get()
		switch {
		case !ok:
			return None(y[i].Why()), false
		case kept == 0:
			first = k
		default:
			sum += float64(k-last) * (before + v)
		}
		last, before = k, v
		kept++
	}
	switch kept {
	case 0:
		return None("no task"), false
	case 1:
		return Of(before), true
	}
	return Of(sum / float64(2*(last-first))), false
}
