package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"intentlab/ablations/task"
)

func TestLinesProgramAnswersManyEpisodesAtOnce(t *testing.T) {
	log := &logBuffer{}
	s := open(t, fake(t, "echo", Lines, log))
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for _, r := range task.Grid() {
				tk := prefix("e"+strconv.Itoa(i), r)
				p, err := s.Ask(t.Context(), tk, false)
				if err != nil || p.TaskID != tk.ID || p.Answer.ClosedIntent != "x" || p.Answer.PredictedIntent != tk.ID+" seed 7 replay false" {
					t.Errorf("%s: %+v, %v", tk.ID, p, err)
				}
			}
		})
	}
	all.Wait()
	if err := s.Close(false); err != nil {
		t.Error(err)
	}
}

func TestLinesInputIsTheRecordWithGraphAndLabelsInline(t *testing.T) {
	s := open(t, fake(t, "line", Lines, &logBuffer{}))
	path := "visible_graphs/x.json"
	tk := prefix("e", 100)
	tk.VisibleGraphPath, tk.Graph = &path, &task.Graph{TaskID: tk.ID, Nodes: []task.Node{{ID: "episode", Type: "episode"}}}
	p, err := s.Ask(t.Context(), tk, true)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(p.Answer.PredictedIntent), &got); err != nil {
		t.Fatal(err)
	}
	if _, ok := got["visible_graph_path"]; ok {
		t.Error("the path of the graph was sent")
	}
	graph, _ := got["visible_graph"].(map[string]any)
	labels, _ := got["candidate_labels"].([]any)
	steps, stepsOK := got["observed_steps"].([]any)
	if graph["task_id"] != tk.ID || len(labels) != 2 || !stepsOK || len(steps) != 0 || got["replay"] != true || got["requested_prefix_ratio"] != 0.1 {
		t.Errorf("sent %s", p.Answer.PredictedIntent)
	}
}

func TestEnvironmentIsScrubbedAndFolderPrivateAndRemoved(t *testing.T) {
	t.Setenv("INTENTLAB_SECRET_STORE", "/somewhere/store.db")
	cfg := fake(t, "env", Lines, &logBuffer{})
	cfg.Program.Env = append(cfg.Program.Env, "EXTRA=1", "LANG=de_DE.UTF-8")
	s := open(t, cfg)
	p := ask(t, s, prefix("e", 100))
	dir, env := p.Answer.ClosedIntent, "\n"+p.Answer.PredictedIntent+"\n"
	for _, want := range []string{"HOME=" + dir, "TMPDIR=" + dir + "/.tmp", "LANG=de_DE.UTF-8", "LC_ALL=C.UTF-8", "PYTHONUNBUFFERED=1",
		"PYTHONIOENCODING=utf-8", "PYTHONUTF8=1", "EXTRA=1", "INTENTLAB_SEED=7"} {
		if !strings.Contains(env, "\n"+want+"\n") {
			t.Errorf("environment lacks %s: %s", want, env)
		}
	}
	if strings.Contains(env, "SECRET") || strings.Contains(env, "LANG=C.UTF-8") {
		t.Errorf("environment holds what it should not: %s", env)
	}
	if err := s.Close(false); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("private folder is still there: %v", err)
	}
}

func TestPrivateFolderGoesEvenWhenTheProgramLockedIt(t *testing.T) {
	s := open(t, fake(t, "litter", Lines, &logBuffer{}))
	dir := ask(t, s, prefix("e", 100)).Answer.PredictedIntent
	s.Close(false)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("private folder is still there: %v", err)
	}
}

