package runners

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/task"
	"intentlab/results"
	"intentlab/runners/predictors"
	"intentlab/runners/progress"
)

const builtIn = head + `
ablation "actions_only" {}
method "majority" { uses = "majority" }
method "knn" { uses = "tfidf_knn" }
method "bayes" { uses = "naive_bayes" }
method "fake" { uses = "fake" }
`

func TestRowsAndNumbersAreTheSameAtAnyWidth(t *testing.T) {
	var rows [][]string
	var numbers []string
	for _, workers := range []int{1, 16} {
		l := newLab(t, 40)
		out := l.runWith(context.Background(), builtIn, workers, RunOptions{})
		if out.Failed != 0 || out.Pending != 0 {
			t.Fatalf("%+v", out)
		}
		rows, numbers = append(rows, l.rows()), append(numbers, l.evaluations())
	}
	if len(rows[0]) == 0 {
		t.Fatal("no rows")
	}
	if d := cmp.Diff(rows[0], rows[1]); d != "" {
		t.Error(d)
	}
	if numbers[0] != numbers[1] {
		t.Error("the exported evaluations differ")
	}
}

// TestARunThatWasInterruptedEndsAsOneThatWasNot cancels or drains at random moments until the run is
// done, and compares bytes with an uninterrupted run (lessons.md 2.9).
func TestARunThatWasInterruptedEndsAsOneThatWasNot(t *testing.T) {
	whole := newLab(t, 40)
	whole.run(builtIn, RunOptions{})
	wantRows, want := whole.rows(), whole.evaluations()
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		l := newLab(t, 40)
		interrupted := 0
		for round := 0; ; round++ {
			if round > 200 {
				t.Fatal("it never comes to its end")
			}
			ctx, cancel := context.WithCancel(context.Background())
			drain := make(chan struct{})
			var left atomic.Int64
			left.Store(random.Int64N(20) + 1)
			say := newFake().say
			l.fake.say = func(c context.Context, s predictors.Setup, x task.Task, earlier []task.Task) (task.Answer, error) {
				if left.Add(-1) == 0 {
					if seed%2 == 0 {
						cancel()
					} else {
						close(drain)
					}
				}
				return say(c, s, x, earlier)
			}
			out := l.runWith(ctx, builtIn, 4, RunOptions{Drain: drain})
			cancel()
			if !out.Interrupted {
				if out.Failed > 0 || out.Pending > 0 || out.Paused {
					t.Fatalf("%+v", out)
				}
				break
			}
			interrupted++
		}
		if interrupted == 0 {
			t.Fatalf("seed %d: nothing was interrupted", seed)
		}
		if d := cmp.Diff(wantRows, l.rows()); d != "" {
			t.Fatalf("seed %d after %d interruptions: %s", seed, interrupted, d)
		}
		if l.evaluations() != want {
			t.Errorf("seed %d: the exported evaluations differ", seed)
		}
	}
}

func TestARunThatIsDoneAsksNothing(t *testing.T) {
	l := newLab(t, 20)
	l.run(builtIn, RunOptions{})
	before := l.rows()
	if l.fake.asked() == 0 {
		t.Fatal("nothing was asked")
	}
	l.fake.reset()
	out := l.run(builtIn, RunOptions{})
	if l.fake.asked() != 0 || out.Failed+out.Pending != 0 || out.Interrupted || out.Paused {
		t.Errorf("asked %d times, %+v", l.fake.asked(), out)
	}
	if d := cmp.Diff(before, l.rows()); d != "" {
		t.Error(d)
	}
}

