package ablations

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// markers of one step, each string telling its channel and its step.
func markedStep(t *rapid.T, where string, i int) task.Step {
	m := func(channel string) string { return fmt.Sprintf("%s-%s%d.", channel, where, i) }
	maybe := func(s string) string {
		if rapid.Bool().Draw(t, "present") {
			return s
		}
		return ""
	}
	s := task.Step{Index: i, App: maybe(m("Meta"))}
	if rapid.Bool().Draw(t, "speaks") {
		s.Kind, s.Speaker, s.Utterance = "utterance", maybe(m("Utter")+"speaker"), m("Utter")
	}
	if s.Kind == "" || rapid.IntRange(0, 9).Draw(t, "acts") == 0 {
		if s.Kind == "" {
			s.Kind = "action"
		}
		s.Op, s.Element, s.URL, s.Value = maybe(m("Act")), maybe(m("Obs")+"element"), maybe(m("Obs")+"url"), maybe(m("Obs")+"value")
		s.Observation, s.Screenshot = maybe(m("Obs")+"screen"), maybe(m("Obs")+"picture")
		s.Action = strings.TrimSpace(s.Op + " " + s.Element + " " + s.Value)
	}
	return s
}

func markedEpisode(t *rapid.T) trajectory.Episode {
	ep := trajectory.Episode{
		Dataset: "d", ID: "e", ClusterID: "Gold-cluster.", OpenIntent: "Gold-open.", ClosedIntent: "Gold-closed.", LabelSpace: "d.space",
		Metadata: map[string]string{"Meta-key.": "Meta-field."}, Profile: map[string]string{"Meta-pkey.": "Meta-profile."},
		Apps: []string{"Meta-listed."}, Groups: map[string]string{"user": "Gold-group."}, Lists: []string{"Gold-list."}, Flags: []string{"Gold-flag."},
	}
	for i := range rapid.IntRange(1, 25).Draw(t, "steps") {
		ep.Steps = append(ep.Steps, markedStep(t, "s", i))
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "context") {
		ep.ContextSteps = append(ep.ContextSteps, markedStep(t, "c", i))
	}
	return ep
}

func anySpec(t *rapid.T) Spec {
	set := func(name string) Channels {
		var cs Channels
		for _, c := range AllChannels() {
			if rapid.Bool().Draw(t, name+string(c)) {
				cs = append(cs, c)
			}
		}
		return cs
	}
	flag := func(name string) bool { return rapid.IntRange(0, 3).Draw(t, name) == 0 }
	s := Spec{Name: "x", Text: set("text"), Graph: set("graph"), NoContext: flag("no_context"), StructureOnly: flag("structure_only"),
		NoInitialInstruction: flag("no_initial_instruction"), HideRatio: flag("hide_ratio"), ShuffledSteps: flag("shuffled_steps")}
	if flag("last_k") {
		s.LastKSteps = rapid.IntRange(1, 5).Draw(t, "k")
	}
	if flag("extra") {
		s.ExtraEdges = Relations()
	}
	return s
}

func canonical(t *rapid.T, v any) string {
	b, err := task.Canonical(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var channelMarker = map[Channel]string{Metadata: "Meta-", Utterance: "Utter-", Action: "Act-", Observation: "Obs-"}

func TestRemovedChannelsUnseenStepsAndGoldOccurNowhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ep, s := markedEpisode(t), anySpec(t)
		v, err := Open(ep, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range Prefixes(len(ep.Steps), task.Grid()) {
			got, err := v.At(p)
			if err != nil {
				t.Fatal(err)
			}
			text, graph := canonical(t, got), canonical(t, got.Graph)
			for c, marker := range channelMarker {
				if !s.Text.Has(c) && strings.Contains(text, marker) {
					t.Fatalf("channel %s is removed from text, yet: %s", c, text)
				}
				if (!s.Graph.Has(c) || s.StructureOnly && c != Action) && strings.Contains(graph, marker) {
					t.Fatalf("channel %s is removed from the graph, yet: %s", c, graph)
				}
			}
			for i := p.K; i < len(ep.Steps); i++ {
				if later := fmt.Sprintf("-s%d.", i); strings.Contains(text+graph, later) {
					t.Fatalf("step %d shows in a prefix of %d: %s %s", i, p.K, text, graph)
				}
			}
			for _, word := range []string{"Gold-", "intent:", `"target"`, `"hidden":`} {
				if strings.Contains(text+graph, word) {
					t.Fatalf("%s is visible: %s %s", word, text, graph)
				}
			}
			if s.NoContext && strings.Contains(text+graph, "-c") {
				t.Fatalf("earlier turns are visible: %s %s", text, graph)
			}
			noTarget(t, []byte(text))
			noTarget(t, []byte(graph))
		}
	})
}

// noTarget fails when an object at any depth has a key named target.
func noTarget(t *rapid.T, data []byte) {
	dec := json.NewDecoder(bytes.NewReader(data))
	var walk func(v any)
	walk = func(v any) {
		switch x := v.(type) {
		case map[string]any:
			for k, y := range x {
				if strings.EqualFold(k, "target") {
					t.Fatalf("a key is named %s: %s", k, data)
				}
				walk(y)
			}
		case []any:
			for _, y := range x {
				walk(y)
			}
		}
	}
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	walk(v)
}