func TestFaultsOfOneAnswerHaveAReasonAndQuoteTheProgram(t *testing.T) {
	for mode, want := range map[string]struct {
		reason        string
		forGood, cell bool
		words         []string
	}{
		"exit":       {"crashed", false, false, []string{"exit status 3", "no module named 'torch'"}},
		"crash":      {"crashed", false, false, []string{"exit status 1", "boom on d:e:r0.10"}},
		"slow":       {"timeout", false, false, []string{"did not answer d:e:r0.10 within 1s; a method must answer each prefix before it sees the next"}},
		"rubbish":    {"timeout", false, false, []string{`1 lines are no prediction records, the first is "<<<<d:e:r0.10"`}},
		"eof":        {"timeout", false, false, []string{"before it sees the next"}},
		"deaf":       {"timeout", false, false, nil},
		"long":       {"line_too_long", false, false, []string{"longer than 8 MiB"}},
		"flood_line": {"line_too_long", false, false, nil},
		"bad_type":   {"bad_answer", true, false, []string{"closed_intent must be a string", `["a"]`}},
		"unknown":    {"unknown_task", true, true, []string{"nobody:asked:r0.10", "closed_intent"}},
	} {
		t.Run(mode, func(t *testing.T) {
			cfg := fake(t, mode, Lines, &logBuffer{})
			if want.reason == "timeout" {
				cfg.Timeouts.Start, cfg.Timeouts.Answer = 900*time.Millisecond, 100*time.Millisecond
			}
			s := open(t, cfg)
			_, err := s.Ask(t.Context(), prefix("e", 100), false)
			wantFailure(t, err, want.reason, want.forGood, want.cell, want.words...)
			s.Close(true)
		})
	}
}

func TestContradictionQuotesBothLinesAndEndsTheCell(t *testing.T) {
	s := open(t, fake(t, "contradict", Lines, &logBuffer{}))
	ask(t, s, prefix("e", 100)) // the first answer came first
	<-s.Done()
	_, err := s.Ask(t.Context(), prefix("e", 200), false)
	wantFailure(t, err, "contradictory", true, true, "d:e:r0.10", `"closed_intent":"a"`, `"closed_intent":"b"`)
	wantFailure(t, s.Close(false), "contradictory", true, true)
}

func TestContradictionAtTheVeryEndIsReportedByClose(t *testing.T) {
	s := open(t, fake(t, "late_contradiction", Lines, &logBuffer{}))
	ask(t, s, prefix("e", 100))
	wantFailure(t, s.Close(false), "contradictory", true, true, "changed my mind")
}

func TestIdenticalDuplicatesAreCountedWhateverTheirSpelling(t *testing.T) {
	s := open(t, fake(t, "twice", Lines, &logBuffer{}))
	ask(t, s, prefix("e", 100))
	if err := s.Close(false); err != nil {
		t.Error(err)
	}
	if st := s.Stats(); st != (Stats{Duplicates: 1}) {
		t.Errorf("stats %+v", st)
	}
}

func TestNoiseIsCountedLoggedAndIgnored(t *testing.T) {
	log := &logBuffer{}
	s := open(t, fake(t, "noisy", Lines, log))
	ask(t, s, prefix("e", 100))
	s.Close(false)
	if st := s.Stats(); st != (Stats{Noise: 5}) {
		t.Errorf("stats %+v", st)
	}
	for _, w := range []string{"loading…", "[1, 2]", `{"no":"id"}`, `{"task_id": 7}`, "{broken", "5 noise lines"} {
		if !strings.Contains(log.String(), w) {
			t.Errorf("log lacks %q: %s", w, log)
		}
	}
}

func TestInvalidUTF8IsReplacedAndNoted(t *testing.T) {
	log := &logBuffer{}
	s := open(t, fake(t, "bad_utf8", Lines, log))
	if p := ask(t, s, prefix("e", 100)); p.Answer.PredictedIntent != "caf\uFFFD \uFFFD" {
		t.Errorf("got %q", p.Answer.PredictedIntent)
	}
	s.Close(false)
	if s.Stats().Replaced != 1 || !strings.Contains(log.String(), "invalid UTF-8") {
		t.Errorf("stats %+v, log %s", s.Stats(), log)
	}
}

func TestNonFiniteNumbersAreDroppedAndCounted(t *testing.T) {
	s := open(t, fake(t, "nan", Lines, &logBuffer{}))
	a := ask(t, s, prefix("e", 100)).Answer
	if a.ClosedIntent != "NaN" || a.ClosedConfidence != nil || len(a.ClosedTopK) != 1 || s.Stats().Dropped != 2 {
		t.Errorf("answer %+v, stats %+v", a, s.Stats())
	}
}

