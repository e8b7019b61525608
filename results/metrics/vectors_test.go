package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// tenths is the default grid.
var tenths = []int{100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}

type vector struct {
	ID     string          `json:"id"`
	Input  json.RawMessage `json:"input"`
	Expect json.RawMessage `json:"expect"`
}

// vectorFiles are our own copy of the vectors that concern this package, and, where it is at hand,
// the file that they come from.
func vectorFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{"copy": filepath.Join("testdata", "vectors.json")}
	shared := os.Getenv("INTENTLAB_SHARED")
	if shared == "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			if dir == filepath.Dir(dir) {
				t.Fatal("no go.mod above the test's folder")
			}
			dir = filepath.Dir(dir)
		}
		shared = filepath.Join(dir, "..", "shared")
	}
	files["shared"] = filepath.Join(shared, "spec", "metrics-vectors.json")
	return files
}

func TestVectors(t *testing.T) {
	for name, file := range vectorFiles(t) {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(file)
			if os.IsNotExist(err) && name == "shared" {
				t.Skip("metrics-vectors.json is not beside the project; the copy in testdata is checked")
			}
			if err != nil {
				t.Fatal(err)
			}
			var all struct{ Vectors []vector }
			if err := json.Unmarshal(b, &all); err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, v := range all.Vectors {
				check, ok := checks[v.ID]
				if !ok {
					continue
				}
				seen[v.ID] = true
				t.Run(v.ID, func(t *testing.T) { check(t, v) })
			}
			for id := range checks {
				if !seen[id] {
					t.Errorf("%s is not in %s", id, file)
				}
			}
		})
	}
}

var checks = map[string]func(*testing.T, vector){
	"V01": checkPrefixes, "V02": checkFloatTrap, "V03": checkAreas, "V04": checkGaps, "V05": checkLinearity,
	"V06": checkMissing, "V07": checkLabelSets, "V08": checkSentinel, "V09": checkSingleClass, "V10": checkPooledF1,
	"V11": checkStablePoints, "V12": checkStableAggregate, "V13": checkNobodyRight, "V15": checkCollapse,
	"V16": checkDisagreement, "V17": checkOpenScore, "V18": checkOpenStable, "V19": checkOpenInterval, "V20": checkGain,
	"V21": checkLevels, "V22": checkCalibration, "V23": checkRiskCoverage, "V24": checkStopping, "V25": checkTemporalStability,
	"V35": checkScales, "V44": checkCeiling, "V45": checkPriors, "V46": checkDesignEffect, "V47": checkAnchors,
}

// decode fills in from the vector's input and out from what it expects.
func decode(t *testing.T, v vector, in, out any) {
	t.Helper()
	for _, p := range []struct {
		raw json.RawMessage
		to  any
	}{{v.Input, in}, {v.Expect, out}} {
		if err := json.Unmarshal(p.raw, p.to); err != nil {
			t.Fatalf("%s: %v", v.ID, err)
		}
	}
}

func near(t *testing.T, what string, got Value, want float64) {
	t.Helper()
	x, ok := got.Get()
	if !ok || math.Abs(x-want) > 1e-9 {
		t.Errorf("%s = %v (%s), want %v", what, x, got.why, want)
	}
}

func null(t *testing.T, what string, got Value) {
	t.Helper()
	if got.Known() || got.Why() == "" {
		t.Errorf("%s = %v, want null with a reason", what, got)
	}
}

// nearOrNull compares with a JSON number or null.
func nearOrNull(t *testing.T, what string, got Value, want *float64) {
	t.Helper()
	if want == nil {
		null(t, what, got)
		return
	}
	near(t, what, got, *want)
}

func curveOf(grid []int, xs []*float64) Curve {
	c := Curve{Grid: grid}
	for _, x := range xs {
		if x == nil {
			c.Values = append(c.Values, None("no eligible task"))
			continue
		}
		c.Values = append(c.Values, Of(*x))
	}
	return c
}

// closedEpisode has label "A" as gold; a right answer says so, a wrong one says "B", null is missing.
func closedEpisode(id string, total int, grid []int, right []*int) Episode {
	e := Episode{ID: id, Total: total}
	dup := Duplicates(total, grid)
	for i, r := range grid {
		g := Gold{Steps: Steps(total, r), Duplicate: dup[i], ClosedEligible: true, Closed: "A"}
		a := Given{Closed: "B"}
		switch {
		case right[i] == nil:
			a = Given{State: Missing}
		case *right[i] == 1:
			a.Closed = "A"
		}
		e.Tasks = append(e.Tasks, Join(g, a, nil, 0))
	}
	return e
}

