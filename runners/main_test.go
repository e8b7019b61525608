package runners

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
	"intentlab/judge"
	"intentlab/matrix"
	"intentlab/results"
	"intentlab/results/metrics"
	"intentlab/results/report"
	"intentlab/runners/predictors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fakeOptions are the settings of the test's own kind `fake`.
type fakeOptions struct {
	Flavour string `hcl:"flavour,optional"`
	Patient int    `hcl:"patient,optional" key:"-"`
}

// fake is a method that answers as a test says and counts what it is asked.
type fake struct {
	kind predictors.Kind
	say  func(ctx context.Context, s predictors.Setup, t task.Task, earlier []task.Task) (task.Answer, error)

	mu     sync.Mutex
	calls  map[string]int // task id → how often
	fits   int
	serial int // of the fits, never reset
	built  int
	close  int
}

// newFake answers with the label in the episode's first step.
func newFake() *fake {
	f := &fake{calls: map[string]int{}}
	f.kind = predictors.Kind{Name: "fake", Options: func() any { return &fakeOptions{} }, Deterministic: true, Causal: true, CodeVersion: 1}
	f.kind.New = func(s predictors.Setup) (predictors.Predictor, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.built++
		return &faking{f: f, s: s}, nil
	}
	f.say = func(_ context.Context, _ predictors.Setup, t task.Task, _ []task.Task) (task.Answer, error) {
		return task.Answer{ClosedIntent: labelOf(t), PredictedIntent: "wants " + t.ObservedSteps[len(t.ObservedSteps)-1].Action}, nil
	}
	return f
}

func labelOf(t task.Task) string {
	return strings.Fields(t.ObservedSteps[0].Action)[0]
}

func (f *fake) asked() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		n += c
	}
	return n
}

func (f *fake) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.fits, f.built, f.close = map[string]int{}, 0, 0, 0
}

type faking struct {
	f *fake
	s predictors.Setup
}

func (p *faking) Predict(ctx context.Context, t task.Task, earlier []task.Task) (task.Answer, error) {
	p.f.mu.Lock()
	p.f.calls[t.ID]++
	p.f.mu.Unlock()
	return p.f.say(ctx, p.s, t, earlier)
}

func (p *faking) Close() error {
	p.f.mu.Lock()
	defer p.f.mu.Unlock()
	p.f.close++
	return nil
}

// lab is a folder with a data set of episodes and the kinds of a test.
type lab struct {
	t     testing.TB
	dir   string
	fake  *fake
	kinds Kinds
}

// newLab makes a data set of n episodes of four steps and three labels, split by hash. Episodes come in pairs
// with an equal beginning.
func newLab(t testing.TB, n int) *lab {
	l := &lab{t: t, dir: t.TempDir(), fake: newFake()}
	l.kinds = Kinds{Methods: map[string]predictors.Kind{}, Judges: map[string]judge.Kind{}, Formats: trajectory.Formats}
	for name, k := range predictors.Kinds {
		l.kinds.Methods[name] = k
	}
	for name, k := range judge.Kinds {
		l.kinds.Judges[name] = k
	}
	l.kinds.Methods["fake"] = l.fake.kind
	l.write("data.jsonl", episodes(n, ""))
	return l
}

