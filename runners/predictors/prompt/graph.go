package prompt

import (
	"fmt"
	"strings"

	"intentlab/ablations/task"
)

// The forms in which a graph is written for a model.
const (
	EdgeList = "edge_list" // nodes with their attributes, then "from -type-> to", one a line
	Tree     = "tree"      // nodes indented below the node that leads to them, other edges listed after
	JSON     = "json"      // nodes and edges as in the visible graph's file, without the task's id
)

// Graph writes a visible graph in one of the forms; "" where there is no graph or form is "". The
// task's id is left out of all of them.
func Graph(g *task.Graph, form string) (string, error) {
	if g == nil || form == "" {
		return "", nil
	}
	switch form {
	case EdgeList:
		return edgeList(g), nil
	case Tree:
		return tree(g), nil
	case JSON:
		b, err := task.Canonical(struct {
			Nodes []task.Node `json:"nodes"`
			Edges []task.Edge `json:"edges"`
		}{g.Nodes, g.Edges})
		return string(b), err
	}
	return "", fmt.Errorf("there is no graph form %q; there are %s, %s and %s", form, EdgeList, Tree, JSON)
}

func edgeList(g *task.Graph) string {
	var b strings.Builder
	for i := range g.Nodes {
		fmt.Fprintf(&b, "%s%s\n", g.Nodes[i].ID, attributes(&g.Nodes[i], true))
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "%s -%s-> %s\n", e.From, e.Type, e.To)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// attributes writes a node's content. withType adds the type where the id does not start with it.
func attributes(n *task.Node, withType bool) string {
	var out []string
	if withType && n.ID != n.Type && !strings.HasPrefix(n.ID, n.Type+":") {
		out = append(out, n.Type)
	}
	value := n.Value
	if n.Type == "observation" {
		value = "" // the hash of a picture that a model can't see
	}
	for _, part := range []struct{ name, text string }{{"", n.Op}, {"key", n.Key}, {"", value}, {"", n.Text}, {"by", n.Speaker}, {"url", n.URL}} {
		text := oneLine(part.text)
		switch {
		case text == "":
		case part.name == "":
			out = append(out, text)
		default:
			out = append(out, part.name+"="+text)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " [" + strings.Join(out, " | ") + "]"
}

// tree indents every node below the first node that leads to it, roots being the nodes no edge leads
// to. Steps follow one another in order anyway, so next_step edges between them are not repeated.
func tree(g *task.Graph) string {
	at := make(map[string]int, len(g.Nodes))
	for i := range g.Nodes {
		at[g.Nodes[i].ID] = i
	}
	children := make([][]task.Edge, len(g.Nodes))
	parent := make([]bool, len(g.Nodes))
	var rest []task.Edge
	for _, e := range g.Edges {
		from, okFrom := at[e.From]
		to, okTo := at[e.To]
		switch {
		case !okFrom || !okTo:
			continue
		case e.Type == "next_step":
		case parent[to] || from == to:
			rest = append(rest, e)
		default:
			parent[to] = true
			children[from] = append(children[from], e)
		}
	}
	var b strings.Builder
	written := make([]bool, len(g.Nodes))
	var write func(i, depth int)
	write = func(i, depth int) {
		if written[i] {
			return
		}
		written[i] = true
		fmt.Fprintf(&b, "%s%s%s\n", strings.Repeat("  ", depth), g.Nodes[i].ID, attributes(&g.Nodes[i], true))
		for _, e := range children[i] {
			write(at[e.To], depth+1)
		}
	}
	for i := range g.Nodes {
		if !parent[i] {
			write(i, 0)
		}
	}
	for i := range g.Nodes { // a circle has no root
		write(i, 0)
	}
	for _, e := range rest {
		fmt.Fprintf(&b, "%s -%s-> %s\n", e.From, e.Type, e.To)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
