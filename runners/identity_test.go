package runners

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"intentlab/ablations/task"
	"intentlab/judge"
	"intentlab/results"
	"intentlab/runners/predictors"
)

// learning is the fake with a fit.
type learning struct {
	faking
	state byte
	empty bool
}

func (p *learning) Fit(ctx context.Context, train, dev task.Examples) error {
	p.f.mu.Lock()
	p.f.fits++
	p.f.serial++
	n := p.f.serial
	p.f.mu.Unlock()
	for _, err := range train(ctx) {
		if err != nil {
			return err
		}
	}
	p.state = byte(n) // no two fits are alike: one that isn't shared shows
	return nil
}

func (p *learning) Save(w io.Writer) error {
	if p.empty {
		return nil
	}
	return binary.Write(w, binary.BigEndian, p.state)
}

func (p *learning) Load(r io.Reader) error {
	if p.empty {
		return nil
	}
	return binary.Read(r, binary.BigEndian, &p.state)
}

// learner turns the lab's fake into a method that is fitted.
func (l *lab) learner(empty bool) {
	k := l.fake.kind
	k.Needs.Training = true
	k.New = func(s predictors.Setup) (predictors.Predictor, error) {
		return &learning{faking: faking{f: l.fake, s: s}, empty: empty}, nil
	}
	l.kinds.Methods["fake"] = k
}

const method = `method "fake" { uses = "fake" }` + "\n"

