package predictors

import (
	"fmt"
	"math"
	"testing"

	"intentlab/ablations/task"
)

func near(got, want float64) bool { return math.Abs(got-want) < 1e-12 }

// Three episodes: "a b", "a c", "a a d"; so df(a) = 3, the others 1.
func letters() []task.Example {
	return []task.Example{episodeOf("1", "X", "first", "a b"), episodeOf("2", "Y", "second", "a c"), episodeOf("3", "X", "third", "a a d")}
}

func (ix *index) weightOf(word string) float64 {
	if id, ok := ix.lookup[hashString(fnvOffset, word)]; ok {
		return ix.weight[id]
	}
	return ix.unseen
}

func TestIDFIsSmoothedOverEpisodes(t *testing.T) {
	half := episodeOf("3", "X", "third", "a a") // a shorter prefix of episode 3: df must not change
	exs := append(letters()[:2], half, letters()[2])
	exs[2].Weight, exs[3].Weight = 0.5, 0.5
	ix, err := buildIndex(t.Context(), textSpace, stream(exs...))
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]float64{"a": math.Log(4.0/4) + 1, "b": math.Log(4.0/2) + 1, "d": math.Log(4.0/2) + 1, "new": math.Log(4.0/1) + 1} {
		if got := ix.weightOf(word); !near(got, want) {
			t.Errorf("idf of %s: %v, want %v", word, got, want)
		}
	}
}

func TestKNNCosineByHand(t *testing.T) {
	m := fitted(t, "tfidf_knn", nil, letters()...)
	r := math.Log(2) + 1 // weight of b, c, d; a has weight 1
	for _, c := range []struct {
		text, label, open string
		cosine            float64
	}{
		{"b a", "X", "first", 1},
		{"c", "Y", "second", r / math.Sqrt(1+r*r)},
		{"A d", "X", "third", (2 + r*r) / (math.Sqrt(1+r*r) * math.Sqrt(4+r*r))},
		{"c new", "Y", "second", r * r / (math.Sqrt(1+r*r) * math.Sqrt(r*r+math.Pow(math.Log(4)+1, 2)))},
	} {
		a := ask(t, m, textTask("q", c.text))
		if a.ClosedIntent != c.label || a.PredictedIntent != c.open || !near(*a.ClosedConfidence, c.cosine) {
			t.Errorf("%q: %s, %s, %v; want %s, %s, %v", c.text, a.ClosedIntent, a.PredictedIntent, *a.ClosedConfidence, c.label, c.open, c.cosine)
		}
	}
}

func TestKNNVotesByCosine(t *testing.T) {
	m := fitted(t, "tfidf_knn", &tfidfKNNOptions{K: 3}, letters()...)
	a := ask(t, m, textTask("q", "a b c d"))
	one := m.(*neighbourVote).index
	q := textTask("q", "a b c d")
	s, length := one.query(&q)
	defer one.release(s)
	found := one.nearest(s, length, 3, hasLabel)
	if len(found) != 3 || found[0].example != 0 || found[1].example != 1 || found[2].example != 2 {
		t.Fatalf("neighbours %v, want examples 0, 1 (equal cosines in example order), 2", found)
	}
	want := (found[0].cosine + found[2].cosine) / 3
	if a.ClosedIntent != "X" || !near(*a.ClosedConfidence, want) || len(a.ClosedTopK) != 2 || !near(a.ClosedTopK[1].P, found[1].cosine/3) {
		t.Errorf("got %+v with %v, want X with %v", a, *a.ClosedConfidence, want)
	}
}

func TestKNNCountsAnEpisodeOnce(t *testing.T) {
	var exs []task.Example
	for i, text := range []string{"a", "a b", "a b c"} {
		ex := episodeOf("long", "L", "long", text)
		ex.Weight, ex.Task.PrefixStepCount = 1.0/3, i+1
		exs = append(exs, ex)
	}
	exs = append(exs, episodeOf("s1", "S", "short", "a b c z"), episodeOf("s2", "S", "short", "a b c y"))
	a := ask(t, fitted(t, "tfidf_knn", &tfidfKNNOptions{K: 3}, exs...), textTask("q", "a b c"))
	if a.ClosedIntent != "S" || a.PredictedIntent != "long" {
		t.Errorf("got %q and %q, want the label of two episodes over three prefixes of one, and the nearest intent", a.ClosedIntent, a.PredictedIntent)
	}
}

func TestKNNFallsBackToThePrior(t *testing.T) {
	exs := append(letters(), episodeOf("4", "X", "first", "e"))
	m := fitted(t, "tfidf_knn", nil, exs...)
	for _, text := range []string{"", "nothing known", "。。"} {
		a := ask(t, m, textTask("q", text))
		if a.ClosedIntent != "X" || *a.ClosedConfidence != 0.75 || a.PredictedIntent != "first" || a.ClosedTopK != nil {
			t.Errorf("%q: got %+v, want the majority answer", text, a)
		}
	}
}

