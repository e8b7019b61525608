package runners

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"intentlab/ablations/audit"
)

var updateAudit = flag.Bool("update-audit", false, "rewrite testdata/audit.golden.json")

// talkative is a data set whose episodes tell their label from the second step on, in the url, and half
// of them their intent in the last one. The two halves look the same in their first step.
const talkative = `{"episode_id":"z","cluster_id":"z","open_intent":"find a quiet hotel near the lake","closed_intent":"stay.fixture.com","closed_label_space":"s","lists":["train"],"steps":[{"index":0,"kind":"action","op":"click","action":"click Go"}]}
{"episode_id":"a","cluster_id":"a","open_intent":"find a quiet hotel near the lake","closed_intent":"stay.fixture.com","closed_label_space":"s","lists":["train"],"metadata":{"platform":"web"},"steps":[{"index":0,"kind":"action","op":"click","action":"click Go"},{"index":1,"kind":"action","op":"load","action":"load it","url":"https://stay.fixture.com/x"},{"index":2,"kind":"utterance","utterance":"Find a QUIET hotel near lakes"}]}
{"episode_id":"b","cluster_id":"b","open_intent":"buy a train ticket to the coast","closed_intent":"rail.fixture.org","closed_label_space":"s","lists":["test"],"metadata":{"platform":"web"},"steps":[{"index":0,"kind":"action","op":"click","action":"click Go"},{"index":1,"kind":"action","op":"load","action":"load it","url":"https://www.rail.fixture.org/x"},{"index":2,"kind":"utterance","utterance":"thanks"}]}
{"episode_id":"c","cluster_id":"c","open_intent":"find a quiet hotel near the lake","closed_intent":"stay.fixture.com","closed_label_space":"s","lists":["test"],"metadata":{"platform":"web"},"steps":[{"index":0,"kind":"action","op":"click","action":"click Go"},{"index":1,"kind":"action","op":"load","action":"load it","url":"https://fixture.com/x"},{"index":2,"kind":"utterance","utterance":"Find a QUIET hotel near lakes"}]}
{"episode_id":"d","cluster_id":"d","open_intent":"go","closed_intent":"","closed_label_space":"s","lists":["test"],"metadata":{"platform":"web"},"steps":[{"index":0,"kind":"action","op":"click","action":"click Go"}]}
`

const talkativeHead = `experiment "e" {
  ratios = ["0.3", "0.6", "1.0"]
  store  = "s.db"
}
dataset "d" {
  format = "episodes"
  path   = "talk.jsonl"
  split {
    official {
      train = ["train"]
      test  = ["test"]
    }
    allow_unseen = true
  }
}
method "majority" { uses = "majority" }
`

func (l *lab) audit(text string, o AuditOptions) *Audit {
	l.t.Helper()
	a, err := l.prepare(text, 4).Audit(context.Background(), o)
	must(l.t, err)
	return a
}

