// Package fakepredictor is a predictor for tests that misbehaves on demand. A test binary calls
// [Main] first in TestMain and starts itself with FAKE_MODE set.
package fakepredictor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Main does nothing unless FAKE_MODE is set; else it plays that predictor and exits.
func Main() {
	if mode := os.Getenv("FAKE_MODE"); mode != "" {
		os.Exit(play(mode))
	}
}

type message struct {
	Type        string          `json:"type"`
	TaskID      string          `json:"task_id"`
	Replay      bool            `json:"replay"`
	Task        json.RawMessage `json:"task"`
	Labels      []string        `json:"candidate_labels"`
	ArtifactDir string          `json:"artifact_dir"`
	Split       string          `json:"split"`
	Closed      string          `json:"closed_intent"`
}

func answer(id, closed, open string) {
	b, err := json.Marshal(map[string]any{"task_id": id, "closed_intent": closed, "predicted_intent": open, "closed_confidence": 0.5})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(b))
}

// play returns the exit status.
func play(mode string) int {
	switch mode {
	case "exit":
		fmt.Fprintln(os.Stderr, "ModuleNotFoundError: no module named 'torch'")
		return 3
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "sleep":
		time.Sleep(time.Hour)
	case "late_exit":
		time.Sleep(50 * time.Millisecond)
		return 4
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	seen, held := 0, []string{}
	w := worker{mode: mode}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return atEnd(mode, held)
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			fmt.Fprintln(os.Stderr, "bad input:", err)
			return 5
		}
		if m.Type != "" {
			if status, stop := w.handle(m); stop {
				return status
			}
			continue
		}
		seen++
		held = append(held, m.TaskID)
		if status, stop := oneTask(mode, m, line, seen, held); stop {
			return status
		}
	}
}

func atEnd(mode string, held []string) int {
	switch mode {
	case "eof":
		for _, id := range held {
			answer(id, "a", "")
		}
	case "late_contradiction":
		for _, id := range held {
			answer(id, "other", "changed my mind")
		}
	case "bad_end":
		return 7
	case "lingers":
		time.Sleep(time.Hour)
	}
	return 0
}

// oneTask plays the protocol lines.
func oneTask(mode string, m message, line []byte, seen int, held []string) (int, bool) {
	switch mode {
	case "eof":
		return 0, false
	case "echo", "late_contradiction", "bad_end", "lingers":
		closed := "none"
		if len(m.Labels) > 0 {
			closed = m.Labels[0]
		}
		answer(m.TaskID, closed, fmt.Sprintf("%s seed %s replay %v", m.TaskID, os.Getenv("INTENTLAB_SEED"), m.Replay))
	case "line":
		answer(m.TaskID, "", string(bytes.TrimSpace(line)))
	case "env":
		dir, _ := os.Getwd()
		answer(m.TaskID, dir, strings.Join(os.Environ(), "\n"))
	case "slow":
		time.Sleep(time.Hour)
	case "crash_second":
		if seen == 2 {
			fmt.Fprintln(os.Stderr, "Traceback: boom on", m.TaskID)
			return 1, true
		}
		answer(m.TaskID, "a", fmt.Sprintf("%d replay %v", seen, m.Replay))
	case "crash":
		fmt.Fprintln(os.Stderr, "Traceback: boom on", m.TaskID)
		return 1, true
	case "answer_and_crash":
		answer(m.TaskID, "a", "")
		return 9, true
	case "rubbish":
		fmt.Println("<<<<" + m.TaskID)
	case "noisy":
		fmt.Println("loading…\n[1, 2]\n{\"no\":\"id\"}\n{\"task_id\": 7}\n{broken")
		answer(m.TaskID, "a", "")
	case "long":
		fmt.Print(strings.Repeat("x", 8<<20+1), "\n")
		time.Sleep(time.Hour)
	case "flood":
		chunk := bytes.Repeat([]byte(strings.Repeat("n", 99)+"\n"), 10000)
		for range 100 {
			os.Stdout.Write(chunk)
			os.Stderr.Write(chunk)
		}
		fmt.Fprintln(os.Stderr, "THE END")
		answer(m.TaskID, "a", "")
	case "flood_line":
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		for range 200 {
			os.Stdout.Write(chunk)
		}
		answer(m.TaskID, "a", "")
	case "bad_utf8":
		fmt.Printf("{\"task_id\":%q,\"predicted_intent\":\"caf\xe9 \xff\"}\n", m.TaskID)
	case "nan":
		fmt.Printf("{\"task_id\":%q,\"closed_intent\":\"NaN\",\"closed_confidence\":NaN,\"closed_topk\":[{\"label\":\"a\",\"p\":-Infinity},{\"label\":\"b\",\"p\":0.5}]}\n", m.TaskID)
	case "bad_type":
		fmt.Printf("{\"task_id\":%q,\"closed_intent\":[\"a\"]}\n", m.TaskID)
	case "error":
		fmt.Printf("{\"task_id\":%q,\"error\":\"out of memory\"}\n", m.TaskID)
	case "contradict":
		answer(m.TaskID, "a", "")
		answer(m.TaskID, "b", "")
	case "twice":
		answer(m.TaskID, "a", "")
		fmt.Printf("{\"closed_confidence\":0.5,  \"predicted_intent\":\"\",\"closed_intent\":\"a\",\"task_id\":%q,\"extra\":1}\n", m.TaskID)
	case "unknown":
		answer("nobody:asked:r0.10", "a", "")
		time.Sleep(time.Hour)
	case "pairs": // waits for the next prefix before it answers
		if len(held)%2 == 0 {
			answer(held[len(held)-2], "a", "")
			answer(held[len(held)-1], "a", "")
		}
	case "fork", "fork_and_exit", "escape":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "FAKE_MODE=deaf")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr // keeps our pipes open
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: mode == "escape"}
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 6, true
		}
		answer(m.TaskID, "", strconv.Itoa(child.Process.Pid))
		if mode == "fork_and_exit" {
			return 0, true
		}
	case "shut": // closes its stdin and goes on living
		os.Stdin.Close()
		answer(m.TaskID, "a", "")
		time.Sleep(time.Hour)
	case "litter":
		if err := os.MkdirAll("made/here", 0o755); err == nil {
			err = os.Chmod("made", 0o000)
			_ = err
		}
		dir, _ := os.Getwd()
		answer(m.TaskID, "", dir)
	default:
		fmt.Fprintln(os.Stderr, "unknown FAKE_MODE", mode)
		return 5, true
	}
	return 0, false
}

