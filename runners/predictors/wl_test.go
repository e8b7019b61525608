package predictors

import (
	"fmt"
	"slices"
	"testing"

	"intentlab/ablations/task"
)

// undirected draws each edge both ways, so that direction says nothing.
func undirected(types string, edges ...[2]int) *task.Graph {
	g := &task.Graph{}
	for i, c := range types {
		g.Nodes = append(g.Nodes, task.Node{ID: fmt.Sprint(i), Type: string(c)})
	}
	for _, e := range edges {
		a, b := fmt.Sprint(e[0]), fmt.Sprint(e[1])
		g.Edges = append(g.Edges, task.Edge{From: a, To: b}, task.Edge{From: b, To: a})
	}
	return g
}

func dot(a, b []feature) (sum int) {
	for _, x := range a {
		for _, y := range b {
			if x.key == y.key {
				sum += int(x.count) * int(y.count)
			}
		}
	}
	return sum
}

// The two graphs of figure 2 of Shervashidze et al. (2011): their subtree kernel with one iteration is 11.
func TestWLFollowsThePaper(t *testing.T) {
	g := undirected("114352", [2]int{0, 2}, [2]int{1, 2}, [2]int{2, 3}, [2]int{2, 4}, [2]int{3, 4}, [2]int{3, 5}, [2]int{4, 5})
	h := undirected("124352", [2]int{0, 2}, [2]int{1, 3}, [2]int{2, 3}, [2]int{2, 4}, [2]int{3, 4}, [2]int{2, 5}, [2]int{4, 5})
	counts := func(g *task.Graph) (out []int) {
		for _, f := range bag(wlKeys(g, 1, nil), nil) {
			out = append(out, int(f.count))
		}
		slices.Sort(out)
		return out
	}
	if got, want := counts(g), []int{1, 1, 1, 1, 1, 1, 1, 1, 2, 2}; !slices.Equal(got, want) {
		t.Errorf("counts of G: %v, want %v", got, want)
	}
	if got, want := counts(h), []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("counts of G': %v, want %v", got, want)
	}
	kernel := func(it int) int { return dot(bag(wlKeys(g, it, nil), nil), bag(wlKeys(h, it, nil), nil)) }
	if got := kernel(0); got != 7 {
		t.Errorf("kernel of node labels: %d, want 7", got)
	}
	if got := kernel(1); got != 11 {
		t.Errorf("kernel with one iteration: %d, want 11", got)
	}
}

func TestWLGivesOneFeatureANodeAndIteration(t *testing.T) {
	q := graphTask("e", "click", "type", "click")
	for it := range 5 {
		if got, want := len(wlKeys(q.Graph, it, nil)), (it+1)*7; got != want {
			t.Errorf("%d iterations: %d features, want %d", it, got, want)
		}
	}
}

func TestWLIgnoresIdsTextAndOrderOfNodes(t *testing.T) {
	a := graphTask("e", "click", "type").Graph
	b := &task.Graph{}
	for _, n := range a.Nodes {
		n.ID, n.Text, n.Index = "x"+n.ID, "other", nil
		b.Nodes = append(b.Nodes, n)
	}
	for _, e := range a.Edges {
		b.Edges = append(b.Edges, task.Edge{From: "x" + e.From, To: "x" + e.To, Type: e.Type})
	}
	slices.Reverse(b.Nodes)
	slices.Reverse(b.Edges)
	if !slices.Equal(bag(wlKeys(a, 3, nil), nil), bag(wlKeys(b, 3, nil), nil)) {
		t.Error("a relabelled graph has other features")
	}
}

func TestWLSeesOrderDirectionAndEdgeType(t *testing.T) {
	base := bag(wlKeys(graphTask("e", "click", "type").Graph, 2, nil), nil)
	swapped := graphTask("e", "type", "click").Graph
	turned := graphTask("e", "click", "type").Graph
	last := &turned.Edges[len(turned.Edges)-1]
	last.From, last.To = last.To, last.From
	retyped := graphTask("e", "click", "type").Graph
	retyped.Edges[len(retyped.Edges)-1].Type = "same_page"
	for name, g := range map[string]*task.Graph{"order of steps": swapped, "direction": turned, "edge type": retyped} {
		if slices.Equal(base, bag(wlKeys(g, 2, nil), nil)) {
			t.Errorf("%s makes no difference", name)
		}
	}
}

func TestWLLabelsNodesByWhatIsACategory(t *testing.T) {
	key := func(n task.Node) uint64 { return wlKeys(&task.Graph{Nodes: []task.Node{n}}, 0, nil)[0] }
	base := task.Node{Type: "element", Text: "Search"}
	for _, same := range []task.Node{{ID: "x", Type: "element", Text: "Search"}, {Type: "element", Text: "Search", Value: "typed", URL: "u"}} {
		if key(base) != key(same) {
			t.Errorf("%+v and %+v have different labels", base, same)
		}
	}
	all := []task.Node{base, {Type: "element", Text: "Buy"}, {Type: "element"}, {Type: "app", Value: "maps"}, {Type: "app", Value: "mail"},
		{Type: "metadata", Key: "a", Value: "maps"}, {Type: "metadata", Key: "b", Value: "maps"}, {Type: "action", Op: "click"},
		{Type: "action", Op: "type"}, {Type: "utterance", Speaker: "instructor"}, {Type: "utterance", Speaker: "navigator"}}
	seen := map[uint64]task.Node{}
	for _, n := range all {
		if other, ok := seen[key(n)]; ok {
			t.Errorf("%+v and %+v have one label", n, other)
		}
		seen[key(n)] = n
	}
	if key(task.Node{Type: "utterance", Text: "hello"}) != key(task.Node{Type: "utterance", Text: "bye"}) {
		t.Error("the text of an utterance is part of its label")
	}
}

func TestWLReadsOddGraphs(t *testing.T) {
	if got := wlKeys(nil, 3, nil); len(got) != 0 {
		t.Errorf("no graph: %d features", len(got))
	}
	g := &task.Graph{Nodes: []task.Node{{ID: "a", Type: "step"}, {ID: "a", Type: "step"}},
		Edges: []task.Edge{{From: "a", To: "a"}, {From: "a", To: "nowhere"}, {From: "nowhere", To: "a"}}}
	if got := wlKeys(g, 2, nil); len(got) != 6 {
		t.Errorf("a loop, a dangling edge and a double id: %d features, want 6", len(got))
	}
}