func TestAuditCountsTasksByFieldAndRatio(t *testing.T) {
	l := newLab(t, 8)
	l.write("talk.jsonl", talkative)
	a := l.audit(talkativeHead+`
ablation "full_context" {}
ablation "no_url" {}
ablation "visible_graph_only" {}
`, AuditOptions{})
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	must(t, enc.Encode(a))
	path := filepath.Join("testdata", "audit.golden.json")
	if *updateAudit {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(path, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if b.String() != string(want) {
		t.Errorf("the audit differs from %s (rewrite it with -update-audit):\n%s", path, b.String())
	}
	v := a.Variants[0]
	// Of b, c and d: d has neither intent that can be searched for; b and c show a host from step 2 of 3 on.
	if v.Tasks != 9 || v.Closed.Tasks != 6 || v.Closed.Unsearched != 3 || v.Closed.Found != 4 || v.Closed.First() != "0.60" || v.Open.Found != 1 {
		t.Errorf("closed %+v, open %+v", v.Closed, v.Open)
	}
	if _, share := v.Closed.Worst(); share != 1 {
		t.Errorf("the largest share is %v, want 1", share)
	}
	if c := v.Ceiling.Acc.Values; c[0].String() != "0.500" || c[1].String() != "1.000" {
		t.Errorf("ceiling %v, want half at first, as b and c look alike", c)
	}
	for _, f := range v.Fields {
		if f.Match != audit.Intent && (f.Field != "url" || f.Shown != 4 || f.Share > 1) {
			t.Errorf("field %+v", f)
		}
	}
	if n := a.Variants[1]; n.Ablation != "no_url" || n.Closed.Found != 0 || n.Open.Found != 1 {
		t.Errorf("under no_url: %+v", n)
	}
	if a.Faulty() {
		t.Errorf("a sound experiment has structural leaks: %+v", a)
	}
	again := l.audit(talkativeHead+"\nablation \"full_context\" {}\nablation \"no_url\" {}\n", AuditOptions{Dataset: "d", Ablation: "no_url"})
	if len(again.Variants) != 1 || again.Variants[0].Ablation != "no_url" {
		t.Errorf("chosen: %+v", again.Variants)
	}
}

func TestAuditCoversEachEvaluatedEpisodeOnceAcrossFolds(t *testing.T) {
	l := newLab(t, 24)
	text := strings.Replace(head, `path   = "data.jsonl"`, "path = \"data.jsonl\"\n  split { folds = 4 }", 1) + `method "majority" { uses = "majority" }`
	if v := l.audit(text, AuditOptions{}).Variants[0]; v.Episodes != 24 || v.Tasks != 24*4 || v.Closed.Found != 24*4 {
		t.Errorf("audited %d episodes, %d tasks, found %d", v.Episodes, v.Tasks, v.Closed.Found)
	}
}

func TestAuditFindsTargetsAmongTheMetadata(t *testing.T) {
	l := newLab(t, 24)
	l.write("data.jsonl", strings.ReplaceAll(episodes(24, ""), `"platform":"web"`, `"platform":"web","Closed Intent":"x"`))
	a := l.audit(head+`method "majority" { uses = "majority" }`, AuditOptions{})
	v := a.Variants[0]
	if !a.Faulty() || len(v.Faults) != 1 || v.Faults[0].Rule != audit.TargetKey || v.Faults[0].Tasks != v.Tasks {
		t.Errorf("faults %+v", v.Faults)
	}
}

func TestAuditFindsPathsToGoldInCommands(t *testing.T) {
	for name, c := range map[string]struct{ command, rest, want string }{
		"the store":         {`["python3", "m.py", "--db=s.db"]`, "", "argument 2"},
		"in a shell line":   {`["sh", "-c", "python3 m.py < ../out.gold/gold.jsonl"]`, "", "argument 2"},
		"a gold folder":     {`["python3", "m.py", "../out.gold/full_context"]`, "", "argument 2"},
		"the data set":      {`["python3", "m.py", "data.jsonl"]`, "", "dataset d"},
		"a variable":        {`["python3", "m.py"]`, "env = { WHERE = \"./s.db\" }", "variable WHERE"},
		"nothing":           {`["python3", "m.py", "--top=5", "golden.txt"]`, "env = { A = \"b\" }", ""},
		"the folder itself": {`["python3", "m.py", "."]`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 12)
			l.write("m.py", "")
			a := l.audit(head+"method \"m\" {\n  uses = \"command\"\n  command = "+c.command+"\n  "+c.rest+"\n}\n", AuditOptions{})
			if (c.want == "") != (len(a.Faults) == 0) || len(a.Faults) > 1 {
				t.Fatalf("faults %+v", a.Faults)
			}
			if c.want != "" && (a.Faults[0].Rule != audit.GoldPath || !strings.Contains(a.Faults[0].Detail, c.want) || !a.Faulty()) {
				t.Errorf("fault %+v, want %q", a.Faults[0], c.want)
			}
		})
	}
}

