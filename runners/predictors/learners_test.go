package predictors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"intentlab/ablations/task"
)

// drawEpisodes draws episodes of nested prefixes with text and a graph, some without intents.
func drawEpisodes(t *rapid.T) [][]task.Example {
	word := rapid.SampledFrom([]string{"open", "close", "地图", "付款", "Café", "42", "", "…"})
	op := rapid.SampledFrom([]string{"click", "type", "scroll"})
	var out [][]task.Example
	for e := range rapid.IntRange(0, 8).Draw(t, "episodes") {
		id := fmt.Sprint("e", e)
		closed := rapid.SampledFrom([]string{"", "A", "B", "C"}).Draw(t, "closed")
		open := rapid.SampledFrom([]string{"", "go", "pay", "付款"}).Draw(t, "open")
		words := rapid.SliceOfN(word, 1, 6).Draw(t, "words")
		ops := rapid.SliceOfN(op, len(words), len(words)).Draw(t, "ops")
		var prefixes []task.Example
		for k := 1; k <= len(words); k++ {
			q := textTask(id, words[:k]...)
			q.Graph = graphTask(id, ops[:k]...).Graph
			prefixes = append(prefixes, task.Example{Task: q, ClosedIntent: closed, OpenIntent: open, Weight: 1 / float64(len(words))})
		}
		out = append(out, prefixes)
	}
	return out
}

func flat(episodes [][]task.Example) (out []task.Example) {
	for _, e := range episodes {
		out = append(out, e...)
	}
	return out
}

func TestLearnersSaveLoadAndAnswerAlike(t *testing.T) {
	for _, kind := range learners {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				exs := flat(drawEpisodes(r))
				probes := flat(drawEpisodes(r))
				probes = append(probes, task.Example{}, task.Example{Task: task.Task{Graph: &task.Graph{}}})
				one, two, loaded := fitted(t, kind, nil, exs...), fitted(t, kind, nil, exs...), built(t, kind, nil)
				artefact := saved(t, one)
				if !bytes.Equal(artefact, saved(t, two)) {
					r.Fatal("equal examples, different bytes")
				}
				if err := loaded.Load(bytes.NewReader(artefact)); err != nil {
					r.Fatal(err)
				}
				if !bytes.Equal(artefact, saved(t, loaded)) {
					r.Fatal("saving what was loaded gives other bytes")
				}
				closed, open := map[string]bool{"": true}, map[string]bool{"": true}
				for _, ex := range exs {
					closed[ex.ClosedIntent], open[ex.OpenIntent] = true, true
				}
				for _, p := range probes {
					a := ask(t, one, p.Task)
					if d := cmp.Diff(a, ask(t, loaded, p.Task)); d != "" {
						r.Fatalf("the loaded learner answers otherwise:\n%s", d)
					}
					checkAnswer(r, a, closed, open)
				}
			})
		})
	}
}

// checkAnswer holds an answer against what every method promises.
func checkAnswer(t *rapid.T, a task.Answer, closed, open map[string]bool) {
	if !closed[a.ClosedIntent] || !open[a.PredictedIntent] {
		t.Fatalf("answer %+v holds intents that training doesn't", a)
	}
	if (a.ClosedIntent == "") != (len(closed) == 1) || (a.PredictedIntent == "") != (len(open) == 1) {
		t.Fatalf("answer %+v abstains where training knows intents, or the reverse", a)
	}
	if (a.ClosedConfidence == nil) != (a.ClosedIntent == "") {
		t.Fatalf("answer %+v: a label and its confidence go together", a)
	}
	if a.ClosedConfidence != nil && !(*a.ClosedConfidence >= 0 && *a.ClosedConfidence <= 1) {
		t.Fatalf("confidence %v", *a.ClosedConfidence)
	}
	sum := 0.0
	for i, p := range a.ClosedTopK {
		sum += p.P
		if !(p.P >= 0 && p.P <= 1) || i > 0 && p.P > a.ClosedTopK[i-1].P || i == 0 && (p.Label != a.ClosedIntent || p.P != *a.ClosedConfidence) {
			t.Fatalf("ranked labels %v of answer %q", a.ClosedTopK, a.ClosedIntent)
		}
	}
	if sum > 1+1e-9 {
		t.Fatalf("ranked labels sum to %v", sum)
	}
}

func TestOrderOfEpisodesChangesNothingButTies(t *testing.T) {
	for _, kind := range learners {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				episodes := drawEpisodes(r)
				var places []int
				for i := range episodes {
					places = append(places, i)
				}
				var permuted [][]task.Example
				for _, i := range rapid.Permutation(places).Draw(r, "order") {
					permuted = append(permuted, episodes[i])
				}
				a, b := fitted(t, kind, nil, flat(episodes)...), fitted(t, kind, nil, flat(permuted)...)
				for _, ex := range flat(episodes) {
					x, y := ask(t, a, ex.Task), ask(t, b, ex.Task)
					if (x.ClosedConfidence == nil) != (y.ClosedConfidence == nil) || x.ClosedConfidence != nil && math.Abs(*x.ClosedConfidence-*y.ClosedConfidence) > 1e-9 {
						r.Fatalf("confidence depends on the order: %+v, %+v", x, y)
					}
					if x.ClosedIntent != y.ClosedIntent && !tied(a, x, ex.Task) {
						r.Fatalf("label depends on the order: %+v, %+v", x, y)
					}
				}
			})
		})
	}
}

