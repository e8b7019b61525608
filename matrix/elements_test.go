package matrix

import (
	"strings"
	"testing"
)

type nestedOptions struct {
	Outer *middleOptions `hcl:"outer,block" doc:"A block"`
}

type middleOptions struct {
	Names []string          `hcl:"names,optional" doc:"A list"`
	Map   map[string]string `hcl:"map,optional" doc:"A map"`
	Inner *deepOptions      `hcl:"inner,block" doc:"A block in the block"`
}

type deepOptions struct {
	Deep []string `hcl:"deep,optional" doc:"A list"`
}

func (o *nestedOptions) Check() map[string]string {
	wrong := map[string]string{}
	if o.Outer == nil {
		return wrong
	}
	for i, n := range o.Outer.Names {
		if n == "bad" {
			wrong["outer.names["+string(rune('0'+i))+"]"] = "is bad"
		}
	}
	for k, v := range o.Outer.Map {
		if v == "bad" {
			wrong["outer.map["+k+"]"] = "is bad"
		}
	}
	if o.Outer.Inner != nil && len(o.Outer.Inner.Deep) == 0 {
		wrong["outer.inner"] = "is empty"
	}
	return wrong
}

const nestedDataset = `
experiment "e" {}
dataset "d" {
  format = "nested"
  path   = "x"
  outer {
    names = ["good", "NAME"]
    map   = { one = "good", two = "VALUE" }
    inner { DEEP }
  }
}
ablation "full_context" {}
method "majority" { uses = "majority" }
`

func nestedText(name, value, deep string) string {
	return strings.NewReplacer("NAME", name, "VALUE", value, "DEEP", deep).Replace(nestedDataset)
}

func nestedInputs() Inputs {
	in := testInputs()
	in.Kinds.Formats["nested"] = Kind{Name: "nested", Summary: "s", Built: true, SplitUnit: "episode", Options: func() any { return &nestedOptions{} }}
	return in
}

func TestAWrongElementOfANestedSettingHasItsOwnPlace(t *testing.T) {
	_, _, diags := load(t, nestedInputs(), nestedText("bad", "bad", ""))
	var got []string
	for _, d := range diags {
		got = append(got, strings.Join([]string{d.Detail, strings.TrimPrefix(d.Subject.String(), d.Subject.Filename+":")}, " "))
	}
	want := []string{"outer.names[1]: is bad. 7,22-27", "outer.map[two]: is bad. 8,35-40", "outer.inner: is empty. 9,5-10"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestNestedSettingsOfAFormatAreInTheConfigurationsIdentity: field roles decide what a method sees.
func TestNestedSettingsOfAFormatAreInTheConfigurationsIdentity(t *testing.T) {
	seen := map[string]bool{}
	texts := []string{nestedText("a", "b", `deep = ["c"]`), nestedText("A", "b", `deep = ["c"]`), nestedText("a", "B", `deep = ["c"]`), nestedText("a", "b", `deep = ["C"]`)}
	for _, text := range texts {
		seen[mustLoad(t, nestedInputs(), text).ConfigHash()] = true
	}
	if len(seen) != len(texts) {
		t.Errorf("%d identities of %d configurations", len(seen), len(texts))
	}
}
