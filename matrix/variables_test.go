package matrix

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
