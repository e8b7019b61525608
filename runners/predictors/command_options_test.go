package predictors

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func tarOf(t *testing.T, name, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tree makes files with their own names as content.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		path := filepath.Join(dir, n)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(n), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCommandInputsDefaultToScriptAndSourcesOfItsKind(t *testing.T) {
	dir := tree(t, "m/run.py", "m/lib/a.py", "m/lib/notes.txt", "m/.git/x.py", "m/__pycache__/y.py", "m/env/pyvenv.cfg", "m/env/z.py",
		"other.py", "weights.pt", "tool", "words")
	for _, c := range []struct {
		command, inputs, want []string
	}{
		{[]string{"python3", "m/run.py", "--w=weights.pt"}, nil, []string{"m/lib/a.py", "m/run.py", "weights.pt"}},
		{[]string{"./tool", "words"}, nil, []string{"tool", "words"}},
		{[]string{"/bin/sh", "-c", "true"}, nil, nil},
		{[]string{"python3", "m/run.py"}, []string{"weights.pt", "m/lib", "m/*.py", "weights.*"}, []string{"m/lib/a.py", "m/lib/notes.txt", "m/run.py", "weights.pt"}},
	} {
		got, err := CommandInputs(Launch{Command: c.command, Inputs: c.inputs}, dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range got {
			if got[i], err = filepath.Rel(dir, p); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q: %s", c.command, d)
		}
	}
	_, err := CommandInputs(Launch{Command: []string{"x"}, Inputs: []string{"nothing/*.py"}}, dir)
	if err == nil || !strings.Contains(err.Error(), "nothing/*.py") {
		t.Errorf("a glob without a match: %v", err)
	}
}

func TestCommandArgumentsThatNameFilesBecomeAbsolute(t *testing.T) {
	dir := tree(t, "run.py", "data/x", "python3")
	got := commandArgs([]string{"python3", "run.py", "data", "data/", "--in=data/x", "--n=3", "missing.py", "/abs"}, dir)
	want := []string{"python3", dir + "/run.py", "data", dir + "/data", "--in=" + dir + "/data/x", "--n=3", "missing.py", "/abs"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestCommandEnvPassesOnlyWhatIsSet(t *testing.T) {
	o := &CommandOptions{PassEnv: []string{"B", "MISSING"}, Env: map[string]string{"Z": "1", "A": "2"}}
	got := CommandEnv(o.Launch(), func(name string) (string, bool) { return "b", name == "B" })
	if d := cmp.Diff([]string{"B=b", "A=2", "Z=1"}, got); d != "" {
		t.Error(d)
	}
}

func TestCommandCheckNamesEveryWrongSetting(t *testing.T) {
	o := &CommandOptions{Protocol: "http", Workers: 0, Concurrency: 2000, Restarts: -1, PassEnv: []string{"A=B"}, Env: map[string]string{"": "x"},
		Timeouts: &CommandTimeouts{Answer: "30"}}
	got := sortedKeys(o.Check())
	if d := cmp.Diff([]string{"command", "concurrency", "env", "pass_env", "protocol", "restarts", "timeouts", "workers"}, got); d != "" {
		t.Error(d)
	}
	good := newCommandOptions().(*CommandOptions)
	good.Command = []string{"x"}
	good.Timeouts = nil
	if wrong := good.Check(); len(wrong) > 0 {
		t.Errorf("defaults are refused: %v", wrong)
	}
}