func closedSample(episodes map[string][]*int, total func(string) int) Sample {
	s := Sample{Dataset: "d", Grid: tenths}
	for id, right := range episodes {
		s.Episodes = append(s.Episodes, closedEpisode(id, total(id), tenths, right))
	}
	return s
}

func ten(string) int { return 10 }

// slice is a sample of one ratio with one episode a label.
func slice(gold []string, predicted []*string, labels []string) Sample {
	s := Sample{Dataset: "d", Grid: []int{1000}, Labels: labels}
	for i, g := range gold {
		a := Given{State: Missing}
		if predicted[i] != nil {
			a = Given{Closed: *predicted[i]}
		}
		s.Episodes = append(s.Episodes, Episode{ID: fmt.Sprintf("%03d", i), Total: 1,
			Tasks: []Observation{Join(Gold{Steps: 1, ClosedEligible: true, Closed: g}, a, NewLabelSet(labels), 0)}})
	}
	return s
}

func checkPrefixes(t *testing.T, v vector) {
	var in struct{ T []int }
	var want map[string]struct {
		K, Dup []int
		NDup   int `json:"n_dup"`
	}
	decode(t, v, &in, &want)
	for _, total := range in.T {
		w := want[fmt.Sprint(total)]
		n := 0
		for i, d := range Duplicates(total, tenths) {
			if k := Steps(total, tenths[i]); k != w.K[i] || count(d) != w.Dup[i] {
				t.Errorf("T=%d r=%s: k %d duplicate %v, want %d %d", total, RatioKey(tenths[i]), k, d, w.K[i], w.Dup[i])
			}
			n += count(d)
		}
		if n != w.NDup {
			t.Errorf("T=%d: %d duplicates, want %d", total, n, w.NDup)
		}
	}
}

func checkFloatTrap(t *testing.T, v vector) {
	var in struct {
		Cases []struct {
			T, I  int
			Ratio string
		}
	}
	var want struct {
		K []int `json:"integer_k"`
	}
	decode(t, v, &in, &want)
	for i, c := range in.Cases {
		permille := c.I * 100
		if c.Ratio == "0.55" {
			permille = 550
		}
		if k := Steps(c.T, permille); k != want.K[i] {
			t.Errorf("T=%d permille %d: %d, want %d", c.T, permille, k, want.K[i])
		}
	}
}

func checkAreas(t *testing.T, v vector) {
	var in map[string][]*float64
	var want map[string]struct{ AUC, NAUC float64 }
	decode(t, v, &in, &want)
	for name, ys := range in {
		area, n := Area(curveOf(tenths, ys), false)
		near(t, name+" auc", area, want[name].AUC)
		near(t, name+" nauc", n, want[name].NAUC)
	}
}

func checkGaps(t *testing.T, v vector) {
	var in map[string][]*float64
	var want struct {
		Lenient map[string]struct{ AUC, NAUC *float64 }
		Sub     struct {
			AUC  float64
			NAUC float64 `json:"nauc_over_0.8"`
		} `json:"subgrid_0.2_1.0"`
	}
	decode(t, v, &in, &want)
	for name, ys := range in {
		area, n := Area(curveOf(tenths, ys), false)
		null(t, name+" strict auc", area)
		null(t, name+" strict nauc", n)
		area, n = Area(curveOf(tenths, ys), true)
		nearOrNull(t, name+" bridged auc", area, want.Lenient[name].AUC)
		nearOrNull(t, name+" bridged nauc", n, want.Lenient[name].NAUC)
	}
	area, n := Area(curveOf(tenths[1:], in["endpoint_gap"][1:]), false)
	near(t, "sub-grid auc", area, want.Sub.AUC)
	near(t, "sub-grid nauc", n, want.Sub.NAUC)
	if name := GridName(tenths[1:]); name != "@0.2-1.0" {
		t.Errorf("the sub-grid is called %q", name)
	}
}