// TestWhatDecidesAnAnswerIsAskedAgainAndNothingElse flips one thing at a time between two runs of one
// store (lessons.md 2.24): miss says that the second run has to ask.
func TestWhatDecidesAnAnswerIsAskedAgainAndNothingElse(t *testing.T) {
	kind := func(f func(*predictors.Kind)) func(*lab) {
		return func(l *lab) { k := l.kinds.Methods["fake"]; f(&k); l.kinds.Methods["fake"] = k }
	}
	text := func(old, new string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, old) {
				panic(old)
			}
			return strings.Replace(s, old, new, 1)
		}
	}
	random := kind(func(k *predictors.Kind) { k.Deterministic = false })
	labelled := kind(func(k *predictors.Kind) { k.UsesLabels = true })
	another := func(l *lab) { // one more episode with a label of its own, in train or test
		l.write("data.jsonl", episodes(24, "")+strings.ReplaceAll(strings.ReplaceAll(episodes(1, ""), "Travel", "Food"), "e0000", "f0000")+
			strings.ReplaceAll(strings.ReplaceAll(episodes(1, ""), "Travel", "Food"), "e0000", "f0001")+
			strings.ReplaceAll(strings.ReplaceAll(episodes(1, ""), "Travel", "Food"), "e0000", "f0002"))
	}
	for name, c := range map[string]struct {
		before func(*lab)
		edit   func(string) string
		after  func(*lab)
		miss   bool
	}{
		"nothing":                      {},
		"setting":                      {edit: text(`{ uses = "fake" }`, "{\n uses = \"fake\"\n flavour = \"mint\"\n}"), miss: true},
		"limit":                        {edit: text(`{ uses = "fake" }`, "{\n uses = \"fake\"\n patient = 7\n}")},
		"kind":                         {after: func(l *lab) { l.kinds.Methods["fake2"] = l.kinds.Methods["fake"] }, edit: text(`uses = "fake"`, `uses = "fake2"`), miss: true},
		"code version":                 {after: kind(func(k *predictors.Kind) { k.CodeVersion++ }), miss: true},
		"seed":                         {edit: text("seeds  = [1]", "seeds  = [2]")},
		"seed of a stochastic method":  {before: random, edit: text("seeds  = [1]", "seeds  = [2]"), miss: true},
		"visible input":                {after: func(l *lab) { l.write("data.jsonl", episodes(24, " changed")) }, miss: true},
		"ratio":                        {edit: text(`"0.6"`, `"0.55"`)},
		"ratio where it is used":       {before: kind(func(k *predictors.Kind) { k.UsesRatio = true }), edit: text(`"0.6"`, `"0.55"`), miss: true},
		"labels where they are used":   {before: labelled, after: another, miss: true},
		"dedup":                        {edit: text(`{ uses = "fake" }`, "{\n uses = \"fake\"\n dedup = false\n}"), miss: true},
		"examples of a fit":            {before: func(l *lab) { l.learner(false) }, after: func(l *lab) { l.write("data.jsonl", strings.ReplaceAll(episodes(24, ""), "number 0", "number 9")) }, miss: true},
		"name of the method":           {edit: text(`method "fake"`, `method "other"`)},
		"name of the dataset":          {edit: text(`dataset "d"`, `dataset "d2"`)},
		"judge":                        {edit: text(`{ uses = "lexical" }`, "{\n uses = \"lexical\"\n measure = \"chrf\"\n}")},
		"description":                  {edit: text("seeds  = [1]", "seeds = [1]\n description = \"x\"")},
		"report":                       {edit: func(s string) string { return s + "report \"r\" { out = \"out\" }\n" }},
		"comment":                      {edit: func(s string) string { return "# hello\n" + s }},
		"another method":               {edit: func(s string) string { return s + `method "majority" { uses = "majority" }` + "\n" }},
		"path of the same data":        {after: func(l *lab) { l.write("copy.jsonl", episodes(24, "")) }, edit: text("data.jsonl", "copy.jsonl")},
		"evaluated part":               {edit: text("seeds  = [1]", "seeds = [1]\n evaluate = \"test\"")},
		"name of the experiment":       {edit: text(`experiment "e"`, `experiment "e2"`)},
		"order of ablations and needs": {edit: text(`ablation "full_context" {}`, "ablation \"no_context\" {}\nablation \"full_context\" {}")},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 24)
			if c.before != nil {
				c.before(l)
			}
			l.run(head+method, RunOptions{})
			if l.fake.asked() == 0 {
				t.Fatal("the first run asked nothing")
			}
			l.fake.reset()
			if c.after != nil {
				c.after(l)
			}
			second := head + method
			if c.edit != nil {
				second = c.edit(second)
			}
			g := l.prepare(second, 2)
			s := l.view()
			p, err := g.Plan(context.Background(), s)
			must(t, err)
			if out := l.run(second, RunOptions{}); out.Failed+out.Pending > 0 {
				t.Fatalf("%+v", out)
			}
			if got := l.fake.asked() > 0; got != c.miss {
				t.Errorf("the second run asked %d times; want a miss: %v", l.fake.asked(), c.miss)
			}
			if name != "another method" && (p.Totals.Requests > 0) != c.miss {
				t.Errorf("the plan says %d questions; want a miss: %v", p.Totals.Requests, c.miss)
			}
		})
	}
}

func TestExplainNamesTheFieldThatChanged(t *testing.T) {
	l := newLab(t, 12)
	l.run(head+method, RunOptions{})
	explain := func(text, want string) {
		t.Helper()
		g := l.prepare(text, 2)
		lines, err := g.Explain(context.Background(), l.view(), "d/full_context/fake/1")
		must(t, err)
		if !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("explain says\n%s\nwithout %q", strings.Join(lines, "\n"), want)
		}
	}
	explain(head+method, "nothing that its answers depend on has changed")
	explain(head+strings.Replace(method, `{ uses = "fake" }`, "{\n uses = \"fake\"\n flavour = \"mint\"\n}", 1), `settings.flavour: "mint"`)
	k := l.kinds.Methods["fake"]
	k.CodeVersion = 9
	l.kinds.Methods["fake"] = k
	explain(head+method, "code_version: 9, was 1")
	l.write("data.jsonl", episodes(12, "x"))
	explain(head+method, "the episodes of the dataset differ")
	g := l.prepare(head+method, 1)
	_, err := g.Explain(context.Background(), nil, "d/x/fake/1")
	if unknown, ok := errors.AsType[*UnknownCellError](err); !ok || unknown.Example != "d/full_context/fake/1" {
		t.Errorf("got %v", err)
	}
	if lines, err := g.Explain(context.Background(), nil, "d/full_context/fake/1"); err != nil || len(lines) == 0 {
		t.Errorf("without a store: %v %v", lines, err)
	}
}

