package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// batchExperiment runs a program of the kind files that notes each of its runs.
const batchExperiment = `
experiment "batch" {
  seeds = [1]
  store = var.store
}
variable "data" { default = "data" }
variable "store" { default = "whole.db" }
dataset "mind2web" {
  format = "mind2web"
  path   = "${var.data}/mind2web"
}
ablation "full_context" {}
method "batch" {
  uses     = "files"
  command  = ["sh", "batch.sh"]
  pass_env = ["RUNS"]
}
matrix {
  datasets  = "*"
  ablations = "*"
  methods   = "*"
}
`

const batchProgram = `echo run >> "$RUNS"
sed -n 's/.*"task_id":"\([^"]*\)".*"candidate_labels":\["\([^"]*\)".*/{"task_id":"\1","closed_intent":"\2","predicted_intent":"book a trip"}/p' "$INTENTLAB_INPUTS" > "$INTENTLAB_PREDICTIONS.part"
mv "$INTENTLAB_PREDICTIONS.part" "$INTENTLAB_PREDICTIONS"
`

// SIGKILL after the program has finished and before its answers are stored: the next start adopts what
// it wrote and does not run it again (lessons.md 16).
func TestKilledBeforeItsAnswersAreStoredAProgramIsNotRunAgain(t *testing.T) {
	p := newProgram(t, batchExperiment)
	runs := filepath.Join(p.dir, "runs")
	p.env = append(p.env, "RUNS="+runs)
	if err := os.WriteFile(filepath.Join(p.dir, "batch.sh"), []byte(batchProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	count := func() int {
		b, err := os.ReadFile(runs)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(b), "run\n")
	}
	for attempt := range 10 {
		store := fmt.Sprintf("killed%d.db", attempt)
		if err := os.WriteFile(runs, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		c := p.command("run", "exp.hcl", "--var", "store="+store, "--no-tables")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		kept := filepath.Join(p.dir, store+".files", "*.jsonl")
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		var err error
		running := true
		for running {
			if found, globErr := filepath.Glob(kept); globErr != nil {
				t.Fatal(globErr)
			} else if len(found) == 1 {
				_ = c.Process.Kill() // it may have ended
				err, running = <-ended, false
				continue
			}
			select {
			case err = <-ended:
				running = false
			case <-time.After(100 * time.Microsecond):
			}
		}
		left, globErr := filepath.Glob(kept)
		if globErr != nil {
			t.Fatal(globErr)
		}
		if err == nil || len(left) != 1 {
			continue // it was too quick
		}
		if n := count(); n != 1 {
			t.Fatalf("%d runs before the kill", n)
		}
		_, log := p.output(0, "run", "exp.hcl", "--var", "store="+store, "--no-tables")
		if n := count(); n != 1 {
			t.Errorf("the program ran %d times: %s", n, log)
		}
		if _, err := os.Stat(filepath.Join(p.dir, store+".files")); !os.IsNotExist(err) {
			t.Errorf("the finished files are still there: %v", err)
		}
		t.Logf("killed in time at attempt %d", attempt+1)
		// Nothing is adopted into a fresh generation, nor once it is stored.
		p.output(0, "run", "exp.hcl", "--var", "store="+store, "--no-tables", "--fresh")
		if n := count(); n != 2 {
			t.Errorf("with --fresh the program ran %d times in all, want 2", n)
		}
		return
	}
	t.Fatal("every run was over before it could be killed")
}
