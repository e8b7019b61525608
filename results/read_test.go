package results

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// judged is a store with one finished cell of four tasks: right, wrong, failed and not asked.
func judged(t testing.TB) (*Store, Run, Cell) {
	s := fresh(t)
	var gold []Gold
	for _, e := range []string{"e1", "e2"} {
		for _, r := range []int{500, 1000} {
			gold = append(gold, Gold{Task: fmt.Sprintf("d:%s:%d", e, r), Episode: e, Ratio: r, Steps: 1, TotalSteps: 2, OpenIntent: "do it", ClosedIntent: "c"})
		}
	}
	must(t, s.PutData(ctx, "data", "split", []Episode{{"e1", "h"}, {"e2", "h"}}, gold, []Part{{0, "e1", "test"}, {0, "e2", "test"}, {0, "e2", "hard"}, {0, "e1", "train"}}))
	r, rows, id := aRun(t, s, Cell{Dataset: "d", Ablation: "a", Method: "m", Seed: 7, Data: "data", Split: "split", State: CellPending, Tasks: 4})
	j, err := s.JudgeID(ctx, "judge", "{}")
	must(t, err)
	must(t, s.Put(ctx, r.Generation, Batch{Cell: rows[0].ID,
		Predictions: []Prediction{
			{Key: "right", Identity: id, State: PredictionAnswered, ClosedIntent: " c", PredictedIntent: "do it"},
			{Key: "wrong", Identity: id, State: PredictionAnswered, ClosedIntent: "x", PredictedIntent: "no"},
			{Key: "failed", Identity: id, State: PredictionFailed, Error: "timeout", Detail: "after 1s", ForGood: true}},
		Tasks: []TaskRow{{"d:e1:500", TaskAnswered, "right"}, {"d:e1:1000", TaskAnswered, "wrong"}, {"d:e2:500", TaskMethodError, "failed"}, {"d:e2:1000", TaskNotAsked, ""}},
		Verdicts: []Verdict{{Judge: j, Key: "v1", Gold: "do it", Predicted: "do it", State: "scored", Score: ptr(1.0)},
			{Judge: j, Key: "v2", Gold: "do it", Predicted: "no", State: "scored", Score: ptr(0.25)}},
		Scores: []ScoreRow{{"d:e1:500", j, "v1", ptr(1.0), "scored"}, {"d:e1:1000", j, "v2", ptr(0.25), "scored"}, {"d:e2:500", j, "", ptr(0.0), "method_error"}},
	}))
	c := rows[0]
	c.Identity = id
	must(t, s.SetCell(ctx, c))
	c.State = CellDone
	must(t, s.FinishCell(ctx, c))
	return s, r, c
}

