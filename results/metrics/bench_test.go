package metrics

import (
	"encoding/json"
	"fmt"
	"testing"

	"intentlab/results/metrics/draw"
)

// large is a table of n episodes × 10 ratios with 102 labels, as WebLINX has, and one judge.
func large(n int) Sample {
	src := draw.New(draw.Seed("bench"))
	s := Sample{Dataset: "d", Grid: tenths, LabelSpace: "space", Judges: []JudgeInfo{{"semantic", "f", 0.7}}}
	for i := range 102 {
		s.Labels = append(s.Labels, fmt.Sprintf("label%03d.example", i))
	}
	for e := range n {
		total := 1 + src.Intn(40)
		ep := Episode{ID: fmt.Sprintf("e%06d", e), Total: total, Tasks: make([]Observation, 10)}
		gold := s.Labels[src.Intn(102)]
		scores := make([]OpenScore, 10)
		for i, r := range tenths {
			pred := gold
			if src.Intn(3) == 0 {
				pred = s.Labels[src.Intn(102)]
			}
			scores[i] = OpenScore{Scored, src.Float64()}
			ep.Tasks[i] = Observation{Steps: Steps(total, r), State: Answered, ClosedEligible: true, Gold: gold, Predicted: pred,
				Correct: gold == pred, Confidence: src.Float64(), HasConfidence: true, OpenEligible: true, Open: scores[i : i+1]}
		}
		s.Episodes = append(s.Episodes, ep)
	}
	return s
}

func BenchmarkEvaluate10000Episodes(b *testing.B) {
	s := large(10000)
	b.ReportAllocs()
	for b.Loop() {
		if r := Evaluate(s, Options{}); !r.Closed.NAUC.Known() {
			b.Fatal(r.Closed.NAUC.Why())
		}
	}
}

func BenchmarkGain10000Episodes(b *testing.B) {
	s := large(10000)
	b.ReportAllocs()
	for b.Loop() {
		if g := NewPair(s, s, Closed, "", Options{}).Gain(); !g.Norm.Known() {
			b.Fatal(g.Norm.Why())
		}
	}
}

func BenchmarkEvaluationJSON(b *testing.B) {
	ev := EvaluateAll(Meta{}, []Sample{large(100)}, nil, Options{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(ev); err != nil {
			b.Fatal(err)
		}
	}
}