// TestEqualVisibleInputsAreAskedOnce: the two prefixes of two steps of one episode, the equal
// beginnings of paired episodes, and two ablations that come to the same.
func TestEqualVisibleInputsAreAskedOnce(t *testing.T) {
	for _, workers := range []int{1, 16} {
		l := newLab(t, 60)
		text := strings.Replace(head, `ablation "full_context" {}`, `ablation "full_context" {}
ablation "no_context" {}
ablation "no_initial_instruction" {}`, 1) + `method "fake" { uses = "fake" }` + "\n"
		g := l.prepare(text, workers)
		want := map[string]bool{}
		for _, c := range g.Cells {
			must(t, g.variant(c).prepare(context.Background(), 1))
			asked, _ := g.dataset(c).asked(g.dataset(c).Fold(0), g.Exp.Evaluate)
			for _, i := range asked {
				for _, h := range g.variant(c).hashes[i] {
					want[h] = true
				}
			}
		}
		p, err := g.Plan(context.Background(), nil)
		must(t, err)
		out := l.runWith(context.Background(), text, workers, RunOptions{})
		if out.Failed > 0 {
			t.Fatal(out)
		}
		if got := l.fake.asked(); got != len(want) || p.Totals.Requests != len(want) {
			t.Errorf("%d workers: asked %d times, planned %d, want %d", workers, got, p.Totals.Requests, len(want))
		}
		if tasks := len(l.rows()); tasks <= 3*len(want)/2 {
			t.Errorf("only %d tasks for %d questions: the test says little", tasks, len(want))
		}
		cells := l.cells()
		if cells["no_context/fake"].DuplicateOf != "full_context" || cells["full_context/fake"].DuplicateOf != "" {
			t.Errorf("duplicates: %q %q", cells["no_context/fake"].DuplicateOf, cells["full_context/fake"].DuplicateOf)
		}
	}
}

func TestDedupFalseAsksEveryTask(t *testing.T) {
	l := newLab(t, 12)
	l.run(head+`method "fake" {
  uses  = "fake"
  dedup = false
}
`, RunOptions{})
	if got, want := l.fake.asked(), len(l.rows()); got != want {
		t.Errorf("asked %d times for %d tasks", got, want)
	}
}

// TestAStepIsShownOnlyAfterTheAnswerBeforeIsStored looks into the store from inside the method.
func TestAStepIsShownOnlyAfterTheAnswerBeforeIsStored(t *testing.T) {
	l := newLab(t, 30)
	stepwise := newFake()
	stepwise.kind.Name, stepwise.kind.Options = "stepwise", predictors.Kinds["command"].Options
	l.kinds.Methods["stepwise"] = stepwise.kind
	var viewer *results.Store
	var once sync.Once
	var mu sync.Mutex
	identities := map[string]bool{}
	stepwise.say = func(ctx context.Context, _ predictors.Setup, x task.Task, earlier []task.Task) (task.Answer, error) {
		once.Do(func() { viewer = l.view() })
		steps := -1
		for _, e := range earlier {
			if e.PrefixStepCount <= steps || e.PrefixStepCount >= x.PrefixStepCount || e.EpisodeID != x.EpisodeID {
				t.Errorf("%s: earlier tasks out of order", x.ID)
			}
			steps = e.PrefixStepCount
			h, err := task.VisibleHash(e, []string{"Music", "Shopping", "Travel"}, 0)
			if err != nil {
				return task.Answer{}, err
			}
			mu.Lock()
			if len(identities) == 0 {
				runs, err := viewer.Runs(ctx)
				if err == nil {
					cells, _ := viewer.Cells(ctx, runs[0].ID)
					for _, c := range cells {
						_, inputs, err := viewer.NewestCell(ctx, "e", c.Dataset, c.Ablation, c.Method, c.Seed, c.Fold)
						if err == nil {
							identities[hashOf(inputs)] = true
						}
					}
				}
			}
			for id := range identities {
				got, err := viewer.Predictions(ctx, 0, []string{answerKey(id, h, "")})
				if err != nil || len(got) != 1 {
					t.Errorf("%s was shown before the answer to %s was stored (%v)", x.ID, e.ID, err)
				}
			}
			mu.Unlock()
		}
		return task.Answer{ClosedIntent: labelOf(x), PredictedIntent: "x"}, nil
	}
	out := l.runWith(context.Background(), head+`method "m" {
  uses        = "stepwise"
  command     = ["true"]
  deterministic = true
}
`, 8, RunOptions{})
	if out.Failed > 0 || stepwise.asked() == 0 || len(identities) != 1 {
		t.Errorf("%+v, %d asked, %d identities", out, stepwise.asked(), len(identities))
	}
}