func episodes(n int, salt string) string {
	var b strings.Builder
	for i := range n {
		label := []string{"Travel", "Shopping", "Music"}[i/2%3]
		var steps []map[string]any
		for k := range 4 {
			text := fmt.Sprintf("%s click %d of pair %d%s", label, k, i/2, salt)
			if k == 3 {
				text = fmt.Sprintf("%s finish %d%s", label, i, salt)
			}
			steps = append(steps, map[string]any{"index": k, "kind": "action", "action": text, "op": "click", "element": text})
		}
		line, _ := json.Marshal(map[string]any{"episode_id": fmt.Sprintf("e%04d", i), "open_intent": fmt.Sprintf("wants %s number %d", label, i%7),
			"closed_intent": label, "metadata": map[string]any{"platform": "web"}, "steps": steps})
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

func (l *lab) write(name, text string) {
	l.t.Helper()
	must(l.t, os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600))
}

// head is the first part of most experiments; the store's name is %s.
const head = `experiment "e" {
  seeds  = [1]
  ratios = ["0.25", "0.5", "0.6", "1.0"]
  store  = "s.db"
}
dataset "d" {
  format = "episodes"
  path   = "data.jsonl"
}
ablation "full_context" {}
judge "f1" { uses = "lexical" }
`

func (l *lab) prepare(text string, workers int) *Engine {
	l.t.Helper()
	l.write("e.hcl", text)
	in := matrix.Inputs{Getenv: func(string) (string, bool) { return "", false }, Environ: func() []string { return nil },
		Kinds: matrix.Kinds{Methods: map[string]matrix.Kind{}, Judges: map[string]matrix.Kind{}, Formats: map[string]matrix.Kind{}}}
	for name, k := range l.kinds.Methods {
		in.Kinds.Methods[name] = matrix.Kind{Name: name, Options: k.Options, Needs: matrix.Needs(k.Needs), Deterministic: k.Deterministic,
			UsesRatio: k.UsesRatio, UsesLabels: k.UsesLabels, CodeVersion: k.CodeVersion, Built: true,
			Declares: func(options any) (bool, bool, bool) {
				if d, ok := options.(predictors.Declarer); ok {
					x := d.Declared()
					return x.Deterministic, x.UsesRatio, x.UsesLabels
				}
				return k.Deterministic, k.UsesRatio, k.UsesLabels
			}}
	}
	for name, k := range l.kinds.Judges {
		in.Kinds.Judges[name] = matrix.Kind{Name: name, Options: k.Options, CodeVersion: k.CodeVersion, Built: true}
	}
	for name, f := range l.kinds.Formats {
		in.Kinds.Formats[name] = matrix.Kind{Name: name, Options: f.Options, Built: true, Groups: f.Groups, SplitUnit: f.SplitUnit}
	}
	exp, _, diags := matrix.Load([]string{filepath.Join(l.dir, "e.hcl")}, in)
	if diags.HasErrors() {
		l.t.Fatal(diags)
	}
	g, err := Prepare(context.Background(), exp, l.kinds, Options{Workers: workers})
	must(l.t, err)
	return g
}

// run runs an experiment to its end and closes the store.
func (l *lab) run(text string, o RunOptions) Outcome {
	l.t.Helper()
	return l.runWith(context.Background(), text, 4, o)
}

func (l *lab) runWith(ctx context.Context, text string, workers int, o RunOptions) Outcome {
	l.t.Helper()
	g := l.prepare(text, workers)
	s, err := results.Open(context.Background(), g.Exp.Store)
	must(l.t, err)
	defer func() { must(l.t, s.Close()) }()
	type ended struct {
		out Outcome
		err error
	}
	ch := make(chan ended, 1)
	go func() {
		out, err := g.Run(ctx, s, o)
		ch <- ended{out, err}
	}()
	select {
	case e := <-ch:
		must(l.t, e.err)
		return e.out
	case <-time.After(60 * time.Second):
		panic("the run hangs") // with all stacks
	}
}

// view opens the store for reading until the test ends.
func (l *lab) view() *results.Store {
	l.t.Helper()
	s, err := results.View(context.Background(), filepath.Join(l.dir, "s.db"))
	must(l.t, err)
	l.t.Cleanup(func() { s.Close() })
	return s
}

// rows dumps what is stored about each task of the latest run, without ids of the file.
func (l *lab) rows() []string {
	l.t.Helper()
	s := l.view()
	r, err := s.Latest(context.Background())
	must(l.t, err)
	var out []string
	must(l.t, s.Find(context.Background(), r.ID, results.Where{}, func(d results.TaskDetail) error {
		p := d.Prediction
		line := fmt.Sprintf("%s/%s/%d/%d %s %s %q %q %s %q attempts=%d", d.Cell.Ablation, d.Cell.Method, d.Cell.Seed, d.Cell.Fold, d.Task, d.State, p.ClosedIntent, p.PredictedIntent, p.Error, p.Detail, p.Attempts)
		for _, v := range d.Verdicts {
			score := "-"
			if v.Score != nil {
				score = fmt.Sprint(*v.Score)
			}
			line += fmt.Sprintf(" %.8s %s %s", v.Judge, v.State, score)
		}
		out = append(out, line)
		return nil
	}))
	return out
}

// evaluations are the bytes of `export --format json` of the latest run.
func (l *lab) evaluations() string {
	l.t.Helper()
	s := l.view()
	r, err := s.Latest(context.Background())
	must(l.t, err)
	src, err := report.Open(context.Background(), s, r, "test", metrics.Options{})
	must(l.t, err)
	all, err := src.All(context.Background())
	must(l.t, err)
	var b bytes.Buffer
	must(l.t, report.WriteJSON(&b, all))
	return b.String()
}

func (l *lab) cells() map[string]results.Cell {
	l.t.Helper()
	s := l.view()
	r, err := s.Latest(context.Background())
	must(l.t, err)
	cells, err := s.Cells(context.Background(), r.ID)
	must(l.t, err)
	out := map[string]results.Cell{}
	for _, c := range cells {
		out[c.Ablation+"/"+c.Method] = c
	}
	return out
}

// hashOf is the identity of stored inputs.
func hashOf(inputs string) string {
	sum := sha256.Sum256([]byte(inputs))
	return hex.EncodeToString(sum[:])
}