func checkLinearity(t *testing.T, v vector) {
	var in map[string][]*int
	var want struct {
		Acc       []float64
		AUC, NAUC float64
		Episodes  map[string]float64 `json:"episode_nauc"`
		Mean      float64            `json:"mean_episode_nauc"`
	}
	decode(t, v, &in, &want)
	s := closedSample(in, ten)
	r := Evaluate(s, Options{})
	for i, a := range want.Acc {
		near(t, "acc", r.Closed.Acc.Values[i], a)
	}
	near(t, "auc", r.Closed.AUC, want.AUC)
	near(t, "nauc", r.Closed.NAUC, want.NAUC)
	sum := 0.0
	for _, e := range s.Episodes {
		one := s
		one.Episodes = []Episode{e}
		n := Evaluate(one, Options{}).Closed.NAUC
		near(t, e.ID, n, want.Episodes[e.ID])
		sum += n.number
	}
	near(t, "mean of episodes", Of(sum/float64(len(s.Episodes))), want.Mean)
}

func checkMissing(t *testing.T, v vector) {
	var in struct {
		Space []string `json:"label_space"`
		Gold  []string
		Pred  []*string
	}
	var want map[string]float64
	decode(t, v, &in, &want)
	s := slice(in.Gold, in.Pred, in.Space)
	r := Evaluate(s, Options{})
	near(t, "acc", r.Closed.Acc.Values[0], want["acc_missing_is_wrong"])
	near(t, "invalid", r.Coverage.InvalidLabel, want["invalid_label_rate"])
	near(t, "missing", r.Coverage.Missing, 1-want["coverage"])
	near(t, "acc without missing", Evaluate(s, Options{SkipMissing: true}).Closed.Acc.Values[0], want["acc_answered_only"])
}

func pointers(xs []string) []*string {
	out := make([]*string, len(xs))
	for i := range xs {
		out[i] = &xs[i]
	}
	return out
}

func checkLabelSets(t *testing.T, v vector) {
	var in struct {
		Gold, Pred []string
		Space      []string `json:"label_space"`
	}
	var want struct {
		Union    float64 `json:"macro_f1_union"`
		GoldOnly float64 `json:"macro_f1_gold_only"`
	}
	decode(t, v, &in, &want)
	r := Evaluate(slice(in.Gold, pointers(in.Pred), in.Space), Options{})
	near(t, "union", r.Closed.MacroF1, want.Union)
	near(t, "gold", r.Closed.MacroF1Gold, want.GoldOnly)
	near(t, "union of a slice", MacroF1(in.Gold, in.Pred, false), want.Union)
	near(t, "gold of a slice", MacroF1(in.Gold, in.Pred, true), want.GoldOnly)
}

func checkSentinel(t *testing.T, v vector) {
	var in struct {
		Gold  []string
		Pred  []*string
		Space []string `json:"label_space"`
	}
	var want struct {
		F1 float64 `json:"macro_f1"`
	}
	decode(t, v, &in, &want)
	near(t, "macro_f1", Evaluate(slice(in.Gold, in.Pred, in.Space), Options{}).Closed.MacroF1, want.F1)
}

func checkSingleClass(t *testing.T, v vector) {
	var in map[string]struct{ Gold, Pred []string }
	var want map[string]*float64
	decode(t, v, &in, &want)
	f1 := func(name string, gold bool) Value { return MacroF1(in[name].Gold, in[name].Pred, gold) }
	nearOrNull(t, "a", f1("case_a", false), want["case_a"])
	nearOrNull(t, "b union", f1("case_b", false), want["case_b_union"])
	nearOrNull(t, "b gold", f1("case_b", true), want["case_b_gold_only"])
	nearOrNull(t, "c union", f1("case_c", false), want["case_c_union"])
	nearOrNull(t, "d", f1("case_d", false), want["case_d"])
}