func TestReportedErrorIsKept(t *testing.T) {
	s := open(t, fake(t, "error", Lines, &logBuffer{}))
	if a := ask(t, s, prefix("e", 100)).Answer; a.Error != "out of memory" {
		t.Errorf("answer %+v", a)
	}
}

func TestFloodIsReadInBoundedMemory(t *testing.T) {
	log := &logBuffer{}
	s := open(t, fake(t, "flood", Lines, log))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	ask(t, s, prefix("e", 100)) // after 100 MB on each of stdout and stderr
	s.Close(false)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if st := s.Stats(); st.Noise != 1_000_000 {
		t.Errorf("noise lines %d, want 1,000,000", st.Noise)
	}
	if n := len(log.String()); n > 400<<10 {
		t.Errorf("log holds %d bytes", n)
	}
	if grown := int64(after.Sys) - int64(before.Sys); grown > 64<<20 {
		t.Errorf("memory taken from the system grew by %d MiB", grown>>20)
	}
	if text := s.child.Stderr().String(); !strings.HasSuffix(text, "THE END\n") || !strings.Contains(text, "bytes left out") || len(text) > 140<<10 {
		t.Errorf("stderr kept: %d bytes, ends with %q", len(text), text[len(text)-20:])
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil && !zombie(pid) }

// zombie tells a process that only waits to be reaped by init.
func zombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(b), ") Z ")
}

func wantGone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); alive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d is still alive", pid)
		}
	}
}

func TestGrandchildIsGoneAfterCloseAndAfterExit(t *testing.T) {
	for _, mode := range []string{"fork", "fork_and_exit", "escape"} {
		t.Run(mode, func(t *testing.T) {
			if mode == "escape" && runtime.GOOS != "linux" {
				t.Skip("a process that left its group is found on Linux only")
			}
			cfg := fake(t, mode, Lines, &logBuffer{})
			cfg.Timeouts.Finish = 200 * time.Millisecond
			s := open(t, cfg)
			pid, err := strconv.Atoi(ask(t, s, prefix("e", 100)).Answer.PredictedIntent)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			s.Close(false)
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("closing took %v", d)
			}
			wantGone(t, pid)
		})
	}
}

func TestKilledHostTakesItsChildrenAlong(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the parent-death signal is Linux only")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host := exec.Command(self)
	host.Env = append(os.Environ(), "FAKE_HOST=1", "TMPDIR="+t.TempDir())
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || !alive(pid) {
		t.Fatalf("child %q, %v", line, err)
	}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := host.Wait(); err == nil {
		t.Error("the host ended by itself")
	}
	wantGone(t, pid)
}

func TestProgramThatIgnoresSIGTERMIsKilledAfterTheGrace(t *testing.T) {
	s := open(t, fake(t, "deaf", Lines, &logBuffer{}))
	pid := s.child.cmd.Process.Pid
	time.Sleep(300 * time.Millisecond) // let it set up its deafness
	start := time.Now()
	s.Close(true)
	if d := time.Since(start); d < 150*time.Millisecond || d > 10*time.Second {
		t.Errorf("closing took %v with a grace of 200ms", d)
	}
	wantGone(t, pid)
}

func TestContextEndsTheChild(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := fake(t, "sleep", Lines, &logBuffer{}).Program
	p.Line = func([]byte, bool) error { return nil }
	c, err := Start(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case <-c.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the child outlived its context")
	}
	if !errors.Is(c.Cause(), context.Canceled) || c.Exit() == nil {
		t.Errorf("cause %v, exit %v", c.Cause(), c.Exit())
	}
}

func TestProgramThatClosesItsInputFailsTheNextTask(t *testing.T) {
	s := open(t, fake(t, "shut", Lines, &logBuffer{}))
	ask(t, s, prefix("e", 100))
	var err error
	for i := 0; err == nil && i < 5; i++ { // the first write may still fit into the pipe
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err = s.Ask(ctx, prefix("e", task.Ratio(200+i)), false)
		cancel()
	}
	wantFailure(t, err, "crashed", false, false, "closed its stdin")
}

