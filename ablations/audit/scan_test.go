package audit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"intentlab/ablations/task"
)

// places puts a text into every field of a task, by the field's name.
func places() map[string]func(t *task.Task, s string) {
	out := map[string]func(t *task.Task, s string){
		"ids":               func(t *task.Task, s string) { t.ID = t.Dataset + ":" + s + ":r0.10" },
		"metadata.platform": func(t *task.Task, s string) { t.Metadata.Fields["platform"] = s },
		"metadata_keys":     func(t *task.Task, s string) { t.Metadata.Fields[s] = "yes" },
		"apps":              func(t *task.Task, s string) { t.Metadata.Apps = append(t.Metadata.Apps, s) },
		"profile.age":       func(t *task.Task, s string) { t.Metadata.Profile["age"] = s },
		"graph.ids":         func(t *task.Task, s string) { t.Graph.Nodes[0].ID = s },
		"graph.type":        func(t *task.Task, s string) { t.Graph.Nodes[0].Type = s },
		"graph.key":         func(t *task.Task, s string) { t.Graph.Nodes[0].Key = s },
		"graph.value":       func(t *task.Task, s string) { t.Graph.Nodes[0].Value = s },
		"graph.op":          func(t *task.Task, s string) { t.Graph.Nodes[0].Op = s },
		"graph.text":        func(t *task.Task, s string) { t.Graph.Nodes[0].Text = s },
		"graph.speaker":     func(t *task.Task, s string) { t.Graph.Nodes[0].Speaker = s },
		"graph.url":         func(t *task.Task, s string) { t.Graph.Nodes[0].URL = s },
		"graph.edge":        func(t *task.Task, s string) { t.Graph.Edges[0].Type = s },
	}
	for prefix, step := range map[string]func(t *task.Task) *task.Step{
		"context.": func(t *task.Task) *task.Step { return &t.ContextSteps[0] },
		"":         func(t *task.Task) *task.Step { return &t.ObservedSteps[1] },
	} {
		for f := range reflect.TypeFor[task.Step]().Fields() {
			if f.Type.Kind() == reflect.String {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				out[prefix+name] = func(t *task.Task, s string) { reflect.ValueOf(step(t)).Elem().FieldByIndex(f.Index).SetString(s) }
			}
		}
	}
	return out
}

// innocent is a task of words that the planted texts never hold.
func innocent() *task.Task {
	return &task.Task{ID: "travel:e1:r0.10", Dataset: "travel", EpisodeID: "e1", PrefixStepCount: 2,
		Metadata:      task.Metadata{Fields: map[string]string{"platform": "web"}, Profile: map[string]string{"age": "20-30"}},
		ContextSteps:  []task.Step{{Kind: "action", Action: "click [a] Home"}},
		ObservedSteps: []task.Step{{Kind: "utterance", Utterance: "hello"}, {Kind: "action", Op: "click", Action: "click [b] Send"}},
		Graph: &task.Graph{TaskID: "travel:e1:r0.10", Nodes: []task.Node{{ID: "episode", Type: "episode"}, {ID: "step:0", Type: "step"}},
			Edges: []task.Edge{{From: "episode", To: "step:0", Type: "observed_prefix_step"}}},
	}
}

func TestNothingIsFoundInACleanTask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.StringMatching(`[A-Z]{3,8}( [A-Z]{3,8})?|[a-z]{3,8}zz\.(com|org)`).Draw(t, "label")
		open := rapid.StringMatching(`([a-z]{3,9}zz ){2,9}`).Draw(t, "open")
		if f := NewNeedles(label, open).Scan(innocent()); len(f.Hits) > 0 && !slices.Contains([]string{"WEB", "CLICK", "HOME", "SEND", "HELLO", "STEP", "EPISODE", "ACTION"}, label) {
			t.Fatalf("label %q, intent %q: %+v", label, open, f.Hits)
		}
	})
}

func TestAPlantedLeakIsFoundInWhateverFieldItStands(t *testing.T) {
	all := places()
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	slices.Sort(names)
	words := rapid.StringMatching(`[a-z]{3,9}|[A-Z][a-zé]{3,9}`)
	around := rapid.SampledFrom([]string{"", " ", "x ", "…", "(", "/", "\n"})
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.SampledFrom(names).Draw(t, "field")
		var open string
		if rapid.Bool().Draw(t, "characters") {
			open = rapid.StringMatching(`[一-龥]{8,30}`).Draw(t, "open")
		} else {
			open = strings.Join(rapid.SliceOfN(words, 5, 12).Draw(t, "open words"), " ")
		}
		label := rapid.StringMatching(`([A-Z][a-z]{5,9}q){1,3}|[a-z]{4,9}q\.(com|co\.uk)|www\.[a-z]{4,9}q\.net`).Draw(t, "label")
		n := NewNeedles(label, open)
		wrap := func(s string) string {
			return around.Draw(t, "before") + s + strings.TrimSuffix(around.Draw(t, "after"), "x ")
		}
		for kind, text := range map[Kind]string{Label: wrap(label), Intent: wrap(open)} {
			x := innocent()
			all[field](x, text)
			f := n.Scan(x)
			if !slices.ContainsFunc(f.Hits, func(h Hit) bool { return h.Kind == kind && h.Field == field && h.Excerpt != "" }) {
				t.Fatalf("%s %q in %s is not found: %+v", kind, text, field, f)
			}
			for _, h := range f.Hits {
				if h.Field != field && !(field == "metadata_keys" && strings.HasPrefix(h.Field, "metadata.")) {
					t.Fatalf("%s in %s was found in %s", kind, field, h.Field)
				}
			}
		}
	})
}