func checkPooledF1(t *testing.T, v vector) {
	var in struct {
		Gold [][]string `json:"gold_by_ratio"`
		Pred [][]string `json:"pred_by_ratio"`
	}
	var want struct {
		PerRatio []float64 `json:"per_ratio"`
		Mean     float64   `json:"mean_per_ratio"`
		Pooled   float64
	}
	decode(t, v, &in, &want)
	s := Sample{Dataset: "d", Grid: []int{500, 1000}}
	for e := range in.Gold[0] {
		ep := Episode{ID: fmt.Sprint(e), Total: 2}
		for r := range in.Gold {
			ep.Tasks = append(ep.Tasks, Join(Gold{Steps: r + 1, ClosedEligible: true, Closed: in.Gold[r][e]}, Given{Closed: in.Pred[r][e]}, nil, 0))
		}
		s.Episodes = append(s.Episodes, ep)
	}
	c := Evaluate(s, Options{}).Closed
	for i, w := range want.PerRatio {
		near(t, "per ratio", c.MacroF1Curve.Values[i], w)
	}
	near(t, "nauc of the curve", c.MacroF1NAUC, want.Mean) // two points: the trapezoid is the mean
	near(t, "pooled", c.MacroF1, want.Pooled)
}

func checkStablePoints(t *testing.T, v vector) {
	var in map[string]struct {
		T       int
		Correct []*int
	}
	var want map[string]struct {
		Ratio     *float64 `json:"ttc_ratio"`
		Steps     *int     `json:"ttc_steps"`
		Effective *float64 `json:"ttc_effective"`
		First     *float64 `json:"first_correct"`
		Flips     int
	}
	decode(t, v, &in, &want)
	for name, c := range in {
		w := want[name]
		e := closedEpisode(name, c.T, tenths, c.Correct)
		o := StablePoint(tenths, e, Options{})
		nearOrNull(t, name+" ratio", o.Ratio, w.Ratio)
		nearOrNull(t, name+" effective", o.Effective, w.Effective)
		nearOrNull(t, name+" first", o.FirstCorrect, w.First)
		if o.Flips != w.Flips || (w.Steps == nil) != (o.Steps == 0) || w.Steps != nil && o.Steps != *w.Steps {
			t.Errorf("%s: steps %d flips %d, want %v %d", name, o.Steps, o.Flips, w.Steps, w.Flips)
		}
	}
}

func ttcSample(ttc []*float64) Sample {
	s := Sample{Dataset: "d", Grid: tenths}
	for i, at := range ttc {
		right := make([]*int, 10)
		for j := range right {
			y := count(at != nil && tenths[j] >= int(math.Round(*at*1000)))
			right[j] = &y
		}
		s.Episodes = append(s.Episodes, closedEpisode(fmt.Sprint(i), 10, tenths, right))
	}
	return s
}

func checkStableAggregate(t *testing.T, v vector) {
	var in struct{ TTC []*float64 }
	var want struct {
		N, Solved  float64
		Rate       float64   `json:"solve_rate"`
		Mean       float64   `json:"mean_solved_only"`
		Restricted float64   `json:"restricted_mean_1.1"`
		Curve      []float64 `json:"stable_curve"`
		Median     float64   `json:"median_with_never_as_inf"`
		Q75        *float64  `json:"q75_with_never_as_inf"`
	}
	decode(t, v, &in, &want)
	b := Evaluate(ttcSample(in.TTC), Options{}).Closed.TTC
	near(t, "n", b.N, want.N)
	near(t, "solved", b.NSolved, want.Solved)
	near(t, "rate", b.SolveRate, want.Rate)
	near(t, "mean", b.MeanSolved, want.Mean)
	near(t, "restricted", b.RestrictedMean, want.Restricted)
	near(t, "effective", b.EffectiveRestrictedMean, want.Restricted) // T = 10: the axes coincide
	near(t, "median", b.Median, want.Median)
	nearOrNull(t, "q75", b.Q75, want.Q75)
	for i, w := range want.Curve {
		near(t, "curve", b.StableCurve.Values[i], w)
	}
}

func checkNobodyRight(t *testing.T, v vector) {
	var in struct{ TTC []*float64 }
	var want struct {
		Rate       float64  `json:"solve_rate"`
		Mean       *float64 `json:"mean_solved_only"`
		Median     *float64 `json:"median_with_never_as_inf"`
		Restricted float64  `json:"restricted_mean_1.1"`
	}
	decode(t, v, &in, &want)
	b := Evaluate(ttcSample(in.TTC), Options{}).Closed.TTC
	near(t, "rate", b.SolveRate, want.Rate)
	nearOrNull(t, "mean", b.MeanSolved, want.Mean)
	nearOrNull(t, "median", b.Median, want.Median)
	near(t, "restricted", b.RestrictedMean, want.Restricted)
}

