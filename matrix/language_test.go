package matrix

import (
	"crypto/sha256"
	"encoding/hex"
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

func TestVariablePrecedenceIsDefaultEnvironmentFileFlag(t *testing.T) {
	text := "variable \"k\" {\n  type    = number\n  default = 1\n}\n" + withK("var.k")
	file := write(t, t.TempDir(), "v.hcl", "k = 3\n")
	for _, c := range []struct {
		env, files, flags []string
		want              int
	}{
		{nil, nil, nil, 1},
		{[]string{"INTENTLAB_VAR_k=2"}, nil, nil, 2},
		{[]string{"INTENTLAB_VAR_k=2"}, []string{file}, nil, 3},
		{[]string{"INTENTLAB_VAR_k=2"}, []string{file}, []string{"k=4"}, 4},
		{nil, nil, []string{"k=4", "k=5"}, 5},
	} {
		in := testInputs(c.env...)
		in.VarFiles, in.Vars = c.files, c.flags
		if got := method(t, mustLoad(t, in, text), "m").Options.(*knnOptions).K; got != c.want {
			t.Errorf("%+v: k = %d", c, got)
		}
	}
}

func TestFlagValueIsLiteralTextForPrimitiveTypesAndAnExpressionOtherwise(t *testing.T) {
	in := testInputs()
	in.Vars = []string{"dir=a[1,2]=${x}", `seeds=[4, 5]`}
	e := mustLoad(t, in, `variable "dir" { type = string }
variable "seeds" { type = list(number) }
experiment "e" { seeds = var.seeds }
dataset "d" {
  format = "episodes"
  path   = var.dir
}
ablation "full_context" {}
method "m" { uses = "stratified_prior" }
`)
	if filepath.Base(e.Datasets[0].Path) != "a[1,2]=${x}" {
		t.Errorf("path %s", e.Datasets[0].Path)
	}
	if d := cmp.Diff([]int64{4, 5}, e.Seeds); d != "" {
		t.Error(d)
	}
}

func TestMistakesOnTheCommandLineAreNamed(t *testing.T) {
	text := "variable \"limit\" {\n  type    = number\n  default = 1\n}\nvariable \"list\" {\n  type    = list(string)\n  default = []\n}\n" + head
	badFile := write(t, t.TempDir(), "v.hcl", "limt = 3\n")
	for _, c := range []struct {
		vars, files []string
		want        string
	}{
		{[]string{"limt=3"}, nil, `error: -var limt=3: there is no variable "limt".` + "\n" + `  did you mean "limit"?`},
		{[]string{"limit"}, nil, "want NAME=VALUE"},
		{[]string{"limit=many"}, nil, "-var limit:1:1: error: the variable \"limit\" has an unsuitable value: a number is required.\n    many\n    ^^^^"},
		{[]string{"list=[1,"}, nil, "-var list:1:4: error:"},
		{nil, []string{"absent.hcl"}, "-var-file absent.hcl: can't read it: no such file"},
		{nil, []string{badFile}, "v.hcl:1:1: error: there is no variable \"limt\".\n    limt = 3\n    ^^^^\n  did you mean \"limit\"?"},
	} {
		in := testInputs()
		in.Vars, in.VarFiles = c.vars, c.files
		_, src, diags := load(t, in, text)
		if got := rendered(t, diags, src); !strings.Contains(got, c.want) {
			t.Errorf("%v %v:\n%s\nwant %s", c.vars, c.files, got, c.want)
		}
	}
}

func TestObjectVariableTakesItsOptionalDefaults(t *testing.T) {
	in := testInputs()
	in.Vars = []string{`o={ a = 2 }`}
	e := mustLoad(t, in, "variable \"o\" {\n  type = object({ a = number, b = optional(number, 3) })\n}\n"+withK("var.o.a + var.o.b"))
	if k := method(t, e, "m").Options.(*knnOptions).K; k != 5 {
		t.Errorf("k = %d", k)
	}
}

const secretFile = `variable "token" {
  type      = string
  sensitive = true
  default   = env("TOKEN")
}
experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
endpoint "lab" {
  base_url = "http://127.0.0.1"
  api_key  = env("KEY")
  headers  = { X-Team = "Bearer ${var.token}", X-Plain = "a" }
}
method "m" {
  uses    = "command"
  command = ["prog"]
  env     = { TOKEN = var.token, MODE = env("MODE") }
}
method "c" {
  uses     = "chat"
  endpoint = endpoint.lab
  model    = "x"
}
`

func TestSecretsReachTheirUserAndNothingElse(t *testing.T) {
	const token, key = "canary-token-1", "canary-key-2"
	e := mustLoad(t, testInputs("TOKEN="+token, "KEY="+key, "MODE=fast"), secretFile)
	o := method(t, e, "m").Options.(*commandOptions)
	if o.Env["TOKEN"] != token || e.Endpoints[0].APIKey.Reveal() != key || e.Endpoints[0].Headers["X-Team"] != "Bearer "+token {
		t.Fatalf("a secret did not reach its user: %v %v", o.Env, e.Endpoints[0].Headers)
	}
	resolved, err := task.Canonical(e.Resolved)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := task.Canonical(method(t, e, "m").Settings)
	if err != nil {
		t.Fatal(err)
	}
	printed := fmt.Sprintf("%v %+v %#v", e.Endpoints[0].APIKey, e.Endpoints[0].APIKey, e.Endpoints[0].APIKey)
	for _, text := range []string{string(resolved), string(settings), printed} {
		if strings.Contains(text, "canary") {
			t.Errorf("a secret is in %s", text)
		}
	}
	if !strings.Contains(string(settings), `"MODE":"fast"`) {
		t.Errorf("a plain environment value must count through its setting: %s", settings)
	}
	other := mustLoad(t, testInputs("TOKEN=other", "KEY=other", "MODE=fast"), secretFile)
	if other.ConfigHash() != e.ConfigHash() {
		t.Error("another secret changed the hash")
	}
	if slow := mustLoad(t, testInputs("TOKEN="+token, "KEY="+key, "MODE=slow"), secretFile); slow.ConfigHash() == e.ConfigHash() {
		t.Error("another plain environment value did not change the hash")
	}
}

func TestUnsetSecretIsAskedForOnlyAtRun(t *testing.T) {
	in := testInputs("MODE=fast")
	e := mustLoad(t, in, secretFile)
	if e.Endpoints[0].APIKey.Reveal() != "" {
		t.Error("an unset key has a value")
	}
	set := mustLoad(t, testInputs("TOKEN=a", "KEY=b", "MODE=fast"), secretFile)
	if e.ConfigHash() != set.ConfigHash() {
		t.Error("a set secret changed the hash")
	}
	in.ForRun = true
	_, src, diags := load(t, in, secretFile)
	got := rendered(t, diags, src)
	for _, want := range []string{`14:19: error: the environment variable KEY is not set`, "15:35: error: this value needs the environment variable TOKEN", "20:23: error: this value needs the environment variable TOKEN"} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, got)
		}
	}
}