func TestFinishCellRecordsTheSumsByPartAndRatio(t *testing.T) {
	s, _, c := judged(t)
	got, err := s.RatioScores(ctx, c.ID)
	must(t, err)
	row := func(part, measure string, ratio, n int, sum float64) RatioScore {
		return RatioScore{Part: part, Measure: measure, Ratio: ratio, N: n, Sum: sum, Value: ptr(sum / float64(n)), MetricVersion: MetricVersion}
	}
	want := []RatioScore{
		row("hard", "closed", 500, 1, 0), row("hard", "judge", 500, 1, 0),
		row("test", "closed", 500, 2, 1), row("test", "closed", 1000, 1, 0),
		row("test", "judge", 500, 2, 1), row("test", "judge", 1000, 1, 0.25),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	c.State, c.Reason = CellFailed, "broke"
	must(t, s.FinishCell(ctx, c))
	if got, err := s.RatioScores(ctx, c.ID); err != nil || len(got) != 0 {
		t.Errorf("a failed cell has numbers: %v %v", got, err)
	}
}

func TestRecountFindsWhatDiffersFromTheRows(t *testing.T) {
	s, r, c := judged(t)
	recount := func() (int, int) {
		cells, changed, err := s.Recount(ctx, r.ID)
		must(t, err)
		return cells, changed
	}
	if cells, changed := recount(); cells != 1 || changed != 0 {
		t.Errorf("%d cells, %d changed; want 1, 0", cells, changed)
	}
	before, err := s.RatioScores(ctx, c.ID)
	must(t, err)
	must(t, s.put(ctx, false, func(t *tx) error {
		return t.exec("update ratio_score set sum = sum + 0.5, value = value + 0.5 where part = 'hard'")
	}))
	if _, changed := recount(); changed != 1 {
		t.Error("a wrong sum went unseen")
	}
	after, err := s.RatioScores(ctx, c.ID)
	must(t, err)
	if d := cmp.Diff(before, after); d != "" {
		t.Error(d)
	}
}

func TestAStartedCellHasNoNumbers(t *testing.T) {
	s, _, c := judged(t)
	c.State = CellPending
	must(t, s.SetCell(ctx, c))
	if got, err := s.RatioScores(ctx, c.ID); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
}

func TestFailuresAreCountedFromTheRows(t *testing.T) {
	s, _, c := judged(t)
	n, good, first, err := s.Failures(ctx, c.ID)
	must(t, err)
	if n != 1 || good != 1 || first != "timeout: after 1s" {
		t.Errorf("%d failures, %d for good, the first %q", n, good, first)
	}
}

func TestFindFilters(t *testing.T) {
	s, r, _ := judged(t)
	for name, c := range map[string]struct {
		w    Where
		want []string
	}{
		"all":        {Where{}, []string{"d:e1:1000", "d:e1:500", "d:e2:1000", "d:e2:500"}},
		"task":       {Where{Task: "d:e1:500"}, []string{"d:e1:500"}},
		"state":      {Where{State: []string{TaskMethodError, TaskNotAsked}}, []string{"d:e2:1000", "d:e2:500"}},
		"ratio":      {Where{Ratios: []string{"500"}}, []string{"d:e1:500", "d:e2:500"}},
		"seed":       {Where{Seeds: []string{"7"}, Limit: 1}, []string{"d:e1:1000"}},
		"other seed": {Where{Seeds: []string{"8"}}, nil},
		"fold":       {Where{Folds: []string{"0"}, Ratios: []string{"1000"}}, []string{"d:e1:1000", "d:e2:1000"}},
		"method":     {Where{Methods: []string{"x", "y"}}, nil},
		"dataset":    {Where{Datasets: []string{"d"}, Ablations: []string{"a"}, State: []string{TaskAnswered}}, []string{"d:e1:1000", "d:e1:500"}},
		"low":        {Where{MaxScore: ptr(0.5)}, []string{"d:e1:1000", "d:e2:500"}},
		"high":       {Where{MinScore: ptr(0.25)}, []string{"d:e1:1000", "d:e1:500"}},
		"hostile":    {Where{Methods: []string{"' or 1=1 --"}}, nil},
	} {
		var got []string
		must(t, s.Find(ctx, r.ID, c.w, func(d TaskDetail) error { got = append(got, d.Task); return nil }))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	must(t, s.Find(ctx, r.ID, Where{Task: "d:e1:1000"}, func(d TaskDetail) error {
		if d.Gold.OpenIntent != "do it" || d.Prediction.PredictedIntent != "no" || len(d.Verdicts) != 1 || *d.Verdicts[0].Score != 0.25 || d.Cell.Seed != 7 {
			t.Errorf("%+v", d)
		}
		return nil
	}))
}

// TestManyFindsAtOnceDoNotWaitForEachOther: each needs two queries at once, and connections are few.
func TestManyFindsAtOnceDoNotWaitForEachOther(t *testing.T) {
	s, r, _ := judged(t)
	within(t, 20*time.Second, func() {
		var all, started sync.WaitGroup
		started.Add(4)
		for range 4 {
			all.Go(func() {
				first := true
				if err := s.Find(ctx, r.ID, Where{}, func(TaskDetail) error {
					if first {
						first = false
						started.Done()
						started.Wait()
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

func TestNewestCellIsOfTheExperimentAndOfTheRunWorkedOnLast(t *testing.T) {
	s := fresh(t)
	start := func(experiment, identity, inputs string) {
		r, err := s.OpenRun(ctx, experiment, identity, []byte("{}"), false)
		must(t, err)
		_, err = s.Begin(ctx, r.ID, Invocation{})
		must(t, err)
		rows, err := s.PutCells(ctx, r.ID, []Cell{{Dataset: "d", Ablation: "a", Method: "m", State: CellPending}})
		must(t, err)
		rows[0].Identity, err = s.IdentityID(ctx, inputs, inputs)
		must(t, err)
		must(t, s.SetCell(ctx, rows[0]))
	}
	newest := func(experiment string) string {
		_, inputs, err := s.NewestCell(ctx, experiment, "d", "a", "m", 0, 0)
		must(t, err)
		return inputs
	}
	if got := newest("e"); got != "" {
		t.Errorf("out of nothing: %q", got)
	}
	start("e", "1", "first")
	start("e", "2", "second")
	start("other", "1", "other")
	if got := newest("e"); got != "second" {
		t.Errorf("got %q", got)
	}
	start("e", "1", "first") // worked on again
	if got := newest("e"); got != "first" {
		t.Errorf("got %q", got)
	}
	if got := newest("none"); got != "" {
		t.Errorf("got %q", got)
	}
	latest, err := s.Latest(ctx)
	must(t, err)
	if latest.Experiment != "e" || latest.Identity != "1" {
		t.Errorf("latest %+v", latest)
	}
}

func TestStatusTellsRunningFromKilled(t *testing.T) {
	s := fresh(t)
	r, _, _ := aRun(t, s)
	doing := func() string {
		st, err := s.Status(ctx, r.ID)
		must(t, err)
		return st.Doing
	}
	if got := doing(); got != "not started" {
		t.Error(got)
	}
	inv, err := s.Begin(ctx, r.ID, Invocation{Version: "v"})
	must(t, err)
	if got := doing(); len(got) < 18 || got[:18] != "running in process" {
		t.Error(got)
	}
	must(t, s.put(ctx, false, func(x *tx) error { return x.exec("update lease set pid = ?", ended(t)) }))
	if got := doing(); got != "interrupted; run again to go on" {
		t.Errorf("after kill -9: %s", got)
	}
	must(t, s.put(ctx, false, func(x *tx) error { return x.exec("update lease set pid = ?", os.Getpid()) }))
	other, err := s.OpenRun(ctx, "another", "2", []byte("{}"), false)
	must(t, err)
	next, err := s.Begin(ctx, other.ID, Invocation{Version: "v"})
	must(t, err)
	if got := doing(); got != "interrupted; run again to go on" {
		t.Errorf("while another run of the store is worked on: %s", got)
	}
	must(t, s.End(ctx, next, "done"))
	must(t, s.End(ctx, inv, "paused"))
	if got := doing(); got != "paused" {
		t.Error(got)
	}
}