func TestAFailureByCircumstanceIsTakenAgainAndOneForGoodOnlyOnRequest(t *testing.T) {
	for _, forGood := range []bool{false, true} {
		l := newLab(t, 20)
		var broken atomic.Bool
		broken.Store(true)
		say := l.fake.say
		l.fake.say = func(ctx context.Context, s predictors.Setup, x task.Task, earlier []task.Task) (task.Answer, error) {
			if broken.Load() && x.PrefixStepCount == 2 {
				return task.Answer{}, &predictors.Failure{Reason: "refused", Detail: "not two steps", ForGood: forGood}
			}
			return say(ctx, s, x, earlier)
		}
		text := head + `method "fake" { uses = "fake" }` + "\n"
		out := l.run(text, RunOptions{})
		if out.Failed != 1 || !strings.Contains(out.FirstError, "refused: not two steps") {
			t.Fatalf("%+v", out)
		}
		cell := l.cells()["full_context/fake"]
		if cell.State != results.CellDone || cell.ForGood != forGood || !strings.Contains(cell.Reason, "tasks failed (refused: not two steps)") {
			t.Fatalf("%+v", cell)
		}
		failed, zeros := 0, 0
		for _, r := range l.rows() {
			if strings.Contains(r, "attempts=2") {
				t.Errorf("a failure was asked about again in the same run: %s", r)
			}
			if strings.Contains(r, results.TaskMethodError) {
				failed++
				if test := strings.HasSuffix(r, "method_error 0"); test {
					zeros++
				}
			}
		}
		if failed == 0 || zeros == 0 {
			t.Fatalf("%d tasks failed, %d of them with an open score of 0", failed, zeros)
		}
		broken.Store(false)
		l.fake.reset()
		out = l.run(text, RunOptions{})
		if again := l.fake.asked(); (again > 0) == forGood {
			t.Errorf("for good %v: the next run asked %d times", forGood, again)
		}
		if forGood {
			if out.Failed != 1 {
				t.Errorf("the failure is forgotten: %+v", out)
			}
			l.fake.reset()
			out = l.run(text, RunOptions{RetryFailed: true})
			if l.fake.asked() == 0 {
				t.Error("--retry-failed asked nothing")
			}
		}
		if out.Failed != 0 || strings.Contains(strings.Join(l.rows(), "\n"), results.TaskMethodError) {
			t.Errorf("for good %v: still failed: %+v", forGood, out)
		}
		if !strings.Contains(strings.Join(l.rows(), "\n"), "attempts=2") {
			t.Error("attempts don't add up")
		}
	}
}

// TestADrainedRetryIsNotDone: all tasks of such a cell have rows from before, so rows alone don't
// tell that it was stopped halfway.
func TestADrainedRetryIsNotDone(t *testing.T) {
	l := newLab(t, 40)
	var broken atomic.Bool
	broken.Store(true)
	say := l.fake.say
	l.fake.say = func(ctx context.Context, s predictors.Setup, x task.Task, earlier []task.Task) (task.Answer, error) {
		if broken.Load() {
			return task.Answer{}, &predictors.Failure{Reason: "crashed", Detail: "gone"}
		}
		return say(ctx, s, x, earlier)
	}
	text := head + `method "fake" { uses = "fake" }` + "\n"
	l.run(text, RunOptions{})
	broken.Store(false)
	drain := make(chan struct{})
	var once sync.Once
	healthy := l.fake.say
	l.fake.say = func(ctx context.Context, s predictors.Setup, x task.Task, earlier []task.Task) (task.Answer, error) {
		once.Do(func() { close(drain) })
		return healthy(ctx, s, x, earlier)
	}
	out := l.runWith(context.Background(), text, 1, RunOptions{Drain: drain})
	if !out.Interrupted {
		t.Fatalf("%+v", out)
	}
	if c := l.cells()["full_context/fake"]; c.State != results.CellPending {
		t.Fatalf("the cell is %s (%s)", c.State, c.Reason)
	}
	if out := l.run(text, RunOptions{}); out.Failed > 0 || strings.Contains(strings.Join(l.rows(), "\n"), results.TaskMethodError) {
		t.Errorf("%+v", out)
	}
}