func TestUnsetEnvironmentElsewhereIsAnErrorAtTheArgument(t *testing.T) {
	_, src, diags := load(t, testInputs("TOKEN=a", "KEY=b"), secretFile)
	if got := rendered(t, diags, src); !strings.Contains(got, ":20:46: error: the environment variable MODE is not set.") {
		t.Error(got)
	}
}

func TestTryGivesADefaultForAnUnsetEnvironmentVariable(t *testing.T) {
	text := withK(`try(tonumber(env("K")), 7)`)
	if k := method(t, mustLoad(t, testInputs(), text), "m").Options.(*knnOptions).K; k != 7 {
		t.Errorf("k = %d", k)
	}
	if k := method(t, mustLoad(t, testInputs("K=9"), text), "m").Options.(*knnOptions).K; k != 9 {
		t.Errorf("k = %d", k)
	}
}

func TestDiagnosticsDoNotQuoteSecrets(t *testing.T) {
	in := testInputs("TOKEN=canary-token-1")
	for _, use := range []string{
		`limit = parseint(var.token, 10)`, `limit = var.token`, `visibility = var.token`, `limit = jsondecode(var.token)`,
	} {
		text := strings.Replace(secretFile, `path   = "d.jsonl"`, `path   = "d.jsonl"`+"\n  "+use, 1)
		_, src, diags := load(t, in, text)
		got := rendered(t, diags, src)
		if !diags.HasErrors() || strings.Contains(got, "canary") {
			t.Errorf("%s:\n%s", use, got)
		}
	}
	in = testInputs()
	in.Vars = []string{"n=canary-token-1"}
	_, src, diags := load(t, in, "variable \"n\" {\n  type      = number\n  sensitive = true\n}\n"+head)
	if got := rendered(t, diags, src); !diags.HasErrors() || strings.Contains(got, "canary") {
		t.Error(got)
	}
	_, src, diags = load(t, testInputs(), "variable \"n\" {\n  type      = number\n  sensitive = true\n  default   = \"canary-token-1\"\n}\n"+head)
	if got := rendered(t, diags, src); !diags.HasErrors() || strings.Contains(got, "canary") {
		t.Error(got)
	}
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

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestFilesCountByContentInSettings(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "m.py", "print(1)\n")
	write(t, dir, "lib/a.py", "a = 1\n")
	text := head + `method "m" {
  uses    = "command"
  command = ["python3", "m.py"]
  inputs  = ["m.py", "lib/*.py"]
  workers = 3
  timeouts {
    fit = "2h"
  }
}
`
	f := write(t, dir, "exp.hcl", text)
	settings := func() map[string]any {
		e, src, diags := Load([]string{f}, testInputs())
		if len(diags) > 0 {
			t.Fatal(rendered(t, diags, src))
		}
		return method(t, e, "m").Settings
	}
	before := settings()
	want := map[string]any{"protocol": "lines", "command": []any{"python3", "m.py"}, "pass_env": []any{}, "env": map[string]any{},
		"inputs": map[string]any{"m.py": digest("print(1)\n"), "lib/a.py": digest("a = 1\n")}}
	if d := cmp.Diff(want, before); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	write(t, dir, "lib/a.py", "a = 2\n")
	if cmp.Equal(before, settings()) {
		t.Error("another content did not change the settings")
	}
	write(t, dir, "lib/a.py", "a = 1\n")
	write(t, dir, "exp.hcl", strings.NewReplacer("workers = 3", "workers = 4 # more", `"2h"`, `"3h"`).Replace(text))
	if d := cmp.Diff(before, settings()); d != "" {
		t.Errorf("workers, time-outs or comments changed the settings: %s", d)
	}
}

