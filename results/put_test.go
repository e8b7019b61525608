package results

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var ctx = context.Background()

func predicted(t testing.TB, s *Store, generation int, key string) Prediction {
	t.Helper()
	got, err := s.Predictions(ctx, generation, []string{key})
	must(t, err)
	return got[key]
}

func TestAnAnswerIsNeverOverwrittenAndAFailureIsWithItsAttemptsAdded(t *testing.T) {
	s := fresh(t)
	r, _, id := aRun(t, s)
	put := func(p Prediction) {
		p.Key, p.Identity = "k", id
		must(t, s.Put(ctx, r.Generation, Batch{Predictions: []Prediction{p}}))
	}
	put(Prediction{State: PredictionFailed, Error: "timeout", Detail: "slow", Attempts: 3})
	put(Prediction{State: PredictionFailed, Error: "crashed", ForGood: true})
	if p := predicted(t, s, r.Generation, "k"); p.Attempts != 4 || p.Error != "crashed" || !p.ForGood || p.Detail != "" {
		t.Errorf("after two failures: %+v", p)
	}
	put(Prediction{State: PredictionAnswered, ClosedIntent: "a", Confidence: ptr(0.5), CostUSD: 0.25, InputTokens: 3, Attempts: 2})
	put(Prediction{State: PredictionAnswered, ClosedIntent: "b"})
	put(Prediction{State: PredictionFailed, Error: "late"})
	p := predicted(t, s, r.Generation, "k")
	if p.State != PredictionAnswered || p.ClosedIntent != "a" || p.Attempts != 6 || p.Error != "" || p.ForGood || *p.Confidence != 0.5 || p.CostUSD != 0.25 {
		t.Errorf("after an answer: %+v", p)
	}
	if p := predicted(t, s, r.Generation+1, "k"); p.ID != 0 {
		t.Error("an answer shows in another generation")
	}
}

// TestPredictionsFollowTheirRule holds random histories against the rule in words: the first answer
// stays, until then the last failure shows, and attempts add up to the answer and no further.
func TestPredictionsFollowTheirRule(t *testing.T) {
	s := fresh(t)
	r, _, id := aRun(t, s)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		key := fmt.Sprint("p", n)
		var want Prediction
		for range rapid.IntRange(1, 6).Draw(rt, "puts") {
			p := Prediction{Key: key, Identity: id, State: rapid.SampledFrom([]string{PredictionAnswered, PredictionFailed, PredictionMissing}).Draw(rt, "state"),
				ClosedIntent: rapid.StringMatching(`[ab]`).Draw(rt, "closed"), Attempts: rapid.IntRange(1, 3).Draw(rt, "attempts")}
			must(t, s.Put(ctx, r.Generation, Batch{Predictions: []Prediction{p}}))
			if want.State == "" || want.State == PredictionFailed {
				p.Attempts += want.Attempts
				want = p
			}
		}
		got := predicted(t, s, r.Generation, key)
		got.ID, got.Generation = 0, 0
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatal(d)
		}
	})
}

func TestNumbersThatAreNoneAreRefused(t *testing.T) {
	s := fresh(t)
	r, cells, id := aRun(t, s)
	j, err := s.JudgeID(ctx, "j", "{}")
	must(t, err)
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, b := range map[string]Batch{
			"confidence": {Predictions: []Prediction{{Key: "k", Identity: id, State: PredictionAnswered, Confidence: &x}}},
			"cost":       {Predictions: []Prediction{{Key: "k", Identity: id, State: PredictionAnswered, CostUSD: x}}},
			"verdict":    {Verdicts: []Verdict{{Key: "v", Judge: j, State: "scored", Score: &x}}},
			"score":      {Scores: []ScoreRow{{Task: "t", Judge: j, State: "scored", Score: &x}}},
		} {
			b.Cell = cells[0].ID
			if err := s.Put(ctx, r.Generation, b); err == nil {
				t.Errorf("a %s of %v was stored", name, x)
			}
		}
	}
}

func TestAVerdictWithAScoreStaysAndAFailedOneIsReplaced(t *testing.T) {
	s := fresh(t)
	r, _, _ := aRun(t, s)
	j, err := s.JudgeID(ctx, "j", "{}")
	must(t, err)
	put := func(state string, score *float64) Verdict {
		must(t, s.Put(ctx, r.Generation, Batch{Verdicts: []Verdict{{Key: "v", Judge: j, State: state, Score: score}}}))
		got, err := s.Verdicts(ctx, []string{"v"})
		must(t, err)
		return got["v"]
	}
	put("judge_bad_score", nil)
	if v := put("scored", ptr(0.5)); v.State != "scored" || *v.Score != 0.5 {
		t.Errorf("a failed verdict was not replaced: %+v", v)
	}
	if v := put("scored", ptr(0.75)); *v.Score != 0.5 {
		t.Errorf("a score was replaced: %+v", v)
	}
}

