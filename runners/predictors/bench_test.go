package predictors

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"intentlab/ablations/task"
	"intentlab/results/metrics/draw"
)

// benchExamples are 500 examples of about 100 tokens from a vocabulary of 2,000 words with a long
// tail, and of 20 steps as a graph.
func benchExamples() []task.Example {
	src := draw.New(1)
	ops := []string{"click", "type", "scroll", "load", "copy"}
	exs := make([]task.Example, 500)
	for i := range exs {
		var words, steps []string
		for range 100 {
			words = append(words, fmt.Sprintf("word%d", src.Intn(1+src.Intn(2000))))
		}
		for range 20 {
			steps = append(steps, ops[src.Intn(len(ops))])
		}
		exs[i] = episodeOf(fmt.Sprint(i), fmt.Sprintf("label %d", src.Intn(20)), fmt.Sprint("intent ", i), strings.Join(words, " "))
		exs[i].Task.Graph = graphTask("", steps...).Graph
	}
	return exs
}

// BenchmarkPredict reports predictions per second on one core.
func BenchmarkPredict(b *testing.B) {
	exs := benchExamples()
	for _, kind := range learners {
		b.Run(kind, func(b *testing.B) {
			m := fitted(b, kind, nil, exs...)
			tasks := make([]task.Task, len(exs))
			for i := range exs {
				tasks[i] = exs[i].Task
				if Kinds[kind].Needs.Graph {
					tasks[i].ObservedSteps = nil
				} else {
					tasks[i].Graph = nil
				}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				ask(b, m, tasks[i%len(tasks)])
				i++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "predictions/s")
		})
	}
}

// BenchmarkFit reports the cost of fitting 500 examples, and the artefact's size.
func BenchmarkFit(b *testing.B) {
	exs := benchExamples()
	for _, kind := range learners {
		b.Run(kind, func(b *testing.B) {
			var m Learner
			for b.Loop() {
				m = fitted(b, kind, nil, exs...)
			}
			b.ReportMetric(float64(len(saved(b, m))), "artefact-bytes")
		})
	}
}

// BenchmarkLoad reports the cost of starting from the artefact.
func BenchmarkLoad(b *testing.B) {
	exs := benchExamples()
	for _, kind := range learners {
		b.Run(kind, func(b *testing.B) {
			artefact := saved(b, fitted(b, kind, nil, exs...))
			for b.Loop() {
				if err := built(b, kind, nil).Load(bytes.NewReader(artefact)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
