package predictors

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"intentlab/ablations/task"
	"intentlab/runners/process/fakepredictor"
)

func TestMain(m *testing.M) {
	fakepredictor.Main()
	goleak.VerifyTestMain(m)
}

// commandLog may be read while it is written.
type commandLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *commandLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *commandLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// fakeCommand builds the predictor around the misbehaving program.
func fakeCommand(t *testing.T, mode, protocol string, change func(*CommandOptions)) (*Command, *commandLog) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := newCommandOptions().(*CommandOptions)
	o.Protocol, o.Command = protocol, []string{self}
	o.Env = map[string]string{"FAKE_MODE": mode}
	o.Timeouts = &CommandTimeouts{Start: "20s", Answer: "20s", Finish: "5s"}
	if change != nil {
		change(o)
	}
	log := &commandLog{}
	p, err := newCommand(Setup{Options: o, Seed: 7, Dataset: "d", Dir: t.TempDir(), Log: log,
		Env: CommandEnv(o.Launch(), os.LookupEnv), Labels: task.LabelSpace{Name: "s", Labels: []string{"x"}}})
	if err != nil {
		t.Fatal(err)
	}
	return p.(*Command), log
}

func commandTask(episode string, r task.Ratio) task.Task {
	return task.Task{ID: task.ID("d", episode, r), Dataset: "d", EpisodeID: episode, RequestedRatio: r, PrefixStepCount: 1}
}

func prefixes(episode string, n int) []task.Task {
	var ts []task.Task
	for _, r := range task.Grid()[:n] {
		ts = append(ts, commandTask(episode, r))
	}
	return ts
}

func wantFailure(t *testing.T, err error, want Failure, words ...string) {
	t.Helper()
	var f *Failure
	if !errors.As(err, &f) {
		t.Fatalf("error is %v, want a failure of reason %s", err, want.Reason)
	}
	got := *f
	got.Detail = ""
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s\n%s", d, f.Detail)
	}
	for _, w := range words {
		if !strings.Contains(f.Detail, w) {
			t.Errorf("detail %q lacks %q", f.Detail, w)
		}
	}
}

func TestCommandAnswersEpisodesInParallelAndStaysWithAWorker(t *testing.T) {
	c, log := fakeCommand(t, "worker_fit", "worker", func(o *CommandOptions) { o.Workers = 3 })
	var all sync.WaitGroup
	var mu sync.Mutex
	pids := map[string]bool{}
	for i := range 9 {
		all.Go(func() {
			ts, pid := prefixes("e"+strconv.Itoa(i), 5), ""
			for j, tk := range ts {
				a, err := c.Predict(t.Context(), tk, ts[:j])
				if err != nil {
					t.Error(err)
					return
				}
				if pid != "" && a.ClosedIntent != pid {
					t.Errorf("episode %d moved from process %s to %s", i, pid, a.ClosedIntent)
				}
				if strings.Contains(a.PredictedIntent, "replay true") {
					t.Errorf("a replay's answer was kept: %q", a.PredictedIntent)
				}
				pid = a.ClosedIntent
			}
			mu.Lock()
			pids[pid] = true
			mu.Unlock()
		})
	}
	all.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if len(pids) != 3 {
		t.Errorf("%d processes answered, want 3", len(pids))
	}
	if n := strings.Count(log.String(), `worker "fake", version "1.2", is ready for 2 tasks at once`); n != 3 {
		t.Errorf("log tells of %d workers: %s", n, log)
	}
}

func TestCommandStartsAgainAfterACrashAndReplaysEarlierPrefixes(t *testing.T) {
	c, _ := fakeCommand(t, "worker_crash_third", "worker", nil)
	defer c.Close()
	ts := prefixes("e", 4)
	var got []string
	for i := range 3 {
		a, err := c.Predict(t.Context(), ts[i], ts[:i])
		if i == 2 {
			wantFailure(t, err, Failure{Reason: "crashed"}, "d:e:r0.30", "exit status 1")
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, a.PredictedIntent)
	}
	if d := cmp.Diff([]string{"; answer 1; replay false", "; answer 2; replay false"}, got); d != "" {
		t.Error(d)
	}
	// The new process gets r0.10 again, then the new task; another episode is not replayed.
	a, err := c.Predict(t.Context(), ts[1], ts[:1])
	if err != nil || a.PredictedIntent != "; answer 2; replay false" {
		t.Errorf("%q, %v", a.PredictedIntent, err)
	}
}