func TestScanNamesWhatIsShownAndOneHitAFieldAndKind(t *testing.T) {
	x := innocent()
	x.ObservedSteps = append(x.ObservedSteps, task.Step{URL: "https://shop.fixture.com/a"}, task.Step{URL: "https://www.shop.fixture.com/b"}, task.Step{URL: "https://other.org"})
	f := NewNeedles("www.shop.fixture.com", "").Scan(x)
	if len(f.Hits) != 1 || f.Hits[0] != (Hit{Label, "url", "https://‹www.shop.fixture.com›/b"}) {
		t.Errorf("hits %+v", f.Hits)
	}
	if !f.Has(Label, Host) || f.Has(Intent, Host) {
		t.Error("Has is wrong")
	}
	want := []string{"action", "context.action", "context.kind", "graph.edge", "graph.ids", "graph.type", "ids", "kind", "metadata.platform", "metadata_keys", "op", "profile.age", "url", "utterance"}
	if !slices.Equal(f.Shown, want) {
		t.Errorf("shown %v", f.Shown)
	}
}

func TestStructuralLeaksAreFound(t *testing.T) {
	if f := Structure(innocent(), []string{"domain", "step: intention"}); len(f) > 0 {
		t.Fatalf("a clean task has faults: %+v", f)
	}
	key := func(k, v string) func(*task.Task) { return func(x *task.Task) { x.Metadata.Fields[k] = v } }
	for i, c := range []struct {
		rule  Rule
		spoil func(*task.Task)
	}{
		{TargetKey, key("target", "x")},
		{TargetKey, key("Open Intent", "x")},
		{TargetKey, key("closed-intent", "x")},
		{TargetKey, key("domain", "Travel")},
		{TargetKey, key("extra", `{"a":[{"gold":1}]}`)},
		{TargetKey, func(x *task.Task) { x.Metadata.Profile["target"] = "y" }},
		{TargetKey, func(x *task.Task) { x.Graph.Nodes[0].Key = "target" }},
		{IntentNode, func(x *task.Task) { x.Graph.Nodes[0].Type = "intent" }},
		{IntentNode, func(x *task.Task) { x.Graph.IntentNodes = 1 }},
		{IntentNode, func(x *task.Task) { x.Graph.Edges[0].Type = "has_intent" }},
		{HiddenNode, func(x *task.Task) { x.Graph.HiddenNodes = 1 }},
		{HiddenNode, func(x *task.Task) { x.PrefixStepCount = 1 }},
		{HiddenNode, func(x *task.Task) {
			for i := range 2 {
				x.Graph.Nodes = append(x.Graph.Nodes, task.Node{ID: fmt.Sprintf("step:%d", i+1), Type: "step"})
			}
		}},
		{DanglingEdge, func(x *task.Task) { x.Graph.Edges[0].To = "step:9" }},
	} {
		x := innocent()
		c.spoil(x)
		if f := Structure(x, []string{"domain"}); len(f) != 1 || f[0].Rule != c.rule || f[0].Detail == "" {
			t.Errorf("case %d: %+v, want one %s", i, f, c.rule)
		}
	}
	for _, fine := range []func(*task.Task){key("goal_difficulty", "3"), key("extra", "{no json"), key("note", `the "target" audience`)} {
		x := innocent()
		fine(x)
		if f := Structure(x, nil); len(f) > 0 {
			t.Errorf("false alarm: %+v", f)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add("www.bbc.com", "Find the cheapest flight to Rome", "see https%3A%2F%2Fbbc.com%2 \xff\u0301 天气")
	f.Add("天气", "查看今天北京的天气如何", "今天天气\u200b查看今天北京的天气如何")
	f.Add("İ.İstanbul", "\u0301\u0301 a", "İ%C4%B0")
	f.Fuzz(func(t *testing.T, label, open, text string) {
		n := NewNeedles(label, open)
		m := n.search(text)
		if m != n.search(text) || m != NewNeedles(label, open).search(text) {
			t.Fatal("two searches differ")
		}
		// What is to be found stands in itself, whole or as its own neighbour.
		if own := n.search(label); n.SearchesLabel() && own.label == "" {
			t.Errorf("label %q is not found in itself", label)
		}
		if own := n.search(open); n.SearchesIntent() && own.intent == "" {
			t.Errorf("intent %q is not found in itself", open)
		}
	})
}
