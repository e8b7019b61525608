package audit

import (
	"maps"
	"slices"
	"strings"

	"intentlab/ablations/task"
)

// Hit is something that was found in one field of a task.
type Hit struct {
	Kind    Kind
	Field   string
	Excerpt string
}

// Found is what a task shows and what of it gives the answer away.
type Found struct {
	Shown []string // the fields that hold a string, in byte order
	Hits  []Hit    // the first of each field and kind, by field and then label, host, intent
}

// Has reports whether any field has one of the kinds.
func (f Found) Has(kinds ...Kind) bool {
	return slices.ContainsFunc(f.Hits, func(h Hit) bool { return slices.Contains(kinds, h.Kind) })
}

// Scan searches every string of t that differs from episode to episode: ids without the dataset's
// name, metadata values and keys, apps, profile, earlier turns ("context."), steps, and the graph
// ("graph."). The names of dataset, ablation and label space are the same for all tasks of a variant,
// and are left out.
func (n *Needles) Scan(t *task.Task) Found {
	first := map[string]match{} // by field
	eachField(t, func(field, text string) {
		if text == "" {
			return
		}
		had := first[field]
		m := n.search(text)
		for _, x := range []struct {
			to   *string
			from string
		}{{&had.label, m.label}, {&had.host, m.host}, {&had.intent, m.intent}} {
			if *x.to == "" {
				*x.to = x.from
			}
		}
		first[field] = had
	})
	f := Found{Shown: slices.Sorted(maps.Keys(first))}
	for _, field := range f.Shown {
		m := first[field]
		if m.label != "" {
			m.host = ""
		}
		for _, k := range []Kind{Label, Host, Intent} {
			if x := m.excerpt(k); x != "" {
				f.Hits = append(f.Hits, Hit{Kind: k, Field: field, Excerpt: x})
			}
		}
	}
	return f
}

// eachField hands out every string of a task with the name of its field.
func eachField(t *task.Task, yield func(field, text string)) {
	yield("ids", strings.TrimPrefix(t.ID, t.Dataset+":"))
	yield("ids", t.EpisodeID)
	for _, k := range t.Metadata.Keys() {
		yield("metadata_keys", k)
		yield("metadata."+k, t.Metadata.Fields[k])
	}
	for _, a := range t.Metadata.Apps {
		yield("apps", a)
	}
	for _, k := range slices.Sorted(maps.Keys(t.Metadata.Profile)) {
		yield("metadata_keys", k)
		yield("profile."+k, t.Metadata.Profile[k])
	}
	eachStep("context.", t.ContextSteps, yield)
	eachStep("", t.ObservedSteps, yield)
	if t.VisibleGraphPath != nil {
		yield("ids", *t.VisibleGraphPath)
	}
	if t.Graph == nil {
		return
	}
	yield("graph.ids", strings.TrimPrefix(t.Graph.TaskID, t.Dataset+":"))
	for i := range t.Graph.Nodes {
		x := &t.Graph.Nodes[i]
		yield("graph.ids", x.ID)
		yield("graph.type", x.Type)
		yield("graph.key", x.Key)
		yield("graph.value", x.Value)
		yield("graph.op", x.Op)
		yield("graph.text", x.Text)
		yield("graph.speaker", x.Speaker)
		yield("graph.url", x.URL)
	}
	for i := range t.Graph.Edges {
		yield("graph.edge", t.Graph.Edges[i].Type)
	}
}

func eachStep(prefix string, steps []task.Step, yield func(field, text string)) {
	for i := range steps {
		s := &steps[i]
		yield(prefix+"kind", s.Kind)
		yield(prefix+"speaker", s.Speaker)
		yield(prefix+"utterance", s.Utterance)
		yield(prefix+"action", s.Action)
		yield(prefix+"op", s.Op)
		yield(prefix+"element", s.Element)
		yield(prefix+"url", s.URL)
		yield(prefix+"value", s.Value)
		yield(prefix+"app", s.App)
		yield(prefix+"observation", s.Observation)
		yield(prefix+"screenshot", s.Screenshot)
	}
}