func TestCommandDoesNotReplayThePrefixThatKilledIt(t *testing.T) {
	c, _ := fakeCommand(t, "crash_second", "lines", nil)
	defer c.Close()
	ts := prefixes("e", 3)
	if _, err := c.Predict(t.Context(), ts[0], nil); err != nil {
		t.Fatal(err)
	}
	_, err := c.Predict(t.Context(), ts[1], ts[:1])
	wantFailure(t, err, Failure{Reason: "crashed"}, "d:e:r0.20")
	// The replay of r0.10 is the new process's first task, r0.30 its second, of which it dies in turn:
	// had r0.20 been replayed, that would be named.
	_, err = c.Predict(t.Context(), ts[2], ts[:2])
	wantFailure(t, err, Failure{Reason: "crashed"}, "d:e:r0.30")
}

func TestCommandReplaysWhatAnotherRunAnswered(t *testing.T) {
	c, _ := fakeCommand(t, "crash_second", "lines", func(o *CommandOptions) { o.Restarts = 0 })
	defer c.Close()
	ts := prefixes("e", 2)
	// The program's second task is the real one, after the replay, and it dies of it.
	_, err := c.Predict(t.Context(), ts[1], ts[:1])
	wantFailure(t, err, Failure{Reason: "crashed"}, "boom on d:e:r0.20", "before it answered d:e:r0.20")
	_, err = c.Predict(t.Context(), commandTask("f", 100), nil)
	wantFailure(t, err, Failure{Reason: "crashed", Cell: true}, "before it was asked; its stderr: Traceback: boom on")
}

func TestCommandRestartsAreLimitedPerCell(t *testing.T) {
	c, log := fakeCommand(t, "crash", "lines", func(o *CommandOptions) { o.Restarts = 2 })
	defer c.Close()
	var cell int
	for i := range 5 {
		_, err := c.Predict(t.Context(), commandTask("e"+strconv.Itoa(i), 100), nil)
		var f *Failure
		if !errors.As(err, &f) || f.Reason != "crashed" || f.ForGood {
			t.Fatalf("task %d: %v", i, err)
		}
		if f.Cell != (i >= 3) {
			t.Errorf("task %d: cell %v", i, f.Cell)
		}
		if f.Cell {
			cell++
		}
	}
	if n := strings.Count(log.String(), "Traceback: boom on d:e"); n < 3 || cell != 2 {
		t.Errorf("%d tracebacks in the log, %d cell failures: %s", n, cell, log)
	}
}

func TestCommandFaultsThatEndTheCell(t *testing.T) {
	for _, c := range []struct {
		mode, protocol string
		want           Failure
		words          []string
	}{
		{"unknown", "lines", Failure{Reason: "unknown_task", ForGood: true, Cell: true}, []string{"nobody:asked"}},
		{"worker_dies", "worker", Failure{Reason: "start_failed", Cell: true}, []string{"no licence"}},
		{"exit", "worker", Failure{Reason: "start_failed", Cell: true}, []string{"torch"}},
	} {
		t.Run(c.mode, func(t *testing.T) {
			p, _ := fakeCommand(t, c.mode, c.protocol, nil)
			for range 2 { // and stays ended
				_, err := p.Predict(t.Context(), commandTask("e", 100), nil)
				wantFailure(t, err, c.want, c.words...)
			}
			if err := p.Close(); err != nil {
				t.Errorf("closing repeats what was told: %v", err)
			}
		})
	}
}

func TestCommandContradictionIsToldOnceAtTheLatestByClose(t *testing.T) {
	c, _ := fakeCommand(t, "late_contradiction", "lines", nil)
	if _, err := c.Predict(t.Context(), commandTask("e", 100), nil); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, c.Close(), Failure{Reason: "contradictory", ForGood: true, Cell: true}, "changed my mind")
}

func TestCommandThatWaitsForTheNextPrefixTimesOut(t *testing.T) {
	c, _ := fakeCommand(t, "pairs", "lines", func(o *CommandOptions) {
		o.Timeouts = &CommandTimeouts{Start: "300ms", Answer: "200ms"}
	})
	defer c.Close()
	_, err := c.Predict(t.Context(), commandTask("e", 100), nil)
	wantFailure(t, err, Failure{Reason: "timeout"}, "did not answer d:e:r0.10 within 500ms; a method must answer each prefix before it sees the next")
}

func TestCommandThatDoesNotStartSaysWhichProgram(t *testing.T) {
	c, _ := fakeCommand(t, "echo", "lines", func(o *CommandOptions) { o.Command = []string{"./missing.py"} })
	defer c.Close()
	_, err := c.Predict(t.Context(), commandTask("e", 100), nil)
	wantFailure(t, err, Failure{Reason: "start_failed", Cell: true}, "missing.py", "no such file")
}