func checkCollapse(t *testing.T, v vector) {
	var in map[string]struct {
		T       int
		Correct []*int
	}
	var raw map[string]json.RawMessage
	decode(t, v, &in, &raw)
	s := Sample{Dataset: "d", Grid: tenths}
	sum := 0.0
	for name, c := range in {
		var w struct {
			NAUC       float64
			Degenerate bool
			Requested  float64 `json:"requested_nauc"`
		}
		if err := json.Unmarshal(raw[name], &w); err != nil {
			t.Fatal(err)
		}
		e := closedEpisode(name, c.T, tenths, c.Correct)
		one := Sample{Dataset: "d", Grid: tenths, Episodes: []Episode{e}}
		b := Evaluate(one, Options{}).Closed
		near(t, name, b.NAUCEffective, w.NAUC)
		near(t, name+" degenerate", b.NDegenerate, indicator(w.Degenerate))
		near(t, name+" requested", b.NAUC, w.Requested)
		sum += b.NAUC.number
		s.Episodes = append(s.Episodes, e)
	}
	var eff, req float64
	if err := json.Unmarshal(raw["mean_effective_nauc"], &eff); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw["mean_requested_nauc"], &req); err != nil {
		t.Fatal(err)
	}
	b := Evaluate(s, Options{}).Closed
	near(t, "mean effective", b.NAUCEffective, eff)
	near(t, "mean requested", b.NAUC, req)
	near(t, "mean of requested", Of(sum/float64(len(in))), req)
}

func checkDisagreement(t *testing.T, v vector) {
	var in struct {
		K    []int
		Pred []string
	}
	var want struct {
		Duplicates int
		Rate       float64
	}
	decode(t, v, &in, &want)
	e := Episode{ID: "e", Total: 3}
	dup := Duplicates(3, tenths)
	for i, p := range in.Pred {
		if k := Steps(3, tenths[i]); k != in.K[i] {
			t.Fatalf("k %d, want %d", k, in.K[i])
		}
		e.Tasks = append(e.Tasks, Join(Gold{Steps: in.K[i], Duplicate: dup[i], ClosedEligible: true, Closed: "A"}, Given{Closed: p}, nil, 0))
	}
	r := Evaluate(Sample{Dataset: "d", Grid: tenths, Episodes: []Episode{e}}, Options{})
	near(t, "rate", r.DuplicateDisagreement, want.Rate)
	if r.NDuplicates != want.Duplicates {
		t.Errorf("%d duplicates, want %d", r.NDuplicates, want.Duplicates)
	}
}

// openSample has one judge with the given scores, one row an episode.
func openSample(grid []int, theta float64, rows ...[]OpenScore) Sample {
	s := Sample{Dataset: "d", Grid: grid, Judges: []JudgeInfo{{Name: "j", Fingerprint: "f", Theta: theta}}}
	for i, row := range rows {
		e := Episode{ID: fmt.Sprintf("%04d", i), Total: 10}
		for j, sc := range row {
			e.Tasks = append(e.Tasks, Observation{Steps: Steps(10, grid[j]), State: Answered, OpenEligible: true, Open: []OpenScore{sc}})
		}
		s.Episodes = append(s.Episodes, e)
	}
	return s
}

func scored(xs ...float64) []OpenScore {
	out := make([]OpenScore, len(xs))
	for i, x := range xs {
		out[i] = OpenScore{Scored, x}
	}
	return out
}

