package trajectory

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRealSizeMemoryDoesNotGrowWithTheFile: the peak memory of reading a Mind2Web file is that of the
// program and its buffers. Collections of garbage come at other moments, hence the allowance.
// INTENTLAB_LOAD_SIZES takes other sizes, such as 64MiB,1GiB.
func TestRealSizeMemoryDoesNotGrowWithTheFile(t *testing.T) {
	if testing.Short() {
		t.Skip("generates some 80 MB")
	}
	small, large := "16MiB", "64MiB"
	if s := os.Getenv("INTENTLAB_LOAD_SIZES"); s != "" {
		var ok bool
		if small, large, ok = strings.Cut(s, ","); !ok {
			t.Fatalf("INTENTLAB_LOAD_SIZES = %q: want two sizes", s)
		}
	}
	peak := func(size string) int64 {
		dir := generated(t, size, 1)
		want := truth(t, filepath.Join(dir, "truth.jsonl"))
		if err := os.Remove(filepath.Join(dir, "truth.jsonl")); err != nil {
			t.Fatal(err)
		}
		var peaks []int64
		for range 3 {
			found, c := loadAs(t, "reader", dir, 1)
			if found != want {
				t.Fatalf("found %s, want %s", found, want)
			}
			peaks = append(peaks, c.peak)
		}
		return median(peaks)
	}
	a, b := peak(small), peak(large)
	t.Logf("peak %.1f MiB at %s, %.1f MiB at %s", mib(a), small, mib(b), large)
	// A child's peak starts at that of the process that it was started from: Linux counts it in.
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		t.Fatal(err)
	}
	if b-a > 4<<20 || b > max(32<<20, own.Maxrss<<10+1<<20) {
		t.Errorf("memory grew from %.1f to %.1f MiB", mib(a), mib(b))
	}
}

// TestMemoryDoesNotGrowWithAString reads one task whose HTML is a single string.
func TestMemoryDoesNotGrowWithAString(t *testing.T) {
	size := 48 << 20
	if testing.Short() {
		t.Skip("writes some 50 MB")
	}
	if os.Getenv("INTENTLAB_LOAD_SIZES") != "" {
		size = 288 << 20
	}
	peak := func(size int) int64 {
		dir := t.TempDir()
		f, err := os.Create(filepath.Join(dir, "train_0.json"))
		if err != nil {
			t.Fatal(err)
		}
		write := func(s string) {
			if _, err := f.WriteString(s); err != nil {
				t.Fatal(err)
			}
		}
		write(`[{"annotation_id":"a","domain":"d","action_reprs":["[a]  b -> CLICK"],"actions":[{"raw_html":"`)
		block := strings.Repeat(`<div class=\"a\">\n`, 1<<16)
		for n := 0; n < size; n += len(block) {
			write(block)
		}
		write(`","operation":{"op":"CLICK"}}]}]`)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		found, c := loadAs(t, "reader", dir, 1)
		if !strings.HasPrefix(found, "1 episodes") {
			t.Fatal(found)
		}
		return c.peak
	}
	a, b := peak(1<<10), peak(size)
	t.Logf("peak %.1f MiB with a string of 1 MB, %.1f MiB with one of %d MB", mib(a), mib(b), size>>20)
	if b-a > 4<<20 {
		t.Errorf("memory grew from %.1f to %.1f MiB", mib(a), mib(b))
	}
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }

