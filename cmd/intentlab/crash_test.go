package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// builtFolder holds the real program; TestMain removes it.
var builtFolder string

// builtOnce is the real program, built for all tests of this file that kill it.
var builtOnce = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "intentlab-built")
	if err != nil {
		return "", err
	}
	builtFolder = dir
	path := filepath.Join(dir, "intentlab")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building intentlab: %w: %s", err, out)
	}
	return path, nil
})

// program runs the real program in a folder of its own.
type program struct {
	t    *testing.T
	path string
	dir  string
	env  []string
}

func newProgram(t *testing.T, experiment string) program {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and kills the real program: takes a while")
	}
	path, err := builtOnce()
	if err != nil {
		t.Fatal(err)
	}
	sample, err := filepath.Abs("../../experiments/sample")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "exp.hcl"), []byte(experiment), 0o644); err != nil {
		t.Fatal(err)
	}
	return program{t: t, path: path, dir: dir, env: append(os.Environ(), "INTENTLAB_VAR_data="+sample)}
}

func (p program) command(args ...string) *exec.Cmd {
	c := exec.Command(p.path, args...)
	c.Dir, c.Env = p.dir, p.env
	return c
}

// output runs to the end and demands an exit status.
func (p program) output(status int, args ...string) (stdout, stderr string) {
	p.t.Helper()
	var out, log bytes.Buffer
	c := p.command(args...)
	c.Stdout, c.Stderr = &out, &log
	err := c.Run()
	if c.ProcessState == nil {
		p.t.Fatal(err)
	}
	if got := c.ProcessState.ExitCode(); got != status {
		p.t.Fatalf("intentlab %s: exit status %d, want %d\n%s", strings.Join(args, " "), got, status, log.String())
	}
	return out.String(), log.String()
}

// artefacts finishes the run of a store and returns everything that is made of it: the tables of
// run and report, and the three exports as one folder.
func (p program) artefacts(store string) (tables, folder string) {
	p.t.Helper()
	v := "store=" + store
	tables, _ = p.output(0, "run", "exp.hcl", "--var", v)
	again, _ := p.output(0, "report", store)
	if again != tables {
		p.t.Errorf("report differs from the tables of run:\n%s\n%s", tables, again)
	}
	folder = filepath.Join(p.dir, store+".exports")
	for _, format := range []string{"csv", "json", "markdown"} {
		p.output(0, "export", store, "--format", format, "-o", filepath.Join(folder, format))
	}
	_, log := p.output(0, "report", "exp.hcl", "--var", v, "--recount")
	if !strings.Contains(log, ": 0 differed") {
		p.t.Errorf("the stored per-ratio record is not what its rows give: %s", log)
	}
	return tables, folder
}

// sameArtefacts demands that an interrupted store gives the bytes of an uninterrupted one.
func (p program) sameArtefacts(interrupted string) {
	p.t.Helper()
	want, wantDir := p.artefacts("whole.db")
	got, gotDir := p.artefacts(interrupted)
	if got != want {
		p.t.Errorf("tables differ.\nuninterrupted:\n%s\ninterrupted:\n%s", want, got)
	}
	diff, err := treeDifference(wantDir, gotDir)
	if err != nil {
		p.t.Fatal(err)
	}
	if diff != "" {
		p.t.Errorf("exports differ: %s", diff)
	}
}

// killChain starts the run again and again and kills it at random moments, kills times in one chain.
// It reports false when a start ran to its end, which is a chain cut short.
func (p program) killChain(store string, kills int, longest time.Duration, random *rand.Rand) bool {
	p.t.Helper()
	for i := range kills {
		var log bytes.Buffer
		c := p.command("run", "exp.hcl", "--var", "store="+store, "--no-tables")
		c.Stderr = &log
		if err := c.Start(); err != nil {
			p.t.Fatal(err)
		}
		delay := time.Duration(random.Int64N(int64(longest)))
		timer := time.AfterFunc(delay, func() { _ = c.Process.Kill() }) // it may have ended
		err := c.Wait()
		timer.Stop()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Sys().(syscall.WaitStatus).Signaled() {
			continue
		}
		if err != nil {
			p.t.Fatalf("start %d after a kill: %v: %s", i+1, err, log.String())
		}
		return false
	}
	return true
}

