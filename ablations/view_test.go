package ablations

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// booking is a small episode with every channel, written for these tests.
func booking() trajectory.Episode {
	return trajectory.Episode{
		Dataset: "web", ID: "booking", ClusterID: "c1", OpenIntent: "GOLDOPEN", ClosedIntent: "GOLDCLOSED", LabelSpace: "web.site",
		Metadata: map[string]string{"platform": "web"}, Profile: map[string]string{"age": "thirty"},
		ContextSteps: []task.Step{
			{Index: 0, Kind: "utterance", Speaker: "instructor", Utterance: "earlier request"},
			{Index: 1, Kind: "action", Op: "click", Action: "click earlier link", Element: "earlier link"},
		},
		Steps: []task.Step{
			{Index: 0, Kind: "utterance", Speaker: "instructor", Utterance: "open the timetable"},
			{Index: 1, Kind: "action", Op: "load", Action: "load page one", URL: "page one", App: "Browser"},
			{Index: 2, Kind: "action", Op: "click", Action: "click [a] Trains", Element: "[a] Trains", App: "Browser"},
			{Index: 3, Kind: "utterance", Speaker: "navigator", Utterance: "which day"},
			{Index: 4, Kind: "action", Op: "type", Action: "type [input] Day: Monday", Element: "[input] Day", Value: "Monday", App: "Rail"},
		},
	}
}