// worker plays the protocol worker.
type worker struct {
	mode     string
	examples []string
	model    string
	answered int
}

func (w *worker) handle(m message) (int, bool) {
	switch m.Type {
	case "hello":
		switch w.mode {
		case "worker_silent":
			return 0, false
		case "worker_dies":
			fmt.Fprintln(os.Stderr, "no licence for model")
			return 2, true
		case "worker_bad_ready":
			fmt.Println(`{"type":"ready","concurrency":"many"}`)
			return 0, false
		}
		fmt.Println(`{"type":"progress","task_id":"ignore me"}`)
		fmt.Printf(`{"type":"ready","name":"fake","version":"1.2","fit":%v,"concurrency":2}`+"\n", w.mode != "worker_plain")
	case "example":
		w.examples = append(w.examples, m.Split+":"+m.Closed)
		if w.mode == "worker_fit_crash" {
			fmt.Fprintln(os.Stderr, "CUDA out of memory")
			return 1, true
		}
	case "fit":
		w.model = strings.Join(w.examples, ",")
		if w.mode != "worker_leaves_nothing" {
			if os.MkdirAll(filepath.Join(m.ArtifactDir, "sub"), 0o755) != nil ||
				os.WriteFile(filepath.Join(m.ArtifactDir, "sub", "model.txt"), []byte(w.model), 0o644) != nil ||
				os.WriteFile(filepath.Join(m.ArtifactDir, "run.sh"), []byte("#!"), 0o755) != nil {
				return 8, true
			}
		}
		fmt.Println(`{"type":"fitted"}`)
	case "load":
		b, err := os.ReadFile(filepath.Join(m.ArtifactDir, "sub", "model.txt"))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 8, true
		}
		w.model = "loaded " + string(b)
	case "task":
		var t message
		if err := json.Unmarshal(m.Task, &t); err != nil {
			return 5, true
		}
		w.answered++
		if w.mode == "worker_crash_third" && w.answered == 3 {
			return 1, true
		}
		answer(t.TaskID, strconv.Itoa(os.Getpid()), fmt.Sprintf("%s; answer %d; replay %v", w.model, w.answered, m.Replay))
	case "bye":
		fmt.Fprintln(os.Stderr, "bye heard")
		return 0, true
	}
	return 0, false
}