// tied reports whether the two best labels, or the two nearest labelled episodes, are as good as
// equal.
func tied(p Predictor, a task.Answer, q task.Task) bool {
	if m, ok := p.(*shuffledLabels); ok {
		p = m.Learner
	}
	if m, ok := p.(*neighbourVote); ok {
		s, length := m.index.query(&q)
		defer m.index.release(s)
		near := m.index.nearest(s, length, 2, hasLabel)
		return len(near) > 1 && near[0].cosine == near[1].cosine
	}
	return len(a.ClosedTopK) > 1 && a.ClosedTopK[0].P-a.ClosedTopK[1].P < 1e-9
}

func TestPredictIsSafeForConcurrentUse(t *testing.T) {
	for _, kind := range learners {
		t.Run(kind, func(t *testing.T) {
			var exs []task.Example
			for i := range 20 {
				ex := episodeOf(fmt.Sprint(i), fmt.Sprint("L", i%3), fmt.Sprint("open ", i), fmt.Sprintf("w%d w%d 打开", i%5, i%7))
				ex.Task.Graph = graphTask("", []string{"click", "type", "scroll"}[:1+i%3]...).Graph
				exs = append(exs, ex)
			}
			m := fitted(t, kind, nil, exs...)
			want := make([]task.Answer, len(exs))
			for i := range exs {
				want[i] = ask(t, m, exs[i].Task)
			}
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 20 {
						for i := range exs {
							got, err := m.Predict(context.Background(), exs[i].Task, nil)
							if d := cmp.Diff(want[i], got); err != nil || d != "" {
								t.Errorf("example %d: %v\n%s", i, err, d)
								return
							}
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

func TestLearnersRefuseWhatTheyCannotUse(t *testing.T) {
	for _, kind := range learners {
		t.Run(kind, func(t *testing.T) {
			m := built(t, kind, nil)
			var failure *Failure
			if _, err := m.Predict(t.Context(), task.Task{}, nil); !errors.As(err, &failure) || !failure.Cell {
				t.Errorf("asked before fitting: %v", err)
			}
			if err := m.Save(&bytes.Buffer{}); err == nil {
				t.Error("saved before fitting")
			}
			for _, w := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-300} {
				ex := episodeOf("1", "A", "a", "x")
				ex.Weight = w
				if err := built(t, kind, nil).Fit(t.Context(), stream(ex), forbidden(t)); err == nil {
					t.Errorf("weight %v was taken", w)
				}
			}
			broken := errors.New("disk on fire")
			bad := func(context.Context) iter.Seq2[task.Example, error] {
				return func(yield func(task.Example, error) bool) { yield(task.Example{}, broken) }
			}
			if err := built(t, kind, nil).Fit(t.Context(), bad, nil); !errors.Is(err, broken) {
				t.Errorf("a broken stream: %v", err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := fitted(t, kind, nil).Predict(ctx, task.Task{}, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled question: %v", err)
			}
		})
	}
}

func TestArtefactsOfOthersAreRefused(t *testing.T) {
	exs := letters()
	for name, c := range map[string]struct{ from, to Learner }{
		"prior for index":      {fitted(t, "majority", nil, exs...), built(t, "tfidf_knn", nil)},
		"index for prior":      {fitted(t, "tfidf_knn", nil, exs...), built(t, "majority", nil)},
		"text for graph":       {fitted(t, "tfidf_knn", nil, exs...), built(t, "wl_kernel", nil)},
		"other iterations":     {fitted(t, "wl_kernel", nil, exs...), built(t, "wl_kernel", &wlKernelOptions{Iterations: 2, K: 1})},
		"graph for text, none": {fitted(t, "wl_kernel", nil), built(t, "naive_bayes", nil)},
	} {
		if err := c.to.Load(bytes.NewReader(saved(t, c.from))); err == nil {
			t.Errorf("%s: loaded", name)
		}
	}
}

func TestEveryDamagedByteIsNoticed(t *testing.T) {
	for _, kind := range learners {
		good := saved(t, fitted(t, kind, nil, letters()...))
		for i := range good {
			bad := bytes.Clone(good)
			bad[i] ^= 0x55
			if built(t, kind, nil).Load(bytes.NewReader(bad)) == nil {
				t.Fatalf("%s: byte %d of %d damaged, loaded", kind, i, len(good))
			}
			if built(t, kind, nil).Load(bytes.NewReader(good[:i])) == nil {
				t.Fatalf("%s: cut to %d of %d bytes, loaded", kind, i, len(good))
			}
		}
	}
}
