package matrix

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	hash := func(old, new string) string {
		t.Helper()
		text := strings.Replace(string(src), old, new, 1)
		if old != "" && text == string(src) {
			t.Fatalf("%s is not in the example", old)
		}
		f := write(t, dir, "example.hcl", text)
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