func TestRetryFailedAsksAQuestionThatCellsShareOnce(t *testing.T) {
	l := newLab(t, 20)
	l.fake.say = func(context.Context, predictors.Setup, task.Task, []task.Task) (task.Answer, error) {
		return task.Answer{}, &predictors.Failure{Reason: "refused", ForGood: true}
	}
	text := strings.Replace(head, `ablation "full_context" {}`, `ablation "full_context" {}
ablation "no_context" {}`, 1) + `method "fake" { uses = "fake" }` + "\n"
	l.run(text, RunOptions{})
	first := l.fake.asked()
	for range 3 {
		l.fake.reset()
		l.runWith(context.Background(), text, 8, RunOptions{RetryFailed: true})
		if got := l.fake.asked(); got != first {
			t.Errorf("asked %d times, want %d", got, first)
		}
	}
}

func TestCancelledWorkIsToDoAndNeverFailed(t *testing.T) {
	l := newLab(t, 30)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var n atomic.Int64
	say := l.fake.say
	l.fake.say = func(c context.Context, s predictors.Setup, x task.Task, earlier []task.Task) (task.Answer, error) {
		if n.Add(1) == 10 {
			cancel()
		}
		if n.Load() >= 10 {
			<-c.Done()
			return task.Answer{}, errors.New("a method's own words about being stopped")
		}
		return say(c, s, x, earlier)
	}
	text := head + `method "fake" { uses = "fake" }` + "\n"
	out := l.runWith(ctx, text, 4, RunOptions{})
	if !out.Interrupted || out.Failed != 0 || out.Pending == 0 {
		t.Errorf("%+v", out)
	}
	if c := l.cells()["full_context/fake"]; c.State != results.CellPending {
		t.Errorf("%+v", c)
	}
	s := l.view()
	r, err := s.Latest(context.Background())
	must(t, err)
	st, err := s.Status(context.Background(), r.ID)
	must(t, err)
	if st.Doing != "interrupted" || st.Tasks[results.TaskMethodError] != 0 || len(st.Failures) != 0 {
		t.Errorf("%+v", st)
	}
}

func TestUntilPausesAfterWhatIsInFlight(t *testing.T) {
	l := newLab(t, 30)
	say := l.fake.say
	var cut atomic.Int64
	l.fake.say = func(c context.Context, s predictors.Setup, x task.Task, earlier []task.Task) (task.Answer, error) {
		time.Sleep(5 * time.Millisecond)
		if c.Err() != nil {
			cut.Add(1)
		}
		return say(c, s, x, earlier)
	}
	text := head + `method "fake" { uses = "fake" }` + "\n"
	out := l.runWith(context.Background(), text, 2, RunOptions{Until: time.Now().Add(30 * time.Millisecond)})
	if !out.Paused || out.Interrupted || out.Pending == 0 || out.Failed > 0 {
		t.Errorf("%+v", out)
	}
	if cut.Load() > 0 {
		t.Error("what was in flight was cancelled")
	}
	rest, meter := out.Pending, progress.New(nil)
	out = l.runWith(context.Background(), text, 8, RunOptions{Until: time.Now().Add(time.Hour), Progress: meter})
	if out.Paused || out.Pending > 0 {
		t.Errorf("%+v", out)
	}
	if done, total := meter.Done(); done != rest || total != rest {
		t.Errorf("the resumed run counts %d of %d, paused with %d to do", done, total, rest)
	}
}

