package matrix

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations"
	"intentlab/ablations/partition"
	"intentlab/ablations/task"
)

// withK puts a knn method whose k is an expression behind the head.
func withK(k string) string {
	return head + "method \"m\" {\n  uses = \"tfidf_knn\"\n  k    = " + k + "\n}\n"
}

func method(t *testing.T, e *Experiment, id string) Method {
	t.Helper()
	for _, m := range e.Methods {
		if m.ID == id {
			return m
		}
	}
	t.Fatalf("no method %s", id)
	return Method{}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	f := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(f), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestForEachKeepsTheOrderOfAWrittenMapAndSortsASet(t *testing.T) {
	e := mustLoad(t, testInputs(), head+`method "m" {
  for_each = { z = 3, a = 1, "k.2" = 2 }
  uses     = "tfidf_knn"
  k        = each.value
}
method "s" {
  for_each = toset(["b", "a"])
  uses     = "command"
  command  = ["prog", each.key, each.value]
  timeouts {
    fit = "${strlen(each.key)}h"
  }
}
`)
	var got []string
	for _, m := range e.Methods[1:] {
		got = append(got, m.Name+" "+m.ID)
	}
	want := []string{`m["z"] m-z`, `m["a"] m-a`, `m["k.2"] m-k.2`, `s["a"] s-a`, `s["b"] s-b`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if k := method(t, e, "m-z").Options.(*knnOptions).K; k != 3 {
		t.Errorf("k = %d", k)
	}
	o := method(t, e, "s-b").Options.(*commandOptions)
	if d := cmp.Diff([]string{"prog", "b", "b"}, o.Command); d != "" || o.Timeouts.Fit != "1h" || o.Timeouts.Start != "1m" {
		t.Errorf("%s %+v", d, o.Timeouts)
	}
}

func TestForEachWorksOnDatasetsAblationsAndJudges(t *testing.T) {
	e := mustLoad(t, testInputs(), `locals { kinds = { full = "token_f1", chrf = "chrf" } }
experiment "e" {}
dataset "d" {
  for_each = toset(["en", "zh"])
  format   = "episodes"
  path     = "${each.key}.jsonl"
  judges   = [judge.lexical["chrf"]]
}
ablation "last" {
  for_each     = { k1 = 1, k3 = 3 }
  text         = ["action"]
  last_k_steps = each.value
  reference    = ablation.last["k3"]
}
ablation "all" { text = ["action"] }
method "majority" { uses = "majority" }
judge "lexical" {
  for_each = local.kinds
  uses     = "lexical"
  measure  = each.value
}
matrix {
  ablations = [ablation.all, ablation.last["k1"], ablation.last["k3"]]
  judges    = [judge.lexical]
}
`)
	if e.Datasets[1].Name != `d["zh"]` || e.Datasets[1].ID != "d-zh" || filepath.Base(e.Datasets[1].Path) != "zh.jsonl" {
		t.Errorf("%+v", e.Datasets[1])
	}
	var got []string
	for _, a := range e.Ablations {
		got = append(got, fmt.Sprintf("%s %d %q", a.ID, a.Spec.LastKSteps, a.Reference))
	}
	if d := cmp.Diff([]string{`all 0 ""`, `last-k1 1 "last-k3"`, `last-k3 3 ""`}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"lexical-chrf", "lexical-full"}, e.MatrixJudges); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"lexical-chrf"}, e.Datasets[0].Judges); d != "" {
		t.Error(d)
	}
}

func TestListReferenceStandsForAllElementsAndMatrixOrderCounts(t *testing.T) {
	e := mustLoad(t, testInputs(), head+`method "knn" {
  for_each = { k5 = 5, k1 = 1 }
  uses     = "tfidf_knn"
  k        = each.value
}
matrix { methods = [method.knn, method.majority] }
`)
	var got []string
	for _, m := range e.Methods {
		got = append(got, m.ID)
	}
	if d := cmp.Diff([]string{"knn-k5", "knn-k1", "majority"}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Baseline{Closed: "majority", Open: "knn-k1"}, e.Baseline); d != "" {
		t.Errorf("default baseline: %s", d)
	}
}

