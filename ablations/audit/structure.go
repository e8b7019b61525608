package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"intentlab/ablations/task"
)

// Rule names a structural leak: something that must not be in any task, whatever it says.
type Rule string

// The structural leaks.
const (
	// IntentNode is a node or edge of the targets in a visible graph, or a graph that counts some.
	IntentNode Rule = "intent_node"
	// HiddenNode is a graph that counts hidden nodes, or a step beyond the prefix.
	HiddenNode Rule = "hidden_node"
	// DanglingEdge is an edge that names a node which isn't there: the trace of a deleted one.
	DanglingEdge Rule = "dangling_edge"
	// TargetKey is a field named after a target.
	TargetKey Rule = "target_key"
	// GoldPath is a command whose arguments or environment name a place that holds gold.
	GoldPath Rule = "gold_path"
)

// Fault is one structural leak.
type Fault struct {
	Rule   Rule   `json:"rule"`
	Detail string `json:"detail"`
}

// targetKeys are the names of targets in the project's own records and in the usual exports, in lower
// case with underscores.
var targetKeys = map[string]bool{"target": true, "targets": true, "gold": true, "ground_truth": true, "intent": true, "intents": true,
	"open_intent": true, "closed_intent": true, "predicted_intent": true, "open_intent_target": true, "closed_intent_target": true}

// Structure lists the structural leaks of a task. never are the further fields that the dataset's
// format never shows, in any spelling.
func Structure(t *task.Task, never []string) []Fault {
	c := &checker{never: map[string]bool{}}
	for _, k := range never {
		c.never[plainKey(k)] = true
	}
	for _, k := range t.Metadata.Keys() {
		c.key("metadata", k)
		c.nested("metadata."+k, t.Metadata.Fields[k])
	}
	for _, k := range slices.Sorted(maps.Keys(t.Metadata.Profile)) {
		c.key("profile", k)
		c.nested("profile."+k, t.Metadata.Profile[k])
	}
	if n := len(t.ObservedSteps); n > t.PrefixStepCount {
		c.add(HiddenNode, "%d steps are shown of a prefix of %d", n, t.PrefixStepCount)
	}
	if t.Graph != nil {
		c.graph(t.Graph, t.PrefixStepCount)
	}
	return c.faults
}

type checker struct {
	never  map[string]bool
	faults []Fault
}

func (c *checker) add(r Rule, format string, args ...any) {
	c.faults = append(c.faults, Fault{Rule: r, Detail: fmt.Sprintf(format, args...)})
}

// plainKey is a key without case, blanks and hyphens.
func plainKey(k string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(k)))
}

func (c *checker) key(where, k string) {
	if p := plainKey(k); targetKeys[p] || c.never[p] {
		c.add(TargetKey, "%s has a field named %q", where, k)
	}
}

// nested looks for such keys in a value that is itself JSON.
func (c *checker) nested(where, value string) {
	if v := strings.TrimSpace(value); strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
		var parsed any
		if json.Unmarshal([]byte(v), &parsed) == nil {
			c.walk(where, parsed)
		}
	}
}

func (c *checker) walk(where string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			c.key(where, k)
			c.walk(where+"."+k, v[k])
		}
	case []any:
		for _, x := range v {
			c.walk(where, x)
		}
	}
}

func (c *checker) graph(g *task.Graph, prefix int) {
	if g.IntentNodes != 0 {
		c.add(IntentNode, "the graph counts %d intent nodes", g.IntentNodes)
	}
	if g.HiddenNodes != 0 {
		c.add(HiddenNode, "the graph counts %d hidden nodes", g.HiddenNodes)
	}
	nodes, steps := make(map[string]bool, len(g.Nodes)), 0
	for i := range g.Nodes {
		n := &g.Nodes[i]
		nodes[n.ID] = true
		if n.Type == "intent" || strings.HasPrefix(n.ID, "intent:") {
			c.add(IntentNode, "the graph shows node %q of type %s", n.ID, n.Type)
		}
		if n.Type == "step" && strings.HasPrefix(n.ID, "step:") {
			steps++
		}
		if n.Key != "" {
			c.key("graph node "+n.ID, n.Key)
		}
		c.nested("graph node "+n.ID, n.Value)
	}
	if steps > prefix {
		c.add(HiddenNode, "the graph shows %d steps of a prefix of %d", steps, prefix)
	}
	for _, e := range g.Edges {
		if e.Type == "has_intent" {
			c.add(IntentNode, "the graph shows an edge %s from %q to %q", e.Type, e.From, e.To)
		}
		if !nodes[e.From] || !nodes[e.To] {
			c.add(DanglingEdge, "edge %s from %q to %q names a node that is not there", e.Type, e.From, e.To)
		}
	}
}