func checkOpenScore(t *testing.T, v vector) {
	var in struct{ Status []string }
	var want struct {
		Score     float64 `json:"open_score"`
		NScored   float64 `json:"n_scored"`
		NUnscored float64 `json:"n_unscored"`
		Coverage  float64 `json:"judge_coverage"`
		Low       float64 `json:"bound_low"`
		High      float64 `json:"bound_high"`
	}
	decode(t, v, &in, &want)
	if !slices.Equal(in.Status, []string{"scored", "judge_failed", "scored", "method_empty", "scored_nan->judge_failed"}) {
		t.Fatalf("the vector changed: %v", in.Status)
	}
	s := openSample([]int{1000}, 0.7, scored(0.75), []OpenScore{{JudgeFailure, 0}}, scored(1), []OpenScore{{MethodFailure, 0}}, scored(math.NaN()))
	b := Evaluate(s, Options{}).Open
	null(t, "withheld score", b.Score.Values[0])
	null(t, "withheld nauc", b.NAUC)
	near(t, "scored", b.NScored, want.NScored)
	near(t, "unscored", b.NUnscored, want.NUnscored)
	near(t, "coverage", b.JudgeCoverage, want.Coverage)
	near(t, "low", b.Bounds.Low, want.Low)
	near(t, "high", b.Bounds.High, want.High)
	// Without the unscored answers the mean is published.
	s.Episodes = []Episode{s.Episodes[0], s.Episodes[2], s.Episodes[3]}
	b = Evaluate(s, Options{}).Open
	near(t, "score", b.Score.Values[0], want.Score)
	if b.Bounds != nil {
		t.Error("bounds stand where nothing is withheld")
	}
}

func checkOpenStable(t *testing.T, v vector) {
	var in struct{ Scores, Thresholds []float64 }
	var want struct {
		AUC, NAUC float64
		Stable    map[string]map[string]float64
	}
	decode(t, v, &in, &want)
	for _, theta := range in.Thresholds {
		b := Evaluate(openSample(tenths, theta, scored(in.Scores...)), Options{}).Open
		near(t, "auc", b.AUC, want.AUC)
		near(t, "nauc", b.NAUC, want.NAUC)
		near(t, fmt.Sprint("stable at theta ", theta), b.TTC.MeanSolved, want.Stable[fmt.Sprint(theta)][">"])
	}
}

func checkOpenInterval(t *testing.T, v vector) {
	var in struct {
		Scores    []*float64
		Threshold float64
	}
	var want struct {
		Pessimistic float64 `json:"pessimistic_unknown_fails"`
		Optimistic  float64 `json:"optimistic_unknown_passes"`
	}
	decode(t, v, &in, &want)
	row := make([]OpenScore, len(in.Scores))
	for i, x := range in.Scores {
		if row[i] = (OpenScore{JudgeFailure, 0}); x != nil {
			row[i] = OpenScore{Scored, *x}
		}
	}
	b := Evaluate(openSample(tenths, in.Threshold, row), Options{}).Open.TTC
	near(t, "pessimistic", b.RestrictedMean, want.Pessimistic)
	near(t, "optimistic", b.Optimistic.RestrictedMean, want.Optimistic)
	near(t, "affected", b.Optimistic.NAffected, 1)
}

func checkGain(t *testing.T, v vector) {
	var in struct{ Method, Baseline map[string][]*int }
	var want struct {
		Method   float64            `json:"auc_method"`
		Baseline float64            `json:"auc_baseline"`
		Gain     float64            `json:"area_gain"`
		Norm     float64            `json:"area_gain_normalized"`
		Episodes map[string]float64 `json:"episode_gain_normalized"`
		Without  struct {
			Wrong struct {
				Gain float64 `json:"area_gain"`
			} `json:"missing_is_wrong"`
			Intersection struct {
				N    int     `json:"n_episodes"`
				Gain float64 `json:"area_gain"`
			}
		} `json:"method_without_e3"`
	}
	decode(t, v, &in, &want)
	m, b := closedSample(in.Method, ten), closedSample(in.Baseline, ten)
	p := NewPair(m, b, Closed, "", Options{})
	d := p.Difference("closed.auc")
	near(t, "method", d.This, want.Method)
	near(t, "baseline", d.Reference, want.Baseline)
	g := p.Gain()
	near(t, "raw", g.Raw, want.Gain)
	near(t, "norm", g.Norm, want.Norm)
	for id, w := range want.Episodes {
		one := func(s Sample) Sample {
			s.Episodes = slices.DeleteFunc(slices.Clone(s.Episodes), func(e Episode) bool { return e.ID != id })
			return s
		}
		near(t, id, NewPair(one(m), one(b), Closed, "", Options{}).Gain().Norm, w)
	}
	without := map[string][]*int{"e1": in.Method["e1"], "e2": in.Method["e2"], "e3": make([]*int, 10)}
	m = closedSample(without, ten)
	near(t, "missing is wrong", NewPair(m, b, Closed, "", Options{}).Gain().Raw, want.Without.Wrong.Gain)
	// Skipping what is missing compares on common support, never on the tasks that were answered.
	g = NewPair(m, b, Closed, "", Options{SkipMissing: true}).Gain()
	near(t, "intersection", g.Raw, want.Without.Intersection.Gain)
	if g.NPaired != want.Without.Intersection.N {
		t.Errorf("%d paired, want %d", g.NPaired, want.Without.Intersection.N)
	}
}

