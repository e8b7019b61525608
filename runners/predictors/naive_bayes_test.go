package predictors

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"intentlab/ablations/task"
)

// The worked example of Manning, Raghavan and Schütze, Introduction to Information Retrieval,
// example 13.1: P(c|d5) is proportional to 3/4·(3/7)^3·1/14·1/14, P(not c|d5) to 1/4·(2/9)^3·2/9·2/9.
func china() []task.Example {
	return []task.Example{
		episodeOf("1", "china", "visit beijing", "Chinese Beijing Chinese"),
		episodeOf("2", "china", "visit shanghai", "Chinese Chinese Shanghai"),
		episodeOf("3", "china", "visit macao", "Chinese Macao"),
		episodeOf("4", "other", "visit tokyo", "Tokyo Japan Chinese"),
	}
}

func TestNaiveBayesFollowsTheTextbook(t *testing.T) {
	m := fitted(t, "naive_bayes", nil, china()...)
	yes := 3.0 / 4 * math.Pow(3.0/7, 3) / 14 / 14
	no := 1.0 / 4 * math.Pow(2.0/9, 3) * (2.0 / 9) * (2.0 / 9)
	a := ask(t, m, textTask("5", "Chinese Chinese Chinese Tokyo Japan"))
	if a.ClosedIntent != "china" || !near(*a.ClosedConfidence, yes/(yes+no)) {
		t.Errorf("got %s with %v, want china with %v", a.ClosedIntent, *a.ClosedConfidence, yes/(yes+no))
	}
	want := []task.LabelProbability{{Label: "china", P: *a.ClosedConfidence}, {Label: "other", P: a.ClosedTopK[1].P}}
	if !slices.Equal(a.ClosedTopK, want) || !near(want[1].P, no/(yes+no)) {
		t.Errorf("top k %v, want %v", a.ClosedTopK, want)
	}
	if a.PredictedIntent == "visit tokyo" {
		t.Error("the open intent is not of the predicted label, though example 4 is nearest")
	}
}

func TestNaiveBayesUsesAlpha(t *testing.T) {
	m := fitted(t, "naive_bayes", &naiveBayesOptions{Alpha: 0.5}, china()...)
	yes, no := 3.0/4*(5.5/11), 1.0/4*(1.5/6)
	if a := ask(t, m, textTask("q", "chinese")); !near(*a.ClosedConfidence, yes/(yes+no)) {
		t.Errorf("got %v, want %v", *a.ClosedConfidence, yes/(yes+no))
	}
}

func TestNaiveBayesWeighsPrefixesByEpisode(t *testing.T) {
	exs := china()
	double := append(slices.Clone(exs), exs[3])
	double[3].Weight, double[4].Weight = 0.5, 0.5
	q := textTask("q", "Chinese Tokyo")
	once, twice := ask(t, fitted(t, "naive_bayes", nil, exs...), q), ask(t, fitted(t, "naive_bayes", nil, double...), q)
	if !near(*once.ClosedConfidence, *twice.ClosedConfidence) {
		t.Errorf("an episode told twice at half weight: %v, once: %v", *twice.ClosedConfidence, *once.ClosedConfidence)
	}
}

func TestNaiveBayesGivesThePriorWithoutKnownTerms(t *testing.T) {
	m := fitted(t, "naive_bayes", nil, china()...)
	for _, text := range []string{"", "zebra"} {
		a := ask(t, m, textTask("q", text))
		if a.ClosedIntent != "china" || !near(*a.ClosedConfidence, 0.75) || a.PredictedIntent != "visit beijing" {
			t.Errorf("%q: %+v with %v", text, a, *a.ClosedConfidence)
		}
	}
	empty := fitted(t, "naive_bayes", nil, episodeOf("1", "A", "", ""), episodeOf("2", "B", "", ""))
	if a := ask(t, empty, textTask("q", "zebra")); a.ClosedIntent != "A" || *a.ClosedConfidence != 0.5 {
		t.Errorf("training without a word: %+v", a)
	}
}

func TestNaiveBayesSurvivesLongSteps(t *testing.T) {
	long := strings.Repeat("Chinese Tokyo 打开 ", 57000/16)
	a := ask(t, fitted(t, "naive_bayes", &naiveBayesOptions{Alpha: 1e-9}, china()...), textTask("q", long))
	if c := *a.ClosedConfidence; math.IsNaN(c) || c < 0.5 || c > 1 {
		t.Errorf("confidence %v", c)
	}
}

func TestRankTiesStayInByteOrder(t *testing.T) {
	p := []float64{0.1, 0.2, 0.1, 0.2, 0.1, 0.1, 0.2}
	if got, want := rank(p), []int32{1, 3, 6, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("ranked %v, want %v", got, want)
	}
	if got := rank([]float64{1}); !slices.Equal(got, []int32{0}) {
		t.Errorf("one label: %v", got)
	}
}

func TestNaiveBayesWithManyLabelsListsFive(t *testing.T) {
	var exs []task.Example
	for i := range 30 {
		exs = append(exs, episodeOf(fmt.Sprint(i), fmt.Sprintf("L%02d", i), "", fmt.Sprint("word", i)))
	}
	a := ask(t, fitted(t, "naive_bayes", nil, exs...), textTask("q", "word7"))
	if a.ClosedIntent != "L07" || len(a.ClosedTopK) != 5 || a.ClosedTopK[1].Label != "L00" {
		t.Errorf("got %s and %v", a.ClosedIntent, a.ClosedTopK)
	}
}
