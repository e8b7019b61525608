package metrics

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with -update and look at the difference:\n%s", path, got)
	}
}

// small is two datasets, three episodes each; the first one has two judges.
func small() []Sample {
	var out []Sample
	for d, name := range []string{"weblinx", "fingertip"} {
		s := Sample{Dataset: name, Ablation: "full_context", Method: "knn", Seed: 1, Grid: []int{250, 500, 1000},
			LabelSpace: name + ".label", Labels: []string{"A", "B"}, Judges: []JudgeInfo{{"semantic", "f1", 0.7}, {"chrf", "f2", 0.5}}[d:],
			OutOfMacro: []string{"", "its steps carry no evidence"}[d]}
		for e, total := range []int{1, 3, 8} {
			ep := Episode{ID: fmt.Sprint("e", e), Cluster: fmt.Sprint("c", e/2), Total: total}
			dup := Duplicates(total, s.Grid)
			for i, r := range s.Grid {
				conf := 0.4 + float64(i)/5
				a := Given{Closed: []string{"A", "B", "C"}[(e+i)%3], Open: "x", Confidence: &conf}
				o := Join(Gold{Steps: Steps(total, r), Duplicate: dup[i], ClosedEligible: true, Closed: "A", OpenEligible: true}, a, NewLabelSet(s.Labels), len(s.Judges))
				for j := range o.Open {
					o.Open[j] = OpenScore{Scored, float64(i+e+j) / 5}
				}
				ep.Tasks = append(ep.Tasks, o)
			}
			s.Episodes = append(s.Episodes, ep)
		}
		out = append(out, s)
	}
	return out
}

