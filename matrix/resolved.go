package matrix

import (
	"slices"
	"sort"

	"intentlab/ablations/partition"
	"intentlab/ablations/task"
)

// resolve builds the canonical configuration: what decides answers, verdicts and numbers. Secrets,
// limits, prices, time-outs, base URLs, budget, reports, descriptions and paths are not in it
// (experiment-language.md, "Identity"); data and files count by content elsewhere.
func (e *Experiment) resolve() error {
	ratios := make([]string, len(e.Ratios))
	for i, q := range e.Ratios {
		ratios[i] = q.String()
	}
	provider := map[string]string{}
	for _, p := range e.Endpoints {
		provider[p.Name] = p.Provider
	}
	var datasets, views, methods, judges, excludes []any
	for _, d := range e.Datasets {
		m := map[string]any{"id": d.ID, "format": d.Format, "visibility": d.Visibility, "limit": d.Limit,
			"filter": resolvedFilter(d.Filter), "split": resolvedSplit(d.Split)}
		putList(m, "judges", d.Judges)
		if len(d.Settings) > 0 {
			m["settings"] = d.Settings
		}
		datasets = append(datasets, m)
	}
	for _, a := range e.Ablations {
		views = append(views, map[string]any{"id": a.ID, "spec": a.Spec, "reference": a.Reference})
	}
	for _, x := range e.Methods {
		m := map[string]any{"id": x.ID, "uses": x.Uses, "code_version": x.Kind.CodeVersion, "settings": x.Settings, "seeds": x.Seeds}
		if x.Endpoint != "" {
			m["provider"] = provider[x.Endpoint]
		}
		if x.NoDedup {
			m["dedup"] = false
		}
		if x.Sample != nil {
			m["sample"] = map[string]any{"episodes": x.Sample.Episodes, "seed": x.Sample.Seed}
		}
		methods = append(methods, m)
	}
	used := map[string]bool{}
	for _, d := range e.Datasets {
		for _, j := range d.Judges {
			used[j] = true
		}
	}
	for _, x := range e.Judges {
		if !used[x.ID] && !slices.Contains(e.MatrixJudges, x.ID) {
			continue // judges nothing
		}
		m := map[string]any{"id": x.ID, "uses": x.Uses, "code_version": x.Kind.CodeVersion, "settings": x.Settings, "threshold": x.Theta}
		if x.Endpoint != "" {
			m["provider"] = provider[x.Endpoint]
		}
		judges = append(judges, m)
	}
	for _, x := range e.Excludes {
		m := map[string]any{"reason": x.Reason}
		putList(m, "datasets", x.Datasets)
		putList(m, "ablations", x.Ablations)
		putList(m, "methods", x.Methods)
		putList(m, "seeds", x.Seeds)
		excludes = append(excludes, m)
	}
	e.Resolved = map[string]any{
		"experiment": map[string]any{"name": e.Name, "ratios": ratios, "seeds": e.Seeds, "seed": e.Seed, "evaluate": e.Evaluate},
		"datasets":   datasets, "ablations": views, "methods": methods, "judges": judges,
		"matrix": map[string]any{"judges": e.MatrixJudges, "excludes": excludes,
			"baseline": map[string]any{"closed": e.Baseline.Closed, "open": e.Baseline.Open}},
	}
	var err error
	e.configHash, err = task.Hash(e.Resolved)
	return err
}

func putList[T any](m map[string]any, key string, list []T) {
	if len(list) > 0 {
		m[key] = list
	}
}

func resolvedFilter(f partition.Filter) map[string]any {
	return map[string]any{"min_steps": f.MinSteps, "max_steps": f.MaxSteps, "min_score": f.MinScore, "scores": f.Scores != ""}
}

func resolvedSplit(s partition.Split) map[string]any {
	m := map[string]any{"by": s.By, "stratify": s.Stratify, "seed": s.Seed, "allow_unseen": s.AllowUnseen}
	switch {
	case s.Folds > 0:
		m["folds"] = s.Folds
	case s.Official != nil:
		m["official"] = map[string]any{"train": s.Official.Train, "dev": s.Official.DevLists, "dev_permille": s.Official.DevShare, "test": s.Official.Test}
	case s.IDs != nil:
		m["ids"] = map[string]any{"train": s.IDs.Train, "dev": s.IDs.Dev, "test": s.IDs.Test}
	default:
		m["permille"] = []int{s.Train, s.Dev, s.Test}
	}
	return m
}

// ConfigHash is the lower-case hex SHA-256 of the canonical JSON of Resolved.
func (e *Experiment) ConfigHash() string { return e.configHash }

// inFileOrder sorts sentences by file and position and drops repeats.
func (r *reader) inFileOrder(list []sentence) []string {
	order := map[string]int{}
	for i, f := range r.sources.order {
		order[f] = i
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i].at, list[j].at
		if a.Filename != b.Filename {
			return order[a.Filename] < order[b.Filename]
		}
		return a.Start.Byte < b.Start.Byte
	})
	var out []string
	for _, s := range list {
		if !contains(out, s.text) {
			out = append(out, s.text)
		}
	}
	return out
}