func TestPlanTellsWhatWouldRun(t *testing.T) {
	l := newLab(t, 24)
	state := func(s *results.Store) PlanCell {
		t.Helper()
		p, err := l.prepare(head+method, 2).Plan(context.Background(), s)
		must(t, err)
		return p.Cells[0]
	}
	first := state(nil)
	if first.State != "run" || first.Stored != 0 || first.Requests == 0 || first.Reason != "there is no store yet" {
		t.Errorf("%+v", first)
	}
	drain := make(chan struct{})
	var once sync.Once
	say := l.fake.say
	l.fake.say = func(ctx context.Context, s predictors.Setup, x task.Task, e []task.Task) (task.Answer, error) {
		once.Do(func() { close(drain) })
		return say(ctx, s, x, e)
	}
	l.runWith(context.Background(), head+method, 1, RunOptions{Drain: drain})
	half := state(l.view())
	if half.State != "resume" || half.Stored == 0 || half.Requests+l.fake.asked() != first.Requests {
		t.Errorf("%+v after %d were asked", half, l.fake.asked())
	}
	l.run(head+method, RunOptions{})
	if whole := state(l.view()); whole.State != "reuse" || whole.Stored != whole.Tasks || whole.Requests != 0 {
		t.Errorf("%+v", whole)
	}
}

func TestCellsThatNeedTheSameFitMakeItOnce(t *testing.T) {
	for _, empty := range []bool{false, true} {
		l := newLab(t, 24)
		l.learner(empty)
		text := strings.Replace(head, `ablation "full_context" {}`, `ablation "full_context" {}
ablation "no_context" {}
ablation "no_initial_instruction" {}`, 1) + method
		l.runWith(context.Background(), text, 8, RunOptions{})
		if l.fake.fits != 1 {
			t.Errorf("fitted %d times", l.fake.fits)
		}
		fits, identities := map[string]bool{}, map[int64]bool{}
		for _, c := range l.cells() {
			fits[c.Fit], identities[c.Identity] = true, true
		}
		if len(fits) != 1 || fits[""] || len(identities) != 1 {
			t.Errorf("fits %v, identities %v", fits, identities)
		}
		// Another matrix over the same answers: the fit is loaded, or not even that.
		l.fake.reset()
		l.run(text+`method "majority" { uses = "majority" }`+"\n", RunOptions{})
		if l.fake.fits != 0 || l.fake.asked() != 0 {
			t.Errorf("empty %v: fitted %d times, asked %d times", empty, l.fake.fits, l.fake.asked())
		}
	}
}

// failingJudge is a judge with its own mind.
type failingJudge struct {
	say func(q judge.Question) (judge.Verdict, error)
}

func (j failingJudge) Judge(_ context.Context, q judge.Question) (judge.Verdict, error) {
	return j.say(q)
}
func (failingJudge) Fingerprint() string      { return "failing" }
func (failingJudge) Identity() map[string]any { return map[string]any{"kind": "failing"} }

func (l *lab) judge(say func(q judge.Question) (judge.Verdict, error)) {
	l.kinds.Judges["failing"] = judge.Kind{Name: "failing", Options: func() any { return &struct{}{} }, CodeVersion: 1,
		New: func(judge.Setup) (judge.Judge, error) { return failingJudge{say}, nil }}
}