func TestCommandCancelledIsClosedAtOnce(t *testing.T) {
	c, _ := fakeCommand(t, "slow", "lines", func(o *CommandOptions) { o.Timeouts.Finish = "1m" })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.Predict(ctx, commandTask("e", 100), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	start := time.Now()
	if err := c.Close(); err != nil || time.Since(start) > 20*time.Second {
		t.Errorf("closing: %v after %v", err, time.Since(start))
	}
}

func TestCommandAfterCloseAnswersNothing(t *testing.T) {
	c, _ := fakeCommand(t, "echo", "lines", nil)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := c.Predict(t.Context(), commandTask("e", 100), nil)
	wantFailure(t, err, Failure{Reason: "stopped", Cell: true})
}

func commandExamples(closed ...string) task.Examples {
	return func(context.Context) iter.Seq2[task.Example, error] {
		return func(yield func(task.Example, error) bool) {
			for i, c := range closed {
				if !yield(task.Example{Task: commandTask("t"+strconv.Itoa(i), 100), ClosedIntent: c, Weight: 1}, nil) {
					return
				}
			}
		}
	}
}

func TestCommandFitIsSavedAndEveryWorkerLoadsIt(t *testing.T) {
	var saved [2]bytes.Buffer
	const want = "loaded train:a,train:b,dev:c; answer 1; replay false"
	for i := range saved {
		c, _ := fakeCommand(t, "worker_fit", "worker", nil)
		if fits, err := c.Fits(t.Context()); err != nil || !fits {
			t.Fatal(fits, err)
		}
		if err := c.Fit(t.Context(), commandExamples("a", "b"), commandExamples("c")); err != nil {
			t.Fatal(err)
		}
		if err := c.Save(&saved[i]); err != nil {
			t.Fatal(err)
		}
		if a, err := c.Predict(t.Context(), commandTask("e", 100), nil); err != nil || a.PredictedIntent != want {
			t.Errorf("%q, %v", a.PredictedIntent, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(c.artifact); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the artefact folder is left behind: %v", err)
		}
	}
	if !bytes.Equal(saved[0].Bytes(), saved[1].Bytes()) {
		t.Error("equal fits were saved as different bytes")
	}
	c, _ := fakeCommand(t, "worker_fit", "worker", func(o *CommandOptions) { o.Workers = 2 })
	defer c.Close()
	if _, err := c.Fits(t.Context()); err != nil { // one worker runs already when the artefact comes
		t.Fatal(err)
	}
	if err := c.Load(bytes.NewReader(saved[0].Bytes())); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := c.Save(&again); err != nil || !bytes.Equal(again.Bytes(), saved[0].Bytes()) {
		t.Errorf("what was loaded is saved as other bytes (%v)", err)
	}
	for _, w := range c.pool.workers {
		s, err := c.pool.session(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := s.Ask(t.Context(), commandTask("e", 100), false); err != nil || p.Answer.PredictedIntent != want {
			t.Errorf("%q, %v", p.Answer.PredictedIntent, err)
		}
	}
}

func TestCommandFitFaultsEndTheCell(t *testing.T) {
	for mode, want := range map[string]Failure{
		"worker_fit_crash":      {Reason: "crashed", Cell: true},
		"worker_leaves_nothing": {Reason: "no_artifact", ForGood: true, Cell: true},
	} {
		c, _ := fakeCommand(t, mode, "worker", nil)
		wantFailure(t, c.Fit(t.Context(), commandExamples("a", "b"), task.NoExamples), want)
		_, err := c.Predict(t.Context(), commandTask("e", 100), nil)
		wantFailure(t, err, want)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCommandFitsOnlyWhereTheWorkerSaysSo(t *testing.T) {
	for _, c := range []struct {
		mode, protocol string
		want           bool
	}{{"echo", "lines", false}, {"worker_plain", "worker", false}, {"worker_fit", "worker", true}} {
		p, _ := fakeCommand(t, c.mode, c.protocol, nil)
		if got, err := p.Fits(t.Context()); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.mode, got, err)
		}
		if want := map[string]int{"lines": 4, "worker": 2}[c.protocol]; p.InFlight() != want {
			t.Errorf("%s: %d in flight, want %d", c.mode, p.InFlight(), want)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestArtefactArchiveStaysInsideItsFolder(t *testing.T) {
	dir := t.TempDir()
	link := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(link, "x")); err != nil {
		t.Fatal(err)
	}
	if err := packFolder(&bytes.Buffer{}, link); err == nil || !strings.Contains(err.Error(), "neither a file nor a folder") {
		t.Errorf("a link was packed: %v", err)
	}
	if err := unpackFolder(bytes.NewReader(tarOf(t, "../escape", "x")), dir); err == nil {
		t.Error("an entry outside of the folder was unpacked")
	}
	if _, err := os.Stat(filepath.Join(dir, "..", "escape")); err == nil {
		t.Error("a file was written outside of the folder")
	}
}