func TestProgressOfARetryCountsWhatIsRetried(t *testing.T) {
	l := newLab(t, 20)
	say, failures := l.fake.say, atomic.Int64{}
	l.fake.say = func(c context.Context, s predictors.Setup, x task.Task, earlier []task.Task) (task.Answer, error) {
		if x.PrefixStepCount == 1 {
			failures.Add(1)
			return task.Answer{}, &predictors.Failure{Reason: "refused", ForGood: true}
		}
		return say(c, s, x, earlier)
	}
	text := head + `method "fake" { uses = "fake" }` + "\n"
	l.run(text, RunOptions{})
	l.fake.say = say
	meter := progress.New(nil)
	if out := l.run(text, RunOptions{RetryFailed: true, Progress: meter}); out.Failed > 0 {
		t.Errorf("%+v", out)
	}
	now := meter.Snapshot()
	if now.Done != now.Total || now.Total < int(failures.Load()) || now.Before == 0 || failures.Load() == 0 {
		t.Errorf("%+v after %d failures", now, failures.Load())
	}
	if line := now.Line(true); !strings.Contains(line, "more were stored before") {
		t.Errorf("progress %q", line)
	}
}

func TestADrainAfterTheLastTaskInterruptsNothing(t *testing.T) {
	l := newLab(t, 10)
	text := head + `method "fake" { uses = "fake" }` + "\n"
	l.run(text, RunOptions{})
	drain := make(chan struct{})
	close(drain)
	if out := l.run(text, RunOptions{Drain: drain}); out.Interrupted || out.Paused {
		t.Errorf("%+v", out)
	}
}

func TestAPanicIsTheFailureOfItsCell(t *testing.T) {
	for _, workers := range []int{1, 8} {
		l := newLab(t, 20)
		say := l.fake.say
		l.fake.say = func(c context.Context, s predictors.Setup, x task.Task, earlier []task.Task) (task.Answer, error) {
			if s.Ablation == "actions_only" && x.PrefixStepCount == 3 {
				panic("oops")
			}
			return say(c, s, x, earlier)
		}
		out := l.runWith(context.Background(), builtIn, workers, RunOptions{})
		if out.Failed != 1 || out.Pending != 0 {
			t.Fatalf("%+v", out)
		}
		for name, c := range l.cells() {
			want := results.CellDone
			if name == "actions_only/fake" {
				want = results.CellFailed
				if c.Reason != "method fake broke: oops" || !c.ForGood {
					t.Errorf("%+v", c)
				}
			}
			if c.State != want {
				t.Errorf("%s is %s (%s)", name, c.State, c.Reason)
			}
		}
		if l.fake.close != l.fake.built {
			t.Errorf("%d of %d methods were closed", l.fake.close, l.fake.built)
		}
	}
}

func TestAFailureOfTheCellEndsItAlone(t *testing.T) {
	l := newLab(t, 20)
	say := l.fake.say
	l.fake.say = func(c context.Context, s predictors.Setup, x task.Task, earlier []task.Task) (task.Answer, error) {
		if s.Ablation == "actions_only" {
			return task.Answer{}, &predictors.Failure{Reason: "contradictory", Cell: true, ForGood: true}
		}
		return say(c, s, x, earlier)
	}
	out := l.run(builtIn, RunOptions{})
	c := l.cells()["actions_only/fake"]
	if out.Failed != 1 || c.State != results.CellFailed || c.Reason != "contradictory" || !c.ForGood {
		t.Fatalf("%+v %+v", out, c)
	}
	l.fake.reset()
	if l.run(builtIn, RunOptions{}); l.fake.asked() != 0 {
		t.Error("a plain run took it again")
	}
	l.fake.say = say
	if out := l.run(builtIn, RunOptions{RetryFailed: true}); out.Failed != 0 {
		t.Errorf("%+v", out)
	}
}