func TestVerdictsBecomeScoresByThePolicy(t *testing.T) {
	l := newLab(t, 40)
	nan := 0.0
	nan /= nan
	l.judge(func(q judge.Question) (judge.Verdict, error) {
		switch {
		case strings.Contains(q.Gold, "number 6"):
			return judge.Verdict{State: judge.UnsupportedGold}, nil
		case q.Predicted == "":
			return judge.Verdict{State: judge.MethodEmpty}, nil
		case strings.Contains(q.Predicted, "click 0"):
			return judge.Verdict{State: judge.UnsupportedText}, nil
		case strings.Contains(q.Predicted, "click 1"):
			return judge.Verdict{State: judge.Scored, Score: nan}, nil
		}
		return judge.Verdict{State: judge.Scored, Score: 0.5}, nil
	})
	say := l.fake.say
	l.fake.say = func(ctx context.Context, s predictors.Setup, x task.Task, e []task.Task) (task.Answer, error) {
		if x.PrefixStepCount == 3 {
			return task.Answer{}, &predictors.Failure{Reason: "refused", ForGood: true}
		}
		return say(ctx, s, x, e)
	}
	l.run(strings.Replace(head, `uses = "lexical"`, `uses = "failing"`, 1)+method, RunOptions{})
	s := l.view()
	r, err := s.Latest(context.Background())
	must(t, err)
	seen := map[string]int{}
	must(t, s.Find(context.Background(), r.ID, results.Where{}, func(d results.TaskDetail) error {
		for _, v := range d.Verdicts {
			score := "-"
			if v.Score != nil {
				score = map[float64]string{0: "0", 0.5: "0.5"}[*v.Score]
			}
			want := "scored 0.5"
			switch {
			case strings.Contains(d.Gold.OpenIntent, "number 6"):
				want = "gold_unsupported_text -" // for the method that failed, too
			case d.State == results.TaskMethodError:
				want = "method_error 0"
			case strings.Contains(d.Prediction.PredictedIntent, "click 0"):
				want = "judge_unsupported_text -" // never an escape from 0 nor a 0 of the method's
			case strings.Contains(d.Prediction.PredictedIntent, "click 1"):
				want = "judge_bad_score -"
			}
			seen[want]++
			if got := v.State + " " + score; got != want {
				t.Errorf("%s: %s, want %s", d.Task, got, want)
			}
		}
		return nil
	}))
	if len(seen) != 5 {
		t.Errorf("only %v came up", seen)
	}
}

func TestAJudgeThatFailsStopsAloneAndIsTakenAgain(t *testing.T) {
	l := newLab(t, 24)
	broken, calls := true, 0
	var mu sync.Mutex
	l.judge(func(judge.Question) (judge.Verdict, error) {
		mu.Lock()
		defer mu.Unlock()
		calls++
		if broken {
			return judge.Verdict{}, errors.New("no answer from the judge")
		}
		return judge.Verdict{State: judge.Scored, Score: 1}, nil
	})
	text := head + "judge \"bad\" { uses = \"failing\" }\n" + method
	out := l.runWith(context.Background(), text, 1, RunOptions{})
	c := l.cells()["full_context/fake"]
	if out.Failed != 1 || c.State != results.CellDone || c.ForGood || c.Reason != "judge bad stopped: no answer from the judge" {
		t.Fatalf("%+v %+v", out, c)
	}
	if calls != 1 {
		t.Errorf("the judge was asked %d times after it had failed", calls-1)
	}
	if rows := strings.Join(l.rows(), "\n"); !strings.Contains(rows, "failing judge_transport -") || !strings.Contains(rows, " scored ") {
		t.Errorf("the other judge's scores or the gaps are missing:\n%s", rows)
	}
	broken = false
	l.fake.reset()
	out = l.run(text, RunOptions{})
	if out.Failed != 0 || l.fake.asked() != 0 || strings.Contains(strings.Join(l.rows(), "\n"), "judge_transport") {
		t.Errorf("%+v, asked the method %d times", out, l.fake.asked())
	}
}
