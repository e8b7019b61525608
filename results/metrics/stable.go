package metrics

// Stable finds the stable point of one episode (A6, A8): the index of the first task from which on
// all are right, -1 when the last one is wrong. It is found by scanning from the end.
func Stable(right []bool) int {
	at := len(right)
	for at > 0 && right[at-1] {
		at--
	}
	if at == len(right) {
		return -1
	}
	return at
}

// Flips counts the changes between right and wrong along the grid.
func Flips(right []bool) int {
	n := 0
	for i := 1; i < len(right); i++ {
		if right[i] != right[i-1] {
			n++
		}
	}
	return n
}

// Stability is one episode's closed answers along the grid (A6).
type Stability struct {
	Ratio        Value // requested ratio of the stable point; null: never
	Steps        int   // k there; 0: never
	Effective    Value // k/T there
	FirstCorrect Value // requested ratio of the first right answer
	Flips        int
}

// StablePoint looks at one episode's closed answers. Missing answers count as wrong, unless the
// options skip them.
func StablePoint(grid []int, e Episode, o Options) Stability {
	s := Stability{Ratio: None("never stable"), Effective: None("never stable"), FirstCorrect: None("never right")}
	var at []int
	var right []bool
	for i := range e.Tasks {
		t := &e.Tasks[i]
		if !t.closed(o) {
			continue
		}
		at, right = append(at, i), append(right, t.Correct)
		if t.Correct && !s.FirstCorrect.Known() {
			s.FirstCorrect = Of(float64(grid[i]) / 1000)
		}
	}
	s.Flips = Flips(right)
	if j := Stable(right); j >= 0 {
		s.Ratio, s.Steps = Of(float64(grid[at[j]])/1000), e.Tasks[at[j]].Steps
		s.Effective = ratio(float64(s.Steps), float64(e.Total), "the episode has no step")
	}
	return s
}

// Never is what a never-solved episode costs in the restricted mean, in permille: one grid step
// beyond the end, r_m + (r_m − r_{m−1}); 2·r_m on a grid of one point (benchmark.md).
func Never(grid []int) int {
	m := len(grid)
	switch m {
	case 0:
		return 0
	case 1:
		return 2 * grid[0]
	}
	return 2*grid[m-1] - grid[m-2]
}

// effectiveNever is the same on the axis of effective ratios.
const effectiveNever = 1.1

// Layout of the sums of a stable-point statistic over m ratios: [0, m) episodes that become stable
// at the i-th ratio, then the following.
const (
	ttcNever     = iota // episodes that never do
	ttcEffective        // sum of min(k/T, 1.1)
	ttcFlips            // sum of flips
	ttcExtra            // size beyond the grid
)

// addStable adds one episode. at are the grid positions of its tasks, right their outcomes; an
// episode whose last grid point is not among them is outside, so that the share of solved episodes
// is the accuracy at the last ratio.
func addStable(sp *Space, e *Episode, at []int, right []bool, sum []float64) {
	m := len(sp.Grid)
	if len(at) == 0 || at[len(at)-1] != m-1 {
		return
	}
	sum[m+ttcFlips] += float64(Flips(right))
	s := Stable(right)
	if s < 0 {
		sum[m+ttcNever]++
		sum[m+ttcEffective] += effectiveNever
		return
	}
	sum[at[s]]++
	sum[m+ttcEffective] += min(float64(e.Tasks[at[s]].Steps)/float64(max(1, e.Total)), effectiveNever)
}

// TTC is the block of stable points (A6), in the order of trust: how many episodes are solved for
// good, and from which requested ratio on.
type TTC struct {
	N              Value `json:"n"`
	SolveRate      Value `json:"solve_rate"`
	NSolved        Value `json:"n_solved"`
	MeanSolved     Value `json:"mean_solved"` // over solved episodes only: never compare it across methods
	RestrictedMean Value `json:"restricted_mean"`
	Never          Value `json:"never"` // what a never-solved episode costs in restricted_mean
	Q25            Value `json:"q25"`
	Median         Value `json:"median"`
	Q75            Value `json:"q75"`
	StableCurve    Curve `json:"stable_curve"`
	StableNAUC     Value `json:"stable_nauc"`

	EffectiveRestrictedMean Value `json:"effective_restricted_mean"`
	MeanFlips               Value `json:"mean_flips"`

	// Optimistic is set for open intents: the same with unscored answers passing. The numbers above
	// let them fail.
	Optimistic *OptimisticTTC `json:"optimistic,omitempty"`
}

// OptimisticTTC is the other end of the interval of A8.
type OptimisticTTC struct {
	NAffected      Value `json:"n_affected"` // episodes whose stable point hangs on an unscored answer
	SolveRate      Value `json:"solve_rate"`
	RestrictedMean Value `json:"restricted_mean"`
	StableNAUC     Value `json:"stable_nauc"`
}

// MarshalJSON writes reasons beside nulls.
func (t TTC) MarshalJSON() ([]byte, error) { return object(t) }

// MarshalJSON writes reasons beside nulls.
func (t OptimisticTTC) MarshalJSON() ([]byte, error) { return object(t) }

// ttcOf turns the sums of addStable into the block.
func ttcOf(grid []int, sum []float64) TTC {
	const none = "no episode has a task at the last ratio"
	m := len(grid)
	solved, weighted := 0.0, 0.0
	curve := constant(grid, None(none))
	n := sum[m+ttcNever]
	for i := range m {
		n += sum[i]
	}
	for i := range m {
		solved += sum[i]
		weighted += sum[i] * float64(grid[i])
		curve.Values[i] = ratio(solved, n, none)
	}
	never := float64(Never(grid))
	t := TTC{N: Of(n), NSolved: Of(solved), Never: Of(never / 1000), StableCurve: curve,
		SolveRate:               ratio(solved, n, none),
		MeanSolved:              ratio(weighted, 1000*solved, "no episode is solved"),
		RestrictedMean:          ratio(weighted+sum[m+ttcNever]*never, 1000*n, none),
		EffectiveRestrictedMean: ratio(sum[m+ttcEffective], n, none),
		MeanFlips:               ratio(sum[m+ttcFlips], n, none),
		Q25:                     stableQuantile(grid, sum, n, 25),
		Median:                  stableQuantile(grid, sum, n, 50),
		Q75:                     stableQuantile(grid, sum, n, 75),
	}
	_, t.StableNAUC = Area(curve, false)
	return t
}

// stableQuantile is the nearest-rank quantile with never as infinity.
func stableQuantile(grid []int, sum []float64, n float64, percent int) Value {
	if n == 0 {
		return None("no episode has a task at the last ratio")
	}
	seen := 0.0
	for i, r := range grid {
		if seen += sum[i]; seen*100 >= n*float64(percent) && seen > 0 {
			return Of(float64(r) / 1000)
		}
	}
	return None("not reached: too few episodes are solved")
}
