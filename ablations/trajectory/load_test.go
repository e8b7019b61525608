package trajectory

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The measurements of loading run each program in a process of its own, this test binary under another
// role: loadRole names the role, loadPath the file or folder.
const (
	loadRole = "INTENTLAB_TEST_LOAD"
	loadPath = "INTENTLAB_TEST_LOAD_PATH"
)

// loadChild plays the role that the environment names, says what it found, and exits.
func loadChild() {
	role := os.Getenv(loadRole)
	if role == "" {
		return
	}
	found, err := loadRoles[role](os.Getenv(loadPath))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(found)
	os.Exit(0)
}

var loadRoles = map[string]func(path string) (string, error){
	"reader": loadByReader,
	"json":   loadByDecoder,
	"read":   loadPlain,
	"spin":   spin,
}

// digest sums up episodes for comparison.
type digest struct {
	n   int
	sum hash.Hash
	enc *json.Encoder
}

func newDigest() *digest {
	sum := sha256.New()
	return &digest{sum: sum, enc: json.NewEncoder(sum)}
}

func (d *digest) add(e Episode) error {
	d.n++
	return d.enc.Encode([]any{e.ID, e.OpenIntent, e.ClosedIntent, e.ClusterID, e.Steps})
}

func (d *digest) String() string { return fmt.Sprintf("%d episodes %x", d.n, d.sum.Sum(nil)[:8]) }

func loadByReader(path string) (string, error) {
	d := newDigest()
	for e, err := range Read(context.Background(), Source{Name: "d", Format: "mind2web", Path: path}, nil) {
		if err == nil {
			err = d.add(e)
		}
		if err != nil {
			return "", err
		}
	}
	return d.String(), nil
}

// decodedTask has the fields that the reader keeps, for encoding/json.
type decodedTask struct {
	ID      string   `json:"annotation_id"`
	Website string   `json:"website"`
	Domain  string   `json:"domain"`
	Goal    string   `json:"confirmed_task"`
	Reprs   []string `json:"action_reprs"`
	Actions []struct {
		Operation struct {
			Op         string `json:"op"`
			OriginalOp string `json:"original_op"`
			Value      string `json:"value"`
		} `json:"operation"`
		Positive []decodedCandidate `json:"pos_candidates"`
	} `json:"actions"`
}

type decodedCandidate struct {
	Tag        string `json:"tag"`
	Attributes string `json:"attributes"`
	Original   bool   `json:"is_original_target"`
	TopLevel   bool   `json:"is_top_level_target"`
}

// loadByDecoder reads the same fields with encoding/json's Decoder, a task at a time, as a program
// without a streaming parser would.
func loadByDecoder(path string) (string, error) {
	d := newDigest()
	err := eachDataFile(path, func(f *os.File) error {
		dec := json.NewDecoder(f)
		if _, err := dec.Token(); err != nil {
			return err
		}
		for dec.More() {
			var t decodedTask
			if err := dec.Decode(&t); err != nil {
				return err
			}
			kept := webTask{id: t.ID, website: t.Website, domain: t.Domain, goal: t.Goal, reprs: t.Reprs}
			for _, a := range t.Actions {
				k := webAction{op: a.Operation.Op, originalOp: a.Operation.OriginalOp, value: a.Operation.Value}
				for _, c := range a.Positive {
					k.positiveText(candidateJSON(c))
				}
				kept.actions = append(kept.actions, k)
			}
			if err := d.add(kept.whole()); err != nil {
				return err
			}
		}
		_, err := dec.Token()
		return err
	})
	return d.String(), err
}

func candidateJSON(c decodedCandidate) []byte {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // texts and booleans
	}
	return b
}

// whole is the episode of a task as the reader hands it out.
func (t webTask) whole() Episode {
	e := t.episode(Safe, nil)
	e.ID = EncodeID(e.ID)
	if e.ClusterID == "" {
		e.ClusterID = e.ID
	}
	e.Steps, _ = t.steps()
	capSteps(e.Steps)
	return e
}

