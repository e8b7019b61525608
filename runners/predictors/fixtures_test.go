package predictors

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"testing"

	"intentlab/ablations/task"
)

// stream is a re-iterable stream over exs.
func stream(exs ...task.Example) task.Examples {
	return func(context.Context) iter.Seq2[task.Example, error] {
		return func(yield func(task.Example, error) bool) {
			for _, e := range exs {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// forbidden is the dev split of kinds that promise not to read it.
func forbidden(t testing.TB) task.Examples {
	return func(context.Context) iter.Seq2[task.Example, error] {
		t.Error("dev examples were read")
		return func(func(task.Example, error) bool) {}
	}
}

func textTask(episode string, utterances ...string) task.Task {
	t := task.Task{ID: "d:" + episode + ":r1.00", Dataset: "d", EpisodeID: episode, PrefixStepCount: len(utterances)}
	for i, u := range utterances {
		t.ObservedSteps = append(t.ObservedSteps, task.Step{Index: i, Kind: "utterance", Utterance: u})
	}
	return t
}

// episodeOf is an episode of one prefix.
func episodeOf(id, closed, open, text string) task.Example {
	return task.Example{Task: textTask(id, text), ClosedIntent: closed, OpenIntent: open, Weight: 1}
}

// graphTask is a task that shows a graph only: one action node a step, in order.
func graphTask(episode string, ops ...string) task.Task {
	g := &task.Graph{Nodes: []task.Node{{ID: "episode", Type: "episode"}}}
	for i, op := range ops {
		step, action := fmt.Sprintf("step:%d", i), fmt.Sprintf("action:%d", i)
		g.Nodes = append(g.Nodes, task.Node{ID: step, Type: "step", Index: &i}, task.Node{ID: action, Type: "action", Op: op, Text: op + " it"})
		g.Edges = append(g.Edges, task.Edge{From: "episode", To: step, Type: "observed_prefix_step"}, task.Edge{From: step, To: action, Type: "contains_action"})
		if i > 0 {
			g.Edges = append(g.Edges, task.Edge{From: fmt.Sprintf("step:%d", i-1), To: step, Type: "next_step"})
		}
	}
	return task.Task{ID: "d:" + episode + ":r1.00", Dataset: "d", EpisodeID: episode, Graph: g, PrefixStepCount: len(ops)}
}

// fitted builds a kind, with its defaults or the options given, and fits it.
func fitted(t testing.TB, kind string, options any, exs ...task.Example) Learner {
	t.Helper()
	l := built(t, kind, options)
	if err := l.Fit(t.Context(), stream(exs...), forbidden(t)); err != nil {
		t.Fatalf("fit: %v", err)
	}
	return l
}

func built(t testing.TB, kind string, options any) Learner {
	t.Helper()
	p, err := Kinds[kind].New(Setup{Options: options, Seed: 1})
	if err != nil {
		t.Fatalf("building %s: %v", kind, err)
	}
	return p.(Learner)
}

func ask(t testing.TB, p Predictor, q task.Task) task.Answer {
	t.Helper()
	a, err := p.Predict(t.Context(), q, nil)
	if err != nil {
		t.Fatalf("predict %s: %v", q.ID, err)
	}
	return a
}

func saved(t testing.TB, l Learner) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := l.Save(&buf); err != nil {
		t.Fatalf("save: %v", err)
	}
	return buf.Bytes()
}

// learners are the built-in kinds that this folder fits in process.
var learners = []string{"instruction_probe", "length_probe", "majority", "metadata_probe", "naive_bayes", "shuffled_labels", "stratified_prior", "tfidf_knn", "url_probe", "wl_kernel"}
