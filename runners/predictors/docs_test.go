package predictors

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"intentlab/ablations/task"
)

const methodDoc = "../../docs/add-a-method.md"

// codeBlocks returns the fenced blocks of one language.
func codeBlocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile(methodDoc)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1) {
		out = append(out, string(m[1]))
	}
	return out
}

func TestDocumentedKindIsTheOneThatIsTested(t *testing.T) {
	source, err := os.ReadFile("last_action_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if blocks := codeBlocks(t, "go"); len(blocks) != 1 || blocks[0] != string(source) {
		t.Errorf("%s doesn't show last_action_test.go as it is", methodDoc)
	}
}

func TestDocumentedKindWorks(t *testing.T) {
	step := func(id, label, open string, ops ...string) task.Example {
		ex := task.Example{Task: task.Task{EpisodeID: id}, ClosedIntent: label, OpenIntent: open, Weight: 1}
		for _, op := range ops {
			ex.Task.ObservedSteps = append(ex.Task.ObservedSteps, task.Step{Op: op})
		}
		return ex
	}
	p, err := lastActionKind.New(Setup{})
	if err != nil {
		t.Fatal(err)
	}
	m := p.(Learner)
	exs := []task.Example{step("1", "buy", "pay", "click", "type"), step("2", "buy", "pay", "type"), step("3", "read", "look", "type", "scroll"),
		step("4", "read", "look", "click"), step("5", "read", "look", "load")}
	if err := m.Fit(t.Context(), stream(exs...), nil); err != nil {
		t.Fatal(err)
	}
	q, err := lastActionKind.New(Setup{Options: lastActionKind.Options()})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.(Learner).Load(bytes.NewReader(saved(t, m))); err != nil {
		t.Fatal(err)
	}
	for op, want := range map[string]string{"type": "buy", "scroll": "read", "never": "read", "": "read"} {
		for _, p := range []Predictor{m, q} {
			if a := ask(t, p, step("q", "", "", "click", op).Task); a.ClosedIntent != want || a.PredictedIntent != "look" {
				t.Errorf("after %q: %+v, want %s", op, a, want)
			}
		}
	}
	if _, err := lastActionKind.New(Setup{Options: &lastActionOptions{}}); err == nil {
		t.Error("min_episodes 0 was taken")
	}
}

func TestDocumentedProgramsAnswer(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed: the documented programs are not run")
	}
	scripts := codeBlocks(t, "python")
	if len(scripts) != 2 {
		t.Fatalf("%d programs in %s, want one a protocol", len(scripts), methodDoc)
	}
	exs := []task.Example{episodeOf("1", "maps", "find a way", "x"), episodeOf("2", "mail", "write", "y"), episodeOf("3", "mail", "write", "z")}
	for i, protocol := range []string{"lines", "worker"} {
		t.Run(protocol, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "method.py"), []byte(scripts[i]), 0o600); err != nil {
				t.Fatal(err)
			}
			o := newCommandOptions().(*CommandOptions)
			o.Protocol, o.Command = protocol, []string{"python3", "method.py"}
			var log bytes.Buffer
			p, err := Kinds["command"].New(Setup{Options: o, Dir: dir, Log: &log, ArtifactDir: t.TempDir(),
				Labels: task.LabelSpace{Name: "apps", Labels: []string{"mail", "maps"}, SeenInTrain: []string{"mail", "maps"}}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := p.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
				if strings.Contains(log.String(), "Traceback") {
					t.Error(log.String())
				}
			}()
			c := p.(*Command)
			fits, err := c.Fits(t.Context())
			if err != nil || fits != (protocol == "worker") {
				t.Fatalf("fits: %v, %v", fits, err)
			}
			if fits {
				if err := c.Fit(t.Context(), stream(exs...), stream()); err != nil {
					t.Fatal(err)
				}
			}
			a := ask(t, p, textTask("q", "open Maps and mail"))
			if a.ClosedIntent != "mail" || a.ClosedConfidence == nil || !slices.Contains([]float64{0.5, 2.0 / 3}, *a.ClosedConfidence) {
				t.Errorf("answer %+v", a)
			}
		})
	}
}