func TestAuditStopsWhenCancelled(t *testing.T) {
	l := newLab(t, 12)
	g := l.prepare(head+`method "majority" { uses = "majority" }`, 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := g.Audit(ctx, AuditOptions{}); err == nil {
		t.Error("a cancelled audit ends without an error")
	}
}

func TestAuditedEpisodesAreInDataOrder(t *testing.T) {
	l := newLab(t, 24)
	g := l.prepare(head+`method "majority" { uses = "majority" }`, 2)
	if got := g.Data[0].evaluated("all"); !slices.IsSorted(got) || len(got) <= len(g.Data[0].evaluated("test")) {
		t.Errorf("evaluated %v", got)
	}
}

// The visible hash leaves the ratio out, so full_context and hide_ratio look alike to most methods, and not
// to one that looks at the ratio.
func TestHiddenRatiosAreNotAnsweredFromShownOnes(t *testing.T) {
	l := newLab(t, 30)
	text := strings.Replace(head, `ablation "full_context" {}`, "ablation \"full_context\" {}\nablation \"hide_ratio\" {}", 1) + `
method "length" { uses = "length_probe" }
method "majority" { uses = "majority" }
`
	l.run(text, RunOptions{})
	cells := l.cells()
	if c := cells["hide_ratio/majority"]; c.DuplicateOf != "full_context" || c.Fit != cells["full_context/majority"].Fit {
		t.Errorf("majority under hide_ratio: %+v", c)
	}
	a, b := cells["full_context/length"], cells["hide_ratio/length"]
	if b.DuplicateOf != "" || a.Fit == "" || a.Fit == b.Fit {
		t.Errorf("length_probe under hide_ratio is taken for the one under full_context: fits %.8s, %.8s, twin of %q", a.Fit, b.Fit, b.DuplicateOf)
	}
}

func TestProbesAreAskedWithoutAStore(t *testing.T) {
	l := newLab(t, 8)
	l.write("talk.jsonl", talkative)
	text := talkativeHead + "ablation \"full_context\" {}\nablation \"no_url\" {}\n"
	a := l.audit(text, AuditOptions{Probe: true})
	want := map[string][3]int{ // right answers by ratio, of b and c; training knows c's label alone
		"full_context/majority": {1, 1, 1}, "no_url/majority": {1, 1, 1},
		"full_context/url_probe": {1, 2, 2}, "no_url/url_probe": {1, 1, 1},
		"full_context/instruction_probe": {1, 1, 1}, "full_context/length_probe": {1, 1, 1},
	}
	n := 0
	for _, v := range a.Variants {
		if len(v.Probes) != len(Probes) || v.Probes[0].Probe != "majority" {
			t.Errorf("probes %+v", v.Probes)
		}
		for _, p := range v.Probes {
			w, ok := want[v.Ablation+"/"+p.Probe]
			if !ok {
				continue
			}
			n++
			for j, r := range p.Accuracy {
				if r.Tasks != 2 || r.Found != w[j] || *r.Share != float64(w[j])/2 {
					t.Errorf("%s under %s at %s: %+v, want %d", p.Probe, v.Ablation, r.Ratio, r, w[j])
				}
			}
		}
	}
	if n != len(want) {
		t.Errorf("%d of %d probes were there", n, len(want))
	}
	if u := a.Variants[0].Probes[2]; u.Probe != "url_probe" || *u.NAUC != (0.3*0.75+0.4*1)/0.7 {
		t.Errorf("nAUC %v", *u.NAUC)
	}
	if _, err := os.Stat(filepath.Join(l.dir, "s.db")); err == nil {
		t.Error("the audit made a store")
	}
	ctx, cancel := context.WithCancel(context.Background())
	g := l.prepare(text, 2)
	cancel()
	if _, err := g.Audit(ctx, AuditOptions{Probe: true}); err == nil {
		t.Error("a cancelled audit ends without an error")
	}
}

func TestProbesAgreeWithARunOfTheSameMethods(t *testing.T) {
	l := newLab(t, 40)
	text := strings.Replace(head, `path   = "data.jsonl"`, "path = \"data.jsonl\"\n  split { folds = 3 }", 1)
	for _, p := range Probes {
		text += "method \"" + p + "\" { uses = \"" + p + "\" }\n"
	}
	a := l.audit(text, AuditOptions{Probe: true})
	l.run(text, RunOptions{})
	var evaluated []struct {
		Method   string
		Datasets map[string]struct {
			Closed struct{ Correct map[string]int }
		}
	}
	must(t, json.Unmarshal([]byte(l.evaluations()), &evaluated))
	if len(evaluated) != len(Probes) {
		t.Fatalf("%d evaluations", len(evaluated))
	}
	for _, e := range evaluated {
		at := slices.IndexFunc(a.Variants[0].Probes, func(p AuditProbe) bool { return p.Probe == e.Method })
		for _, r := range a.Variants[0].Probes[at].Accuracy {
			if got, ok := e.Datasets["d"].Closed.Correct[r.Ratio]; !ok || got != r.Found || r.Tasks != 40 {
				t.Errorf("%s at %s: %d right of %d in the audit, %d in the run", e.Method, r.Ratio, r.Found, r.Tasks, got)
			}
		}
	}
}