// loadPlain reads the bytes and nothing else.
func loadPlain(path string) (string, error) {
	n := 0
	err := eachDataFile(path, func(f *os.File) error {
		for buffer := make([]byte, 1<<20); ; {
			k, err := f.Read(buffer)
			n += k
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	return fmt.Sprintf("%d bytes", n), err
}

func eachDataFile(path string, do func(f *os.File) error) error {
	files, err := filepath.Glob(filepath.Join(path, "*.json"))
	if err != nil {
		return err
	}
	sort.Slice(files, func(i, j int) bool { return naturalLess(files[i], files[j]) })
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = do(f)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// spin works without sharing anything, to tell whether the processors are free.
func spin(string) (string, error) {
	x := uint64(1)
	for range 400_000_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return fmt.Sprint(x), nil
}

// truth digests what the generator says that a loader must find.
func truth(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // opened for reading
	d := newDigest()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var line struct {
			ID      string   `json:"annotation_id"`
			Website string   `json:"website"`
			Domain  string   `json:"domain"`
			Goal    string   `json:"confirmed_task"`
			Reprs   []string `json:"action_reprs"`
			Actions []struct {
				Op         string `json:"op"`
				OriginalOp string `json:"original_op"`
				Value      string `json:"value"`
				Pos        *struct {
					Tag        string `json:"tag"`
					Attributes string `json:"attributes"`
				} `json:"pos"`
			} `json:"actions"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		want := webTask{id: line.ID, website: line.Website, domain: line.Domain, goal: line.Goal, reprs: line.Reprs}
		for _, a := range line.Actions {
			k := webAction{op: a.Op, originalOp: a.OriginalOp, value: a.Value}
			if a.Pos != nil {
				k.positiveText(candidateJSON(decodedCandidate{Tag: a.Pos.Tag, Attributes: a.Pos.Attributes}))
			}
			want.actions = append(want.actions, k)
		}
		if err := d.add(want.whole()); err != nil {
			t.Fatal(err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return d.String()
}

// cost is what a child process took.
type cost struct {
	cpu, wall time.Duration
	peak      int64 // bytes
}

// loadAs runs a role over a path on so many processors and returns what it said and what it took.
func loadAs(t *testing.T, role, path string, processors int) (found string, c cost) {
	t.Helper()
	return runMeasured(t, roleCommand(t, role, path, processors))
}

func roleCommand(t *testing.T, role, path string, processors int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^$")
	cmd.Env = append(os.Environ(), loadRole+"="+role, loadPath+"="+path, fmt.Sprint("GOMAXPROCS=", processors))
	return cmd
}

func runMeasured(t *testing.T, cmd *exec.Cmd) (string, cost) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("peak memory of a child process is read as on Linux")
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	out, err := cmd.Output()
	wall := time.Since(start)
	if err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, stderr.String())
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("no resource usage is known here")
	}
	return strings.TrimSpace(string(out)), cost{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall, usage.Maxrss << 10}
}

func median[T int64 | time.Duration | float64](values []T) T {
	s := append([]T(nil), values...)
	sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })
	return s[len(s)/2]
}

// generated makes a Mind2Web-like folder with the generator that comes with the specification.
func generated(t *testing.T, size string, files int) string {
	t.Helper()
	tool := filepath.Join(filepath.Dir(sharedData(t)), "tools", "gen-mind2web", "main.go")
	if _, err := os.Stat(tool); err != nil {
		t.Skipf("the generator of Mind2Web-like files is not at hand (%v); set INTENTLAB_SHARED to the folder that holds tools", err)
	}
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "run", tool, "-out", dir, "-size", size, "-files", fmt.Sprint(files), "-seed", "1").CombinedOutput()
	if err != nil {
		t.Fatalf("generating: %v: %s", err, out)
	}
	return dir
}