func indented(t *testing.T, v any) []byte {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestEvaluationJSONKeepsTheDocumentedForm(t *testing.T) {
	samples := small()
	base := small()
	for d := range base {
		base[d] = mapTasks(base[d], func(_, i int, o Observation) Observation {
			o.State, o.Predicted, o.Correct = Answered, "A", i == 0
			for j := range o.Open {
				o.Open[j].Score = 0.1
			}
			return o
		})
	}
	refs := map[string]Sample{"weblinx": base[0], "fingertip": base[1]}
	ev := EvaluateAll(Meta{Method: "knn", Ablation: "full_context", Seed: 1, Split: "test",
		Fingerprint: FingerprintRecord{"d", "g", "p", "v"}}, samples, &Baseline{"majority", "retrieval", refs, refs}, Options{})
	golden(t, "evaluation.json", indented(t, ev))
	withheld := mapTasks(samples[0], func(e, i int, o Observation) Observation {
		if e == 1 && i == 1 {
			o.Open[0] = OpenScore{State: JudgeFailure}
		}
		return o
	})
	golden(t, "withheld.json", indented(t, Evaluate(withheld, Options{})))
}

func TestPendingTasksMakeAllNumbersNull(t *testing.T) {
	s := mapTasks(small()[0], func(e, i int, o Observation) Observation {
		if e == 2 && i > 0 {
			o = Observation{State: Pending, ClosedEligible: true, Gold: "A", OpenEligible: true, Steps: o.Steps}
		}
		return o
	})
	ev := EvaluateAll(Meta{}, []Sample{s}, nil, Options{})
	for _, m := range Registry() {
		if m.GainOf != "" {
			continue
		}
		for _, level := range []string{"weblinx", "macro", "pooled"} {
			v := ev.Value(level, m.Name, "")
			if v.Known() || !strings.Contains(v.Why(), "pending 2 of 9") && !m.Statistic.ByClass {
				t.Errorf("%s %s = %v (%s)", level, m.Name, v, v.Why())
			}
		}
	}
	if r := ev.Datasets[0]; r.NPending != 2 || r.NTasks != 9 || r.Closed.NTasks != 9 || r.Coverage.Answered.Known() {
		t.Errorf("counts: %+v", r)
	}
	if p := NewPair(s, small()[0], Closed, "", Options{}); p.Gain().Raw.Known() || p.Why == "" {
		t.Error("a gain over pending answers was given")
	}
}

func TestPendingVerdictsMakeOnlyTheirJudgeNull(t *testing.T) {
	s := mapTasks(small()[0], func(e, i int, o Observation) Observation {
		if e == 0 && i == 0 {
			o.Open[1].State = ScorePending
		}
		return o
	})
	r := Evaluate(s, Options{})
	if !r.Value("closed.nauc", "").Known() || !r.Value("open.nauc", "semantic").Known() {
		t.Error("a verdict that is not there made other numbers null")
	}
	if v := r.Value("open.nauc", "chrf"); v.Known() || v.Why() != "pending 1 of 9 verdicts" {
		t.Errorf("chrf = %v (%s)", v, v.Why())
	}
}

func TestNotAskedEpisodesAreOutside(t *testing.T) {
	all := small()[0]
	part := mapTasks(all, func(e, _ int, o Observation) Observation {
		if e == 1 {
			o.State = NotAsked
		}
		return o
	})
	r := Evaluate(part, Options{})
	all.Episodes = append(all.Episodes[:1:1], all.Episodes[2])
	want := Evaluate(all, Options{})
	for _, m := range Registry() {
		close9(t, m.Name, r.Value(m.Name, ""), want.Value(m.Name, ""))
	}
	if r.NEpisodes != 2 || r.NTasks != 6 || r.NNotAsked != 3 || r.Closed.N.N[0] != 2 {
		t.Errorf("n: %d episodes, %d tasks, %d not asked", r.NEpisodes, r.NTasks, r.NNotAsked)
	}
	none := mapTasks(all, func(_, _ int, o Observation) Observation { o.State = NotApplicable; return o })
	if r = Evaluate(none, Options{}); r.Closed != nil || r.ClosedWhy != "not applicable" {
		t.Errorf("not applicable: %v %q", r.Closed, r.ClosedWhy)
	}
}

func TestGoldThatTheJudgeCannotReadIsOutForAll(t *testing.T) {
	s := mapTasks(small()[0], func(e, _ int, o Observation) Observation {
		if e == 0 {
			o.State, o.Open[0].State = MethodError, GoldOut
		}
		return o
	})
	r := Evaluate(s, Options{})
	if o := r.OpenByJudge[0]; o.NTasks != 6 || o.NGoldOut != 3 || o.NMethodFailures.number != 0 {
		t.Errorf("semantic: %d tasks, %d out, %v failures", o.NTasks, o.NGoldOut, o.NMethodFailures)
	}
	if o := r.OpenByJudge[1]; o.NTasks != 9 || o.NMethodFailures.number != 3 {
		t.Errorf("chrf: %d tasks, %v failures: an error is a method failure whatever the judge", o.NTasks, o.NMethodFailures)
	}
}

func TestCoverageRuleSitsAtNinetyEightPercent(t *testing.T) {
	for failures, published := range map[int]bool{0: true, 1: true, 2: false} {
		rows := make([][]OpenScore, 50)
		for i := range rows {
			rows[i] = scored(0.5)
			if i < failures {
				rows[i][0].State = JudgeFailure
			}
		}
		s := openSample([]int{1000}, 0.7, rows...)
		r := Evaluate(s, Options{}).Open
		if r.NAUC.Known() != published || r.Score.Values[0].Known() != published || (r.Bounds == nil) != published {
			t.Errorf("%d failures of 50: nauc %v (%s), bounds %v", failures, r.NAUC, r.NAUC.Why(), r.Bounds)
		}
		strict := Evaluate(s, Options{JudgeFailureIsZero: true}).Open
		near(t, "strict", strict.NAUC, 0.5*float64(50-failures)/50)
		if strict.Failures != "zero" {
			t.Error("the strict policy is not named")
		}
	}
}

func TestGainIsWithheldWhenJudgeCoverageDiffers(t *testing.T) {
	rows := func(failed int) Sample {
		var out [][]OpenScore
		for i := range 20 {
			out = append(out, scored(0.5))
			if i < failed {
				out[i][0].State = JudgeFailure
			}
		}
		return openSample([]int{1000}, 0.7, out...)
	}
	if g := NewPair(rows(1), rows(0), Open, "", Options{}).Gain(); g.Raw.Known() || !strings.Contains(g.Raw.Why(), "coverage differs") {
		t.Errorf("0.95 against 1: %v (%s)", g.Raw, g.Raw.Why())
	}
	g := NewPair(rows(1), rows(1), Open, "", Options{}).Gain()
	exact(t, "equal coverage", g.Norm, 0)
	if g.NPaired != 19 {
		t.Errorf("%d paired, want 19: unscored tasks are out on both sides", g.NPaired)
	}
}

func TestUnlikeTablesAreNotCompared(t *testing.T) {
	a := small()[0]
	for name, change := range map[string]func(*Sample){
		"grid":        func(s *Sample) { s.Grid = []int{200, 500, 1000} },
		"fingerprint": func(s *Sample) { s.Judges = []JudgeInfo{{"semantic", "other", 0.7}} },
		"judge":       func(s *Sample) { s.Judges = []JudgeInfo{{"x", "f1", 0.7}} },
		"episodes":    func(s *Sample) { s.Episodes = nil },
	} {
		b := a
		change(&b)
		if g := NewPair(a, b, Open, "semantic", Options{}).Gain(); g.Raw.Known() || g.Raw.Why() == "" {
			t.Errorf("another %s: %v", name, g.Raw)
		}
	}
	other := mapTasks(a, func(_, _ int, o Observation) Observation { o.Gold = "B"; return o })
	if g := NewPair(a, other, Closed, "", Options{}).Gain(); g.Raw.Known() {
		t.Error("tables with different gold were compared")
	}
}

func allInMacro(samples []Sample) []Sample {
	for i := range samples {
		samples[i].OutOfMacro = ""
	}
	return samples
}

func TestMacroNamesWhatItLeavesOut(t *testing.T) {
	ev := EvaluateAll(Meta{}, small(), nil, Options{})
	c := ev.Macro.Closed
	if len(c.Datasets) != 1 || c.Datasets[0] != "weblinx" || len(c.Excluded) != 1 || c.Excluded[0].Why != "its steps carry no evidence" {
		t.Errorf("closed: %v without %v", c.Datasets, c.Excluded)
	}
	ev = EvaluateAll(Meta{}, allInMacro(small()), nil, Options{})
	if o := ev.Macro.Open; o.Judge != "semantic" || len(o.Datasets) != 1 || o.Excluded[0].Dataset != "fingertip" {
		t.Errorf("open: %s over %v without %v", o.Judge, o.Datasets, o.Excluded)
	}
	if b := ev.Macro.OpenByJudge[1]; b.Judge != "chrf" || len(b.Datasets) != 2 {
		t.Errorf("chrf over %v", b.Datasets)
	}
	a, b := ev.Datasets[0].Closed.NAUC.number, ev.Datasets[1].Closed.NAUC.number
	near(t, "macro", ev.Value("macro", "closed.nauc", ""), (a+b)/2)
}

func TestMacroOfAWithheldDatasetIsNullAndNamesIt(t *testing.T) {
	samples := small()
	samples[1].OutOfMacro, samples[1].Judges = "", samples[0].Judges
	samples[1] = mapTasks(samples[1], func(_, _ int, o Observation) Observation {
		o.Open = []OpenScore{{State: JudgeFailure}, {Scored, 1}}
		return o
	})
	ev := EvaluateAll(Meta{}, samples, nil, Options{})
	if v := ev.Value("macro", "open.nauc", ""); v.Known() || !strings.HasPrefix(v.Why(), "fingertip: ") {
		t.Errorf("macro = %v (%s)", v, v.Why())
	}
	if v := ev.Value("macro", "open.nauc", "chrf"); !v.Known() {
		t.Errorf("chrf's macro is null: %s", v.Why())
	}
}

func TestGridOfOnePointIsDegenerate(t *testing.T) {
	r := Evaluate(openSample([]int{500}, 0.7, scored(0.8)), Options{})
	exact(t, "auc", r.Open.AUC, 0)
	exact(t, "nauc", r.Open.NAUC, 0.8)
	if !r.Open.Degenerate || r.Open.NAUCName != "@0.5-0.5" {
		t.Errorf("degenerate %v, named %q", r.Open.Degenerate, r.Open.NAUCName)
	}
	exact(t, "never", r.Open.TTC.Never, 1)
}

func TestBrokenTablesGiveAReasonInsteadOfNumbers(t *testing.T) {
	twice := small()[0]
	twice.Episodes = append(twice.Episodes[:3:3], twice.Episodes[0])
	short := mapTasks(small()[0], func(_, _ int, o Observation) Observation { return o })
	short.Episodes[1].Tasks = short.Episodes[1].Tasks[:2]
	falling := small()[0]
	falling.Grid = []int{500, 250, 1000}
	for name, s := range map[string]Sample{"twice": twice, "tasks for": short, "increase": falling} {
		v := Evaluate(s, Options{}).Value("closed.nauc", "")
		if v.Known() || !strings.Contains(v.Why(), name) {
			t.Errorf("%s: %v (%s)", name, v, v.Why())
		}
	}
	empty := EvaluateAll(Meta{}, []Sample{{Dataset: "d", Grid: tenths}}, nil, Options{})
	if _, err := json.Marshal(empty); err != nil {
		t.Error(err)
	}
	if _, err := json.Marshal(EvaluateAll(Meta{}, nil, nil, Options{})); err != nil {
		t.Error(err)
	}
}

func TestJoinFollowsTheTableOfA2(t *testing.T) {
	labels := NewLabelSet([]string{"Ångström", "B"})
	conf, bad := 0.5, math.NaN()
	both := Gold{Steps: 1, ClosedEligible: true, Closed: "Ångström", OpenEligible: true}
	openOnly := Gold{Steps: 1, OpenEligible: true}
	for name, c := range map[string]struct {
		gold    Gold
		given   Given
		state   State
		correct bool
		open    ScoreState
	}{
		"equal after NFC and trimming": {both, Given{Closed: " A\u030angstro\u0308m\n", Open: "x"}, Answered, true, ScorePending},
		"case counts":                  {both, Given{Closed: "b", Open: "x"}, InvalidLabel, false, ScorePending},
		"wrong":                        {both, Given{Closed: "B", Open: " \n"}, Answered, false, MethodFailure},
		"blank closed abstains":        {both, Given{Closed: "  ", Open: "x"}, Abstained, false, ScorePending},
		"missing":                      {both, Given{State: Missing}, Missing, false, MethodFailure},
		"error":                        {both, Given{State: MethodError}, MethodError, false, MethodFailure},
		"pending":                      {both, Given{State: Pending}, Pending, false, ScorePending},
		"closed ignored":               {openOnly, Given{Closed: "nowhere", Open: "x"}, Answered, false, ScorePending},
		"nothing at all":               {openOnly, Given{}, Abstained, false, MethodFailure},
	} {
		o := Join(c.gold, c.given, labels, 1)
		if o.State != c.state || o.Correct != c.correct || o.Open[0].State != c.open {
			t.Errorf("%s: %s correct %v open %s", name, o.State, o.Correct, o.Open[0].State)
		}
	}
	if o := Join(both, Given{Closed: "B", Confidence: &conf}, labels, 0); !o.HasConfidence || o.BadConfidence {
		t.Error("a confidence was lost")
	}
	if o := Join(both, Given{Closed: "B", Confidence: &bad}, labels, 0); o.HasConfidence || !o.BadConfidence {
		t.Error("NaN passed as a confidence")
	}
	if o := Join(both, Given{Closed: "anything"}, nil, 0); o.State != Answered {
		t.Error("a label was called invalid without a label space")
	}
}

func TestCeilingAndHeadroomNeedTheVisibleInputs(t *testing.T) {
	m := small()[0]
	if r := Evaluate(m, Options{}); r.Closed.Ceiling != nil {
		t.Error("a ceiling was given without the visible inputs")
	}
	// Episodes 0 and 1 look alike at the first ratio and have different gold.
	m = mapTasks(m, func(e, i int, o Observation) Observation {
		o.Visible = fmt.Sprint(e, i)
		if i == 0 && e < 2 {
			o.Visible = "same"
		}
		if e == 1 {
			o.Gold, o.Correct = "B", o.Predicted == "B"
		}
		return o
	})
	c := Evaluate(m, Options{}).Closed.Ceiling
	near(t, "at the first ratio", c.Acc.Values[0], 2.0/3)
	near(t, "later", c.Acc.Values[1], 1)
	base := mapTasks(m, func(_, _ int, o Observation) Observation { o.Correct = false; return o })
	p := NewPair(m, base, Closed, "", Options{})
	near(t, "headroom", p.Gain().Headroom, p.Gain().Raw.number/c.AUC.number)
	best := mapTasks(m, func(_, _ int, o Observation) Observation { o.Correct = o.Visible != "same" || o.Gold == "A"; return o })
	exact(t, "headroom of the best", NewPair(best, base, Closed, "", Options{}).Gain().Headroom, 1)
	null(t, "against the ceiling", NewPair(m, best, Closed, "", Options{}).Gain().Headroom)
}

func TestSeedsAreAveragedFirstAndSpreadApart(t *testing.T) {
	s := OverSeeds([]Value{Of(0.2), Of(0.4), Of(0.6)})
	near(t, "mean", s.Mean, 0.4)
	near(t, "sd", s.SD, 0.2)
	if s = OverSeeds([]Value{Of(0.2)}); !s.Mean.Known() || s.SD.Known() {
		t.Errorf("one seed: %v ± %v", s.Mean, s.SD)
	}
	if s = OverSeeds([]Value{Of(0.2), None("pending 1 of 9")}); s.Mean.Known() || s.Mean.Why() != "seed 2 of 2: pending 1 of 9" {
		t.Errorf("a seed without numbers: %v (%s)", s.Mean, s.Mean.Why())
	}
	null(t, "no seed", OverSeeds(nil).Mean)
}