func checkLevels(t *testing.T, v vector) {
	var in map[string]struct{ Correct, N int }
	var want struct {
		PerDataset map[string]float64 `json:"per_dataset"`
		Pooled     float64
		Macro      float64 `json:"macro_dataset"`
	}
	decode(t, v, &in, &want)
	var samples []Sample
	for name, c := range in {
		gold, pred := make([]string, c.N), make([]string, c.N)
		for i := range gold {
			gold[i], pred[i] = "A", map[bool]string{true: "A", false: "B"}[i < c.Correct]
		}
		s := slice(gold, pointers(pred), nil)
		s.Dataset = name
		samples = append(samples, s)
	}
	ev := EvaluateAll(Meta{}, samples, nil, Options{})
	for _, r := range ev.Datasets {
		near(t, r.Dataset, r.Closed.Acc.Values[0], want.PerDataset[r.Dataset])
	}
	near(t, "pooled", ev.Pooled.Closed.Acc.Values[0], want.Pooled)
	near(t, "macro", ev.Macro.Closed.Acc.Values[0], want.Macro)
	near(t, "pooled nauc of one point", ev.Value("pooled", "closed.nauc", ""), want.Pooled)
	near(t, "macro nauc of one point", ev.Value("macro", "closed.nauc", ""), want.Macro)
}

func confidences(conf []float64, right []int) Sample {
	s := Sample{Dataset: "d", Grid: []int{1000}}
	for i, c := range conf {
		a := Given{Closed: "A", Confidence: &c}
		if right[i] == 0 {
			a.Closed = "B"
		}
		s.Episodes = append(s.Episodes, Episode{ID: fmt.Sprintf("%05d", i), Total: 1,
			Tasks: []Observation{Join(Gold{Steps: 1, ClosedEligible: true, Closed: "A"}, a, nil, 0)}})
	}
	return s
}

func bools(xs []int) []bool {
	out := make([]bool, len(xs))
	for i, x := range xs {
		out[i] = x == 1
	}
	return out
}

func checkCalibration(t *testing.T, v vector) {
	var in struct {
		Confidence []float64
		Correct    []int
	}
	var want struct {
		ECE10 float64 `json:"ece_10"`
		MCE10 float64 `json:"mce_10"`
		ECE5  float64 `json:"ece_5"`
		Mass  float64 `json:"ece_equal_mass_5"`
		Brier float64
		NLL   float64 `json:"nll_clip_1e-6"`
	}
	decode(t, v, &in, &want)
	mean, largest := ECE(in.Confidence, bools(in.Correct), 10)
	near(t, "ece 10", Of(mean), want.ECE10)
	near(t, "mce 10", Of(largest), want.MCE10)
	near(t, "equal mass", Of(EqualMassECE(in.Confidence, bools(in.Correct), 5)), want.Mass)
	c := Evaluate(confidences(in.Confidence, in.Correct), Options{}).Closed.Calibration
	near(t, "ece of ten answers", c.ECE, want.ECE5)
	near(t, "brier", c.Brier, want.Brier)
	near(t, "nll", c.NLL, want.NLL)
	// Ten copies are a hundred answers, and so ten bins.
	var conf []float64
	var right []int
	for range 10 {
		conf, right = append(conf, in.Confidence...), append(right, in.Correct...)
	}
	c = Evaluate(confidences(conf, right), Options{}).Closed.Calibration
	near(t, "ece of a hundred answers", c.ECE, want.ECE10)
	near(t, "mce of a hundred answers", c.MCE, want.MCE10)
}

func checkRiskCoverage(t *testing.T, v vector) {
	var in struct {
		Confidence []float64
		Correct    []int
	}
	var want struct{ AURC float64 }
	decode(t, v, &in, &want)
	near(t, "aurc", AURC(in.Confidence, bools(in.Correct)), want.AURC)
}