func TestKNNAnswersOpenIntentsWithoutClosedOnes(t *testing.T) {
	exs := []task.Example{episodeOf("1", "", "first", "a"), episodeOf("2", "", "second", "b"), episodeOf("3", "Z", "", "a")}
	m := fitted(t, "tfidf_knn", nil, exs[:2]...)
	if a := ask(t, m, textTask("q", "b")); a.ClosedIntent != "" || a.ClosedConfidence != nil || a.PredictedIntent != "second" {
		t.Errorf("no label anywhere: %+v", a)
	}
	m = fitted(t, "tfidf_knn", nil, exs...)
	if a := ask(t, m, textTask("q", "b")); a.ClosedIntent != "Z" || a.PredictedIntent != "second" {
		t.Errorf("a label elsewhere: %+v, want the prior's Z and second", a)
	}
}

func TestKNNReadsAGraphOnlyTask(t *testing.T) {
	click, typ := graphTask("1", "click", "click"), graphTask("2", "type", "type")
	m := fitted(t, "tfidf_knn", nil, task.Example{Task: click, ClosedIntent: "C", Weight: 1}, task.Example{Task: typ, ClosedIntent: "T", Weight: 1})
	if a := ask(t, m, graphTask("q", "type", "type")); a.ClosedIntent != "T" || !near(*a.ClosedConfidence, 1) {
		t.Errorf("got %+v", a)
	}
}

func TestWLKernelFindsTheNearestGraph(t *testing.T) {
	example := func(id, label string, ops ...string) task.Example {
		return task.Example{Task: graphTask(id, ops...), ClosedIntent: label, OpenIntent: "do " + label, Weight: 1}
	}
	m := fitted(t, "wl_kernel", nil, example("1", "search", "click", "type", "click"), example("2", "read", "scroll", "scroll", "scroll"))
	if a := ask(t, m, graphTask("q", "click", "type", "click")); a.ClosedIntent != "search" || !near(*a.ClosedConfidence, 1) || a.PredictedIntent != "do search" {
		t.Errorf("the same graph: %+v with %v", a, *a.ClosedConfidence)
	}
	if a := ask(t, m, graphTask("q", "scroll", "scroll")); a.ClosedIntent != "read" || *a.ClosedConfidence >= 1 || *a.ClosedConfidence <= 0 {
		t.Errorf("a shorter graph: %+v with %v", a, *a.ClosedConfidence)
	}
	if a := ask(t, m, task.Task{Graph: &task.Graph{}}); a.ClosedIntent != "read" || *a.ClosedConfidence != 0.5 {
		t.Errorf("an empty graph: %+v, want the prior", a)
	}
}

func TestWLKernelIsNormalised(t *testing.T) {
	a, b := graphTask("1", "click", "type"), graphTask("q", "click", "scroll", "type")
	m := fitted(t, "wl_kernel", &wlKernelOptions{Iterations: 1, K: 1}, task.Example{Task: a, ClosedIntent: "A", Weight: 1})
	ka, kb := bag(wlKeys(a.Graph, 1, nil), nil), bag(wlKeys(b.Graph, 1, nil), nil)
	want := float64(dot(ka, kb)) / math.Sqrt(float64(dot(ka, ka))*float64(dot(kb, kb)))
	if got := *ask(t, m, b).ClosedConfidence; !near(got, want) {
		t.Errorf("kernel %v, want %v", got, want)
	}
}

func TestNearestKeepsTheBestOfMany(t *testing.T) {
	var exs []task.Example
	for i := range 40 {
		text := "a"
		for range (i * 7) % 40 {
			text += " b"
		}
		exs = append(exs, episodeOf(fmt.Sprint(i), fmt.Sprint(i), "", text))
	}
	ix, err := buildIndex(t.Context(), textSpace, stream(exs...))
	if err != nil {
		t.Fatal(err)
	}
	q := textTask("q", "b b b b a")
	s, length := ix.query(&q)
	defer ix.release(s)
	all := ix.nearest(s, length, 100, hasLabel)
	if len(all) != 40 {
		t.Fatalf("%d neighbours, want all 40", len(all))
	}
	for k := 1; k < 40; k++ {
		got := ix.nearest(s, length, k, hasLabel)
		for i := range got {
			if len(got) != k || got[i] != all[i] || i > 0 && got[i].cosine > got[i-1].cosine {
				t.Fatalf("the %d nearest are not the first of all: %v", k, got)
			}
		}
	}
}
