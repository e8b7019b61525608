package metrics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var labels = []string{"A", "B", "C", "Ä", "上海"}

// genSample draws a table with all states that a finished cell can have.
func genSample(t *rapid.T, totals *rapid.Generator[int]) Sample {
	s := Sample{Dataset: "d", Method: "m", Ablation: "full_context", Grid: tenths, LabelSpace: "space", Labels: labels,
		Judges: []JudgeInfo{{"semantic", "f1", 0.7}, {"chrf", "f2", 0.5}}}
	n := rapid.IntRange(1, 8).Draw(t, "episodes")
	for e := range n {
		total := totals.Draw(t, "T")
		ep := Episode{ID: fmt.Sprintf("e%02d", e), Cluster: fmt.Sprint("c", e/2), Total: total}
		gold := rapid.SampledFrom(labels).Draw(t, "gold")
		dup := Duplicates(total, tenths)
		for i, r := range tenths {
			g := Gold{Steps: Steps(total, r), Duplicate: dup[i], ClosedEligible: true, Closed: gold, OpenEligible: true}
			// One draw a task, taken apart, keeps generation cheap.
			x := rapid.IntRange(0, 1<<20-1).Draw(t, "task")
			digit := func(n int) int { d := x % n; x /= n; return d }
			var a Given
			switch digit(10) {
			case 0:
				a.State = Missing
			case 1:
				a.State = MethodError
			case 2:
				a.Open = "only open"
			case 3:
				a.Closed, a.Open = "nowhere", "x"
			case 4, 5, 6:
				a.Closed, a.Open = gold, "y"
			default:
				a.Closed, a.Open = labels[digit(len(labels))], "z"
			}
			if c := float64(digit(26)-1) / 20; c < 1.2 {
				a.Confidence = &c
			}
			o := Join(g, a, NewLabelSet(labels), 2)
			for j := range o.Open {
				if o.Open[j].State == ScorePending {
					o.Open[j] = OpenScore{Scored, float64(digit(9)) / 8}
				}
			}
			ep.Tasks = append(ep.Tasks, o)
		}
		s.Episodes = append(s.Episodes, ep)
	}
	return s
}

var anyTotal = rapid.IntRange(1, 30)

// mapTasks returns a deep copy with every task passed through f.
func mapTasks(s Sample, f func(e, i int, o Observation) Observation) Sample {
	s.Episodes = slices.Clone(s.Episodes)
	for e := range s.Episodes {
		s.Episodes[e].Tasks = slices.Clone(s.Episodes[e].Tasks)
		for i, o := range s.Episodes[e].Tasks {
			o.Open = slices.Clone(o.Open)
			s.Episodes[e].Tasks[i] = f(e, i, o)
		}
	}
	return s
}

func oracle(s Sample) Sample {
	return mapTasks(s, func(_, _ int, o Observation) Observation {
		o.State, o.Predicted, o.Correct = Answered, o.Gold, true
		for j := range o.Open {
			o.Open[j] = OpenScore{Scored, 1}
		}
		return o
	})
}

type fataler interface{ Fatalf(string, ...any) }

func exact(t fataler, what string, got Value, want float64) {
	if x, ok := got.Get(); !ok || x != want {
		t.Fatalf("%s = %v (%s), want exactly %v", what, x, got.why, want)
	}
}

func close9(t fataler, what string, got, want Value) {
	if got.known != want.known || math.Abs(got.number-want.number) > 1e-9 {
		t.Fatalf("%s = %v (%s), want %v (%s)", what, got.number, got.why, want.number, want.why)
	}
}

func TestOracleIsPerfect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genSample(t, anyTotal)
		o := oracle(s)
		ev := EvaluateAll(Meta{}, []Sample{o}, &Baseline{"m", "m", map[string]Sample{"d": o}, map[string]Sample{"d": o}}, Options{})
		for _, level := range []string{"d", "macro", "pooled"} {
			for _, m := range []string{"closed.nauc", "closed.nauc_effective", "closed.ttc.solve_rate", "open.nauc", "open.nauc_effective", "open.pass_nauc", "open.ttc.solve_rate"} {
				exact(t, level+" "+m, ev.Value(level, m, ""), 1)
			}
			exact(t, level+" restricted", ev.Value(level, "closed.ttc.restricted_mean", ""), 0.1)
		}
		exact(t, "gain against itself", ev.Value("d", "closed.area_gain", ""), 0)
		exact(t, "open gain against itself", ev.Value("macro", "open.area_gain_norm", ""), 0)
	})
}

func TestNumbersStayInTheirRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genSample(t, anyTotal)
		r := Evaluate(s, Options{SkipMissing: rapid.Bool().Draw(t, "skip")})
		for _, m := range Registry() {
			v, ok := r.Value(m.Name, "").Get()
			if !ok || m.GainOf != "" {
				continue
			}
			if v < m.Low || v > m.High && !m.Unbounded {
				t.Fatalf("%s = %v is outside of [%v, %v]", m.Name, v, m.Low, m.High)
			}
		}
	})
}

func TestStableIdentitiesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Evaluate(genSample(t, anyTotal), Options{}).Closed
		close9(t, "solve rate", c.TTC.SolveRate, c.Acc.At(1000))
		sum := 0.0
		for _, v := range c.TTC.StableCurve.Values {
			sum += v.number
		}
		close9(t, "restricted mean", c.TTC.RestrictedMean, Of(1.1-0.1*sum))
	})
}

func TestGainIsAntisymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genSample(t, anyTotal), Sample{}
		b = mapTasks(a, func(_, _ int, o Observation) Observation {
			if rapid.Bool().Draw(t, "flip") {
				o.Correct = !o.Correct
				o.Open[0] = OpenScore{Scored, 0.25}
			}
			return o
		})
		for _, k := range []Kind{Closed, Open} {
			ab, ba := NewPair(a, b, k, "", Options{}).Gain(), NewPair(b, a, k, "", Options{}).Gain()
			exact(t, "sum", Of(ab.Raw.number+ba.Raw.number), 0)
			close9(t, "sum of the normalised", Of(ab.Norm.number+ba.Norm.number), Of(0))
			close9(t, "raw and normalised", Of(ab.Norm.number*0.9), ab.Raw)
		}
	})
}

func TestDeletingAPredictionNeverRaisesAccuracy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genSample(t, anyTotal)
		e, i := rapid.IntRange(0, len(s.Episodes)-1).Draw(t, "e"), rapid.IntRange(0, 9).Draw(t, "i")
		fewer := mapTasks(s, func(x, y int, o Observation) Observation {
			if x == e && y == i {
				o.State, o.Predicted, o.Correct = Missing, "", false
			}
			return o
		})
		a, b := Evaluate(s, Options{}), Evaluate(fewer, Options{})
		for k := range tenths {
			if b.Closed.Acc.Values[k].number > a.Closed.Acc.Values[k].number {
				t.Fatalf("accuracy rose at %s", RatioKey(tenths[k]))
			}
		}
		if b.Open.NAUC.number > a.Open.NAUC.number+1e-12 || b.Closed.NAUC.number > a.Closed.NAUC.number+1e-12 {
			t.Fatalf("an area rose")
		}
	})
}

func TestRenamingLabelsChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genSample(t, anyTotal)
		perm := rapid.Permutation(labels).Draw(t, "bijection")
		rename := map[string]string{"": ""}
		for i, l := range labels {
			rename[l] = perm[i]
		}
		renamed := mapTasks(s, func(_, _ int, o Observation) Observation {
			o.Gold, o.Predicted = rename[o.Gold], rename[o.Predicted]
			return o
		})
		a, b := Evaluate(s, Options{}), Evaluate(renamed, Options{})
		for _, m := range Registry() {
			if m.GainOf == "" {
				close9(t, m.Name, b.Value(m.Name, ""), a.Value(m.Name, ""))
			}
		}
	})
}

func bytesOf(t fataler, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return b
}

func TestOrderOfEpisodesChangesNoByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genSample(t, anyTotal)
		shuffled := s
		shuffled.Episodes = rapid.Permutation(s.Episodes).Draw(t, "order")
		base := mapTasks(s, func(_, _ int, o Observation) Observation { o.Correct = false; return o })
		b := &Baseline{"b", "b", map[string]Sample{"d": base}, map[string]Sample{"d": base}}
		x, y := EvaluateAll(Meta{}, []Sample{s}, b, Options{}), EvaluateAll(Meta{}, []Sample{shuffled}, b, Options{})
		if !bytes.Equal(bytesOf(t, x), bytesOf(t, y)) {
			t.Fatalf("the order of the episodes shows")
		}
	})
}

func TestCollapseEqualsRequestedForTenSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Evaluate(genSample(t, rapid.Just(10)), Options{})
		close9(t, "closed", r.Closed.NAUCEffective, r.Closed.NAUC)
		close9(t, "open", r.Open.NAUCEffective, r.Open.NAUC)
		close9(t, "restricted", r.Closed.TTC.EffectiveRestrictedMean, r.Closed.TTC.RestrictedMean)
	})
}

func TestAggregatesOverOneDatasetEqualIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := EvaluateAll(Meta{}, []Sample{genSample(t, anyTotal)}, nil, Options{})
		for _, m := range Registry() {
			if m.GainOf != "" {
				continue
			}
			for _, judge := range []string{"", "chrf"} {
				d := ev.Value("d", m.Name, judge)
				macro := ev.Value("macro", m.Name, judge)
				if macro.known != d.known || macro.number != d.number {
					t.Fatalf("macro %s = %v, dataset %v", m.Name, macro, d)
				}
				if !m.Statistic.ByClass {
					if pooled := ev.Value("pooled", m.Name, judge); pooled.number != d.number || pooled.known != d.known {
						t.Fatalf("pooled %s = %v, dataset %v", m.Name, pooled, d)
					}
				}
			}
		}
	})
}

func TestAreaOfAConstantIsTheConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := rapid.SliceOfNDistinct(rapid.IntRange(1, 1000), 1, 20, rapid.ID[int]).Draw(t, "grid")
		slices.Sort(grid)
		c := rapid.Float64Range(0, 1).Draw(t, "c")
		area, n := Area(constant(grid, Of(c)), false)
		close9(t, "nauc", n, Of(c))
		close9(t, "auc", area, Of(c*float64(grid[len(grid)-1]-grid[0])/1000))
	})
}

func TestCoverageSharesSumToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Evaluate(genSample(t, anyTotal), Options{})
		for _, c := range append([]RatioCoverage{{0, r.Coverage}}, r.CoverageByRatio...) {
			sum := 0.0
			for _, v := range []Value{c.Coverage.Answered, c.Coverage.Missing, c.Coverage.Abstain, c.Coverage.InvalidLabel, c.Coverage.MethodError} {
				sum += v.number
			}
			close9(t, "sum", Of(sum), Of(1))
		}
	})
}

// No JSON value may be null without its reason, at any depth.
func TestEveryNullHasItsReason(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genSample(t, anyTotal)
		pending := rapid.IntRange(0, 3).Draw(t, "what")
		s = mapTasks(s, func(e, i int, o Observation) Observation {
			switch {
			case pending == 1 && e == 0 && i == 3:
				o.State = Pending
			case pending == 2 && i == 4:
				o.Open[0] = OpenScore{State: JudgeFailure}
			case pending == 3:
				o.ClosedEligible = false
				o.Open[1].State = GoldOut
			}
			return o
		})
		ev := EvaluateAll(Meta{}, []Sample{s}, nil, Options{})
		var tree any
		if err := json.Unmarshal(bytesOf(t, ev), &tree); err != nil {
			t.Fatalf("%v", err)
		}
		explain(t, "", tree)
	})
}

func explain(t fataler, path string, tree any) {
	m, ok := tree.(map[string]any)
	if !ok {
		return
	}
	why := func(key string) bool { s, ok := m[key+"_why"].(string); return ok && s != "" }
	for k, v := range m {
		if v == nil && k != "bounds" && !why(k) {
			t.Fatalf("%s.%s is null without a reason", path, k)
		}
		curve, ok := v.(map[string]any)
		if !ok {
			continue
		}
		whys, _ := m[k+"_why"].(map[string]any)
		for kk, vv := range curve {
			if vv == nil && len(kk) >= 4 && kk[1] == '.' {
				if s, ok := whys[kk].(string); !ok || s == "" {
					t.Fatalf("%s.%s.%s is null without a reason", path, k, kk)
				}
				delete(curve, kk)
			}
		}
		explain(t, path+"."+k, v)
	}
}
