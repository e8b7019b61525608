package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"intentlab/ablations"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
	"intentlab/runners"
)

// realData is a folder of the real samples, or skips.
func realData(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("INTENTLAB_SHARED")
	if dir == "" {
		dir = "../../../shared"
	}
	path, err := filepath.Abs(filepath.Join(dir, "data", name))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Skipf("real samples are not at hand (%v); set INTENTLAB_SHARED to the folder that holds data", err)
	}
	return path
}

// audited is what these tests read of an audit.
type audited struct {
	Variants []struct {
		Visibility, Ablation string
		Tasks                int
		Closed               runners.AuditLeak
		Faults               []runners.AuditFault
	}
}

// auditJSON runs `intentlab audit --json` over an experiment file's text.
func auditJSON(t *testing.T, hcl string) audited {
	t.Helper()
	file := filepath.Join(t.TempDir(), "audit.hcl")
	if err := os.WriteFile(file, []byte(hcl), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	e := processEnv()
	e.args, e.out, e.err = []string{"audit", file, "--json"}, &out, &errs
	if status := run(t.Context(), e); status != 0 {
		t.Fatalf("exit status %d: %s", status, errs.String())
	}
	var a audited
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// firstURL is the smallest ratio of the grid whose prefix holds a step with a URL.
func firstURL(ep trajectory.Episode) string {
	for _, p := range ablations.Prefixes(len(ep.Steps), task.Grid()) {
		for _, s := range ep.Steps[:p.K] {
			if s.URL != "" {
				return p.Ratio.String()
			}
		}
	}
	return ""
}

// The example of the leak audit: the label of WebLINX is the host of its first URL. As published it is
// shown from that URL on, in text and graph; under no_url or visibility safe never.
func TestAuditOfRealWebLINXFindsTheLabelFromItsFirstURLOn(t *testing.T) {
	path := realData(t, "weblinx")
	for _, id := range []string{"iqaazif", "saabwsg"} {
		other := map[string]string{"iqaazif": "saabwsg", "saabwsg": "iqaazif"}[id]
		dataset := func(name, visibility string) string {
			return fmt.Sprintf(`dataset %q {
  format     = "weblinx"
  path       = %q
  visibility = %q
  split {
    ids {
      train = [%q]
      test  = [%q]
    }
    allow_unseen = true
  }
}
`, name, path, visibility, other, id)
		}
		a := auditJSON(t, `experiment "leaks" {}
`+dataset("safe", "safe")+dataset("published", "as_published")+`ablation "full_context" {}
ablation "no_utterance" {}
ablation "visible_graph_only" {}
ablation "no_url" {}
ablation "no_url_graph" { presets = ["visible_graph_only", "no_url"] }
method "majority" { uses = "majority" }
matrix {
  datasets  = "*"
  ablations = "*"
  methods   = "*"
}
`)
		want := ""
		for ep, err := range trajectory.Read(t.Context(), trajectory.Source{Name: "d", Format: "weblinx", Path: path, Visibility: trajectory.AsPublished, Options: trajectory.Formats["weblinx"].Options()}, nil) {
			if err != nil {
				t.Fatal(err)
			}
			if ep.ID == id {
				want = firstURL(ep)
			}
		}
		if want == "" || len(a.Variants) != 10 {
			t.Fatalf("%s: first URL at %q, %d variants", id, want, len(a.Variants))
		}
		for _, v := range a.Variants {
			expected := ""
			if v.Visibility == "as_published" && v.Ablation != "no_url" && v.Ablation != "no_url_graph" {
				expected = want
			}
			if got := v.Closed.First(); got != expected {
				t.Errorf("%s, %s under %s: the label is found from %q on, want %q", id, v.Visibility, v.Ablation, got, expected)
			}
			if expected == "" {
				continue
			}
			for _, r := range v.Closed.Ratios {
				if (r.Found > 0) != (r.Ratio >= want) {
					t.Errorf("%s, %s under %s: %d tasks at ratio %s", id, v.Visibility, v.Ablation, r.Found, r.Ratio)
				}
			}
		}
	}
}

// What the other formats show as published names or determines the answer; safe hides it.
func TestAuditOfRealMind2WebFindsNoDomainUnderEitherVisibility(t *testing.T) {
	path := realData(t, "mind2web/derived_prefixes/train_prefixes.json")
	a := auditJSON(t, fmt.Sprintf(`experiment "leaks" {}
dataset "safe" {
  format = "mind2web"
  path   = %q
}
dataset "published" {
  format     = "mind2web"
  path       = %q
  visibility = "as_published"
}
ablation "full_context" {}
method "url" { uses = "metadata_probe" }
matrix {
  datasets  = "*"
  ablations = "*"
  methods   = "*"
}
`, path, path))
	if len(a.Variants) != 2 {
		t.Fatalf("%d variants", len(a.Variants))
	}
	for _, v := range a.Variants {
		// The website determines the domain and is no word of it: that is the probes' business, not the
		// search's (docs/audit.md).
		if v.Tasks == 0 || v.Closed.Share == nil || *v.Closed.Share > 0.05 || len(v.Faults) > 0 {
			t.Errorf("%s: %+v, %d faults", v.Visibility, v.Closed, len(v.Faults))
		}
	}
}