func TestFreshStartsAGenerationForItsOwnExperimentOnly(t *testing.T) {
	s := fresh(t)
	run := func(experiment, identity string, fresh bool) int {
		r, err := s.OpenRun(ctx, experiment, identity, []byte("{}"), fresh)
		must(t, err)
		g, err := s.Generation(ctx, experiment)
		must(t, err)
		if g != r.Generation {
			t.Errorf("Generation says %d, the run is in %d", g, r.Generation)
		}
		return r.Generation
	}
	for i, c := range []struct {
		experiment, identity string
		fresh                bool
		want                 int
	}{
		{"a", "1", true, 0}, // nothing there to be fresher than
		{"b", "1", false, 0},
		{"a", "1", false, 0},
		{"a", "1", true, 1},
		{"a", "1", false, 1}, // goes on with what was started afresh
		{"a", "2", false, 1}, // edited
		{"b", "1", false, 0}, // as before
		{"b", "1", true, 2},  // no earlier answer, not a's either
		{"a", "1", false, 1},
		{"c", "1", false, 2}, // new: shares the newest answers
	} {
		if got := run(c.experiment, c.identity, c.fresh); got != c.want {
			t.Errorf("step %d %+v: generation %d", i, c, got)
		}
	}
}

func TestPutDataAddsTheTasksOfANewGridAndKeepsTheOld(t *testing.T) {
	s := fresh(t)
	gold := func(ratios ...int) (out []Gold) {
		for _, e := range []string{"e1", "e2"} {
			for _, r := range ratios {
				out = append(out, Gold{Task: fmt.Sprint("d:", e, ":", r), Episode: e, Ratio: r, Steps: r / 100, TotalSteps: 10, ClosedIntent: "c"})
			}
		}
		return out
	}
	episodes := []Episode{{"e1", "h1"}, {"e2", "h2"}}
	parts := []Part{{0, "e1", "test"}, {0, "e2", "test"}, {0, "e2", "hard"}}
	for _, g := range [][]Gold{gold(500, 1000), gold(500, 1000), gold(100, 500, 1000), gold(500)} {
		must(t, s.PutData(ctx, "data", "split", episodes, g, parts))
	}
	must(t, s.PutData(ctx, "data", "split2", episodes, gold(500), parts[:1]))
	var got []string
	must(t, s.GoldOf(ctx, "data", func(g Gold) error { got = append(got, g.Task); return nil }))
	want := []string{"d:e1:100", "d:e1:1000", "d:e1:500", "d:e2:100", "d:e2:1000", "d:e2:500"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	p, err := s.PartsOf(ctx, "split", 0)
	must(t, err)
	if d := cmp.Diff(map[string][]string{"e1": {"test"}, "e2": {"hard", "test"}}, p); d != "" {
		t.Error(d)
	}
	if n := count(t, s, "select count(*) from episode"); n != 2 {
		t.Errorf("%d episodes", n)
	}
}

func TestDeclaringCellsAgainKeepsWhatWasDoneUnlessTheyAreOut(t *testing.T) {
	s := fresh(t)
	cell := func(state, reason string) Cell {
		return Cell{Dataset: "d", Ablation: "a", Method: "m", State: state, Reason: reason, Tasks: 1}
	}
	r, rows, _ := aRun(t, s, cell(CellPending, ""))
	done := rows[0]
	done.State = CellDone
	must(t, s.FinishCell(ctx, done))
	for i, c := range []struct {
		declared, reason, want, wantReason string
	}{
		{CellPending, "", CellDone, ""},
		{CellExcluded, "too slow", CellExcluded, "too slow"},
		{CellNA, "needs a graph", CellNA, "needs a graph"},
		{CellPending, "", CellPending, ""}, // back in: looked at again
	} {
		rows, err := s.PutCells(ctx, r.ID, []Cell{cell(c.declared, c.reason)})
		must(t, err)
		if rows[0].ID != done.ID || rows[0].State != c.want || rows[0].Reason != c.wantReason {
			t.Errorf("step %d: %s %q, want %s %q", i, rows[0].State, rows[0].Reason, c.want, c.wantReason)
		}
	}
}

func TestFitsAreCheckedAndTheFirstStays(t *testing.T) {
	s := fresh(t)
	if _, ok, err := s.FitHash(ctx, "k"); ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, err := s.Fit(ctx, "k"); err == nil {
		t.Error("a fit out of nothing")
	}
	first, err := s.PutFit(ctx, "k", "{}", []byte("artefact"))
	must(t, err)
	again, err := s.PutFit(ctx, "k", "{}", []byte("another"))
	must(t, err)
	if again != first {
		t.Errorf("PutFit says %s, but %s is stored", again, first)
	}
	b, err := s.Fit(ctx, "k")
	must(t, err)
	if string(b) != "artefact" {
		t.Errorf("got %q", b)
	}
	must(t, s.put(ctx, false, func(t *tx) error { return t.exec("update fit set hash = 'x'") }))
	if _, err := s.Fit(ctx, "k"); err == nil {
		t.Error("a damaged fit was handed out")
	}
}
