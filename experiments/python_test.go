package experiments

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// program is a running example predictor.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Scanner
	stderr strings.Builder
}

// startPython starts a script of python/ as the runner does, with the locale that hurts most.
func startPython(t *testing.T, script string) *program {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed; the example predictors need it")
	}
	p := &program{t: t, cmd: exec.Command(python, filepath.Join("python", script))}
	p.cmd.Env = append(os.Environ(), "LC_ALL=C", "PYTHONIOENCODING=ascii", "PYTHONUTF8=0", "PYTHONDONTWRITEBYTECODE=1")
	p.cmd.Stderr = &p.stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := time.AfterFunc(30*time.Second, func() { p.cmd.Process.Kill() }) //nolint:errcheck // it may have ended
	t.Cleanup(func() {
		stop.Stop()
		if p.cmd.ProcessState == nil {
			p.cmd.Process.Kill() //nolint:errcheck // it may have ended
			p.cmd.Wait()         //nolint:errcheck // killed
		}
	})
	return p
}

func (p *program) tell(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, line+"\n"); err != nil {
		p.t.Fatalf("write: %v; stderr: %s", err, p.stderr.String())
	}
}

// answer reads one line before anything else is sent: an answer that is not flushed never comes.
func (p *program) answer() map[string]any {
	p.t.Helper()
	if !p.stdout.Scan() {
		p.t.Fatalf("no answer; stderr: %s", p.stderr.String())
	}
	var m map[string]any
	if err := json.Unmarshal(p.stdout.Bytes(), &m); err != nil {
		p.t.Fatalf("%q: %v", p.stdout.Text(), err)
	}
	return m
}

// end waits for the program's own end, which must be clean and silent.
func (p *program) end() {
	p.t.Helper()
	if p.stdout.Scan() {
		p.t.Errorf("one line too many: %q", p.stdout.Text())
	}
	if err := p.cmd.Wait(); err != nil || p.stderr.Len() > 0 {
		p.t.Errorf("exit: %v; stderr: %s", err, p.stderr.String())
	}
}

func TestLinesPredictorAnswersEachPrefixBeforeTheNext(t *testing.T) {
	p := startPython(t, "lines_predictor.py")
	labels := `"candidate_labels":["www.garden-tools.example","trains.example","天气查询"]`
	for _, c := range []struct{ in, closed, open string }{
		{`{"task_id":"d:a:r0.50","metadata":{},"observed_steps":[{"index":0,"kind":"action","action":"click [link] Home"}],"visible_graph":null,` + labels + `}`, "", "click [link] Home"},
		{`{"task_id":"d:a:r1.00","metadata":{},"observed_steps":[{"index":0,"kind":"utterance","speaker":"instructor","utterance":"show trains"},` +
			`{"index":1,"kind":"utterance","speaker":"navigator","utterance":"Sure"}],` + labels + `}`, "trains.example", "show trains"},
		{`{"task_id":"d:b:r1.00","metadata":{"platform":"web"},"observed_steps":[],"visible_graph":{"nodes":[{"id":"action:0","type":"action","text":"garden tools"}],"edges":[]},` + labels + `}`,
			"www.garden-tools.example", ""},
		{`{"task_id":"d:d:r1.00","metadata":{},"observed_steps":[{"index":0,"kind":"action","action":"type [textbox] Departure station"}],"candidate_labels":["Shopping","Travel"]}`,
			"Travel", "type [textbox] Departure station"},
		{`{"task_id":"d:c:r1.00","metadata":{},"observed_steps":[{"index":0,"kind":"action","action":"点击 天气 预报"}],` + labels + `}`, "天气查询", "点击 天气 预报"},
	} {
		p.tell(c.in)
		got := p.answer()
		if got["closed_intent"] != c.closed || got["predicted_intent"] != c.open || !strings.Contains(c.in, `"`+got["task_id"].(string)+`"`) {
			t.Errorf("got %v, want %q and %q", got, c.closed, c.open)
		}
	}
	if err := p.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	p.end()
}

// example and question write messages of the worker protocol.
func example(split, text, label, intent string) string {
	return `{"type":"example","split":"` + split + `","task":{"task_id":"x","metadata":{},"observed_steps":[{"index":0,"kind":"action","action":"` + text +
		`"}]},"closed_intent":"` + label + `","open_intent":"` + intent + `","weight":1}`
}

func question(id, text string) string {
	return `{"type":"task","task":{"task_id":"` + id + `","metadata":{},"observed_steps":[{"index":0,"kind":"action","action":"` + text + `"}],"visible_graph":null}}`
}

const hello = `{"type":"hello","protocol":1,"seed":1,"ablation":"full_context","label_spaces":{}}`

