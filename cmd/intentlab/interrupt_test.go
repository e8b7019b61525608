package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// lessons.md 2.10, 2.84: one Ctrl-C finishes what is in flight and stores it, marks nothing as failed and
// says how to go on; the resumed run can't be told from an uninterrupted one.
func TestOneInterruptDrains(t *testing.T) {
	p := newProgram(t, commandExperiment(t))
	log := p.interrupted("drained.db", 1)
	for _, want := range []string{"finishing what is in flight; interrupt again to stop now", "interrupted with", "intentlab run exp.hcl --var store=drained.db` goes on from here"} {
		if !strings.Contains(log, want) {
			t.Errorf("stderr lacks %q:\n%s", want, log)
		}
	}
	p.unfailed("drained.db")
	rest := regexp.MustCompile(`interrupted with (\d+) tasks to do`).FindStringSubmatch(log)
	_, log = p.output(0, "run", "exp.hcl", "--var", "store=drained.db", "--no-tables")
	if want := fmt.Sprintf("%[1]s of %[1]s tasks, ", rest[1]); !strings.Contains(log, want) {
		t.Errorf("the resumed run doesn't say %q:\n%s", want, log)
	}
	p.sameArtefacts("drained.db")
}

// The second Ctrl-C stops at once; what was in flight is to do again, not failed.
func TestTwoInterruptsStopNow(t *testing.T) {
	p := newProgram(t, commandExperiment(t))
	log := p.interrupted("stopped.db", 2)
	if !strings.Contains(log, "goes on from here") {
		t.Errorf("stderr lacks the next command:\n%s", log)
	}
	p.unfailed("stopped.db")
	p.sameArtefacts("stopped.db")
}

// interrupted starts a run, interrupts it in the middle and returns its stderr. In the meantime status
// and report read the running store, and a second run is told that it is in use (lessons.md 2.12, 2.46).
func (p program) interrupted(store string, times int) string {
	p.t.Helper()
	var log bytes.Buffer
	c := p.command("run", "exp.hcl", "--var", "store="+store, "-j", "1")
	c.Env = append(c.Env, "INTENTLAB_TEST_PAUSE=1")
	c.Stderr = &log
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill() }() // it has ended where the test passed
	p.waitForAnswers(store)
	if status, _ := p.output(0, "status", store); !strings.Contains(status, ": running") {
		p.t.Errorf("status of a running store: %s", status)
	}
	if tables, _ := p.output(0, "report", store); !strings.Contains(tables, "pending") {
		p.t.Errorf("report of a running store has no pending cell:\n%s", tables)
	}
	_, busy := p.output(1, "run", "exp.hcl", "--var", "store="+store)
	if !strings.Contains(busy, "is in use by process") || strings.Count(strings.TrimSpace(busy), "\n") > 0 {
		p.t.Errorf("a second run says: %s", busy)
	}
	for i := range times {
		if i > 0 {
			time.Sleep(20 * time.Millisecond)
		}
		if err := c.Process.Signal(os.Interrupt); err != nil {
			p.t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	ctx, cancel := context.WithTimeout(p.t.Context(), 30*time.Second)
	defer cancel()
	select {
	case <-ended:
	case <-ctx.Done():
		p.t.Fatalf("the interrupted run doesn't end")
	}
	if got := c.ProcessState.ExitCode(); got != exitInterrupted {
		p.t.Fatalf("exit status %d, want %d: %s", got, exitInterrupted, log.String())
	}
	return log.String()
}

// waitForAnswers waits until the store holds some answers of a run at work.
func (p program) waitForAnswers(store string) {
	p.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		out, err := p.command("status", store, "--json").Output()
		if err == nil && strings.Contains(string(out), `"answered"`) {
			return
		}
	}
	p.t.Fatal("no answer was stored within 30 s")
}

// unfailed demands that an interrupted store holds pending tasks and no failed one.
func (p program) unfailed(store string) {
	p.t.Helper()
	status, _ := p.output(0, "status", store)
	for _, bad := range []string{"method_error", "failed:", ", 0 pending"} {
		if strings.Contains(status, bad) {
			p.t.Errorf("status after the interrupt has %q:\n%s", bad, status)
		}
	}
	if !strings.Contains(status, ", 0 failed") || !strings.Contains(status, ": interrupted") {
		p.t.Errorf("status after the interrupt:\n%s", status)
	}
}
