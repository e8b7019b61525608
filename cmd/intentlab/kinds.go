package main

import (
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

// languageKinds are the same tables as the experiment language sees them. A kind without a
// constructor is part of the language but not built yet.
func languageKinds() matrix.Kinds {
	k := matrix.Kinds{Methods: map[string]matrix.Kind{}, Judges: map[string]matrix.Kind{}, Formats: map[string]matrix.Kind{}}
	for name, m := range predictors.Kinds {
		k.Methods[name] = matrix.Kind{Name: name, Summary: m.Summary, Options: m.Options, Needs: matrix.Needs(m.Needs),
			Deterministic: m.Deterministic, UsesRatio: m.UsesRatio, UsesLabels: m.UsesLabels, CodeVersion: m.CodeVersion, Built: m.New != nil,
			Declares: func(options any) (bool, bool, bool) {
				if d, ok := options.(predictors.Declarer); ok {
					x := d.Declared()
					return x.Deterministic, x.UsesRatio, x.UsesLabels
				}
				return m.Deterministic, m.UsesRatio, m.UsesLabels
			}}
	}
	for name, j := range judge.Kinds {
		k.Judges[name] = matrix.Kind{Name: name, Summary: j.Summary, Options: j.Options, Needs: matrix.Needs{Endpoint: j.NeedsEndpoint},
			CodeVersion: j.CodeVersion, Built: j.New != nil}
	}
	for name, f := range trajectory.Formats {
		k.Formats[name] = matrix.Kind{Name: name, Summary: f.Summary, Options: f.Options, Built: true, Groups: f.Groups, SplitUnit: f.SplitUnit}
	}
	return k
}