func TestAnswersThatCannotBeStoredAreTheMethodsFailure(t *testing.T) {
	l := newLab(t, 20)
	nan := 0.0
	nan /= nan
	l.fake.say = func(_ context.Context, _ predictors.Setup, x task.Task, _ []task.Task) (task.Answer, error) {
		a := task.Answer{ClosedIntent: labelOf(x), PredictedIntent: "x"}
		switch x.PrefixStepCount {
		case 1:
			a.ClosedTopK = []task.LabelProbability{{Label: "Music", P: nan}}
		case 2:
			a.ClosedConfidence = &nan
		case 3:
			a.Usage.CostUSD = nan
		}
		return a, nil
	}
	out := l.run(head+`method "fake" { uses = "fake" }`+"\n", RunOptions{})
	if out.Failed != 1 || out.Pending != 0 {
		t.Fatalf("%+v", out)
	}
	text := strings.Join(l.rows(), "\n")
	for _, want := range []string{"bad_answer", "the cost is not a number", "the ranked labels can't be stored"} {
		if !strings.Contains(text, want) {
			t.Errorf("no row says %q", want)
		}
	}
}

func TestOnlyRunsAndJudgesTheRunByItsOwnCells(t *testing.T) {
	l := newLab(t, 20)
	l.fake.say = func(context.Context, predictors.Setup, task.Task, []task.Task) (task.Answer, error) {
		return task.Answer{}, &predictors.Failure{Reason: "refused", ForGood: true}
	}
	only := func(method string) func(Cell) bool {
		names := []string{"majority", "knn", "bayes", "fake"}
		return func(c Cell) bool { return names[c.Method] == method }
	}
	if out := l.run(builtIn, RunOptions{Only: only("fake")}); out.Failed != 2 {
		t.Fatalf("%+v", out)
	}
	if out := l.run(builtIn, RunOptions{Only: only("knn")}); out.Failed != 0 || out.Pending != 0 || out.Interrupted || out.FirstError != "" {
		t.Errorf("the failures of cells that were left out count: %+v", out)
	}
	if out := l.run(builtIn, RunOptions{Only: only("fake")}); out.Failed != 2 {
		t.Errorf("failures of chosen cells that stay so must show: %+v", out)
	}
	for name, c := range l.cells() {
		if (c.State == results.CellPending) != (strings.Contains(name, "majority") || strings.Contains(name, "bayes")) {
			t.Errorf("%s is %s", name, c.State)
		}
	}
}

func TestASampleLeavesTheOtherTasksUnasked(t *testing.T) {
	l := newLab(t, 60)
	text := head + `method "fake" {
  uses = "fake"
  sample { episodes = 5 }
}
`
	g := l.prepare(text, 2)
	p, err := g.Plan(context.Background(), nil)
	must(t, err)
	l.run(text, RunOptions{})
	asked, unasked := map[string]bool{}, 0
	for _, r := range l.rows() {
		f := strings.Fields(r)
		if f[2] == results.TaskNotAsked {
			unasked++
			continue
		}
		asked[strings.Split(f[1], ":")[1]] = true
	}
	if len(asked) != 5 || unasked == 0 {
		t.Errorf("%d episodes asked, %d tasks not", len(asked), unasked)
	}
	if got := l.fake.asked(); got != p.Totals.Requests {
		t.Errorf("planned %d questions, asked %d", p.Totals.Requests, got)
	}
	if l.cells()["full_context/fake"].State != results.CellDone {
		t.Error("the cell is not done")
	}
}

