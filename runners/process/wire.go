package process

import (
	"fmt"

	"intentlab/ablations/task"
)

// wireTask is a task as a program gets it: a line of inputs.jsonl with the graph inline instead of
// a path. The outer VisibleGraphPath hides the embedded one and is never written.
type wireTask struct {
	task.Task
	VisibleGraphPath *string     `json:"visible_graph_path,omitempty"`
	VisibleGraph     *task.Graph `json:"visible_graph"`
}

// linesTask is a line of the protocol `lines`.
type linesTask struct {
	wireTask
	CandidateLabels []string `json:"candidate_labels"`
	Replay          bool     `json:"replay,omitempty"`
}

// The messages of the protocol `worker` that go to the program.
type (
	helloMessage struct {
		Type        string                     `json:"type"`
		Protocol    int                        `json:"protocol"`
		Seed        int64                      `json:"seed"`
		Ablation    string                     `json:"ablation"`
		LabelSpaces map[string]task.LabelSpace `json:"label_spaces"`
	}
	exampleMessage struct {
		Type         string   `json:"type"`
		Split        string   `json:"split"`
		Task         wireTask `json:"task"`
		ClosedIntent string   `json:"closed_intent"`
		OpenIntent   string   `json:"open_intent"`
		Weight       float64  `json:"weight"`
	}
	artifactMessage struct {
		Type        string `json:"type"` // fit or load
		ArtifactDir string `json:"artifact_dir"`
	}
	taskMessage struct {
		Type   string   `json:"type"`
		Task   wireTask `json:"task"`
		Replay bool     `json:"replay,omitempty"`
	}
	byeMessage struct {
		Type string `json:"type"`
	}
)

func wire(t task.Task) wireTask {
	if t.ObservedSteps == nil {
		t.ObservedSteps = []task.Step{}
	}
	return wireTask{Task: t, VisibleGraph: t.Graph}
}

// encode writes v as one line of at most MaxLine bytes.
func encode(v any, what string) ([]byte, error) {
	b, err := task.Canonical(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", what, err)
	}
	if len(b) > MaxLine {
		return nil, &Failure{Reason: "input_too_long", ForGood: true,
			Detail: fmt.Sprintf("%s takes %d bytes as one line; the protocol allows %d", what, len(b), MaxLine)}
	}
	return append(b, '\n'), nil
}

// Input is what a program of the protocol `lines` is sent for a task, as one JSON value: what
// `intentlab preview` prints. labels are the candidates of its label space.
func Input(t task.Task, labels []string) any {
	return linesTask{wireTask: wire(t), CandidateLabels: labels}
}

// ExampleInput is an example as a program that reads files gets it, as one JSON value: a line of
// train.jsonl or dev.jsonl with the graph inline, and the weight.
func ExampleInput(e task.Example) any {
	return struct {
		Task         wireTask `json:"task"`
		ClosedIntent string   `json:"closed_intent"`
		OpenIntent   string   `json:"open_intent"`
		Weight       float64  `json:"weight"`
	}{wire(e.Task), e.ClosedIntent, e.OpenIntent, e.Weight}
}
