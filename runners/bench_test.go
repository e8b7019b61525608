package runners

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"intentlab/results"
)

// The engine beside its limits (lessons.md 3b: 10,000 mock rows in 3 s and 100 MB, a fully cached
// re-run of 10,000 in 1 s; promptfoo there: 54 s and 1,124 MB):
//
//	go test -run '^$' -bench Engine -benchtime 3x ./runners
//
// One operation is a whole run of 10,000 prefix tasks: reading, hashing, fitting, predicting, judging
// with token F1 and storing.

// benchEpisodes is 1,112 episodes of 12 steps, of which 1,000 are asked about at ten ratios.
func benchEpisodes() string {
	var b strings.Builder
	for i := range 1112 {
		label := fmt.Sprintf("label-%d", i%8)
		var steps []map[string]any
		for k := range 12 {
			element := fmt.Sprintf("[button] %s %d of %d", label, k, i)
			steps = append(steps, map[string]any{"index": k, "kind": "action", "action": "click " + element, "op": "click", "element": element})
		}
		line, err := json.Marshal(map[string]any{"episode_id": fmt.Sprintf("e%04d", i), "open_intent": fmt.Sprintf("wants %s number %d", label, i%40),
			"closed_intent": label, "metadata": map[string]any{"platform": "web"}, "steps": steps})
		if err != nil {
			panic(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

const benchExperiment = `experiment "bench" {
  seeds = [1]
  store = "s.db"
}
dataset "d" {
  format = "episodes"
  path   = "data.jsonl"
  split {
    train = 0.1
    dev   = 0.1
    test  = 0.8
  }
}
ablation "full_context" {}
method "m" { uses = %q }
judge "f1" { uses = "lexical" }
`

func BenchmarkEngineTenThousandTasks(b *testing.B) {
	for _, kind := range []string{"majority", "tfidf_knn", "naive_bayes"} {
		b.Run(kind, func(b *testing.B) {
			l := newLab(b, 2)
			l.write("data.jsonl", benchEpisodes())
			peak := watchHeap(b)
			tasks := 0
			for b.Loop() {
				removeStore(b, l)
				tasks += runBench(b, l, kind)
			}
			b.ReportMetric(float64(tasks)/b.Elapsed().Seconds(), "tasks/s")
			b.ReportMetric(peak(), "peak-heap-MB")
		})
	}
}

func BenchmarkEngineNothingToDo(b *testing.B) {
	l := newLab(b, 2)
	l.write("data.jsonl", benchEpisodes())
	runBench(b, l, "majority")
	for b.Loop() {
		runBench(b, l, "majority")
	}
}

// runBench prepares and runs once and returns the number of tasks.
func runBench(b *testing.B, l *lab, kind string) int {
	g := l.prepare(fmt.Sprintf(benchExperiment, kind), 0)
	s, err := results.Open(context.Background(), g.Exp.Store)
	must(b, err)
	_, err = g.Run(context.Background(), s, RunOptions{})
	must(b, err)
	must(b, s.Close())
	tasks := 0
	for _, c := range g.Cells {
		tasks += c.Tasks
	}
	return tasks
}

func removeStore(b *testing.B, l *lab) {
	for _, name := range []string{"s.db", "s.db-wal", "s.db-shm"} {
		if err := os.Remove(filepath.Join(l.dir, name)); err != nil && !os.IsNotExist(err) {
			b.Fatal(err)
		}
	}
}

// watchHeap samples the heap until the returned function reports its peak in megabytes.
func watchHeap(b *testing.B) func() float64 {
	var peak uint64
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
			}
		}
	})
	return func() float64 {
		close(quit)
		done.Wait()
		return float64(peak) / 1e6
	}
}