func TestDefaultsOfTheLanguage(t *testing.T) {
	e := mustLoad(t, testInputs(), head)
	if d := cmp.Diff(task.Grid(), e.Ratios); d != "" {
		t.Error(d)
	}
	if e.Evaluate != "test" || e.Store != filepath.Join(e.Dir, "output", "e.db") || e.Cache != "" || len(e.Seeds) != 1 {
		t.Errorf("%+v", e)
	}
	d := e.Datasets[0]
	want := partition.Default()
	want.By = "episode"
	if diff := cmp.Diff(want, d.Split); diff != "" || d.Visibility != "safe" || d.Path != filepath.Join(e.Dir, "d.jsonl") {
		t.Errorf("%s %+v", diff, d)
	}
	j := e.Judges[0]
	if len(e.Judges) != 1 || j.Uses != "embedding" || !j.IsDefault || j.Lo != 0 || j.Hi != 1 || j.Theta != 0.7 {
		t.Errorf("judges %+v", e.Judges)
	}
	if d := cmp.Diff([]string{"embedding"}, e.MatrixJudges); d != "" {
		t.Error(d)
	}
	if e.Baseline != (Baseline{Closed: "majority"}) || e.Budget != nil || len(e.NotBuilt) > 0 {
		t.Errorf("%+v %+v %v", e.Baseline, e.Budget, e.NotBuilt)
	}
}

func TestRatiosMayBeNumbersOrComputed(t *testing.T) {
	for _, ratios := range []string{`[0.1, 0.2, "0.3"]`, `range(0.1, 0.35, 0.1)`, `[for i in range(1, 4) : i / 10]`} {
		e := mustLoad(t, testInputs(), strings.Replace(head, `"e" {}`, `"e" { ratios = `+ratios+` }`, 1))
		if d := cmp.Diff([]task.Ratio{100, 200, 300}, e.Ratios); d != "" {
			t.Errorf("%s: %s", ratios, d)
		}
	}
}

func TestAblationsCombinePresetsChannelsAndTransforms(t *testing.T) {
	e := mustLoad(t, testInputs(), `experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
ablation "a" { presets = ["graph_text_hybrid", no_utterance] }
ablation "b" { presets = [full_context, no_url] }
ablation "c" { last_k_steps = 2 }
ablation "graph_text_hybrid" { transforms = ["hide_ratio"] }
ablation "d" {
  graph       = ["observation", "action"]
  extra_edges = ["same_page"]
  transforms  = ["structure_only"]
  reference   = ablation.a
}
method "majority" { uses = "majority" }
`)
	all := ablations.AllChannels()
	less := ablations.Channels{"metadata", "action", "observation"}
	hybrid := ablations.Compose(must(ablations.Preset("graph_text_hybrid")), must(ablations.Preset("no_utterance")))
	want := []ablations.Spec{
		{Name: "full_context", Text: all},
		{Name: "a", Text: less, Graph: hybrid.Graph},
		{Name: "b", Text: all, NoURL: true},
		{Name: "c", Text: all, LastKSteps: 2},
		{Name: "graph_text_hybrid", Text: all, Graph: all, HideRatio: true},
		{Name: "d", Graph: ablations.Channels{"action", "observation"}, StructureOnly: true, ExtraEdges: []string{"same_page"}},
	}
	var refs []string
	for i, a := range e.Ablations {
		if d := cmp.Diff(want[i], a.Spec); d != "" {
			t.Errorf("%s: %s", a.Name, d)
		}
		refs = append(refs, a.Reference)
	}
	if d := cmp.Diff([]string{"", "full_context", "full_context", "full_context", "full_context", "a"}, refs); d != "" {
		t.Error(d)
	}
}

func must[T any](x T, ok bool) T {
	if !ok {
		panic("absent")
	}
	return x
}

func TestSplitWays(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "test.txt", "# held out\nx\n\n y \n")
	f := write(t, dir, "exp.hcl", strings.Replace(head, `path   = "d.jsonl"`, `path   = "d.jsonl"
  split {
    by = "episode"
    ids {
      train = ["a", "b"]
      test  = "test.txt"
    }
  }`, 1))
	e, src, diags := Load([]string{f}, testInputs())
	if len(diags) > 0 {
		t.Fatal(rendered(t, diags, src))
	}
	if d := cmp.Diff(&partition.IDLists{Train: []string{"a", "b"}, Test: []string{"x", "y"}}, e.Datasets[0].Split.IDs); d != "" {
		t.Error(d)
	}
	e, src, diags = Load([]string{"testdata/example.hcl"}, testInputs())
	if len(diags) > 0 {
		t.Fatal(rendered(t, diags, src))
	}
	official := &partition.Official{Train: []string{"train"}, DevShare: 100, Test: []string{"test_task", "test_website", "test_domain"}}
	if d := cmp.Diff(official, e.Datasets[1].Split.Official); d != "" {
		t.Error(d)
	}
	if s := e.Datasets[2].Split; s.Folds != 5 || s.By != "user" || !s.Stratify {
		t.Errorf("%+v", s)
	}
	if f := e.Datasets[1].Filter; f.MinSteps != 2 || f.MinScore != 3 || f.Scores != filepath.Join(e.Dir, "coherence/mind2web.jsonl") {
		t.Errorf("%+v", f)
	}
}