// TestLoadBesideOthers measures reading a folder that gen-mind2web wrote, INTENTLAB_LOAD, beside
// encoding/json, Python's json.load and reading alone. Each runs in a process of its own; they alternate,
// CPU counts, and every output is checked. It takes about a minute for 256 MiB.
func TestLoadBesideOthers(t *testing.T) {
	dir := os.Getenv("INTENTLAB_LOAD")
	if dir == "" {
		t.Skip("a measurement; set INTENTLAB_LOAD to a folder that gen-mind2web wrote with -files 2")
	}
	const pairs = 5
	want := truth(t, filepath.Join(dir, "truth.jsonl"))
	data := t.TempDir() // without the truth
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no data in %s (%v)", dir, err)
	}
	size := int64(0)
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
		if err := os.Symlink(f, filepath.Join(data, filepath.Base(f))); err != nil {
			t.Fatal(err)
		}
	}
	episodes, _, _ := strings.Cut(want, " ")
	programs := []struct {
		name string
		run  func() (string, cost)
		want string
	}{
		{"intentlab", func() (string, cost) { return loadAs(t, "reader", data, 1) }, want},
		{"encoding/json", func() (string, cost) { return loadAs(t, "json", data, 1) }, want},
		{"Python json.load", func() (string, cost) { return python(t, data) }, episodes},
		{"reading alone", func() (string, cost) { return loadAs(t, "read", data, 1) }, fmt.Sprintf("%d bytes", size)},
	}
	costs := make([][]cost, len(programs))
	for round := range pairs + 1 { // the first warms the page cache
		for i, p := range programs {
			found, c := p.run()
			if found != p.want {
				t.Fatalf("%s found %s, want %s", p.name, found, p.want)
			}
			if round > 0 {
				costs[i] = append(costs[i], c)
			}
		}
	}
	cpu := make([]time.Duration, len(programs))
	for i, p := range programs {
		var times []time.Duration
		var peaks []int64
		for _, c := range costs[i] {
			times, peaks = append(times, c.cpu), append(peaks, c.peak)
		}
		cpu[i] = median(times)
		t.Logf("%-17s %6.2f s CPU %6.0f MB/s %5.1f x intentlab %7.0f MiB peak", p.name, cpu[i].Seconds(), float64(size)/1e6/cpu[i].Seconds(), cpu[i].Seconds()/cpu[0].Seconds(), mib(median(peaks)))
	}
	if python := cpu[2].Seconds() / cpu[0].Seconds(); python < 5 {
		t.Errorf("Python takes %.1f times as long, want 5 times at least", python)
	}
	if alone := cpu[0].Seconds() / cpu[3].Seconds(); alone > 12 {
		t.Errorf("reading alone is %.1f times as fast, want 12 times at most", alone)
	}
	var ratios []float64
	for range pairs {
		before := freeProcessors(t)
		_, one := loadAs(t, "reader", data, 1)
		_, two := loadAs(t, "reader", data, 2)
		after := freeProcessors(t)
		kept := "kept"
		if before < 1.85 || after < 1.85 {
			kept = "not counted: the processors were not free"
		} else {
			ratios = append(ratios, one.wall.Seconds()/two.wall.Seconds())
		}
		t.Logf("two files at once: %.2f s on one processor, %.2f s on two; %.2f and %.2f processors free: %s", one.wall.Seconds(), two.wall.Seconds(), before, after, kept)
	}
	if len(ratios) == 0 {
		t.Log("two workers against one: no row counts")
	} else if r := median(ratios); len(files) > 1 && r < 1.6 {
		t.Errorf("two workers are %.2f times as fast as one, want 1.6 times at least", r)
	} else {
		t.Logf("two workers against one: %.2f times as fast (median of %d)", r, len(ratios))
	}
}

// python counts the tasks with json.load.
func python(t *testing.T, dir string) (string, cost) {
	t.Helper()
	name, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 to compare with")
	}
	return runMeasured(t, exec.CommandContext(t.Context(), name, "-c", `import glob, json, sys
n = 0
for f in sorted(glob.glob(sys.argv[1] + "/*.json")):
    with open(f, encoding="utf-8") as file:
        n += len(json.load(file))
print(n)`, dir))
}

// freeProcessors runs two processes that share nothing and returns how many processors they got.
func freeProcessors(t *testing.T) float64 {
	t.Helper()
	both := []*exec.Cmd{roleCommand(t, "spin", "", 1), roleCommand(t, "spin", "", 1)}
	start := time.Now()
	for _, c := range both {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	cpu := time.Duration(0)
	for _, c := range both {
		if err := c.Wait(); err != nil {
			t.Fatal(err)
		}
		cpu += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return cpu.Seconds() / time.Since(start).Seconds()
}