func TestWorkerPredictorLearnsSavesAndIsLoadedByAnother(t *testing.T) {
	dir := t.TempDir()
	first := startPython(t, "worker_predictor.py")
	first.tell(hello)
	if r := first.answer(); r["type"] != "ready" || r["fit"] != true || r["name"] == "" {
		t.Fatalf("got %v", r)
	}
	for _, line := range []string{
		example("train", "buy plant pot", "Shopping", "buy a pot"), example("train", "buy lamp", "Shopping", "buy a lamp"), example("train", "buy lamp", "Shopping", "buy a lamp"),
		example("train", "train seat station", "Travel", "book a seat"), example("train", "天气 预报", "天气查询", "查看天气"),
		example("dev", "buy seat", "Travel", "never seen in an answer"), `{"type":"later_version","x":1}`,
		`{"type":"fit","artifact_dir":"` + dir + `"}`,
	} {
		first.tell(line)
	}
	if r := first.answer(); r["type"] != "fitted" {
		t.Fatalf("got %v", r)
	}
	second := startPython(t, "worker_predictor.py")
	second.tell(hello)
	second.answer()
	second.tell(`{"type":"load","artifact_dir":"` + dir + `"}`)
	for _, c := range []struct{ id, text, closed, open string }{
		{"d:a:r0.10", "buy lamp", "Shopping", "buy a lamp"},
		{"d:a:r0.20", "station", "Travel", "book a seat"},
		{"d:b:r0.10", "天气", "天气查询", "查看天气"},
	} {
		var before map[string]any
		for _, p := range []*program{first, second} {
			p.tell(question(c.id, c.text))
			got := p.answer()
			if got["task_id"] != c.id || got["closed_intent"] != c.closed || got["predicted_intent"] != c.open {
				t.Errorf("got %v, want %v", got, c)
			}
			if conf, ok := got["closed_confidence"].(float64); !ok || conf <= 0 || conf > 1 {
				t.Errorf("confidence %v", got["closed_confidence"])
			}
			if before != nil && before["closed_confidence"] != got["closed_confidence"] {
				t.Errorf("the loaded model says %v, the fitted one %v", got, before)
			}
			before = got
		}
	}
	for _, p := range []*program{first, second} {
		p.tell(`{"type":"bye"}`)
		p.end()
	}
}

func TestWorkerPredictorWritesTheSameArtefactForTheSameExamples(t *testing.T) {
	var models [2]string
	for i := range models {
		dir := t.TempDir()
		p := startPython(t, "worker_predictor.py")
		p.tell(hello)
		p.answer()
		p.tell(example("train", "a b c d e f g", "L1", "one"))
		p.tell(example("train", "g f e d c b", "L2", "two"))
		p.tell(`{"type":"fit","artifact_dir":"` + dir + `"}`)
		p.answer()
		p.tell(`{"type":"bye"}`)
		p.end()
		b, err := os.ReadFile(filepath.Join(dir, "model.json"))
		if err != nil {
			t.Fatal(err)
		}
		models[i] = string(b)
	}
	if models[0] != models[1] {
		t.Errorf("two fits differ:\n%s\n%s", models[0], models[1])
	}
}

func TestWorkerPredictorWithoutExamplesAbstains(t *testing.T) {
	p := startPython(t, "worker_predictor.py")
	p.tell(hello)
	p.answer()
	p.tell(question("d:a:r0.10", "anything"))
	if got := p.answer(); got["closed_intent"] != "" || got["predicted_intent"] != "" || got["task_id"] != "d:a:r0.10" {
		t.Errorf("got %v", got)
	}
	if err := p.stdin.Close(); err != nil { // without bye
		t.Fatal(err)
	}
	p.end()
}

func TestFilesPredictorAnswersAsTheWorkerDoes(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed; the example predictors need it")
	}
	dir := t.TempDir()
	write := func(name string, lines ...string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	train := []string{example("train", "buy plant pot", "Shopping", "buy a pot"), example("train", "train seat", "Travel", "book a seat"), example("train", "天气 预报", "天气查询", "查看天气")}
	asked := []string{question("d:a:r0.10", "buy a plant"), question("d:a:r1.00", "seat"), question("d:b:r1.00", "天气")}
	var inputs []string
	for _, q := range asked {
		var m struct {
			Task json.RawMessage `json:"task"`
		}
		if err := json.Unmarshal([]byte(q), &m); err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, string(m.Task))
	}
	predictions := filepath.Join(dir, "predictions.jsonl")
	c := exec.Command(python, filepath.Join("python", "files_predictor.py"))
	c.Env = append(os.Environ(), "LC_ALL=C", "PYTHONUTF8=0", "PYTHONDONTWRITEBYTECODE=1", "INTENTLAB_INPUTS="+write("inputs.jsonl", inputs...),
		"INTENTLAB_TRAIN="+write("train.jsonl", train...), "INTENTLAB_DEV="+write("dev.jsonl", example("dev", "buy seat", "Travel", "x")), "INTENTLAB_PREDICTIONS="+predictions)
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(predictions)
	if err != nil {
		t.Fatal(err)
	}

	w := startPython(t, "worker_predictor.py")
	w.tell(hello)
	w.answer()
	for _, line := range append(train, example("dev", "buy seat", "Travel", "x"), `{"type":"fit","artifact_dir":"`+dir+`"}`) {
		w.tell(line)
	}
	w.answer()
	for i, line := range strings.Split(strings.TrimSpace(string(got)), "\n") {
		w.tell(asked[i])
		var mine map[string]any
		if err := json.Unmarshal([]byte(line), &mine); err != nil {
			t.Fatal(err)
		}
		if other := w.answer(); !reflect.DeepEqual(mine, other) {
			t.Errorf("the file says %v, the worker %v", mine, other)
		}
	}
	w.tell(`{"type":"bye"}`)
	w.end()
}
