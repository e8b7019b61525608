package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestScale takes the program through generate, plan and run over many episodes and prints what each
// takes. It runs where INTENTLAB_SCALE says how many episodes; 33,000 is the size in docs/performance.md.
func TestScale(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("INTENTLAB_SCALE"))
	if err != nil {
		t.Skip("a measurement of minutes; set INTENTLAB_SCALE to a number of episodes, such as 33000")
	}
	p := newProgram(t, scaleExperiment)
	if n <= 0 {
		t.Fatalf("INTENTLAB_SCALE: %d episodes", n)
	}
	// generate writes all files once for each fold; parts give the same records once.
	parts := strings.NewReplacer("folds = 5", "train = 0.6\n dev = 0.2\n test = 0.2", "  ablations = [ablation.full_context]\n", "").Replace(scaleExperiment)
	if err := os.WriteFile(filepath.Join(p.dir, "parts.hcl"), []byte(parts), 0o644); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "INTENTLAB_CACHE="+filepath.Join(p.dir, "cache"))
	writeScaleEpisodes(t, filepath.Join(p.dir, "episodes.jsonl"), n)
	for _, c := range []struct {
		name    string
		args    []string
		written string
	}{
		{"generate, 5 ablations", []string{"generate", "--graphs", "jsonl", "--out", "files", "parts.hcl"}, "files"},
		{"plan", []string{"plan", "exp.hcl"}, ""},
		{"plan again, from the index", []string{"plan", "exp.hcl"}, ""},
		{"run of majority", []string{"run", "--no-tables", "exp.hcl"}, "output"},
		{"the same with nothing to do", []string{"run", "--no-tables", "exp.hcl"}, ""},
	} {
		start := time.Now()
		cmd := p.command(c.args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, out)
		}
		wall := time.Since(start)
		usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			t.Fatal("no resource usage is known here")
		}
		cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		line := fmt.Sprintf("%-28s %6.1f s wall %6.1f s CPU %5d MiB peak", c.name, wall.Seconds(), cpu.Seconds(), usage.Maxrss>>10)
		if c.written != "" {
			line += fmt.Sprintf(" %6d MB written", folderSize(t, filepath.Join(p.dir, c.written))/1e6)
			if c.written == "files" { // gigabytes
				for _, dir := range []string{"files", "files.gold"} {
					if err := os.RemoveAll(filepath.Join(p.dir, dir)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		t.Log(line)
		if n <= 33000 && (usage.Maxrss > 1<<20 || wall > 10*time.Minute) {
			t.Errorf("%s: more than 1 GiB or ten minutes", c.name)
		}
	}
}

const scaleExperiment = `
dataset "many" {
  format = "episodes"
  path   = "episodes.jsonl"
  split {
    folds = 5 # every episode is tested once
  }
}
ablation "full_context" {}
ablation "actions_only" {}
ablation "no_utterance" {}
ablation "visible_graph_only" {}
ablation "graph_text_hybrid" {}
method "majority" { uses = "majority" }
judge "words" { uses = "lexical" }
matrix {
  datasets  = [dataset.many]
  ablations = [ablation.full_context]
  methods   = [method.majority]
}
experiment "scale" {
  ratios = ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]
  store  = "output/scale.db"
}
`

// writeScaleEpisodes writes n invented episodes of 8 to 16 steps.
func writeScaleEpisodes(t *testing.T, path string, n int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("open the red garden shop and find a pot with flowers for less than ten coins near station north harbour market ticket table two people")
	text := func(n int) string {
		s := make([]string, n)
		for i := range s {
			s[i] = words[random.IntN(len(words))]
		}
		return strings.Join(s, " ")
	}
	for e := range n {
		var steps []map[string]any
		site := e % 300
		for i := range 8 + random.IntN(9) {
			if i%6 == 0 {
				steps = append(steps, map[string]any{"index": i, "kind": "utterance", "speaker": "instructor", "utterance": text(9)})
				continue
			}
			element := "[link] " + text(4)
			steps = append(steps, map[string]any{"index": i, "kind": "action", "op": "click", "element": element, "action": "click " + element,
				"url": fmt.Sprintf("https://site%d.example/page/%d", site, random.IntN(1000))})
		}
		err := enc.Encode(map[string]any{"episode_id": fmt.Sprint("e", e), "cluster_id": fmt.Sprint("site", site), "open_intent": text(12),
			"closed_intent": fmt.Sprint("label", e%30), "closed_label_space": "many.goal", "metadata": map[string]string{"platform": "web"}, "steps": steps})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func folderSize(t *testing.T, dir string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}