func TestAnswerJustBeforeTheEndCounts(t *testing.T) {
	for range 20 {
		s := open(t, fake(t, "answer_and_crash", Lines, &logBuffer{}))
		ask(t, s, prefix("e", 100))
		s.Close(false)
	}
}

func TestStateAfterCleanEndIsLoggedOnly(t *testing.T) {
	log := &logBuffer{}
	s := open(t, fake(t, "bad_end", Lines, log))
	ask(t, s, prefix("e", 100))
	if err := s.Close(false); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "exit status 7") {
		t.Errorf("log: %s", log)
	}
}

func TestCancelledAskReturnsTheContextError(t *testing.T) {
	s := open(t, fake(t, "slow", Lines, &logBuffer{}))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Ask(ctx, prefix("e", 100), false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if _, err := Open(cancelled(t), fake(t, "echo", Lines, &logBuffer{})); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestProgramThatDoesNotStartEndsTheCell(t *testing.T) {
	cfg := fake(t, "echo", Lines, &logBuffer{})
	for _, name := range []string{"no-such-program-here", "/no/such/program", t.TempDir() + "/"} {
		cfg.Program.Args = []string{name}
		_, err := Open(t.Context(), cfg)
		wantFailure(t, err, "start_failed", false, true, name)
	}
}

func TestWorkerStartFaults(t *testing.T) {
	for mode, want := range map[string]struct {
		forGood bool
		words   []string
	}{
		"worker_dies":      {false, []string{"exit status 2", "no licence for model"}},
		"exit":             {false, []string{"exit status 3", "torch"}},
		"worker_silent":    {false, []string{"longer than 1s before it said it was ready"}},
		"worker_bad_ready": {true, []string{"concurrency as a whole number"}},
	} {
		t.Run(mode, func(t *testing.T) {
			cfg := fake(t, mode, Worker, &logBuffer{})
			if mode == "worker_silent" {
				cfg.Timeouts.Start = time.Second
			}
			_, err := Open(t.Context(), cfg)
			wantFailure(t, err, "start_failed", want.forGood, true, want.words...)
		})
	}
}

func TestWorkerFitsAndAnswers(t *testing.T) {
	log := &logBuffer{}
	s := open(t, fake(t, "worker_fit", Worker, log))
	if r := s.Ready(); r != (Ready{Name: "fake", Version: "1.2", Fit: true, Concurrency: 2}) {
		t.Errorf("ready %+v", r)
	}
	dir := t.TempDir()
	examples := func(n int, closed string) task.Examples {
		return func(context.Context) iter.Seq2[task.Example, error] {
			return func(yield func(task.Example, error) bool) {
				for i := range n {
					if !yield(task.Example{Task: prefix("t"+strconv.Itoa(i), 100), ClosedIntent: closed, Weight: 1}, nil) {
						return
					}
				}
			}
		}
	}
	if err := s.Fit(t.Context(), examples(3, "a"), examples(1, "b"), dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Load(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	p := ask(t, s, prefix("e", 100))
	if want := "loaded train:a,train:a,train:a,dev:b; answer 1; replay false"; p.Answer.PredictedIntent != want {
		t.Errorf("got %q, want %q", p.Answer.PredictedIntent, want)
	}
	if err := s.Close(false); err != nil || !strings.Contains(log.String(), "bye heard") {
		t.Errorf("%v, log: %s", err, log)
	}
}

func TestExamplesThatFailStopTheFit(t *testing.T) {
	s := open(t, fake(t, "worker_fit", Worker, &logBuffer{}))
	broken := errors.New("train.jsonl, line 3: broken")
	train := func(context.Context) iter.Seq2[task.Example, error] {
		return func(yield func(task.Example, error) bool) { yield(task.Example{}, broken) }
	}
	if err := s.Fit(t.Context(), train, nil, t.TempDir()); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
