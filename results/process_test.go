package results

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// act plays a part of a test in a process of its own.
func act(part, path string) int {
	ctx := context.Background()
	s, err := Open(ctx, path)
	if _, busy := errors.AsType[*BusyError](err); busy {
		fmt.Println("busy")
		return 0
	}
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("open")
	switch part {
	case "hold": // until stdin ends
		io.Copy(io.Discard, os.Stdin)
		if err := s.Close(); err != nil {
			fmt.Println("error:", err)
			return 1
		}
	case "write": // from eight goroutines, for ever; every acknowledged key is printed
		r, err := s.OpenRun(ctx, "e", "id", []byte("{}"), false)
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		id, err := s.IdentityID(ctx, "h", "{}")
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		var mu sync.Mutex
		var writers sync.WaitGroup
		for g := range 8 {
			writers.Go(func() {
				for i := 0; ; i++ {
					key := fmt.Sprintf("%d-%d-%d", os.Getpid(), g, i)
					if err := s.Put(ctx, r.Generation, Batch{Predictions: []Prediction{{Key: key, Identity: id, State: PredictionAnswered}}}); err != nil {
						return
					}
					mu.Lock()
					fmt.Println(key)
					mu.Unlock()
				}
			})
		}
		writers.Wait()
	}
	return 0
}

func player(part, path string) *exec.Cmd {
	c := exec.Command(os.Args[0], path)
	c.Env = append(os.Environ(), actAs+"="+part)
	c.Stderr = os.Stderr
	return c
}

func TestEightProcessesOpenOneFreshFileAndOneGetsIt(t *testing.T) {
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		path := filepath.Join(t.TempDir(), "s.db")
		words := make(chan string, 8)
		var in []io.Closer
		var all []*exec.Cmd
		for range 8 {
			c := player("hold", path)
			stdin, err := c.StdinPipe()
			must(t, err)
			stdout, err := c.StdoutPipe()
			must(t, err)
			must(t, c.Start())
			in, all = append(in, stdin), append(all, c)
			go func() {
				line, _ := bufio.NewReader(stdout).ReadString('\n')
				words <- strings.TrimSpace(line)
			}()
		}
		got := map[string]int{}
		for range 8 {
			got[<-words]++
		}
		for _, c := range in {
			c.Close()
		}
		for _, c := range all {
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
		}
		if got["open"] != 1 || got["busy"] != 7 {
			t.Fatalf("got %v, want 1 open and 7 busy", got)
		}
	}
}

func TestAcknowledgedRowsSurviveSIGKILL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	acknowledged := map[string]bool{}
	for kill := range 4 {
		c := player("write", path)
		stdout, err := c.StdoutPipe()
		must(t, err)
		must(t, c.Start())
		lines := bufio.NewScanner(stdout)
		for n := 0; lines.Scan(); n++ {
			line := lines.Text()
			if strings.HasPrefix(line, "error") || line == "busy" {
				t.Errorf("start %d: %s", kill, line)
			}
			if line != "open" && strings.Count(line, "-") == 2 {
				acknowledged[line] = true
			}
			if n == 200+137*kill {
				must(t, c.Process.Kill())
			}
		}
		c.Wait() // killed
	}
	s := open(t, path)
	if !strings.Contains(s.Notice(), "took over the store from process") {
		t.Errorf("notice %q", s.Notice())
	}
	var check string
	must(t, s.read.QueryRow("pragma integrity_check").Scan(&check))
	if check != "ok" {
		t.Error(check)
	}
	keys := make([]string, 0, len(acknowledged))
	for k := range acknowledged {
		keys = append(keys, k)
	}
	if len(keys) < 800 {
		t.Fatalf("only %d rows were acknowledged: the test says nothing", len(keys))
	}
	lost := 0
	for i := 0; i < len(keys); i += 500 {
		part := keys[i:min(i+500, len(keys))]
		got, err := s.Predictions(context.Background(), 0, part)
		must(t, err)
		lost += len(part) - len(got)
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged rows are lost", lost, len(keys))
	}
}