func TestKindMaySayWhatItsFilesAre(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "m.py", "print(1)\n")
	in := testInputs()
	k := in.Kinds.Methods["command"]
	k.Files = commandFiles
	in.Kinds.Methods["command"] = k
	f := write(t, dir, "exp.hcl", head+"method \"m\" {\n  uses    = \"command\"\n  command = [\"python3\", \"m.py\"]\n}\n")
	e, src, diags := Load([]string{f}, in)
	if len(diags) > 0 {
		t.Fatal(rendered(t, diags, src))
	}
	if files := method(t, e, "m").Settings["inputs"].(map[string]any); len(files) != 1 || files["m.py"] == "" {
		t.Errorf("files %v", files)
	}
}

func TestHashCountsWhatDecidesNumbersOnly(t *testing.T) {
	src, err := os.ReadFile("testdata/example.hcl")
	if err != nil {
		t.Fatal(err)
	}
	hash := func(old, new string) string {
		t.Helper()
		text := strings.Replace(string(src), old, new, 1)
		if old != "" && text == string(src) {
			t.Fatalf("%s is not in the example", old)
		}
		f := write(t, "testdata", "changed.hcl.tmp", text)
		defer os.Remove(f)
		e, sources, diags := Load([]string{f}, testInputs())
		if len(diags) > 0 {
			t.Fatal(rendered(t, diags, sources))
		}
		return e.ConfigHash()
	}
	same := hash("", "")
	for _, c := range [][2]string{
		{"usd      = 25", "usd      = 30"}, {"http://127.0.0.1:8000/v1", "https://example.org/v1"}, {"input  = 0.15", "input  = 0.3"},
		{"max_concurrency     = 32", "max_concurrency     = 3"}, {`timeout             = "90s"`, `timeout             = "9s"`},
		{"Five input views", "Some input views"}, {"workers  = 2", "workers  = 9"}, {`"1h"`, `"2h"`}, {`"csv"`, `"json"`},
		{"output/prefix-intent.db", "elsewhere.db"}, {`default     = "data"`, `default     = "other"`}, {"# the default", "# a comment"},
		{`"preds/{dataset}`, `"other/{dataset}`},
	} {
		if hash(c[0], c[1]) != same {
			t.Errorf("%s changed the hash", c[1])
		}
	}
	for _, c := range [][2]string{
		{"seeds       = [1, 2, 3]", "seeds       = [1, 2]"}, {`"0.9", "1.0"`, `"1.0"`}, {"iterations = 3", "iterations = 4"},
		{"default = 500", "default = 400"}, {"last_k_steps = 1", "last_k_steps = 2"}, {`"some-model"`, `"another-model"`},
		{"enable_thinking = false", "enable_thinking = true"}, {"threshold = 0.7", "threshold = 0.8"}, {"folds = 5", "folds = 4"},
		{`evaluate    = "test"`, `evaluate    = "all"`}, {`measure = "chrf"`, `measure = "rouge_l"`}, {"[judge.semantic, judge.rubric]", "[judge.rubric, judge.semantic]"},
		{"min_score = 3", "min_score = 2"}, {"episodes = 100", "episodes = 50"},
	} {
		if hash(c[0], c[1]) == same {
			t.Errorf("%s did not change the hash", c[1])
		}
	}
}