// crash kills a chain of runs and compares. The kills come sooner where the machine is quick, so that
// every one of them hits a run that has something left to do.
func (p program) crash(kills int) {
	p.t.Helper()
	start := time.Now()
	p.output(0, "run", "exp.hcl", "--var", "store=whole.db", "--no-tables")
	longest := 3 * time.Since(start) / time.Duration(kills)
	for attempt := range 4 {
		store := fmt.Sprintf("killed%d.db", attempt)
		random := rand.New(rand.NewPCG(7, uint64(attempt)))
		if !p.killChain(store, kills, max(longest, 30*time.Millisecond), random) {
			longest /= 2
			continue
		}
		status, _ := p.output(0, "plan", "exp.hcl", "--var", "store="+store)
		p.t.Logf("after %d kills within %v each: %s", kills, longest, status[strings.LastIndex(status, "prefix tasks")-20:])
		p.sameArtefacts(store)
		return
	}
	p.t.Fatal("every chain of kills ran to its end: the experiment is too small for this machine")
}

const cutDownQuickstart = `
experiment "crash" {
  seeds = [1]
  store = var.store
}
variable "data" { default = "data" }
variable "store" { default = "whole.db" }
dataset "weblinx" {
  format = "weblinx"
  path   = "${var.data}/weblinx"
  limit  = 40
  split {
    folds = 3
  }
}
dataset "fingertip" {
  format = "fingertip"
  path   = "${var.data}/fingertip"
  limit  = 30
  judges = [judge.chrf]
}
dataset "mt_mind2web" {
  format = "mt_mind2web"
  path   = "${var.data}/mt_mind2web"
  limit  = 60
}
ablation "full_context" {}
ablation "no_utterance" {}
ablation "graph_text_hybrid" {}
method "majority" { uses = "majority" }
method "prior" { uses = "stratified_prior" }
method "knn" { uses = "tfidf_knn" }
method "wl" { uses = "wl_kernel" }
judge "semantic" { uses = "embedding" }
judge "chrf" {
  uses    = "lexical"
  measure = "chrf"
}
matrix {
  datasets  = "*"
  ablations = "*"
  methods   = "*"
  judges    = [judge.semantic]
  baseline  = { closed = method.majority, open = method.knn }
}
`

// SIGKILL at any moment, then the same command: tables and exports byte-identical to an uninterrupted
// run's (lessons.md 2.1, 2.8, 2.9, 2.19).
func TestTwentyKillsInOneChainChangeNoByte(t *testing.T) {
	newProgram(t, cutDownQuickstart).crash(20)
}

// commandExperiment runs one program of each protocol, the test binary among them.
func commandExperiment(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`
experiment "workers" {
  seeds  = [1]
  ratios = ["0.25", "0.5", "0.75", "1.0"]
  store  = var.store
}
variable "data" { default = "data" }
variable "store" { default = "whole.db" }
dataset "mind2web" {
  format = "mind2web"
  path   = "${var.data}/mind2web"
}
ablation "full_context" {}
ablation "graph_text_hybrid" {}
method "lines" {
  uses    = "command"
  command = [%[1]q]
  env     = { INTENTLAB_TEST_PREDICTOR = "steady" }
  pass_env = ["INTENTLAB_TEST_PAUSE"]
}
method "worker" {
  uses     = "command"
  protocol = "worker"
  command  = [%[1]q]
  env      = { INTENTLAB_TEST_PREDICTOR = "steady" }
  pass_env = ["INTENTLAB_TEST_PAUSE"]
  workers  = 2
}
method "knn" { uses = "tfidf_knn" }
`, self)
}

// lessons.md 2.6, 2.16, 2.40: the same with programs as methods, whose fit and answers are stored as they
// come and whose workers are started afresh and given the earlier prefixes again.
func TestKillsDuringProgramsOfBothProtocolsChangeNoByte(t *testing.T) {
	newProgram(t, commandExperiment(t)).crash(5)
}
