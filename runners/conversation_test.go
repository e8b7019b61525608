package runners

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
	"intentlab/judge"
	"intentlab/matrix"
	"intentlab/results"
	"intentlab/runners/predictors"
)

// remembering is a stepwise method that notes the order in which it is asked.
type remembering struct {
	mu    sync.Mutex
	asked []string
}

func (r *remembering) Predict(_ context.Context, t task.Task, _ []task.Task) (task.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, t.ID)
	return task.Answer{ClosedIntent: "Travel", PredictedIntent: "book"}, nil
}

func (r *remembering) Close() error { return nil }

func TestATurnIsShownOnlyAfterEveryAnswerToTheTurnBefore(t *testing.T) {
	sample, err := filepath.Abs("../experiments/sample/mt_mind2web")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "e.hcl")
	text := fmt.Sprintf(`experiment "e" {
  seeds = [1]
  store = "e.db"
}
dataset "mt" {
  format = "mt_mind2web"
  path   = %q
  limit  = 30
}
ablation "full_context" {}
method "m" {
  uses    = "remembering"
  command = ["true"]
}
judge "f1" { uses = "lexical" }
`, sample)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	method := &remembering{}
	kind := predictors.Kind{Name: "remembering", Causal: true, CodeVersion: 1, Options: predictors.Kinds["command"].Options,
		New: func(predictors.Setup) (predictors.Predictor, error) { return method, nil }}
	lexical, mt := judge.Kinds["lexical"], trajectory.Formats["mt_mind2web"]
	exp, _, diags := matrix.Load([]string{file}, matrix.Inputs{
		Getenv: func(string) (string, bool) { return "", false }, Environ: func() []string { return nil },
		Kinds: matrix.Kinds{
			Methods: map[string]matrix.Kind{"remembering": {Name: "remembering", Options: kind.Options, Built: true}},
			Judges:  map[string]matrix.Kind{"lexical": {Name: "lexical", Options: lexical.Options, Built: true}},
			Formats: map[string]matrix.Kind{"mt_mind2web": {Name: "mt_mind2web", Built: true, Groups: mt.Groups, SplitUnit: mt.SplitUnit}},
		}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	g, err := Prepare(t.Context(), exp, Kinds{Methods: map[string]predictors.Kind{"remembering": kind},
		Judges: judge.Kinds, Formats: trajectory.Formats}, Options{Workers: 8})
	if err != nil {
		t.Fatal(err)
	}
	store, err := results.Open(t.Context(), exp.Store)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := g.Run(t.Context(), store, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	last := map[string]int{} // conversation → turn asked last
	later := 0
	for _, id := range method.asked {
		episode := strings.Split(id, ":")[1]
		conversation, number, ok := strings.Cut(episode, "%23")
		if !ok {
			t.Fatalf("episode %q is not a turn", episode)
		}
		var turn int
		if _, err := fmt.Sscan(number, &turn); err != nil {
			t.Fatal(err)
		}
		if before, seen := last[conversation]; seen && turn < before {
			t.Fatalf("turn %d of %s was asked about after turn %d", turn, conversation, before)
		} else if seen && turn > before {
			later++
		}
		last[conversation] = turn
	}
	if later == 0 {
		t.Fatal("no conversation had a second turn: the test shows nothing")
	}
}
