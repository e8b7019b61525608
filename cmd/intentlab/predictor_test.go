package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// steadyPredictor is a well-behaved program of either protocol whose answers depend on what it has seen:
// its open intent tells how many prefixes of the episode it was shown. It can only give the same
// answers after a crash because it is shown the earlier prefixes again. INTENTLAB_TEST_PAUSE makes it slow.
func steadyPredictor() error {
	type record struct {
		TaskID  string   `json:"task_id"`
		Episode string   `json:"episode_id"`
		Labels  []string `json:"candidate_labels"`
	}
	type message struct {
		record
		Type        string `json:"type"`
		Task        record `json:"task"`
		ArtifactDir string `json:"artifact_dir"`
		Closed      string `json:"closed_intent"`
	}
	seen, examples := map[string]int{}, 0
	answer := func(r record) error {
		seen[r.Episode]++
		if os.Getenv("INTENTLAB_TEST_PAUSE") != "" {
			time.Sleep(40 * time.Millisecond)
		}
		closed := ""
		if len(r.Labels) > 0 {
			slices.Sort(r.Labels)
			closed = r.Labels[(seen[r.Episode]+examples)%len(r.Labels)]
		}
		b, err := json.Marshal(map[string]any{"task_id": r.TaskID, "closed_intent": closed,
			"predicted_intent": fmt.Sprintf("book a train, having seen %d prefixes and %d examples", seen[r.Episode], examples)})
		if err == nil {
			fmt.Printf("%s\n", b)
		}
		return err
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil // the end of its input is the end of its work
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		model := filepath.Join(m.ArtifactDir, "examples.txt")
		switch m.Type {
		case "":
			err = answer(m.record)
		case "task":
			err = answer(m.Task)
		case "hello":
			fmt.Println(`{"type":"ready","name":"steady","version":"1","fit":true,"concurrency":2}`)
		case "example":
			examples++
		case "fit":
			if err = os.WriteFile(model, []byte(strconv.Itoa(examples)), 0o644); err == nil {
				fmt.Println(`{"type":"fitted"}`)
			}
		case "load":
			var b []byte
			if b, err = os.ReadFile(model); err == nil {
				examples, err = strconv.Atoi(string(b))
			}
		case "bye":
			return nil
		}
		if err != nil {
			return err
		}
	}
}