func TestVisibleGraphNeverHoldsAHiddenNodeOrAnEdgeToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ep := markedEpisode(t)
		k := rapid.IntRange(1, len(ep.Steps)).Draw(t, "k")
		complete := BuildGraph(ep, k, anySpec(t).Graph...)
		// Hide some more, at random: the deletion must hold for any marking.
		for i := range complete.Nodes {
			if rapid.IntRange(0, 9).Draw(t, "hide") == 0 {
				complete.Nodes[i].Hidden = true
			}
		}
		g, err := BuildVisibleGraph(complete)
		if err != nil {
			t.Fatal(err)
		}
		visible := map[string]bool{}
		for _, n := range g.Nodes {
			visible[n.ID] = true
		}
		edges := 0
		for _, n := range complete.Nodes {
			if n.Hidden == visible[n.ID] {
				t.Fatalf("node %s: hidden %v, visible %v", n.ID, n.Hidden, visible[n.ID])
			}
		}
		for _, e := range g.Edges {
			if !visible[e.From] || !visible[e.To] {
				t.Fatalf("edge %+v touches a hidden node", e)
			}
		}
		for _, e := range complete.Edges {
			if visible[e.From] && visible[e.To] {
				edges++
			}
		}
		if edges != len(g.Edges) || g.HiddenNodes != 0 || g.IntentNodes != 0 {
			t.Fatalf("%d edges of %d were kept", len(g.Edges), edges)
		}
		// Unhide one of the two intents, wherever it stands: there must be no graph at all.
		var intents []int
		for i, n := range complete.Nodes {
			if n.Type == nodeIntent {
				intents = append(intents, i)
			}
		}
		complete.Nodes[rapid.SampledFrom(intents).Draw(t, "intent")].Hidden = false
		if g, err := BuildVisibleGraph(complete); err == nil {
			t.Fatalf("an intent is visible: %+v", g)
		}
	})
}

func TestViewIsAFunctionOfItsInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ep, s := markedEpisode(t), anySpec(t)
		before := canonical(t, ep)
		v, err := Open(ep, s)
		if err != nil {
			t.Fatal(err)
		}
		ps := Prefixes(len(ep.Steps), task.Grid())
		hashes := map[int]string{}
		for i := len(ps) - 1; i >= 0; i-- { // the order of asking must not matter
			p := ps[i]
			shared, err := v.At(p)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := View(ep, p, s)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(alone, shared); d != "" {
				t.Fatalf("prefix %d differs when built with the others: %s", p.K, d)
			}
			h, err := task.VisibleHash(shared, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			if known, ok := hashes[p.K]; ok && known != h {
				t.Fatalf("two prefixes of %d steps have different hashes", p.K)
			}
			hashes[p.K] = h
		}
		seenHash := map[string]int{}
		for k, h := range hashes {
			if other, ok := seenHash[h]; ok {
				t.Fatalf("prefixes of %d and %d steps have one hash", k, other)
			}
			seenHash[h] = k
		}
		if after := canonical(t, ep); after != before {
			t.Fatal("a view changed its episode")
		}
	})
}

// What a prefix shows must not depend on what comes after it: cut the episode there and nothing changes.
func TestViewDependsOnNoLaterStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ep, s := markedEpisode(t), anySpec(t)
		for i := range ep.Steps { // real speakers, for no_initial_instruction
			if ep.Steps[i].Speaker != "" {
				ep.Steps[i].Speaker = rapid.SampledFrom([]string{"instructor", "navigator"}).Draw(t, "speaker")
			}
		}
		k := rapid.IntRange(1, len(ep.Steps)).Draw(t, "k")
		cut := ep
		cut.Steps = ep.Steps[:k:k]
		whole, err := View(ep, Prefix{Ratio: 500, K: k}, s)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := View(cut, Prefix{Ratio: 500, K: k}, s)
		if err != nil {
			t.Fatal(err)
		}
		a, errA := task.VisibleHash(whole, nil, 0)
		b, errB := task.VisibleHash(alone, nil, 0)
		if errA != nil || errB != nil || a != b {
			t.Fatalf("the steps after %d show in its prefix: %s, %s", k, canonical(t, whole), canonical(t, alone))
		}
	})
}

// A view of what is already visible shows the same: restricting twice is restricting once.
func TestViewIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ep, s := markedEpisode(t), anySpec(t)
		s.Graph, s.ExtraEdges, s.StructureOnly, s.HideRatio, s.ShuffledSteps = nil, nil, false, false, false
		first, err := View(ep, Prefix{Ratio: 1000, K: len(ep.Steps)}, s)
		if err != nil {
			t.Fatal(err)
		}
		if len(first.ObservedSteps) == 0 {
			return
		}
		again := ep
		again.Metadata, again.Profile, again.Apps = first.Metadata.Fields, first.Metadata.Profile, first.Metadata.Apps
		again.Steps, again.ContextSteps = first.ObservedSteps, first.ContextSteps
		second, err := View(again, Prefix{Ratio: 1000, K: len(again.Steps)}, s)
		if err != nil {
			t.Fatal(err)
		}
		second.PrefixStepCount = first.PrefixStepCount
		if s.NoInitialInstruction {
			return // masking twice masks two texts when the first view hides the speakers
		}
		if d := cmp.Diff(first, second); d != "" {
			t.Fatal(d)
		}
	})
}
