package matrix

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
)

type manyOptions struct {
	Scale   *float64          `hcl:"scale,optional" doc:"A number or nothing"`
	Flags   []bool            `hcl:"flags,optional" doc:"Flags"`
	Any     cty.Value         `hcl:"any,optional" default:"none" doc:"Anything"`
	Map     map[string]string `hcl:"map,optional" doc:"Text by name"`
	Sources []string          `hcl:"sources,optional" key:"files" doc:"Files"`
	Inner   *innerOptions     `hcl:"inner,block" doc:"One block"`
	Layers  []*layerOptions   `hcl:"layer,block" doc:"Repeated blocks"`
}

type innerOptions struct {
	Size  int    `hcl:"size,optional" doc:"A size"`
	Token string `hcl:"token,optional" doc:"A token"`
	Wait  string `hcl:"wait,optional" format:"duration" key:"-" doc:"A time-out"`
}

type layerOptions struct {
	Name string `hcl:"name" doc:"A name"`
	Kind string `hcl:"kind,optional" enum:"a,b" default:"a" doc:"A kind"`
}

func (o *manyOptions) Check() map[string]string {
	if o.Inner.Size > 9 {
		return map[string]string{"inner.size": "must be below 10"}
	}
	return nil
}

func manyInputs() Inputs {
	in := testInputs()
	in.Kinds.Methods["many"] = Kind{Name: "many", Built: true, Options: func() any {
		return &manyOptions{Map: map[string]string{"x": "y"}, Inner: &innerOptions{Size: 3, Wait: "1s"}}
	}}
	return in
}

func TestSettingsHoldEveryFieldThatDecidesAnAnswer(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "src/a.py", "a")
	write(t, dir, "src/deep/b.py", "b")
	write(t, dir, "src/.hidden/c.py", "c")
	file := func(body string) map[string]any {
		t.Helper()
		f := write(t, dir, "exp.hcl", "variable \"secret\" {\n  default   = \"canary\"\n  sensitive = true\n}\n"+head+"method \"m\" {\n  uses = \"many\"\n"+body+"}\n")
		e, src, diags := Load([]string{f}, manyInputs())
		if len(diags) > 0 {
			t.Fatal(rendered(t, diags, src))
		}
		return method(t, e, "m").Settings
	}
	if d := cmp.Diff(map[string]any{"flags": []any{}, "map": map[string]any{"x": "y"}, "sources": map[string]any{},
		"inner": map[string]any{"size": 3, "token": ""}, "layer": []any{}}, file("")); d != "" {
		t.Errorf("defaults (-want +got):\n%s", d)
	}
	got := file(`  scale   = 0.5
  flags   = [true, false]
  any     = { deep = [1, "x"] }
  map     = { open = "1", shut = var.secret }
  sources = ["src"]
  inner {
    token = "t-${var.secret}"
    wait  = "5s"
  }
  layer { name = "one" }
  layer {
    name = "two"
    kind = "b"
  }
`)
	anything, err := jsonValue(cty.ObjectVal(map[string]cty.Value{"deep": cty.TupleVal([]cty.Value{cty.NumberIntVal(1), cty.StringVal("x")})}))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"scale": 0.5, "flags": []any{true, false}, "any": anything, "map": map[string]any{"open": "1"},
		"sources": map[string]any{"src/a.py": digest("a"), "src/deep/b.py": digest("b")},
		"inner":   map[string]any{"size": 3},
		"layer":   []any{map[string]any{"name": "one", "kind": ""}, map[string]any{"name": "two", "kind": "b"}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestMistakesInNestedSettingsHaveTheirOwnPlace(t *testing.T) {
	for body, want := range map[string]string{
		"  inner {\n    size = 10\n  }\n":    ":11:12: error: inner.size: must be below 10.",
		"  inner {\n    size = \"x\"\n  }\n": `:11:12: error: "size" has an unsuitable value: a number is required.`,
		"  inner {\n    wait = \"x\"\n  }\n": `:11:12: error: "wait" must be a positive duration`,
		"  inner {\n    siez = 1\n  }\n":     `:11:5: error: an argument named "siez" is not expected here.`,
		"  layer {\n    name = \"a\"\n  }\n  layer {\n    name = \"b\"\n    kind = \"c\"\n  }\n": `:15:12: error: "kind" can't be "c".`,
		"  layer {}\n":                       `error: "name" is required here.`,
		"  sources = [\"absent/*\"]\n":       `:10:14: error: sources: no file matches "absent/*".`,
		"  sources = [\"[\"]\n":              `:10:14: error: sources: bad pattern "[".`,
		"  inner {\n    sises = each.key\n}": "error:",
	} {
		_, src, diags := load(t, manyInputs(), head+"method \"m\" {\n  uses = \"many\"\n"+body+"}\n")
		if got := rendered(t, diags, src); !diags.HasErrors() || !strings.Contains(got, want) {
			t.Errorf("%s\n%s\nwant %s", body, got, want)
		}
	}
}

func TestKindWithoutDescriptionsIsNamedByTheDocs(t *testing.T) {
	k := testKinds()
	k.Methods["bad"] = Kind{Name: "bad", Options: func() any {
		return &struct {
			X int `hcl:"x,optional"`
		}{}
	}}
	if _, err := Docs(k); err == nil || !strings.Contains(err.Error(), "kind bad") || !strings.Contains(err.Error(), "x has no doc tag") {
		t.Errorf("docs: %v", err)
	}
	if _, err := Schema(k); err == nil {
		t.Error("the schema accepts a kind without descriptions")
	}
}

func TestOptionsListsNestedSettingsWithDots(t *testing.T) {
	var got []string
	for _, o := range Options(manyInputs().Kinds.Methods["many"]) {
		got = append(got, o.Name+" "+o.Type+" "+o.Default)
	}
	want := []string{"scale number none", "flags list of bool []", "any any none", `map map of string { x = "y" }`, "sources list of string []",
		"inner.size whole number 3", `inner.token string ""`, `inner.wait string "1s"`, "layer.name string ", "layer.kind string a"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
