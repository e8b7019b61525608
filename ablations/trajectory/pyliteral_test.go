package trajectory

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPythonLiteralsBecomeJSON(t *testing.T) {
	for in, want := range map[string]string{
		`['Todoist', 'Setting']`:              `["Todoist","Setting"]`,
		`["Ann's", 'say "hi"', 'it\'s']`:      `["Ann's","say \"hi\"","it's"]`,
		`{'a': None, 'b': True, "c": False}`:  `{"a":null,"b":true,"c":false}`,
		`[(580, 246), (-1.5, 2e3,), ()]`:      `[[580,246],[-1.5,2e3],[]]`,
		`[('x'), ('x',), ((1, 2))]`:           `[ "x" ,["x"], [1,2] ]`,
		`'\x41\u4e2d\U0001f600\101\0\t\n\q'`:  "\"A中😀A\\u0000\\t\\n\\\\q\"",
		`'\ud83d\ude00 \ud83d'`:               "\"😀 \uFFFD\"",
		`[1_000, 007, +5, 1., .5, nan, -inf]`: `[1000,7,5,1,0.5,null,null]`,
		`{1: 'a', None: u'b'}`:                `{"1":"a","null":"b"}`,
		" [ ]\n":                              `[]`,
		`[{"a": true, "b": null}]`:            `[{"a":true,"b":null}]`,
		"'two\\\nlines'":                      `"twolines"`,
		"'\xff'":                              "\"\uFFFD\"",
	} {
		got, err := pythonJSON(in)
		if err != nil || !json.Valid(got) || string(got) != want {
			t.Errorf("pythonJSON(%q) = %s, %v; want %s", in, got, err, want)
		}
	}
}

func TestBrokenPythonLiteralsNameTheByte(t *testing.T) {
	for in, want := range map[string]string{
		``:                       "byte 0: the text ends in the middle of a value",
		`['a`:                    "byte 3: the text ends in the middle of a string",
		`['a'`:                   "byte 4: want a comma or the end of the list",
		`['a' 'b']`:              "byte 5: want a comma",
		`{'a' 1}`:                "byte 5: want a colon",
		`{'a': 1 'b': 2}`:        "byte 8: want a comma or the end of the dict",
		`[1] x`:                  "byte 4: more text",
		`[foo]`:                  `byte 1: unknown name or number "foo"`,
		`[,]`:                    "byte 1: unexpected ','",
		`'\x4`:                   "byte 1: broken escape",
		`'\`:                     "byte 1: the text ends",
		`'\Uffffffff'`:           "byte 1: broken escape",
		strings.Repeat("[", 200): "nested too deeply",
	} {
		if _, err := pythonJSON(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("pythonJSON(%q): error %v, want %q", in, err, want)
		}
	}
}

// pythonRepr writes a value as Python's repr does.
func pythonRepr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case string:
		quote := "'"
		if strings.Contains(v, "'") && !strings.Contains(v, `"`) {
			quote = `"`
		}
		return quote + strings.NewReplacer(`\`, `\\`, "\n", `\n`, quote, `\`+quote).Replace(v) + quote
	case []any:
		parts := []string{}
		for _, x := range v {
			parts = append(parts, pythonRepr(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := []string{}
		for k, x := range v {
			parts = append(parts, pythonRepr(k)+": "+pythonRepr(x))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}

func TestEveryReprReadsAsTheValueItWasMadeOf(t *testing.T) {
	leaf := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Int32(), func(n int32) any { return n }))
	values := rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(leaf, 0, 5), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.String(), leaf, 0, 5), func(m map[string]any) any { return m }))
	rapid.Check(t, func(t *rapid.T) {
		v := values.Draw(t, "value")
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pythonJSON(pythonRepr(v))
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if err := json.Unmarshal(want, &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got, &b); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s reads as %s, want %s", pythonRepr(v), got, want)
		}
	})
}

func FuzzPythonLiteral(f *testing.F) {
	for _, s := range []string{`[{'step': 0, 'info': [[882, 837]], 'ps': "[(1, 2)]"}]`, `('a',)`, `"\ud83d\ude00"`, `{1: (2)}`, `[('x'), ((1,),)]`, `-inf`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if out, err := pythonJSON(s); err == nil && !json.Valid(out) {
			t.Errorf("%q gives %q", s, out)
		}
	})
}
