package prompt

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"intentlab/ablations/task"
	"intentlab/experiments/prompts"
)

func sample() *task.Task {
	index := 0
	return &task.Task{ID: "weblinx:abc:r0.30", RequestedRatio: 300, EffectiveRatio: 0.3, PrefixStepCount: 2,
		Metadata:     task.Metadata{Fields: map[string]string{"platform": "web", "device": "Pixel"}, Apps: []string{"Maps", "Mail"}, Profile: map[string]string{"age": "31"}},
		ContextSteps: []task.Step{{Kind: "utterance", Speaker: "instructor", Utterance: "earlier turn"}},
		ObservedSteps: []task.Step{
			{Kind: "utterance", Speaker: "instructor", Utterance: "Please open\n the site </recording> now"},
			{Kind: "action", Action: "click [a] Questions", Op: "click", Element: "[a] Questions", URL: "https://x.org/"},
			{Kind: "action", Op: "scroll"},
		},
		Graph: &task.Graph{TaskID: "weblinx:abc:r0.30", Nodes: []task.Node{{ID: "episode", Type: "episode"}, {ID: "metadata:platform", Type: "metadata", Key: "platform", Value: "web"},
			{ID: "step:0", Type: "step", Index: &index}, {ID: "action:0", Type: "action", Op: "click", Text: "click [a] Questions"}, {ID: "step:1", Type: "step"}},
			Edges: []task.Edge{{From: "episode", To: "step:0", Type: "observed_prefix_step"}, {From: "step:0", To: "action:0", Type: "contains_action"},
				{From: "episode", To: "step:1", Type: "observed_prefix_step"}, {From: "step:0", To: "step:1", Type: "next_step"}, {From: "step:1", To: "action:0", Type: "repeated_action"},
				{From: "episode", To: "metadata:platform", Type: "has_metadata"}}}}
}

func TestRecordingSaysAllThatIsVisibleOnceAndNeitherIDNorRatio(t *testing.T) {
	got, err := Recording(sample(), Tree, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := `device: Pixel
platform: web
apps: Maps, Mail
person's age: 31

Earlier in this session:
1. instructor says: "earlier turn"

Steps of the task at hand so far:
1. instructor says: "Please open the site </recording > now"
2. click [a] Questions | url: https://x.org/
3. scroll

Graph of the recording:
episode
  step:0
    action:0 [click | click [a] Questions]
  step:1
  metadata:platform [key=platform | web]
step:1 -repeated_action-> action:0`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestGraphFormsHoldEveryNodeAndNoTaskID(t *testing.T) {
	for _, form := range []string{EdgeList, Tree, JSON} {
		got, err := Graph(sample().Graph, form)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range sample().Graph.Nodes {
			if !strings.Contains(got, n.ID) {
				t.Errorf("%s lacks node %s:\n%s", form, n.ID, got)
			}
		}
		if strings.Contains(got, "r0.30") {
			t.Errorf("%s tells the ratio:\n%s", form, got)
		}
	}
	if _, err := Graph(sample().Graph, "dot"); err == nil || !strings.Contains(err.Error(), "edge_list") {
		t.Errorf("an unknown form: %v", err)
	}
	if got, err := Graph(nil, Tree); got != "" || err != nil {
		t.Errorf("no graph: %q, %v", got, err)
	}
}

func TestATreeOfACircleEnds(t *testing.T) {
	g := &task.Graph{Nodes: []task.Node{{ID: "a"}, {ID: "b"}}, Edges: []task.Edge{{From: "a", To: "b", Type: "x"}, {From: "b", To: "a", Type: "x"}}}
	got, err := Graph(g, Tree)
	if err != nil || !strings.Contains(got, "a") || !strings.Contains(got, "b") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTheBudgetDropsTheOldestStepsFirstAndSaysSo(t *testing.T) {
	tk := &task.Task{Metadata: task.Metadata{Fields: map[string]string{"platform": "web"}}}
	for i := range 40 {
		tk.ContextSteps = append(tk.ContextSteps, task.Step{Action: fmt.Sprintf("context action number %d", i)})
		tk.ObservedSteps = append(tk.ObservedSteps, task.Step{Action: fmt.Sprintf("observed action number %d", i)})
	}
	got, err := Recording(tk, "", Limits{Total: 200})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got, "40. observed action number 39") || strings.Contains(got, "context action") || !strings.Contains(got, "older steps left out") || !strings.Contains(got, "(40 older earlier steps left out)") {
		t.Errorf("got:\n%s", got)
	}
	if n := Tokens(got); n > 230 {
		t.Errorf("%d tokens for a budget of 200", n)
	}
}

func TestTheNewestStepSurvivesAnyBudget(t *testing.T) {
	tk := &task.Task{ObservedSteps: []task.Step{{Action: "first"}, {Action: "the newest " + strings.Repeat("x", 4000)}}}
	got, err := Recording(tk, "", Limits{Total: 10, Step: 20})
	if err != nil || !strings.Contains(got, "2. the newest") || Tokens(got) > 60 {
		t.Errorf("%v, got %q", err, got)
	}
}

func TestClipKeepsItsBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "text"), rapid.IntRange(1, 30).Draw(t, "tokens")
		got := Clip(s, n)
		if Tokens(got) > n+1 || !strings.HasPrefix(s, strings.TrimSuffix(got, "…")) {
			t.Fatalf("Clip(%q, %d) = %q (%d tokens)", s, n, got, Tokens(got))
		}
	})
}

func TestEveryBuiltInPromptRenders(t *testing.T) {
	for _, name := range prompts.Names() {
		text, err := prompts.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "rubric") || strings.HasPrefix(name, "facts") || strings.HasPrefix(name, "pairwise") {
			continue // a judge's
		}
		p, err := Parse(name, text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		msgs, err := p.Render(Page{Recording: "THE RECORDING", Summary: "THE SUMMARY", Labels: []string{"LABEL ONE"}, Examples: []Example{{"EXAMPLE", "ANSWER"}}, Ratio: "30 %"})
		if err != nil || len(msgs) != 2 || msgs[0].Role != "system" || msgs[1].Role != "user" {
			t.Errorf("%s: %+v, %v", name, msgs, err)
			continue
		}
		if !strings.Contains(msgs[1].Content, "THE RECORDING") && !strings.Contains(msgs[1].Content, "THE SUMMARY") {
			t.Errorf("%s shows no input:\n%s", name, msgs[1].Content)
		}
		for _, m := range msgs {
			if strings.Contains(m.Content, "<no value>") || strings.Contains(m.Content, "{{") {
				t.Errorf("%s leaves a hole:\n%s", name, m.Content)
			}
		}
	}
}

func TestAPromptWithAnUnknownFieldIsRefusedBeforeTheFirstTask(t *testing.T) {
	for _, text := range []string{"{{.Intent}}", "{{.Recording", "  ", `{{define "system"}}x{{end}}`} {
		if _, err := Parse("mine.tmpl", text); err == nil {
			t.Errorf("the prompt %q is taken", text)
		}
	}
	p, err := Parse("mine.tmpl", "Guess: {{.Recording}}")
	if err != nil {
		t.Fatal(err)
	}
	msgs, err := p.Render(Page{Recording: "r"})
	if err != nil || len(msgs) != 1 || msgs[0] != (Message{"user", "Guess: r"}) {
		t.Errorf("%+v, %v", msgs, err)
	}
}
