package predictors

import (
	"fmt"
	"slices"

	"intentlab/ablations/task"
)

// wlSpace is the space of Weisfeiler-Lehman subtree features of the visible graph: the counts of all
// node labels of iterations 0..h. The normalised kernel of two graphs is the cosine of their counts.
func wlSpace(iterations int) featureSpace {
	return featureSpace{
		name: fmt.Sprintf("wl 1 h=%d", iterations),
		keys: func(t *task.Task, keys []uint64) []uint64 { return wlKeys(t.Graph, iterations, keys) },
	}
}

// wlKeys appends one key a node and iteration, (iterations+1)·|V| in all. Iteration 0 labels a node
// by its type, op, key and speaker, by its value where values are categories (metadata, apps, profile)
// and an element by its text, which says what is acted on. Utterances, the text of actions, typed
// values, URLs, ids and indices are left out: they are as good as unique, or repeat op and element.
// Each iteration hashes a node's label with the sorted multiset of its neighbours' labels, each joined
// to the type and the direction of the edge. An edge whose ends aren't both nodes is ignored.
//
// Source: Shervashidze, Schweitzer, van Leeuwen, Mehlhorn, Borgwardt, "Weisfeiler-Lehman Graph
// Kernels", JMLR 12 (2011). Labels are compressed by a 64-bit hash instead of a counter, so that two
// graphs need no common table; edge types and directions are our addition, since the visible graph
// has both. O(h·|E| log d) for greatest degree d.
func wlKeys(g *task.Graph, iterations int, keys []uint64) []uint64 {
	if g == nil || len(g.Nodes) == 0 {
		return keys
	}
	n := len(g.Nodes)
	at := make(map[string]int32, n)
	labels, next := make([]uint64, n), make([]uint64, n)
	for i := range g.Nodes {
		if _, double := at[g.Nodes[i].ID]; !double {
			at[g.Nodes[i].ID] = int32(i)
		}
		labels[i] = wlNodeLabel(&g.Nodes[i])
	}
	type half struct {
		node, other int32
		edge        uint64
	}
	halves := make([]half, 0, 2*len(g.Edges))
	for i := range g.Edges {
		e := &g.Edges[i]
		from, okFrom := at[e.From]
		to, okTo := at[e.To]
		if !okFrom || !okTo {
			continue
		}
		kind := hashString(fnvOffset, e.Type)
		halves = append(halves, half{from, to, chain(kind, 1)}, half{to, from, chain(kind, 2)})
	}
	slices.SortFunc(halves, func(a, b half) int { return int(a.node) - int(b.node) })
	keys = append(keys, labels...)
	var around []uint64
	for it := range iterations {
		rest := halves
		for v := range next {
			around = around[:0]
			for len(rest) > 0 && int(rest[0].node) == v {
				around = append(around, chain(rest[0].edge, labels[rest[0].other]))
				rest = rest[1:]
			}
			slices.Sort(around)
			h := chain(uint64(it+1), labels[v])
			for _, x := range around {
				h = chain(h, x)
			}
			next[v] = h
		}
		labels, next = next, labels
		keys = append(keys, labels...)
	}
	return keys
}

// wlNodeLabel hashes the fields with a byte between them that no UTF-8 text holds.
func wlNodeLabel(n *task.Node) uint64 {
	h := hashByte(hashString(fnvOffset, n.Type), 0xff)
	h = hashByte(hashString(h, n.Op), 0xff)
	h = hashByte(hashString(h, n.Key), 0xff)
	h = hashByte(hashString(h, n.Speaker), 0xff)
	switch n.Type {
	case "metadata", "app", "profile_attribute":
		h = hashString(h, n.Value)
	case "element":
		h = hashString(h, n.Text)
	}
	return h
}
