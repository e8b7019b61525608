package ablations

import (
	"fmt"
	"slices"
	"strings"
)

// DefaultLastK is what the preset last_k_steps keeps; `last_k_steps = n` sets another number.
const DefaultLastK = 3

// AllChannels returns the four channels in their fixed order.
func AllChannels() Channels { return Channels{Metadata, Utterance, Action, Observation} }

// PresetInfo describes one preset.
type PresetInfo struct {
	Name string
	// Question is what a comparison with the preset answers.
	Question string
	Spec     Spec
}

// Presets lists every preset in a fixed order (benchmark.md, "Ablations").
func Presets() []PresetInfo {
	all := AllChannels()
	noMeta := Channels{Utterance, Action, Observation}
	noUtterance := Channels{Metadata, Action, Observation}
	bare := Channels{Action, Observation}
	list := []PresetInfo{
		{"full_context", "how far does everything, read as text, get us", Spec{Text: all}},
		{"no_utterance", "how much of that was the person saying it", Spec{Text: noUtterance}},
		{"actions_only", "what do the bare actions tell", Spec{Text: bare}},
		{"visible_graph_only", "does structure alone carry it", Spec{Graph: all}},
		{"graph_text_hybrid", "does structure add to text", Spec{Text: all, Graph: all}},
		{"graph_no_utterance", "how much of the graph was the person saying it", Spec{Graph: noUtterance}},
		{"graph_actions_only", "what does a graph of the bare actions tell", Spec{Graph: bare}},
		{"graph_structure_only", "what do node types, operations and order tell without any string", Spec{Graph: all, StructureOnly: true}},
		{"no_context", "what do the earlier turns of the conversation add", Spec{Text: all, Modifier: true, NoContext: true}},
		{"no_initial_instruction", "how much hangs on the first request alone", Spec{Text: all, Modifier: true, NoInitialInstruction: true}},
		{"no_url", "does the method read the answer off a host name", Spec{Text: all, Modifier: true, NoURL: true}},
		{"hide_ratio", "does the method use how far the episode has come", Spec{Text: all, Modifier: true, HideRatio: true}},
		{"no_metadata", "what do platform, apps and profile add", Spec{Text: noMeta, Modifier: true}},
		{"shuffled_steps", "does the order of the steps matter", Spec{Text: all, Modifier: true, ShuffledSteps: true}},
		{"last_k_steps", "is the recent past enough", Spec{Text: all, Modifier: true, LastKSteps: DefaultLastK}},
	}
	for i := range list {
		s := &list[i].Spec
		s.Name = list[i].Name
		s.Text, s.Graph = slices.Clone(s.Text), slices.Clone(s.Graph)
	}
	return list
}

// Preset returns the preset called name.
func Preset(name string) (Spec, bool) {
	for _, p := range Presets() {
		if p.Name == name {
			return p.Spec, true
		}
	}
	return Spec{}, false
}

// Compose intersects the channels of specs and unites their transforms; last_k_steps is the smallest
// of those given. A modifier restricts both text and graph to its channels and is silent about
// whether there is a graph, so [graph_text_hybrid, no_url] keeps its graph; modifiers alone stay
// what full_context is, text without a graph. The name is the caller's to set.
func Compose(specs ...Spec) Spec {
	out := Spec{Text: AllChannels(), Modifier: true}
	graph, hasGraph := AllChannels(), false
	for _, s := range specs {
		g := s.Graph
		if s.Modifier {
			g = s.Text
		} else {
			out.Modifier, hasGraph = false, true
		}
		out.Text, graph = intersect(out.Text, s.Text), intersect(graph, g)
		if s.LastKSteps > 0 && (out.LastKSteps == 0 || s.LastKSteps < out.LastKSteps) {
			out.LastKSteps = s.LastKSteps
		}
		out.NoContext = out.NoContext || s.NoContext
		out.StructureOnly = out.StructureOnly || s.StructureOnly
		out.NoInitialInstruction = out.NoInitialInstruction || s.NoInitialInstruction
		out.NoURL = out.NoURL || s.NoURL
		out.HideRatio = out.HideRatio || s.HideRatio
		out.ShuffledSteps = out.ShuffledSteps || s.ShuffledSteps
		for _, e := range s.ExtraEdges {
			if !slices.Contains(out.ExtraEdges, e) {
				out.ExtraEdges = append(out.ExtraEdges, e)
			}
		}
	}
	if hasGraph && len(graph) > 0 {
		out.Graph = graph
	}
	if len(out.Text) == 0 {
		out.Text = nil // one form for "no channel": it is part of the variant's identity
	}
	slices.Sort(out.ExtraEdges)
	return out
}

func intersect(a, b Channels) Channels {
	out := Channels{}
	for _, c := range AllChannels() {
		if a.Has(c) && b.Has(c) {
			out = append(out, c)
		}
	}
	return out
}

// Built reports whether every transform of s is implemented, and if not, which one is missing.
func (s Spec) Built() (bool, string) { return true, "" }

// Check reports a spec that can't mean anything: an unknown or repeated channel or relation, a
// negative last_k_steps, graph transforms without a graph, nothing visible at all.
func (s Spec) Check() error {
	for _, set := range []struct {
		name string
		cs   Channels
	}{{"text", s.Text}, {"graph", s.Graph}} {
		for i, c := range set.cs {
			if !AllChannels().Has(c) {
				return fmt.Errorf("unknown %s channel %q: want metadata, utterance, action or observation", set.name, c)
			}
			if set.cs[:i].Has(c) {
				return fmt.Errorf("%s channel %q is named twice", set.name, c)
			}
		}
	}
	for _, e := range s.ExtraEdges {
		if !slices.Contains(Relations(), e) {
			return fmt.Errorf("unknown relation %q: want one of %s", e, strings.Join(Relations(), ", "))
		}
	}
	switch {
	case s.LastKSteps < 0:
		return fmt.Errorf("last_k_steps is %d: want 1 or more", s.LastKSteps)
	case s.StructureOnly && !s.HasGraph():
		return fmt.Errorf("structure_only changes the graph, and this ablation shows none")
	case len(s.ExtraEdges) > 0 && !s.HasGraph():
		return fmt.Errorf("extra_edges are relations of the graph, and this ablation shows none")
	case !s.HasText() && !s.HasGraph():
		return fmt.Errorf("the ablation shows neither text nor graph")
	}
	return nil
}
