package ablations

import (
	"slices"
	"testing"
)

func spec(t testing.TB, name string) Spec {
	t.Helper()
	s, ok := Preset(name)
	if !ok {
		t.Fatalf("no preset %q", name)
	}
	return s
}

func TestPresetsShowTheChannelsOfTheContract(t *testing.T) {
	all := "metadata utterance action observation"
	for _, c := range []struct{ name, text, graph string }{
		{"full_context", all, ""},
		{"no_utterance", "metadata action observation", ""},
		{"actions_only", "action observation", ""},
		{"visible_graph_only", "", all},
		{"graph_text_hybrid", all, all},
		{"graph_no_utterance", "", "metadata action observation"},
		{"graph_actions_only", "", "action observation"},
		{"graph_structure_only", "", all},
		{"no_metadata", "utterance action observation", ""},
		{"no_context", all, ""}, {"no_initial_instruction", all, ""}, {"no_url", all, ""},
		{"hide_ratio", all, ""}, {"shuffled_steps", all, ""}, {"last_k_steps", all, ""},
	} {
		s := spec(t, c.name)
		if got := joined(s.Text); got != c.text {
			t.Errorf("%s: text %q, want %q", c.name, got, c.text)
		}
		if got := joined(s.Graph); got != c.graph {
			t.Errorf("%s: graph %q, want %q", c.name, got, c.graph)
		}
		if s.Name != c.name {
			t.Errorf("preset %s is called %q", c.name, s.Name)
		}
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, ok := Preset("full"); ok {
		t.Error("an unknown preset was found")
	}
	for _, p := range Presets() {
		if p.Question == "" {
			t.Errorf("%s answers no question", p.Name)
		}
	}
}

func joined(cs Channels) string {
	out := ""
	for i, c := range cs {
		if i > 0 {
			out += " "
		}
		out += string(c)
	}
	return out
}

func TestPresetCanBeChangedWithoutChangingTheNextOne(t *testing.T) {
	a := spec(t, "full_context")
	a.Text[0] = Action
	if b := spec(t, "full_context"); b.Text[0] != Metadata {
		t.Error("presets share their channel slices")
	}
}

func TestComposeIntersectsChannelsAndUnitesTransforms(t *testing.T) {
	for _, c := range []struct {
		presets     []string
		text, graph string
	}{
		{[]string{"full_context"}, "metadata utterance action observation", ""},
		{[]string{"full_context", "actions_only"}, "action observation", ""},
		{[]string{"graph_text_hybrid", "no_url"}, "metadata utterance action observation", "metadata utterance action observation"},
		{[]string{"no_metadata", "graph_text_hybrid"}, "utterance action observation", "utterance action observation"},
		{[]string{"no_url", "no_metadata"}, "utterance action observation", ""},
		{[]string{"graph_text_hybrid", "graph_actions_only"}, "", "action observation"},
		{[]string{"actions_only", "visible_graph_only"}, "", ""},
	} {
		var specs []Spec
		for _, n := range c.presets {
			specs = append(specs, spec(t, n))
		}
		s := Compose(specs...)
		if joined(s.Text) != c.text || joined(s.Graph) != c.graph {
			t.Errorf("%v: text %q, graph %q; want %q, %q", c.presets, joined(s.Text), joined(s.Graph), c.text, c.graph)
		}
	}
	last := spec(t, "last_k_steps")
	last.LastKSteps = 1
	edges := Spec{Text: AllChannels(), Graph: AllChannels(), ExtraEdges: []string{SamePage, SameApp}}
	s := Compose(spec(t, "last_k_steps"), last, spec(t, "no_url"), spec(t, "no_context"), spec(t, "hide_ratio"),
		spec(t, "shuffled_steps"), spec(t, "no_initial_instruction"), edges, edges)
	if !s.NoURL || !s.NoContext || !s.HideRatio || !s.ShuffledSteps || !s.NoInitialInstruction || s.LastKSteps != 1 {
		t.Errorf("transforms were lost: %+v", s)
	}
	if !slices.Equal(s.ExtraEdges, []string{SameApp, SamePage}) {
		t.Errorf("extra edges are %v", s.ExtraEdges)
	}
	if s := Compose(spec(t, "visible_graph_only"), spec(t, "graph_structure_only")); !s.StructureOnly {
		t.Error("structure_only was lost")
	}
}

func TestCheckRefusesSpecsThatMeanNothing(t *testing.T) {
	for name, s := range map[string]Spec{
		"nothing visible":           {},
		"unknown channel":           {Text: Channels{"title"}},
		"channel twice":             {Text: Channels{Action, Action}},
		"unknown relation":          {Graph: AllChannels(), ExtraEdges: []string{"friends"}},
		"relations without a graph": {Text: AllChannels(), ExtraEdges: []string{SameApp}},
		"structure without a graph": {Text: AllChannels(), StructureOnly: true},
		"negative last k":           {Text: AllChannels(), LastKSteps: -1},
	} {
		if s.Check() == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
