package ablations

import (
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// BuildInputRecord is [View] under the name of the source documents: a line of inputs.jsonl, but for
// the path of its graph, which depends on where that is written.
func BuildInputRecord(ep trajectory.Episode, p Prefix, spec Spec, opts ...Option) (task.Task, error) {
	return View(ep, p, spec, opts...)
}

// GoldRecord is a line of gold.jsonl (benchmark.md). It belongs to the evaluator alone.
type GoldRecord struct {
	TaskID    string `json:"task_id"`
	Dataset   string `json:"dataset"`
	EpisodeID string `json:"episode_id"`
	ClusterID string `json:"cluster_id"`
	Split     string `json:"split"` // "test" or "dev"
	// Lists names the official test lists that the episode stands in; absent where there are none.
	Lists           []string    `json:"lists,omitempty"`
	RequestedRatio  task.Ratio  `json:"requested_prefix_ratio"`
	EffectiveRatio  float64     `json:"effective_prefix_ratio"`
	PrefixStepCount int         `json:"prefix_step_count"`
	TotalSteps      int         `json:"total_steps"`
	DuplicatePrefix bool        `json:"is_duplicate_prefix"`
	OpenIntent      string      `json:"open_intent"`
	ClosedIntent    string      `json:"closed_intent"`
	IntentModes     IntentModes `json:"intent_modes"`
	Metrics         MetricNames `json:"metrics"`
}

// IntentModes says which intents a task has.
type IntentModes struct {
	Closed ClosedMode `json:"closed"`
	Open   OpenMode   `json:"open"`
}

// ClosedMode says whether a task has a closed intent, and from which label space.
type ClosedMode struct {
	Available  bool   `json:"available"`
	LabelSpace string `json:"label_space"`
}

// OpenMode says whether a task has an open intent.
type OpenMode struct {
	Available bool `json:"available"`
}

// MetricNames lists what is computed over a task, empty for an intent that it lacks.
type MetricNames struct {
	Closed []string `json:"closed"`
	Open   []string `json:"open"`
}

// BuildGoldRecord makes the gold of one prefix. Its task id is the true one, also where an ablation
// shows neutral ids. lists are the official test lists of the episode, if any.
func BuildGoldRecord(ep trajectory.Episode, p Prefix, split, labelSpace string, lists ...string) GoldRecord {
	g := GoldRecord{
		TaskID: task.ID(ep.Dataset, ep.ID, p.Ratio), Dataset: ep.Dataset, EpisodeID: ep.ID, ClusterID: ep.ClusterID,
		Split: split, Lists: lists, RequestedRatio: p.Ratio, EffectiveRatio: float64(p.K) / float64(len(ep.Steps)),
		PrefixStepCount: p.K, TotalSteps: len(ep.Steps), DuplicatePrefix: p.Duplicate,
		OpenIntent: ep.OpenIntent, ClosedIntent: ep.ClosedIntent,
		Metrics: MetricNames{Closed: []string{}, Open: []string{}},
	}
	if ep.ClosedIntent != "" {
		g.IntentModes.Closed = ClosedMode{Available: true, LabelSpace: labelSpace}
		g.Metrics.Closed = []string{"accuracy", "macro_f1", "auc", "ttc_stable"}
	}
	if ep.OpenIntent != "" {
		g.IntentModes.Open.Available = true
		g.Metrics.Open = []string{"open_score", "auc", "ttc_stable"}
	}
	return g
}

// ExampleRecord is a line of train.jsonl or dev.jsonl.
type ExampleRecord struct {
	Task         task.Task `json:"task"`
	ClosedIntent string    `json:"closed_intent"`
	OpenIntent   string    `json:"open_intent"`
}

// TaskIDRecord is a line of task_ids.jsonl, on the evaluator's side only.
type TaskIDRecord struct {
	NeutralID string `json:"neutral_task_id"`
	TaskID    string `json:"task_id"`
}
