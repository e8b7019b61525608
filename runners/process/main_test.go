package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"intentlab/ablations/task"
	"intentlab/runners/process/fakepredictor"
)

func TestMain(m *testing.M) {
	if os.Getenv("FAKE_HOST") != "" {
		os.Exit(host())
	}
	fakepredictor.Main()
	goleak.VerifyTestMain(m)
}

// host is a whole program that starts a child which ignores its input, prints the child's pid and
// waits to be killed without a chance to clean up.
func host() int {
	self, err := os.Executable()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	c, err := Start(context.Background(), Program{Args: []string{self}, Env: []string{"FAKE_MODE=deaf"},
		Line: func([]byte, bool) error { return nil }})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(c.cmd.Process.Pid)
	<-c.Done()
	return 2
}

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func fake(t *testing.T, mode string, protocol Protocol, log *logBuffer) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Program:  Program{Args: []string{self}, Env: []string{"FAKE_MODE=" + mode}, Log: NewLog(log), Grace: 200 * time.Millisecond},
		Protocol: protocol, Seed: 7, Ablation: "full_context", Concurrency: 4,
		Labels:   task.LabelSpace{Name: "space", Labels: []string{"x", "y"}},
		Timeouts: Timeouts{Start: 20 * time.Second, Fit: 20 * time.Second, Answer: 20 * time.Second, Finish: 10 * time.Second},
	}
}

func open(t *testing.T, cfg Config) *Session {
	t.Helper()
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(true) })
	return s
}

func prefix(episode string, r task.Ratio) task.Task {
	return task.Task{ID: task.ID("d", episode, r), Dataset: "d", EpisodeID: episode, RequestedRatio: r, PrefixStepCount: 1}
}

func ask(t *testing.T, s *Session, id task.Task) Prediction {
	t.Helper()
	p, err := s.Ask(t.Context(), id, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wantFailure asserts the reason, the two flags and words of the detail.
func wantFailure(t *testing.T, err error, reason string, forGood, cell bool, words ...string) {
	t.Helper()
	var f *Failure
	if !errors.As(err, &f) {
		t.Fatalf("error is %v, want a failure of reason %s", err, reason)
	}
	if f.Reason != reason || f.ForGood != forGood || f.Cell != cell {
		t.Errorf("got reason %s, for good %v, cell %v; want %s, %v, %v (%s)", f.Reason, f.ForGood, f.Cell, reason, forGood, cell, f.Detail)
	}
	for _, w := range words {
		if !strings.Contains(f.Detail, w) {
			t.Errorf("detail %q lacks %q", f.Detail, w)
		}
	}
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