func TestFreshAsksAgainAndDeletesNothing(t *testing.T) {
	l := newLab(t, 10)
	text := head + `method "fake" { uses = "fake" }` + "\n"
	l.run(text, RunOptions{})
	first := l.fake.asked()
	other := strings.Replace(text, `experiment "e"`, `experiment "other"`, 1)
	l.fake.reset()
	if l.run(other, RunOptions{}); l.fake.asked() != 0 {
		t.Error("another experiment in the store asked what is stored")
	}
	if l.run(text, RunOptions{Fresh: true}); l.fake.asked() != first {
		t.Errorf("--fresh asked %d of %d", l.fake.asked(), first)
	}
	l.fake.reset()
	l.run(text, RunOptions{})
	l.run(other, RunOptions{})
	if l.fake.asked() != 0 {
		t.Errorf("after --fresh of one experiment %d were asked again", l.fake.asked())
	}
	s := l.view()
	runs, err := s.Runs(context.Background())
	must(t, err)
	if len(runs) != 3 {
		t.Errorf("%d runs, want 3", len(runs))
	}
}

func TestAPredictionsFileIsReadByTaskAndItsContentCounts(t *testing.T) {
	l := newLab(t, 20)
	text := head + `method "file" {
  uses = "predictions"
  path = "p.jsonl"
}
`
	l.write("p.jsonl", "")
	g := l.prepare(text, 2)
	d := g.Data[0]
	asked, _ := d.asked(d.Fold(0), g.Exp.Evaluate)
	var lines []string
	for n, i := range asked {
		if n == 0 {
			continue // missing
		}
		for _, r := range g.Exp.Ratios {
			lines = append(lines, fmt.Sprintf(`{"task_id":%q,"method":"x","closed_intent":"Music","predicted_intent":"a"}`, task.ID("d", d.Episodes[i].ID, r)))
		}
	}
	l.write("p.jsonl", strings.Join(lines, "\n")+"\n")
	if out := l.run(text, RunOptions{}); out.Failed > 0 {
		t.Fatalf("%+v", out)
	}
	missing := 0
	for _, r := range l.rows() {
		if strings.Fields(r)[2] == results.TaskMissing {
			missing++
		}
	}
	if missing != len(g.Exp.Ratios) {
		t.Errorf("%d tasks are missing, want %d", missing, len(g.Exp.Ratios))
	}
	before := l.rows()
	l.write("p.jsonl", strings.ReplaceAll(strings.Join(lines, "\n"), "Music", "Travel")+"\n")
	l.run(text, RunOptions{})
	after := l.rows()
	if len(after) != len(before) || !strings.Contains(strings.Join(after, "\n"), `"Travel"`) || strings.Contains(strings.Join(after, "\n"), `"Music"`) {
		t.Error("another content of the file left the answers as they were")
	}
	l.write("p.jsonl", strings.Join(append(lines, `{"task_id":"d:nobody:r0.50","method":"x","closed_intent":"Music","predicted_intent":"a"}`), "\n"))
	out := l.run(text, RunOptions{})
	if out.Failed != 1 || !strings.Contains(out.FirstError, "nobody") {
		t.Errorf("an unknown task: %+v", out)
	}
	must(t, os.Remove(filepath.Join(l.dir, "p.jsonl")))
	if out := l.run(text, RunOptions{}); out.Failed != 1 || !strings.Contains(out.FirstError, "p.jsonl") {
		t.Errorf("no file: %+v", out)
	}
	l.write("p.jsonl", strings.Join(lines, "\n")+"\n")
	if out := l.run(text, RunOptions{}); out.Failed != 0 {
		t.Errorf("the file is back: %+v", out)
	}
}

func TestAStoreThatCannotBeWrittenStopsTheRun(t *testing.T) {
	l := newLab(t, 20)
	g := l.prepare(builtIn, 4)
	s, err := results.Open(context.Background(), g.Exp.Store)
	must(t, err)
	var n atomic.Int64
	say := l.fake.say
	l.fake.say = func(c context.Context, x predictors.Setup, y task.Task, earlier []task.Task) (task.Answer, error) {
		if n.Add(1) == 5 {
			s.Close()
		}
		return say(c, x, y, earlier)
	}
	done := make(chan error, 1)
	go func() { _, err := g.Run(context.Background(), s, RunOptions{}); done <- err }()
	select {
	case err := <-done:
		if err == nil {
			t.Error("the run says nothing of it")
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the run hangs")
	}
}