func checkStopping(t *testing.T, v vector) {
	var in map[string]struct {
		Conf    []float64
		Correct []int
	}
	var want map[string]struct {
		Stop                []float64
		Accuracy, Earliness float64
		HM                  float64 `json:"harmonic_mean"`
		Cost5               float64 `json:"cost_alpha_0_5"`
		Cost8               float64 `json:"cost_alpha_0_8"`
	}
	decode(t, v, &in, &want)
	var conf, eff [][]float64
	var right [][]bool
	axis := []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}
	for _, e := range []string{"e1", "e2", "e3", "e4"} {
		conf, right, eff = append(conf, in[e].Conf), append(right, bools(in[e].Correct)), append(eff, axis)
	}
	for theta, w := range want {
		var th float64
		if _, err := fmt.Sscan(theta, &th); err != nil {
			t.Fatal(err)
		}
		s := Stop(conf, right, eff, th)
		for e, at := range s.At {
			near(t, "stop", Of(axis[at]), w.Stop[e])
		}
		near(t, "accuracy", s.Accuracy, w.Accuracy)
		near(t, "earliness", s.Earliness, w.Earliness)
		near(t, "harmonic mean", s.HarmonicMean, w.HM)
		near(t, "cost .5", s.Cost(0.5), w.Cost5)
		near(t, "cost .8", s.Cost(0.8), w.Cost8)
	}
}

func checkTemporalStability(t *testing.T, v vector) {
	var in struct{ Scores []float64 }
	var want struct {
		TS    float64 `json:"temporal_stability"`
		Flips int     `json:"flips_at_0.55"`
	}
	decode(t, v, &in, &want)
	near(t, "stability", TemporalStability(in.Scores), want.TS)
	above := make([]bool, len(in.Scores))
	for i, x := range in.Scores {
		above[i] = x > 0.55
	}
	if f := Flips(above); f != want.Flips {
		t.Errorf("%d flips, want %d", f, want.Flips)
	}
}

func checkScales(t *testing.T, v vector) {
	var in struct {
		Likert []float64 `json:"likert_1_5"`
		Level  []float64 `json:"level_0_4"`
	}
	var want struct{ Likert, Level []float64 }
	decode(t, v, &in, &want)
	for i, x := range in.Likert {
		near(t, "likert", Rescale(x, 1, 5), want.Likert[i])
	}
	for i, x := range in.Level {
		near(t, "level", Rescale(x, 0, 4), want.Level[i])
	}
}

func checkAnchors(t *testing.T, v vector) {
	var in struct {
		Cos    []float64
		Lo, Hi float64
	}
	var want struct{ Rescaled []float64 }
	decode(t, v, &in, &want)
	for i, x := range in.Cos {
		near(t, "cosine", Rescale(x, in.Lo, in.Hi), want.Rescaled[i])
	}
}

func checkCeiling(t *testing.T, v vector) {
	var in struct {
		Groups [][]string `json:"groups_of_gold_labels_by_identical_visible_prefix"`
	}
	var want struct{ Ceiling float64 }
	decode(t, v, &in, &want)
	near(t, "ceiling", CollisionCeiling(in.Groups), want.Ceiling)
}

func checkPriors(t *testing.T, v vector) {
	var in struct {
		Gold []string `json:"test_gold"`
	}
	var want struct {
		Label string  `json:"majority_label"`
		Acc   float64 `json:"majority_acc"`
		F1    float64 `json:"majority_macro_f1_union"`
	}
	decode(t, v, &in, &want)
	pred := make([]string, len(in.Gold))
	for i := range pred {
		pred[i] = want.Label
	}
	r := Evaluate(slice(in.Gold, pointers(pred), nil), Options{})
	near(t, "acc", r.Closed.Acc.Values[0], want.Acc)
	near(t, "macro_f1", r.Closed.MacroF1, want.F1)
}

func checkDesignEffect(t *testing.T, v vector) {
	var in struct {
		Tasks float64
		Per   float64 `json:"tasks_per_episode"`
		ICC   float64
	}
	var want struct {
		Deff float64
		N    float64 `json:"n_effective"`
	}
	decode(t, v, &in, &want)
	near(t, "deff", Of(DesignEffect(in.Per, in.ICC)), want.Deff)
	near(t, "n", Of(in.Tasks/DesignEffect(in.Per, in.ICC)), want.N)
}
