package main

import (
	"fmt"
	"maps"
	"slices"

	"intentlab/ablations/trajectory"
	"intentlab/judge"
	"intentlab/matrix"
	"intentlab/runners"
	"intentlab/runners/predictors"
)

// engineKinds are the tables of everything that can be run.
func engineKinds() runners.Kinds {
	return runners.Kinds{Methods: predictors.Kinds, Judges: judge.Kinds, Formats: trajectory.Formats}
}

// languageKinds are the same tables, and the planned kinds, as the experiment language sees them.
func languageKinds() matrix.Kinds {
	k := matrix.Kinds{Methods: map[string]matrix.Kind{}, Judges: map[string]matrix.Kind{}, Formats: map[string]matrix.Kind{}}
	for _, table := range []map[string]predictors.Kind{predictors.Kinds, predictors.Planned} {
		for name, m := range table {
			kind := matrix.Kind{Name: name, Summary: m.Summary, Options: m.Options, Needs: matrix.Needs(m.Needs),
				Deterministic: m.Deterministic, UsesRatio: m.UsesRatio, UsesLabels: m.UsesLabels, CodeVersion: m.CodeVersion, Built: m.New != nil,
				Declares: func(options any) (bool, bool, bool) {
					if d, ok := options.(predictors.Declarer); ok {
						x := d.Declared()
						return x.Deterministic, x.UsesRatio, x.UsesLabels
					}
					return m.Deterministic, m.UsesRatio, m.UsesLabels
				}}
			if m.Options != nil {
				if _, starts := m.Options().(predictors.Launcher); starts {
					kind.Files = programFiles
				}
			}
			k.Methods[name] = kind
		}
	}
	for _, table := range []map[string]judge.Kind{judge.Kinds, judge.Planned} {
		for name, j := range table {
			k.Judges[name] = matrix.Kind{Name: name, Summary: j.Summary, Options: j.Options, Needs: matrix.Needs{Endpoint: j.NeedsEndpoint},
				CodeVersion: j.CodeVersion, Built: j.New != nil}
		}
	}
	for name, f := range trajectory.Formats {
		k.Formats[name] = matrix.Kind{Name: name, Summary: f.Summary, Options: f.Options, Built: true, Groups: f.Groups, SplitUnit: f.SplitUnit}
	}
	return k
}

// programFiles are the files that the answers of a method's program depend on, whether the declaration
// lists them or not.
func programFiles(options any, dir string) ([]string, error) {
	o, ok := options.(predictors.Launcher)
	if !ok {
		return nil, fmt.Errorf("these settings name no program: %v", options)
	}
	return predictors.CommandInputs(o.Launch(), dir)
}

func sortedKinds(m map[string]matrix.Kind) []string { return slices.Sorted(maps.Keys(m)) }