func mustView(t testing.TB, ep trajectory.Episode, k int, s Spec, opts ...Option) task.Task {
	t.Helper()
	got, err := View(ep, Prefix{Ratio: 500, K: k}, s, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFullContextShowsThePrefixAsItIs(t *testing.T) {
	ep := booking()
	got := mustView(t, ep, 3, spec(t, "full_context"))
	want := task.Task{
		ID: "web:booking:r0.50", Dataset: "web", EpisodeID: "booking", Ablation: "full_context",
		RequestedRatio: 500, EffectiveRatio: 0.6, PrefixStepCount: 3,
		Metadata:     task.Metadata{Fields: ep.Metadata, Profile: ep.Profile, Apps: []string{"Browser"}},
		ContextSteps: ep.ContextSteps, ObservedSteps: ep.Steps[:3],
		Contract: task.Contract{ClosedIntent: task.ClosedContract{LabelSpace: "web.site"}, PredictedIntent: task.TextContract{Type: "text"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestUtterancesAreDroppedAndTheRestRenumbered(t *testing.T) {
	got := mustView(t, booking(), 5, spec(t, "no_utterance"))
	if got.PrefixStepCount != 5 {
		t.Errorf("prefix_step_count is %d, want the true 5", got.PrefixStepCount)
	}
	var ops []string
	for i, s := range got.ObservedSteps {
		if s.Index != i {
			t.Errorf("step %d has index %d", i, s.Index)
		}
		ops = append(ops, s.Op)
	}
	if !slices.Equal(ops, []string{"load", "click", "type"}) {
		t.Errorf("operations %v", ops)
	}
	if len(got.ContextSteps) != 1 || got.ContextSteps[0].Op != "click" || got.ContextSteps[0].Index != 0 {
		t.Errorf("earlier turns are not subject to the channels: %+v", got.ContextSteps)
	}
	if !slices.Equal(got.Metadata.Apps, []string{"Browser", "Rail"}) {
		t.Errorf("apps %v", got.Metadata.Apps)
	}
}

func TestActionWithoutObservationIsTheOperation(t *testing.T) {
	got := mustView(t, booking(), 5, Spec{Text: Channels{Action}})
	want := []task.Step{
		{Index: 0, Kind: "action", Op: "load", Action: "load"},
		{Index: 1, Kind: "action", Op: "click", Action: "click"},
		{Index: 2, Kind: "action", Op: "type", Action: "type"},
	}
	if d := cmp.Diff(want, got.ObservedSteps); d != "" {
		t.Error(d)
	}
}

func TestObservationWithoutActionHasNoOperation(t *testing.T) {
	got := mustView(t, booking(), 5, Spec{Text: Channels{Observation}})
	want := []task.Step{
		{Index: 0, Kind: "action", URL: "page one"},
		{Index: 1, Kind: "action", Element: "[a] Trains"},
		{Index: 2, Kind: "action", Element: "[input] Day", Value: "Monday"},
	}
	if d := cmp.Diff(want, got.ObservedSteps); d != "" {
		t.Error(d)
	}
}

func TestStepThatSpeaksAndActsKeepsWhatItsChannelsShow(t *testing.T) {
	ep := booking()
	ep.Steps = []task.Step{{Kind: "utterance", Speaker: "instructor", Utterance: "said", Op: "click", Action: "click it", Element: "it"}}
	got := mustView(t, ep, 1, spec(t, "actions_only")).ObservedSteps
	if d := cmp.Diff([]task.Step{{Kind: "action", Op: "click", Action: "click it", Element: "it"}}, got); d != "" {
		t.Error(d)
	}
	got = mustView(t, ep, 1, Spec{Text: Channels{Utterance}}).ObservedSteps
	if d := cmp.Diff([]task.Step{{Kind: "utterance", Speaker: "instructor", Utterance: "said"}}, got); d != "" {
		t.Error(d)
	}
}

func TestPlaceholderActionsStayVisible(t *testing.T) {
	ep := booking()
	ep.Steps = []task.Step{{Kind: "action"}, {Kind: "action"}}
	if n := len(mustView(t, ep, 2, spec(t, "actions_only")).ObservedSteps); n != 2 {
		t.Errorf("%d placeholder steps, want 2", n)
	}
	if n := len(mustView(t, ep, 2, Spec{Text: Channels{Utterance}}).ObservedSteps); n != 0 {
		t.Errorf("%d placeholder steps without the action channel, want 0", n)
	}
}

func TestGraphOnlyViewHasNoText(t *testing.T) {
	got := mustView(t, booking(), 3, spec(t, "visible_graph_only"))
	if len(got.ObservedSteps)+len(got.ContextSteps) > 0 || !got.Metadata.Empty() {
		t.Errorf("text is visible: %+v", got)
	}
	g := got.Graph
	i0, i1, i2 := 0, 1, 2
	want := &task.Graph{TaskID: "web:booking:r0.50", Nodes: []task.Node{
		{ID: "episode", Type: "episode"},
		{ID: "metadata:platform", Type: "metadata", Key: "platform", Value: "web"},
		{ID: "app:0", Type: "app", Value: "Browser"},
		{ID: "profile:age", Type: "profile_attribute", Key: "age", Value: "thirty"},
		{ID: "context_step:0", Type: "step", Index: &i0},
		{ID: "context_utterance:0", Type: "utterance", Text: "earlier request", Speaker: "instructor"},
		{ID: "context_step:1", Type: "step", Index: &i1},
		{ID: "context_action:1", Type: "action", Op: "click", Text: "click earlier link"},
		{ID: "context_element:1", Type: "element", Text: "earlier link"},
		{ID: "step:0", Type: "step", Index: &i0},
		{ID: "utterance:0", Type: "utterance", Text: "open the timetable", Speaker: "instructor"},
		{ID: "step:1", Type: "step", Index: &i1},
		{ID: "action:1", Type: "action", Op: "load", Text: "load page one"},
		{ID: "element:1", Type: "element", URL: "page one"},
		{ID: "step:2", Type: "step", Index: &i2},
		{ID: "action:2", Type: "action", Op: "click", Text: "click [a] Trains"},
		{ID: "element:2", Type: "element", Text: "[a] Trains"},
	}, Edges: []task.Edge{
		{From: "episode", To: "metadata:platform", Type: "has_metadata"},
		{From: "episode", To: "app:0", Type: "uses_app"},
		{From: "episode", To: "profile:age", Type: "has_profile_attribute"},
		{From: "episode", To: "context_step:0", Type: "context_step"},
		{From: "context_step:0", To: "context_utterance:0", Type: "contains_utterance"},
		{From: "episode", To: "context_step:1", Type: "context_step"},
		{From: "context_step:0", To: "context_step:1", Type: "next_step"},
		{From: "context_step:1", To: "context_action:1", Type: "contains_action"},
		{From: "context_action:1", To: "context_element:1", Type: "acts_on"},
		{From: "episode", To: "step:0", Type: "observed_prefix_step"},
		{From: "step:0", To: "utterance:0", Type: "contains_utterance"},
		{From: "episode", To: "step:1", Type: "observed_prefix_step"},
		{From: "step:0", To: "step:1", Type: "next_step"},
		{From: "step:1", To: "action:1", Type: "contains_action"},
		{From: "action:1", To: "element:1", Type: "acts_on"},
		{From: "episode", To: "step:2", Type: "observed_prefix_step"},
		{From: "step:1", To: "step:2", Type: "next_step"},
		{From: "step:2", To: "action:2", Type: "contains_action"},
		{From: "action:2", To: "element:2", Type: "acts_on"},
	}}
	if d := cmp.Diff(want, g); d != "" {
		t.Error(d)
	}
}

func TestCompleteGraphHidesIntentsAndLaterSteps(t *testing.T) {
	g := BuildGraph(booking(), 3, AllChannels()...)
	hidden := map[string]bool{}
	for _, n := range g.Nodes {
		hidden[n.ID] = n.Hidden
	}
	for id, want := range map[string]bool{"episode": false, "step:2": false, "step:3": true, "utterance:3": true,
		"action:4": true, "app:0": false, "app:1": true, "intent:open": true, "intent:closed": true} {
		got, ok := hidden[id]
		if !ok || got != want {
			t.Errorf("node %s: there %v, hidden %v; want hidden %v", id, ok, got, want)
		}
	}
	visible, err := BuildVisibleGraph(g)
	if err != nil {
		t.Fatal(err)
	}
	v := mustView(t, booking(), 3, spec(t, "visible_graph_only"))
	visible.TaskID = v.ID
	if d := cmp.Diff(*v.Graph, visible); d != "" {
		t.Errorf("the two ways to a visible graph differ: %s", d)
	}
}

func TestVisibleGraphRefusesAnIntentADanglingEdgeAndTwins(t *testing.T) {
	for name, spoil := range map[string]func(*Graph){
		"dangles":           func(g *Graph) { g.Edges = append(g.Edges, task.Edge{From: "step:0", To: "step:99", Type: "next_step"}) },
		"would be visible":  func(g *Graph) { g.Nodes[len(g.Nodes)-1].Hidden = false },
		"two nodes are cal": func(g *Graph) { g.Nodes = append(g.Nodes, g.Nodes[0]) },
	} {
		g := BuildGraph(booking(), 3, AllChannels()...)
		spoil(&g)
		if _, err := BuildVisibleGraph(g); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want an error with %q, got %v", name, err)
		}
	}
}

func TestStructureOnlyGraphHasOperationsAndNoOtherString(t *testing.T) {
	g := mustView(t, booking(), 5, spec(t, "graph_structure_only")).Graph
	ops := 0
	for _, n := range g.Nodes {
		if n.Key+n.Value+n.Text+n.Speaker+n.URL != "" {
			t.Errorf("node %s holds a string: %+v", n.ID, n)
		}
		if strings.Contains(n.ID, "platform") || strings.Contains(n.ID, "age") {
			t.Errorf("id %s holds a key", n.ID)
		}
		if n.Op != "" {
			ops++
		}
	}
	if ops != 4 {
		t.Errorf("%d operations, want 3 and one of an earlier turn", ops)
	}
}

func TestExtraEdgesAreOffUntilNamed(t *testing.T) {
	ep := booking()
	ep.Steps = []task.Step{
		{Kind: "action", Op: "copy", Action: "copy A", Element: "A", URL: "u", App: "X"},
		{Kind: "action", Op: "click", Action: "click B", Element: "B", URL: "u", App: "Y"},
		{Kind: "action", Op: "paste", Action: "paste A", Element: "A", URL: "w", App: "X"},
		{Kind: "action", Op: "click", Action: "click B", Element: "B", App: "X"},
	}
	s := spec(t, "visible_graph_only")
	extra := func(s Spec) map[string][]string {
		out := map[string][]string{}
		for _, e := range mustView(t, ep, 4, s).Graph.Edges {
			if slices.Contains(Relations(), e.Type) {
				out[e.Type] = append(out[e.Type], e.From+">"+e.To)
			}
		}
		return out
	}
	if got := extra(s); len(got) > 0 {
		t.Errorf("relations without being named: %v", got)
	}
	s.ExtraEdges = Relations()
	want := map[string][]string{
		SameElement: {"step:0>step:2", "step:1>step:3"}, SameApp: {"step:0>step:2", "step:2>step:3"},
		SamePage: {"step:0>step:1"}, RepeatedAction: {"step:1>step:3"}, CopyPaste: {"step:0>step:2"},
	}
	if d := cmp.Diff(want, extra(s)); d != "" {
		t.Error(d)
	}
	s.Graph = Channels{Action}
	if got := extra(s); got[SameElement] != nil || got[SameApp] != nil || got[SamePage] != nil || got[RepeatedAction] == nil {
		t.Errorf("relations of removed channels: %v", got)
	}
}

func TestLastKStepsCountsTheStepsThatAreLeft(t *testing.T) {
	s := Spec{Text: Channels{Metadata, Action, Observation}, LastKSteps: 1}
	got := mustView(t, booking(), 4, s) // the fourth step is an utterance
	if len(got.ObservedSteps) != 1 || got.ObservedSteps[0].Op != "click" || got.ObservedSteps[0].Index != 0 {
		t.Errorf("steps %+v, want the last click", got.ObservedSteps)
	}
	if got := mustView(t, booking(), 5, s); !slices.Equal(got.Metadata.Apps, []string{"Rail"}) {
		t.Errorf("apps %v tell of steps that are not shown", got.Metadata.Apps)
	}
}

func TestNoContextHidesEarlierTurnsEverywhere(t *testing.T) {
	got := mustView(t, booking(), 2, Compose(spec(t, "graph_text_hybrid"), spec(t, "no_context")))
	if b, _ := task.Canonical([]any{got, got.Graph}); strings.Contains(string(b), "earlier") || strings.Contains(string(b), "context") {
		t.Errorf("earlier turns are visible: %s", b)
	}
}

func TestFirstRequestIsMaskedAndNoLaterOne(t *testing.T) {
	say := func(speaker, text string) task.Step {
		return task.Step{Kind: "utterance", Speaker: speaker, Utterance: text}
	}
	click := task.Step{Kind: "action", Op: "click", Action: "click a", Element: "a"}
	for name, c := range map[string]struct {
		context, steps []task.Step
		want           string
	}{
		"greeting and request":      {nil, []task.Step{click, say("navigator", "hi"), say("instructor", "hello"), say("navigator", "yes"), say("instructor", "open it"), click, say("instructor", "now that")}, "hi|hello|yes|[masked]|now that"},
		"greeting before an action": {nil, []task.Step{say("instructor", "Hello"), click, say("instructor", "open it"), click, say("instructor", "now that")}, "Hello|[masked]|now that"},
		"a request in two parts":    {nil, []task.Step{say("instructor", "open it"), say("navigator", "which"), say("instructor", "the red one"), click, say("instructor", "now that")}, "[masked]|which|[masked]|now that"},
		"only greetings so far":     {nil, []task.Step{say("instructor", "Hello"), click}, "Hello"},
		"no speaker named":          {nil, []task.Step{say("", "open it"), click, say("", "now that")}, "[masked]|now that"},
		"earlier turns first":       {[]task.Step{say("instructor", "first"), click, say("instructor", "second"), click}, []task.Step{say("instructor", "third")}, "[masked]|second|third"},
		"context without any":       {[]task.Step{click}, []task.Step{say("instructor", "third"), click, say("instructor", "fourth")}, "[masked]|fourth"},
		"nobody speaks":             {nil, []task.Step{click}, ""},
	} {
		ep := booking()
		ep.ContextSteps, ep.Steps = c.context, c.steps
		v := mustView(t, ep, len(ep.Steps), spec(t, "no_initial_instruction"))
		var said []string
		for _, s := range slices.Concat(v.ContextSteps, v.ObservedSteps) {
			if s.Utterance != "" {
				said = append(said, s.Utterance)
			}
		}
		if got := strings.Join(said, "|"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for _, s := range slices.Concat(c.context, c.steps) {
			if s.Utterance == MaskedInstruction {
				t.Errorf("%s: the episode itself was changed", name)
			}
		}
	}
}

func TestShuffledStepsKeepTheStepsAndLoseTheOrder(t *testing.T) {
	ep := booking()
	ep.Steps, ep.ContextSteps = nil, nil
	for i := range 40 {
		ep.Steps = append(ep.Steps, task.Step{Index: i, Kind: "action", Op: "click", Element: strings.Repeat("x", i+1)})
	}
	order := func(seed uint64) []int {
		var out []int
		for i, s := range mustView(t, ep, 40, spec(t, "shuffled_steps"), WithSeed(seed)).ObservedSteps {
			if s.Index != i {
				t.Fatalf("step %d has index %d", i, s.Index)
			}
			out = append(out, len(s.Element))
		}
		return out
	}
	a, b := order(0), order(0)
	if !slices.Equal(a, b) {
		t.Error("equal seeds shuffle differently")
	}
	if slices.IsSorted(a) || slices.Equal(a, order(1)) {
		t.Error("the order is not a seeded shuffle")
	}
	slices.Sort(a)
	for i, n := range a {
		if n != i+1 {
			t.Fatalf("steps were lost or repeated: %v", a)
		}
	}
}

func TestHiddenRatioLeavesNoTraceOfLength(t *testing.T) {
	got := mustView(t, booking(), 3, Compose(spec(t, "graph_text_hybrid"), spec(t, "hide_ratio")))
	b, err := task.Canonical([]any{got, got.Graph})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"ratio\"", "r0.50", "0.6"} {
		if strings.Contains(string(b), word) {
			t.Errorf("%q is visible in %s", word, b)
		}
	}
	id, err := NeutralID(booking(), 500)
	if err != nil || got.ID != id || len(id) != len("web:")+16 || got.Graph.TaskID != id {
		t.Errorf("task id %q, neutral id %q, %v", got.ID, id, err)
	}
	if other, _ := NeutralID(booking(), 600); other == id {
		t.Error("two ratios have one neutral id")
	}
	relabelled := booking()
	relabelled.ClosedIntent, relabelled.OpenIntent = "other", "other"
	if same, _ := NeutralID(relabelled, 500); same != id {
		t.Error("the neutral id depends on the intents")
	}
}

func TestViewRefusesAPrefixOutsideTheEpisode(t *testing.T) {
	for _, k := range []int{0, 6} {
		if _, err := View(booking(), Prefix{Ratio: 100, K: k}, spec(t, "full_context")); err == nil {
			t.Errorf("a prefix of %d of 5 steps was accepted", k)
		}
	}
	if _, err := View(trajectory.Episode{ID: "e"}, Prefix{Ratio: 100, K: 1}, spec(t, "full_context")); err == nil {
		t.Error("an episode without steps was accepted")
	}
}

func TestGoldRecordNamesOnlyTheModesThatExist(t *testing.T) {
	ep := booking()
	g := BuildGoldRecord(ep, Prefix{Ratio: 500, K: 3}, "test", "web/web.site")
	if g.TaskID != "web:booking:r0.50" || g.TotalSteps != 5 || !g.IntentModes.Closed.Available || g.IntentModes.Closed.LabelSpace != "web/web.site" || len(g.Metrics.Open) == 0 {
		t.Errorf("gold %+v", g)
	}
	ep.ClosedIntent = ""
	g = BuildGoldRecord(ep, Prefix{Ratio: 500, K: 3}, "test", "web.site")
	if g.IntentModes.Closed.Available || len(g.Metrics.Closed) > 0 {
		t.Errorf("closed metrics without a closed intent: %+v", g)
	}
}

func TestNoURLMasksHostsInEveryChannel(t *testing.T) {
	ep := booking()
	const host = "rail.example.com"
	ep.Metadata["website"], ep.Profile["home"], ep.Apps = host, host, []string{host}
	for _, list := range [][]task.Step{ep.Steps, ep.ContextSteps} {
		for i := range list {
			s := &list[i]
			s.Utterance += " at " + host
			s.Action, s.Element, s.URL, s.Value = s.Action+" "+host, host, "https://"+host+"/x", host
			s.Observation = "you are on " + host
		}
	}
	got := mustView(t, ep, 5, Compose(spec(t, "graph_text_hybrid"), spec(t, "no_url")))
	b, err := task.Canonical([]any{got, got.Graph})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "rail") || !strings.Contains(string(b), trajectory.URLMask) {
		t.Errorf("a host is visible: %s", b)
	}
	if ep.Metadata["website"] != host || ep.Steps[1].Element != host {
		t.Error("the episode itself was changed")
	}
}

// A field that is new in a step must be given to a channel, or no ablation could take it away.
func TestEveryTextOfAStepBelongsToOneChannel(t *testing.T) {
	channel := map[string]Channel{"Speaker": Utterance, "Utterance": Utterance, "Action": Action, "Op": Action, "Element": Observation, "URL": Observation,
		"Value": Observation, "Observation": Observation, "Screenshot": Observation, "App": Metadata}
	for f := range reflect.TypeFor[task.Step]().Fields() {
		if f.Type.Kind() != reflect.String || f.Name == "Kind" {
			continue
		}
		s := task.Step{Kind: kindAction, Op: "op", Utterance: "said"}
		reflect.ValueOf(&s).Elem().FieldByIndex(f.Index).SetString("planted")
		for _, c := range AllChannels() {
			shows := Channels{c}
			if f.Name == "Action" && c == Action {
				shows = Channels{Action, Observation} // its text quotes the element
			}
			ep := trajectory.Episode{Dataset: "d", ID: "e", Steps: []task.Step{s}, ContextSteps: []task.Step{s}}
			got := mustView(t, ep, 1, Spec{Name: "x", Text: shows, Graph: shows})
			text, err := task.Canonical(got)
			if err != nil {
				t.Fatal(err)
			}
			graph, err := task.Canonical(got.Graph)
			if err != nil {
				t.Fatal(err)
			}
			want := channel[f.Name] == c
			if strings.Contains(string(text), "planted") != want || strings.Contains(string(graph), "planted") != want {
				t.Errorf("%s under channel %s alone: %s %s", f.Name, c, text, graph)
			}
		}
	}
}

func TestTheScreenIsANodeThatItsStepShows(t *testing.T) {
	ep := trajectory.Episode{Dataset: "d", ID: "e", Steps: []task.Step{{Kind: kindAction, Op: "click", Action: "click", Observation: "Cart (2)", Screenshot: "sha256:00"}}}
	g := mustView(t, ep, 1, Spec{Name: "x", Graph: Channels{Action, Observation}}).Graph
	node := task.Node{ID: "observation:0", Type: "observation", Text: "Cart (2)", Value: "sha256:00"}
	if !slices.Contains(g.Nodes, node) || !slices.Contains(g.Edges, task.Edge{From: "step:0", To: "observation:0", Type: "shows"}) {
		t.Errorf("%+v", g)
	}
	g = mustView(t, ep, 1, Spec{Name: "x", Graph: Channels{Action, Observation}, StructureOnly: true}).Graph
	if !slices.Contains(g.Nodes, task.Node{ID: "observation:0", Type: "observation"}) {
		t.Errorf("structure only: %+v", g)
	}
}
