package ablations

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// readReal reads a dataset of the shared real data, or skips.
func readReal(t *testing.T, format, path string) []trajectory.Episode {
	t.Helper()
	full := filepath.Join(shared(t), "data", path)
	if _, err := os.Stat(full); err != nil {
		t.Skipf("the real data are not here: %v", err)
	}
	src := trajectory.Source{Name: format, Format: format, Path: full, Visibility: trajectory.Safe}
	if options := trajectory.Formats[format].Options; options != nil {
		src.Options = options()
	}
	var out []trajectory.Episode
	for ep, err := range trajectory.Read(t.Context(), src, nil) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, ep)
	}
	if len(out) == 0 {
		t.Fatalf("no episode in %s", full)
	}
	return out
}

// Every preset must hold on recorded trajectories what the property tests hold on made-up ones.
func TestEveryPresetViewsRealEpisodes(t *testing.T) {
	for _, c := range []struct{ format, path string }{
		{"weblinx", "weblinx"}, {"mind2web", "mind2web/openbrowser/train.json"}, {"gui_odyssey", "gui_odyssey/annotations"}, {"fingertip", "fingertip/Raw"},
	} {
		t.Run(c.format, func(t *testing.T) {
			for _, ep := range readReal(t, c.format, c.path) {
				for _, preset := range Presets() {
					checkReal(t, ep, preset.Spec)
				}
			}
		})
	}
}

func checkReal(t *testing.T, ep trajectory.Episode, s Spec) {
	t.Helper()
	v, err := Open(ep, s)
	if err != nil {
		t.Fatal(err)
	}
	hashes := map[int]string{}
	for _, p := range Prefixes(len(ep.Steps), task.Grid()) {
		got, err := v.At(p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := task.Canonical([]any{got, got.Graph})
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for _, word := range []string{`"type":"intent"`, `"target":`, `"open_intent"`} {
			if strings.Contains(text, word) {
				t.Fatalf("%s under %s shows %s", got.ID, s.Name, word)
			}
		}
		// The label is the site's host, and visibility safe masks hosts in every channel.
		if ep.LabelSpace == "weblinx.derived_website" && strings.Contains(text, ep.ClosedIntent) {
			t.Fatalf("%s under %s shows the host that is its label", got.ID, s.Name)
		}
		if !s.Text.Has(Utterance) && !s.Graph.Has(Utterance) {
			for _, st := range ep.Steps {
				if len(st.Utterance) > 30 && strings.Contains(text, strings.Trim(string(mustJSON(t, st.Utterance)), `"`)) {
					t.Fatalf("%s under %s shows an utterance", got.ID, s.Name)
				}
			}
		}
		h, err := task.VisibleHash(got, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if known, ok := hashes[p.K]; ok && known != h {
			t.Fatalf("%s under %s: a duplicate prefix has another hash", got.ID, s.Name)
		}
		hashes[p.K] = h
	}
}

func mustJSON(t *testing.T, v any) []byte {
	b, err := task.Canonical(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
