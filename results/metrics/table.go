// Package metrics turns answers and scores into numbers: curves over prefix ratios, their areas,
// macro-F1, stable points, calibration, gains (metrics-and-judge.md A1–A12). It is pure: no input
// or output, nothing of this module but draw, and sums in a fixed order, so that equal tables give
// equal bytes.
//
// The one rule: a number that can't be computed is a [Value] with a reason, never 0 and never NaN.
//
// A caller joins gold and answers into a [Sample] (the evaluation table of A2; [Join] has its
// rules), calls [Evaluate] for each dataset, and [Assemble] for macro, pooled and gain.
package metrics

import (
	"math"
	"slices"
	"strings"
)

// State says what became of one prefix task in a cell (decisions.md, "States of a task in a cell").
type State string

// The states of a task. Missing exists only where answers come from a file. NotAsked and
// NotApplicable tasks are outside of every metric; a Pending one makes the cell's numbers null.
const (
	Answered      State = "answered"
	Missing       State = "missing"
	Abstained     State = "abstained"
	InvalidLabel  State = "invalid_label"
	MethodError   State = "method_error"
	Pending       State = "pending"
	NotAsked      State = "not_asked"
	NotApplicable State = "not_applicable"
)

// ScoreState says how one open answer enters a judge's mean (metrics-and-judge.md B5).
type ScoreState string

// The states of an open score. The zero value counts as ScorePending.
const (
	Scored        ScoreState = "scored"         // Score counts; NaN or outside [0, 1] counts as JudgeFailure
	MethodFailure ScoreState = "method_failure" // 0, in the denominator
	JudgeFailure  ScoreState = "judge_failure"  // unscored: out of the mean, under the coverage rule
	GoldOut       ScoreState = "gold_out"       // this judge can't read the gold text: out for all methods
	ScorePending  ScoreState = "pending"        // no verdict yet: the judge's numbers are null
)

// OpenScore is one judge's word on one task.
type OpenScore struct {
	State ScoreState
	Score float64 // in [0, 1], meaningful in state Scored only
}

// Observation is one prefix task of the evaluation table: gold and answer, joined.
type Observation struct {
	Steps     int  // k, the number of visible steps, ≥ 1
	Duplicate bool // the previous ratio had the same k
	State     State
	// Visible is the hash of the visible input, for the collision ceiling; "" where it isn't known.
	Visible string

	// ClosedEligible: gold has a closed intent. Gold and Predicted are normalised as by
	// [NormalizeLabel]; Predicted is "" unless State is Answered. Correct is true only where the
	// state is Answered and the labels are equal.
	ClosedEligible  bool
	Gold, Predicted string
	Correct         bool

	Confidence    float64 // of the closed answer, in [0, 1]
	HasConfidence bool
	// BadConfidence: a confidence was given that is no number in [0, 1]. It is dropped for
	// calibration only, and counted.
	BadConfidence bool

	// OpenEligible: gold has an open intent. Open is aligned with Sample.Judges; a missing entry is
	// pending. In states Missing and MethodError every score is a method failure, whatever stands
	// there.
	OpenEligible bool
	Open         []OpenScore
}

// Episode is the tasks of one trajectory, Tasks[i] at the i-th ratio of Sample.Grid.
type Episode struct {
	ID      string
	Cluster string // the unit of resampling; "" takes the ID
	Total   int    // T, the number of steps, ≥ 1
	Tasks   []Observation
}

// JudgeInfo names a judge and its threshold for the open stable point and the pass rate: a score
// passes when it is strictly greater than Theta (A8).
type JudgeInfo struct {
	Name, Fingerprint string
	Theta             float64
}

// Sample is the evaluation table of one dataset (or named test list) × ablation × method × seed.
// The order of the episodes doesn't matter: every function sorts a copy by ID first.
type Sample struct {
	Dataset    string // the block's name; a named test list is "weblinx/test_web"
	Ablation   string
	Method     string
	Seed       int64
	Grid       []int // ratios in permille, strictly increasing in (0, 1000]
	LabelSpace string
	// Labels is the label space, nil when it is not known; then invalid labels are not tested.
	Labels []string
	// Judges in declared order; the first is the primary one.
	Judges []JudgeInfo
	// OutOfMacro says why the dataset is left out of macro averages; "" counts it in. Steps that carry
	// nothing but their number and kind (FingerTip without action logs) are such a reason.
	OutOfMacro string
	Episodes   []Episode
}

// Options are the switches of A2 and A4. The zero value is the documented default.
type Options struct {
	// SkipMissing takes missing tasks out of all denominators instead of counting them as wrong.
	SkipMissing bool
	// Interpolate bridges an interior ratio without any eligible task by its neighbours instead of
	// leaving the area null (A4). Nothing is ever extrapolated.
	Interpolate bool
	// JudgeFailureIsZero counts judge failures as 0 (strict leaderboards); it is named in the output.
	JudgeFailureIsZero bool
	// Registry replaces the built-in metrics of [Registry]; nil keeps them. Fields of metrics that
	// it lacks are null.
	Registry []Metric
}

// sorted returns the episodes in byte order of their IDs, leaving s as it was.
func (s Sample) sorted() []Episode {
	byID := func(a, b Episode) int { return strings.Compare(a.ID, b.ID) }
	if slices.IsSortedFunc(s.Episodes, byID) {
		return s.Episodes
	}
	es := slices.Clone(s.Episodes)
	slices.SortStableFunc(es, byID)
	return es
}

// asked reports whether the task belongs to the cell at all.
func (o *Observation) asked() bool { return o.State != NotAsked && o.State != NotApplicable }

// closed reports whether the task is in the closed denominators.
func (o *Observation) closed(opt Options) bool {
	return o.ClosedEligible && o.asked() && !(opt.SkipMissing && o.State == Missing)
}

// open resolves the state of judge j's score by the policy of B5, and whether the task is in the
// open metrics at all.
func (o *Observation) open(j int, opt Options) (score float64, state ScoreState, in bool) {
	switch {
	case !o.OpenEligible:
		return 0, GoldOut, false
	case !o.asked(), opt.SkipMissing && o.State == Missing:
		return 0, "", false
	}
	s := OpenScore{State: ScorePending}
	if j < len(o.Open) {
		s = o.Open[j]
	}
	switch {
	case s.State == GoldOut:
		return 0, GoldOut, false
	case o.State == Missing || o.State == MethodError:
		return 0, MethodFailure, true
	case o.State == Pending:
		return 0, ScorePending, true
	}
	switch s.State {
	case Scored:
		if math.IsNaN(s.Score) || s.Score < 0 || s.Score > 1 {
			s.State = JudgeFailure
		}
	case MethodFailure, JudgeFailure:
	default:
		s.State = ScorePending
	}
	if s.State == JudgeFailure && opt.JudgeFailureIsZero {
		s.State = MethodFailure
	}
	if s.State != Scored {
		s.Score = 0
	}
	return s.Score, s.State, true
}
