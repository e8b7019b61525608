package ablations

import (
	"fmt"
	"sort"
	"strconv"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// GraphNode is a node of the complete graph.
type GraphNode struct {
	task.Node
	// Hidden marks what a predictor must not see: the intents, the steps after the prefix, and apps
	// that only those open.
	Hidden bool
	// since is the episode step that brings the node, -1 for what is visible from the start.
	since int
}

// Graph is the complete graph of an episode, hidden nodes included. It never leaves the evaluator's
// side; [BuildVisibleGraph] makes what a predictor sees.
type Graph struct {
	TaskID string
	Nodes  []GraphNode
	Edges  []task.Edge
}

// nodeIntent is the type of the nodes that hold the targets.
const nodeIntent = "intent"

// BuildGraph makes the complete graph of ep as the channels show it. The first k steps are visible;
// later steps and the two intents are hidden nodes. An edge to a hidden node has the type it would
// have if the node were visible.
func BuildGraph(ep trajectory.Episode, k int, channels ...Channel) Graph {
	g := assemble(ep, Spec{Graph: channels}, restrictAll(ep.ContextSteps, channels), restrictAll(ep.Steps, channels), apps(ep, 0))
	g.hideAfter(k)
	return g
}

// hideAfter marks what the first k steps do not bring.
func (g *Graph) hideAfter(k int) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		n.Hidden = n.hiddenAfter(k)
	}
}

func (n GraphNode) hiddenAfter(k int) bool { return n.Type == nodeIntent || n.since >= k }

// BuildVisibleGraph deletes the hidden nodes and every edge that touches one. It is an error if an
// intent would remain, if two nodes share an id, or if an edge names a node that does not exist.
func BuildVisibleGraph(g Graph) (task.Graph, error) {
	return deleteHidden(g, func(n *GraphNode) bool { return n.Hidden })
}

func deleteHidden(g Graph, isHidden func(*GraphNode) bool) (task.Graph, error) {
	out := task.Graph{TaskID: g.TaskID, Nodes: make([]task.Node, 0, len(g.Nodes)), Edges: make([]task.Edge, 0, len(g.Edges))}
	hidden := make(map[string]bool, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if _, twice := hidden[n.ID]; twice {
			return task.Graph{}, fmt.Errorf("graph of %s: two nodes are called %q", g.TaskID, n.ID)
		}
		hide := isHidden(n)
		hidden[n.ID] = hide
		if hide {
			continue
		}
		if n.Type == nodeIntent {
			return task.Graph{}, fmt.Errorf("graph of %s: intent node %q would be visible", g.TaskID, n.ID)
		}
		out.Nodes = append(out.Nodes, n.Node)
	}
	for _, e := range g.Edges {
		from, okFrom := hidden[e.From]
		to, okTo := hidden[e.To]
		if !okFrom || !okTo {
			return task.Graph{}, fmt.Errorf("graph of %s: edge %s from %q to %q dangles", g.TaskID, e.Type, e.From, e.To)
		}
		if !from && !to {
			out.Edges = append(out.Edges, e)
		}
	}
	return out, nil
}

// assemble lays out the complete graph: episode, metadata, apps, profile, earlier turns (visible
// from the start), steps in the given order, intents. Numbers in ids are positions in that order.
func assemble(ep trajectory.Episode, spec Spec, earlier, steps []seen, appList []appSince) Graph {
	b := graphBuilder{structure: spec.StructureOnly}
	b.nodes = make([]GraphNode, 0, 8+len(appList)+4*(len(steps)+len(ep.ContextSteps)))
	b.edges = make([]task.Edge, 0, cap(b.nodes)+len(steps))
	b.node(-1, task.Node{ID: "episode", Type: "episode"})
	if spec.Graph.Has(Metadata) {
		b.attributes("metadata", "metadata", "has_metadata", ep.Metadata)
		for i, a := range appList {
			id := "app:" + strconv.Itoa(i)
			b.node(a.since, task.Node{ID: id, Type: "app", Value: a.name})
			b.edge("episode", id, "uses_app")
		}
		b.attributes("profile", "profile_attribute", "has_profile_attribute", ep.Profile)
	}
	for i, s := range earlier {
		b.step(i, s.step, -1, "context_", "context_step")
	}
	for i, s := range steps {
		b.step(i, s.step, s.raw, "", "observed_prefix_step")
	}
	b.relate(steps, spec.ExtraEdges)
	for _, in := range []struct{ key, value string }{{"open", ep.OpenIntent}, {"closed", ep.ClosedIntent}} {
		if in.value != "" {
			b.node(-1, task.Node{ID: "intent:" + in.key, Type: nodeIntent, Key: in.key, Value: in.value})
			b.edge("episode", "intent:"+in.key, "has_intent")
		}
	}
	return Graph{Nodes: b.nodes, Edges: b.edges}
}

type graphBuilder struct {
	nodes     []GraphNode
	edges     []task.Edge
	structure bool
}

func (b *graphBuilder) node(since int, n task.Node) {
	if b.structure {
		n.Key, n.Value, n.Text, n.Speaker, n.URL = "", "", "", "", ""
	}
	b.nodes = append(b.nodes, GraphNode{Node: n, since: since})
}

func (b *graphBuilder) edge(from, to, kind string) {
	b.edges = append(b.edges, task.Edge{From: from, To: to, Type: kind})
}

// attributes adds one node per entry in byte order of the keys. Where strings are hidden the id is a
// number, since the key is a string too.
func (b *graphBuilder) attributes(prefix, kind, edge string, m map[string]string) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for i, k := range keys {
		id := prefix + ":" + k
		if b.structure {
			id = prefix + ":" + strconv.Itoa(i)
		}
		b.node(-1, task.Node{ID: id, Type: kind, Key: k, Value: m[k]})
		b.edge("episode", id, edge)
	}
}

// step adds the node of the i-th step, what it contains, and its edges. prefix keeps the ids of the
// earlier turns apart from those of the prefix.
func (b *graphBuilder) step(i int, s task.Step, since int, prefix, membership string) {
	at := ":" + strconv.Itoa(i)
	id, index := prefix+"step"+at, i
	b.node(since, task.Node{ID: id, Type: "step", Index: &index})
	b.edge("episode", id, membership)
	if i > 0 {
		b.edge(prefix+"step:"+strconv.Itoa(i-1), id, "next_step")
	}
	if s.Utterance != "" {
		b.node(since, task.Node{ID: prefix + "utterance" + at, Type: "utterance", Text: s.Utterance, Speaker: s.Speaker})
		b.edge(id, prefix+"utterance"+at, "contains_utterance")
	}
	actor := id
	if s.Op != "" || s.Action != "" {
		actor = prefix + "action" + at
		b.node(since, task.Node{ID: actor, Type: "action", Op: s.Op, Text: s.Action})
		b.edge(id, actor, "contains_action")
	}
	if s.Element != "" || s.URL != "" || s.Value != "" {
		b.node(since, task.Node{ID: prefix + "element" + at, Type: "element", Text: s.Element, Value: s.Value, URL: s.URL})
		b.edge(actor, prefix+"element"+at, "acts_on")
	}
	if s.Observation != "" || s.Screenshot != "" {
		b.node(since, task.Node{ID: prefix + "observation" + at, Type: "observation", Text: s.Observation, Value: s.Screenshot})
		b.edge(id, prefix+"observation"+at, "shows")
	}
}