func TestFolderIsReadAsOneExperimentInTheOrderOfNames(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.hcl", "method \"b\" { uses = \"majority\" }\nmatrix {\n  methods = [method.a, method.x]\n}\n")
	write(t, dir, "a.hcl", head)
	write(t, dir, "c.hcl.json", `{"method": {"a": {"uses": "majorty"}}}`)
	write(t, dir, ".hidden.hcl", "junk {")
	write(t, dir, "notes.txt", "junk {")
	_, src, diags := Load([]string{dir}, testInputs())
	got := strings.ReplaceAll(rendered(t, diags, src), dir+string(filepath.Separator), "")
	want := `b.hcl:3:24: error: there is no method "x". Known: majority, b, a.
      methods = [method.a, method.x]
                           ^^^^^^^^
c.hcl.json:1:27: error: there is no kind of method "majorty".
    {"method": {"a": {"uses": "majorty"}}}
                              ^^^^^^^^^
  did you mean "majority"?
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestMissingFilesAndEmptyFoldersAreDiagnostics(t *testing.T) {
	empty := t.TempDir()
	for _, files := range [][]string{nil, {filepath.Join(empty, "absent.hcl")}, {empty}} {
		e, src, diags := Load(files, testInputs())
		if e != nil || src == nil || !diags.HasErrors() {
			t.Errorf("%v: %v", files, diags)
		}
		if got := rendered(t, diags, src); !strings.HasPrefix(got, "intentlab: error: ") || strings.Count(got, "\n") != 1 {
			t.Errorf("%v: %q", files, got)
		}
	}
}

func TestUnusedKindsThatAreNotBuiltAreNotHeldAgainstTheFile(t *testing.T) {
	e := mustLoad(t, testInputs(), head+`endpoint "lab" { base_url = "http://127.0.0.1" }
method "later" {
  uses     = "chat"
  endpoint = endpoint.lab
  model    = "x"
}
matrix { methods = [method.majority] }
`)
	if len(e.NotBuilt) > 0 {
		t.Error(e.NotBuilt)
	}
}

func TestFormatReturnsBrokenTextAsItIs(t *testing.T) {
	out, diags := Format([]byte("a   = 1\nbcd = 2\nblock \"x\"   {\n}\n"), "x.hcl")
	if len(diags) > 0 || string(out) != "a   = 1\nbcd = 2\nblock \"x\" {\n}\n" {
		t.Errorf("%q %v", out, diags)
	}
	broken := []byte("a = = 1\n")
	if out, diags = Format(broken, "x.hcl"); !diags.HasErrors() || string(out) != string(broken) {
		t.Errorf("%q %v", out, diags)
	}
	if out, diags = Format([]byte(`{"a":1}`), "x.hcl.json"); len(diags) > 0 || string(out) != "{\n  \"a\": 1\n}\n" {
		t.Errorf("%q %v", out, diags)
	}
	src, err := os.ReadFile("testdata/example.hcl")
	if err != nil {
		t.Fatal(err)
	}
	once, _ := Format(src, "x.hcl")
	if twice, _ := Format(once, "x.hcl"); string(once) != string(twice) {
		t.Error("formatting is not idempotent")
	}
}

func TestWarningsDoNotStopTheLoad(t *testing.T) {
	e, src, diags := load(t, testInputs("INTENTLAB_VAR_limt=3", "INTENTLAB_VAR_of_another_experiment=1"), `variable "limit" { default = 5 }
`+head+`method "m" {
  uses  = "naive_bayes"
  seeds = [4, 5]
}
`)
	if e == nil {
		t.Fatal(rendered(t, diags, src))
	}
	got := rendered(t, e.Warnings, src)
	got = strings.ReplaceAll(got, e.Files[0], "exp.hcl")
	want := `intentlab: warning: INTENTLAB_VAR_limt in the environment sets no variable of this experiment.
  did you mean "INTENTLAB_VAR_limit"?
exp.hcl:11:11: warning: the kind "naive_bayes" is deterministic: only the seed 4 is run, and shown for all.
      seeds = [4, 5]
              ^^^^^^
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
