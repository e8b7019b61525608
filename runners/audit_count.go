package runners

import (
	"cmp"
	"slices"

	"intentlab/ablations/audit"
	"intentlab/ablations/task"
	"intentlab/results/metrics"
)

// leak counts the tasks in which one of the kinds was found.
func leak(grid []task.Ratio, es []auditedEpisode, searched func(*auditedEpisode) bool, kinds ...audit.Kind) AuditLeak {
	l := AuditLeak{Ratios: make([]AuditRatio, len(grid))}
	for j, r := range grid {
		x := &l.Ratios[j]
		x.Ratio = r.String()
		for i := range es {
			if !searched(&es[i]) {
				l.Unsearched++
				continue
			}
			x.Tasks++
			if es[i].found[j].Has(kinds...) {
				x.Found++
			}
		}
		x.Share = share(x.Found, x.Tasks)
		l.Tasks += x.Tasks
		l.Found += x.Found
	}
	l.Share = share(l.Found, l.Tasks)
	return l
}

func share(found, of int) *float64 {
	if of == 0 {
		return nil
	}
	s := float64(found) / float64(of)
	return &s
}

// fieldLeaks counts matches by field and kind, in byte order of the fields.
func fieldLeaks(grid []task.Ratio, es []auditedEpisode) []AuditField {
	type key struct {
		field string
		kind  audit.Kind
	}
	shown := map[string][2]int{} // by field: tasks with a closed label that is searched for, with an intent
	found := map[key]*AuditField{}
	for i := range es {
		e := &es[i]
		quoted := map[key]bool{}
		for j, r := range grid {
			f := e.found[j]
			for _, field := range f.Shown {
				n := shown[field]
				if e.closed {
					n[0]++
				}
				if e.open {
					n[1]++
				}
				shown[field] = n
			}
			for _, h := range f.Hits {
				k := key{h.Field, h.Kind}
				x := found[k]
				if x == nil {
					x = &AuditField{Field: h.Field, Match: h.Kind, Examples: []AuditExample{}}
					found[k] = x
				}
				x.Found++
				if !quoted[k] && len(x.Examples) < examplesShown {
					quoted[k] = true
					x.Examples = append(x.Examples, AuditExample{Task: task.ID(e.episode.Dataset, e.episode.ID, r), Excerpt: h.Excerpt})
				}
			}
		}
	}
	out := []AuditField{}
	for k, x := range found {
		if x.Shown = shown[k.field][0]; k.kind == audit.Intent {
			x.Shown = shown[k.field][1]
		}
		x.Share = float64(x.Found) / float64(x.Shown)
		out = append(out, *x)
	}
	order := []audit.Kind{audit.Label, audit.Host, audit.Intent}
	slices.SortFunc(out, func(a, b AuditField) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Match), slices.Index(order, b.Match)), cmp.Compare(b.Found, a.Found), cmp.Compare(a.Field, b.Field))
	})
	return out
}

// collision groups the tasks of each ratio by their visible input.
func collision(grid []task.Ratio, es []auditedEpisode) metrics.Ceiling {
	c := metrics.Ceiling{Acc: metrics.Curve{Grid: make([]int, len(grid)), Values: make([]metrics.Value, len(grid))}}
	for j, r := range grid {
		var groups [][]string
		index := map[string]int{}
		for i := range es {
			label := es[i].episode.ClosedIntent
			if label == "" {
				continue
			}
			at, ok := index[es[i].visible[j]]
			if !ok {
				at = len(groups)
				index[es[i].visible[j]] = at
				groups = append(groups, nil)
			}
			groups[at] = append(groups[at], label)
		}
		c.Acc.Grid[j], c.Acc.Values[j] = int(r), metrics.CollisionCeiling(groups)
	}
	c.AUC, c.NAUC = metrics.Area(c.Acc, false)
	return c
}

// faultsOf gathers structural leaks by rule, with the first task of each.
func faultsOf(grid []task.Ratio, es []auditedEpisode) []AuditFault {
	out := []AuditFault{}
	for i := range es {
		for j, r := range grid {
			var counted []audit.Rule
			for _, f := range es[i].faults[j] {
				if slices.Contains(counted, f.Rule) {
					continue
				}
				counted = append(counted, f.Rule)
				at := slices.IndexFunc(out, func(x AuditFault) bool { return x.Rule == f.Rule })
				if at < 0 {
					at = len(out)
					out = append(out, AuditFault{Fault: f, Task: task.ID(es[i].episode.Dataset, es[i].episode.ID, r)})
				}
				out[at].Tasks++
			}
		}
	}
	return out
}
