package metrics

// closedCounts holds, per ratio, the right and the eligible tasks: [correct…, n…].
var closedCounts = &Statistic{
	Name: "closed_counts",
	Size: func(sp *Space) int { return 2 * len(sp.Grid) },
	Add: func(sp *Space, e *Episode, sum []float64) {
		m := len(sp.Grid)
		for i := range e.Tasks {
			o := &e.Tasks[i]
			if !o.closed(sp.Options) {
				continue
			}
			sum[m+i]++
			if o.Correct {
				sum[i]++
			}
		}
	},
}

// accuracy is Acc(r) (A3): right over eligible tasks, null where there is none.
func accuracy(grid []int, sum []float64) Curve {
	c := Curve{Grid: grid, Values: make([]Value, len(grid))}
	for i := range grid {
		c.Values[i] = ratio(sum[i], sum[len(grid)+i], "no eligible task")
	}
	return c
}

// Layout of the sums of a collapse statistic.
const (
	collapseSum        = iota // sum of the episodes' normalised areas
	collapseN                 // episodes that have one
	collapseDegenerate        // of these, episodes with a single distinct prefix
	collapseGaps              // episodes left out because a node has no value
	collapseSize
)

// addCollapsed adds one episode's normalised area over effective ratios.
func addCollapsed(steps []int, y []Value, sum []float64) {
	if len(steps) == 0 {
		return
	}
	v, degenerate := Collapse(steps, y)
	x, ok := v.Get()
	if !ok {
		sum[collapseGaps]++
		return
	}
	sum[collapseSum] += x
	sum[collapseN]++
	if degenerate {
		sum[collapseDegenerate]++
	}
}

var closedCollapse = &Statistic{
	Name: "closed_collapse",
	Size: func(*Space) int { return collapseSize },
	Add: func(sp *Space, e *Episode, sum []float64) {
		var kBuf [32]int
		var yBuf [32]Value
		steps, y := kBuf[:0], yBuf[:0]
		for i := range e.Tasks {
			o := &e.Tasks[i]
			if !o.closed(sp.Options) {
				continue
			}
			steps = append(steps, o.Steps)
			y = append(y, Of(indicator(o.Correct)))
		}
		addCollapsed(steps, y, sum)
	},
}

// closedStable is the stable point of the closed intent.
var closedStable = &Statistic{
	Name: "closed_stable",
	Size: func(sp *Space) int { return len(sp.Grid) + ttcExtra },
	Add: func(sp *Space, e *Episode, sum []float64) {
		var atBuf [32]int
		var rightBuf [32]bool
		at, right := atBuf[:0], rightBuf[:0]
		for i := range e.Tasks {
			if o := &e.Tasks[i]; o.closed(sp.Options) {
				at, right = append(at, i), append(right, o.Correct)
			}
		}
		addStable(sp, e, at, right, sum)
	},
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
