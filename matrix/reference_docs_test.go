package matrix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"intentlab/ablations"
)

// everyOption calls f for each option of the language and of the test kinds.
func everyOption(t *testing.T, f func(path string, o option)) {
	t.Helper()
	var walk func(path string, p part)
	walk = func(path string, p part) {
		for _, o := range p.options {
			f(path, o)
		}
		for _, n := range p.blocks {
			walk(path+" "+n.name, n.part)
		}
	}
	for _, b := range language() {
		if b.value == nil {
			continue
		}
		p, err := describe(b.value())
		if err != nil {
			t.Fatal(err)
		}
		walk(b.name, p)
		if b.kinds == nil {
			continue
		}
		kinds := b.kinds(testKinds())
		for _, name := range sortedKeys(kinds) {
			p, err := optionsOf(kinds[name])
			if err != nil {
				t.Fatal(err)
			}
			walk(b.name+" "+name, p)
		}
	}
}

func TestDocsNameEveryOptionWithItsDefault(t *testing.T) {
	docs, err := Docs(testKinds())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/reference.golden.md", string(docs))
	n := 0
	everyOption(t, func(path string, o option) {
		n++
		if o.doc == "" || o.typ == "" || !o.required && o.def == "" {
			t.Errorf("%s %s lacks a description, type or default: %+v", path, o.name, o)
		}
		if !strings.Contains(string(docs), fmt.Sprintf("| `%s` | ", o.name)) {
			t.Errorf("the docs do not mention %s of %s", o.name, path)
		}
	})
	if n < 80 {
		t.Errorf("only %d options", n)
	}
	for _, b := range language() {
		if !strings.Contains(string(docs), "\n## `"+b.name) {
			t.Errorf("the docs do not mention the block %s", b.name)
		}
	}
	for _, f := range functionNames() {
		if !strings.Contains(string(docs), "`"+f+"`") {
			t.Errorf("the docs do not mention the function %s", f)
		}
	}
}

func compileSchema(t *testing.T) (*jsonschema.Schema, []byte) {
	t.Helper()
	raw, err := Schema(testKinds())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:intentlab:experiment", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("urn:intentlab:experiment")
	if err != nil {
		t.Fatal(err)
	}
	return s, raw
}

func TestSchemaListsEveryBlockAndOption(t *testing.T) {
	_, raw := compileSchema(t)
	var doc struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for _, b := range language() {
		if doc.Properties[b.name] == nil {
			t.Errorf("the schema has no block %s", b.name)
		}
	}
	everyOption(t, func(path string, o option) {
		block, _, _ := strings.Cut(path, " ")
		if !strings.Contains(string(doc.Properties[block]), fmt.Sprintf("%q:", o.name)) {
			t.Errorf("the schema does not mention %s of %s", o.name, path)
		}
	})
}

func TestSchemaAcceptsTheExampleAndRefusesMistakes(t *testing.T) {
	s, _ := compileSchema(t)
	src, err := os.ReadFile("testdata/example.hcl.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(v)
	}
	if err := valid(string(src)); err != nil {
		t.Errorf("the example: %v", err)
	}
	for _, change := range [][2]string{
		{`"evaluate": "test"`, `"evaluate": "tests"`},
		{`"iterations": 3`, `"iterations": 99`},
		{`"iterations": 3`, `"iteration": 3`},
		{`"uses": "majority"`, `"uses": "majorty"`},
		{`"limit": "${var.limit}"`, `"limit": "many"`},
		{`"method.zero_shot"`, `"judge.zero_shot"`},
		{`"budget"`, `"budgets"`},
		{`"path": "${var.data}/weblinx",`, ``},
	} {
		bad := strings.Replace(string(src), change[0], change[1], 1)
		if bad == string(src) {
			t.Fatalf("%s is not in the example", change[0])
		}
		if valid(bad) == nil {
			t.Errorf("the schema accepts %s", change[1])
		}
	}
}

func TestJSONFormOfTheExampleIsTheSameExperiment(t *testing.T) {
	a, src, diags := Load([]string{"testdata/example.hcl"}, testInputs())
	if len(diags) > 0 {
		t.Fatal(rendered(t, diags, src))
	}
	b, src, diags := Load([]string{"testdata/example.hcl.json"}, testInputs())
	if len(diags) > 0 {
		t.Fatal(rendered(t, diags, src))
	}
	if d := cmp.Diff(a.Resolved, b.Resolved); d != "" {
		t.Errorf("(-hcl +json):\n%s", d)
	}
	if a.ConfigHash() != b.ConfigHash() || len(a.ConfigHash()) != 64 {
		t.Errorf("hashes %s and %s", a.ConfigHash(), b.ConfigHash())
	}
	if d := cmp.Diff(a.Cells(), b.Cells()); d != "" {
		t.Error(d)
	}
}

func TestEnumsOfTheLanguageAreThoseOfTheAblations(t *testing.T) {
	p, err := describe(&ablationBlock{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range p.options {
		switch o.name {
		case "text", "graph":
			var want []string
			for _, c := range ablations.AllChannels() {
				want = append(want, string(c))
			}
			if d := cmp.Diff(want, o.enum); d != "" {
				t.Errorf("%s: %s", o.name, d)
			}
		case "extra_edges":
			if d := cmp.Diff(ablations.Relations(), o.enum); d != "" {
				t.Errorf("%s: %s", o.name, d)
			}
		}
	}
}