func TestFunctions(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/a.txt", "hello")
	write(t, dir, "p/b.txt", "${name} has %{ for x in xs }${x},%{ endfor }")
	write(t, dir, "p/sub/c.txt", "")
	for expr, want := range map[string]string{
		`file("p/a.txt")`:                                              "hello",
		`join(" ", glob("p/*.txt"))`:                                   "p/a.txt p/b.txt",
		`join(" ", glob("p/*.md"))`:                                    "",
		`templatefile("p/b.txt", { name = "Ada", xs = [1, 2] })`:       "Ada has 1,2,",
		`upper("a") == "A" ? "yes" : "no"`:                             "yes",
		`tostring(sum([1, 2, 0.5]))`:                                   "3.5",
		`jsonencode({ a = [1, true] })`:                                `{"a":[1,true]}`,
		`base64decode(base64encode("x"))`:                              "x",
		`format("%03d", 7)`:                                            "007",
		`can(regex("^a", "b")) ? "match" : "none"`:                     "none",
		`fileexists("p/a.txt") && !fileexists("nope") ? "yes" : "no"`:  "yes",
		`join("", [for x in setproduct(["a"], ["b", "c"]) : x[1]])`:    "bc",
		`urlencode("a b&c")`:                                           "a+b%26c",
		`startswith("abc", "ab") && endswith("abc", "bc") ? "y" : "n"`: "y",
		`"${basename("x/y.txt")} ${dirname("x/y.txt")}"`:               "y.txt x",
	} {
		f := write(t, dir, "exp.hcl", head+"method \"m\" {\n  uses    = \"command\"\n  command = [\"p\", "+expr+"]\n}\n")
		e, src, diags := Load([]string{f}, testInputs())
		if len(diags) > 0 {
			t.Errorf("%s: %s", expr, rendered(t, diags, src))
			continue
		}
		if got := method(t, e, "m").Options.(*commandOptions).Command[1]; got != want {
			t.Errorf("%s = %q, want %q", expr, got, want)
		}
	}
}

func TestLocalsMayReferForwards(t *testing.T) {
	e := mustLoad(t, testInputs(), "locals { a = local.b + 1 }\nlocals {\n  b = local.c * 2\n  c = 3\n}\n"+withK("local.a"))
	if k := method(t, e, "m").Options.(*knnOptions).K; k != 7 {
		t.Errorf("k = %d", k)
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
		if got := rendered(t, diags, src); !strings.HasPrefix(got, "error: ") || strings.Count(got, "\n") != 1 {
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
