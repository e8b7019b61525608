package report

import (
	"testing"

	"intentlab/results"
	"intentlab/results/metrics"
)

func TestVerdictsEnterTheMeanByThePolicy(t *testing.T) {
	half := 0.5
	for _, c := range []struct {
		state string
		score *float64
		want  metrics.OpenScore
	}{
		{"scored", &half, metrics.OpenScore{State: metrics.Scored, Score: 0.5}},
		{"scored", nil, metrics.OpenScore{State: metrics.JudgeFailure}},
		{"method_empty", nil, metrics.OpenScore{State: metrics.MethodFailure}},
		{"method_error", nil, metrics.OpenScore{State: metrics.MethodFailure}},
		{"gold_unsupported_text", nil, metrics.OpenScore{State: metrics.GoldOut}},
		{"gold_missing", nil, metrics.OpenScore{State: metrics.GoldOut}},
		{"judge_unsupported_text", nil, metrics.OpenScore{State: metrics.JudgeFailure}},
		{"judge_transport", nil, metrics.OpenScore{State: metrics.JudgeFailure}},
		{"something new", &half, metrics.OpenScore{State: metrics.JudgeFailure}},
	} {
		if got := OpenScore(c.state, c.score); got != c.want {
			t.Errorf("OpenScore(%q) = %v, want %v", c.state, got, c.want)
		}
	}
}

func TestACellWithoutNumbersSaysWhy(t *testing.T) {
	for _, c := range []struct {
		cells []results.Cell
		want  string
	}{
		{nil, "not declared"},
		{[]results.Cell{{State: results.CellDone}, {State: results.CellNA, Reason: "needs a graph"}}, "n/a: needs a graph"},
		{[]results.Cell{{State: results.CellExcluded, Reason: "cost"}}, "excluded: cost"},
		{[]results.Cell{{State: results.CellFailed, Reason: "crashed"}}, "failed: crashed"},
		{[]results.Cell{{State: results.CellPending}, {State: results.CellDone}}, ""},
	} {
		if got := blankReason(c.cells); got != c.want {
			t.Errorf("blankReason(%v) = %q, want %q", c.cells, got, c.want)
		}
	}
}

func TestAMeanOverSeedsIsNullAsSoonAsOneSeedIs(t *testing.T) {
	if x, ok := mean([]metrics.Value{metrics.Of(0.25), metrics.Of(0.75)}).Get(); !ok || x != 0.5 {
		t.Errorf("mean = %v, %v", x, ok)
	}
	if v := mean([]metrics.Value{metrics.Of(1), metrics.None("pending 1 of 2")}); v.Known() || v.Why() != "pending 1 of 2" {
		t.Errorf("mean with a null = %v, %q", v, v.Why())
	}
	if v := mean(nil); v.Known() {
		t.Error("the mean of nothing is a number")
	}
}
