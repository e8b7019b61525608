package metrics

import "testing"

func TestAScoreOnTheThresholdDoesNotPass(t *testing.T) {
	b := Evaluate(openSample([]int{500, 1000}, 0.75, scored(0.75, 1)), Options{}).Open
	near(t, "on the threshold", b.Pass.Values[0], 0)
	near(t, "above it", b.Pass.Values[1], 1)
}

// The share of solved episodes is the accuracy at the last ratio only if both leave out the same
// episodes.
func TestAnEpisodeWithoutItsLastTaskIsOutsideOfStablePoints(t *testing.T) {
	s := mapTasks(small()[0], func(e, i int, o Observation) Observation {
		if e == 0 && i == 2 {
			o.State = NotAsked
		}
		return o
	})
	c := Evaluate(s, Options{}).Closed
	near(t, "n", c.TTC.N, 2)
	near(t, "solve rate", c.TTC.SolveRate, c.Acc.At(1000).number)
}

func TestAnInvalidLabelIsNoClassEvenWhenItIsGiven(t *testing.T) {
	s := slice([]string{"A", "B"}, pointers([]string{"A", "B"}), []string{"A", "B"})
	s = mapTasks(s, func(e, _ int, o Observation) Observation {
		if e == 1 {
			o.State, o.Predicted, o.Correct = InvalidLabel, "A", false
		}
		return o
	})
	// A is right and must not be charged with the invalid answer: F1 is 1 and 0.
	near(t, "macro_f1", Evaluate(s, Options{}).Closed.MacroF1, 0.5)
}

func TestAMissingAnswerIsAMethodFailureWhateverTheJudgeSaid(t *testing.T) {
	for _, state := range []State{Missing, MethodError} {
		s := openSample([]int{1000}, 0.7, scored(1), scored(1))
		s.Episodes[0].Tasks[0].State = state
		b := Evaluate(s, Options{}).Open
		near(t, string(state), b.Score.Values[0], 0.5)
		near(t, string(state)+" failures", b.NMethodFailures, 1)
	}
	s := openSample([]int{1000}, 0.7, scored(1), []OpenScore{{State: JudgeFailure}})
	s.Episodes[1].Tasks[0].State = Missing
	near(t, "an unscored missing answer", Evaluate(s, Options{}).Open.Score.Values[0], 0.5)
}

func TestDuplicatesDisagreeAlsoByTheirState(t *testing.T) {
	s := mapTasks(small()[0], func(e, i int, o Observation) Observation {
		o.State, o.Predicted, o.Correct = Abstained, "", false
		if e == 0 && i == 2 {
			o.State = MethodError
		}
		return o
	})
	near(t, "rate", Evaluate(s, Options{}).DuplicateDisagreement, 0.5)
}

func TestLabelsAreEqualAfterNFCAndTrimmingOnly(t *testing.T) {
	if NormalizeLabel(" e\u0301 ") != "\u00e9" || NormalizeLabel("Www.a") == NormalizeLabel("www.a") {
		t.Error("labels are compared by NFC and trimming, case kept")
	}
}

func TestScoresOutsideOfTheUnitIntervalAreJudgeFailures(t *testing.T) {
	for _, x := range []float64{-0.01, 1.01} {
		near(t, "unscored", Evaluate(openSample([]int{1000}, 0.7, scored(x)), Options{}).Open.NUnscored, 1)
	}
}

func TestAreasNeverExtrapolate(t *testing.T) {
	one, gap := Of(1), None("no eligible task")
	for _, vs := range [][]Value{{gap, one, one}, {one, one, gap}, {gap}} {
		_, n := Area(Curve{Grid: tenths[:len(vs)], Values: vs}, true)
		null(t, "nauc", n)
	}
	_, n := Area(Curve{Grid: tenths[:4], Values: []Value{one, gap, gap, one}}, true)
	near(t, "two gaps side by side", n, 1)
}
