package ablations

import (
	"sort"

	"intentlab/ablations/trajectory"
)

// appSince is an app of an episode and the step that first shows it (-1: from the start).
type appSince struct {
	name  string
	since int
}

// apps lists the apps of ep, first the published list, then those that steps from the given one on
// show, in order of first appearance.
func apps(ep trajectory.Episode, from int) []appSince {
	known := map[string]bool{}
	var out []appSince
	add := func(name string, since int) {
		if name != "" && !known[name] {
			known[name] = true
			out = append(out, appSince{name, since})
		}
	}
	for _, a := range ep.Apps {
		add(a, -1)
	}
	for i := from; i < len(ep.Steps); i++ {
		add(ep.Steps[i].App, i)
	}
	return out
}

// appsUpTo returns the names that the first k steps bring; sorted where the order of the steps is to
// stay unknown.
func appsUpTo(list []appSince, k int, sorted bool) []string {
	var names []string
	for _, a := range list {
		if a.since < k {
			names = append(names, a.name)
		}
	}
	if sorted {
		sort.Strings(names)
	}
	return names
}

// inByteOrder keeps what the first k steps bring, ordered by name.
func inByteOrder(list []appSince, k int) []appSince {
	var out []appSince
	for _, a := range list {
		if a.since < k {
			out = append(out, a)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out
}
