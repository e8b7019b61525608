package ablations

import (
	"path/filepath"
	"strings"
	"testing"

	"intentlab/ablations/audit"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// TestEveryFormatPassesTheLeakCheckInTextAndGraph is the part of the conformance suite that readers can't
// have beside them: their fixtures, as every preset shows them, have no structural leak, and where safe
// masks hosts no host of the label stands anywhere, graph nodes and ids included.
func TestEveryFormatPassesTheLeakCheckInTextAndGraph(t *testing.T) {
	for _, name := range trajectory.FormatNames() {
		format := trajectory.Formats[name]
		never := format.NeverVisible
		if name == "episodes" {
			never = nil // fields of the record, not of its metadata
		}
		src := trajectory.Source{Name: "d", Format: name, Path: filepath.Join("trajectory", "testdata", name), Visibility: trajectory.Safe}
		n, labelled := 0, 0
		for ep, err := range trajectory.Read(t.Context(), src, nil) {
			if err != nil {
				t.Fatal(err)
			}
			for _, preset := range Presets() {
				v, err := Open(ep, preset.Spec)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range Prefixes(len(ep.Steps), task.Grid()) {
					got, err := v.At(p)
					if err != nil {
						t.Fatal(err)
					}
					n++
					if ep.ClosedIntent != "" {
						labelled++
					}
					for _, fault := range audit.Structure(&got, never) {
						t.Errorf("%s, %s, %s: %s: %s", name, preset.Name, got.ID, fault.Rule, fault.Detail)
					}
					text, err := task.Canonical([]any{got.Metadata, got.ContextSteps, got.ObservedSteps, got.Graph})
					if err != nil {
						t.Fatal(err)
					}
					if host := strings.TrimPrefix(ep.ClosedIntent, "www."); name == "weblinx" && host != "" && strings.Contains(strings.ToLower(string(text)), host) {
						t.Errorf("%s, %s: the label's host stands in %s", preset.Name, got.ID, text)
					}
				}
			}
		}
		if n == 0 || labelled == 0 {
			t.Errorf("%s: nothing was checked", name)
		}
	}
}
