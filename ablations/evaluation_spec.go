package ablations

import "intentlab/ablations/task"

// RecordVersion is the version of the files of a variant.
const RecordVersion = 1

// EvaluationSpec is evaluation_spec.json: what an evaluator needs to know beside gold.jsonl.
type EvaluationSpec struct {
	Version          int                `json:"version"`
	Evaluate         string             `json:"evaluate"`
	Fold             int                `json:"fold"`
	Grid             []string           `json:"grid"` // as in task ids
	PrefixRule       string             `json:"prefix_rule"`
	TaskID           string             `json:"task_id"`
	Datasets         []EvaluatedDataset `json:"datasets"`
	Ablations        []EvaluatedSpec    `json:"ablations"`
	Isolation        []string           `json:"isolation"`
	PredictionFormat []Field            `json:"prediction_format"`
	Metrics          []MetricDefinition `json:"metrics"`
	Rules            []string           `json:"rules"`
}

// EvaluatedDataset counts what one dataset contributes.
type EvaluatedDataset struct {
	Name          string   `json:"name"`
	Format        string   `json:"format"`
	Fingerprint   string   `json:"fingerprint"`
	LabelSpaces   []string `json:"label_spaces"`
	Episodes      int      `json:"episodes"` // evaluated
	Tasks         int      `json:"tasks"`
	TrainEpisodes int      `json:"train_episodes"`
	DevEpisodes   int      `json:"dev_episodes"`
}

// EvaluatedSpec is one ablation with what it shows.
type EvaluatedSpec struct {
	Name string `json:"name"`
	Spec Spec   `json:"spec"`
}

// Field describes one field of predictions.jsonl.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
	Meaning  string `json:"meaning"`
}

// MetricDefinition says in one sentence how a metric is computed.
type MetricDefinition struct {
	Name       string `json:"name"`
	Intent     string `json:"intent"` // "closed", "open" or "both"
	Definition string `json:"definition"`
}

func newEvaluationSpec(evaluate string, fold int, grid []task.Ratio) EvaluationSpec {
	s := EvaluationSpec{
		Version: RecordVersion, Evaluate: evaluate, Fold: fold,
		PrefixRule: "k = min(T, max(1, ceil(r*T))) in integer arithmetic, r in thousandths; a task is a duplicate when the previous ratio has the same k",
		TaskID:     "dataset:episode:rX.XX, with a third decimal only when it is not zero",
		Isolation: []string{
			"a predictor reads the files of its ablation's folder and nothing of this folder",
			"gold.jsonl, this file and task_ids.jsonl belong to the evaluator; they lie in another folder tree than the model-visible files",
			"train.jsonl and dev.jsonl are the only answers that a method may learn from",
			"no model-visible key is named target, and no visible graph has a hidden or intent node",
		},
		PredictionFormat: []Field{
			{"task_id", "string", true, "as in inputs.jsonl"},
			{"method", "string", true, "one name a file"},
			{"closed_intent", "string or null", true, "a label of the task's label space; empty or null abstains"},
			{"predicted_intent", "string or null", true, "the open intent in words"},
			{"closed_confidence", "number", false, "probability of closed_intent, in [0, 1]; used for calibration only"},
			{"open_judge_score", "number", false, "the method's own score, ignored unless explicitly accepted"},
			{"closed_topk", "array of {label, p}", false, "ranked alternatives"},
			{"error", "string or null", false, "the method's report that it failed on the task"},
			{"usage", "object", false, "input_tokens, output_tokens, cost_usd"},
		},
		Metrics: []MetricDefinition{
			{"accuracy", "closed", "share of the tasks at a ratio whose closed_intent equals the gold label after Unicode NFC and trimming"},
			{"macro_f1", "closed", "unweighted mean of the labels' F1 over all tasks of a dataset"},
			{"open_score", "open", "mean judge score in [0, 1] of predicted_intent against the gold open intent, at a ratio"},
			{"auc", "both", "area under the curve over the requested ratios by the trapezoid rule; normalised by the width of the grid"},
			{"ttc_stable", "both", "the smallest ratio from which on every later answer is right (open: reaches the judge's threshold); never solved counts r_m + (r_m - r_(m-1))"},
		},
		Rules: []string{
			"a gold task without a prediction, an abstention, a label outside the label space and a method's error are wrong and stay in every denominator",
			"two different predictions for one task, and a prediction for an unknown task, are errors",
			"a task without a closed intent is outside all closed metrics, one without an open intent outside all open metrics, for every method alike",
		},
	}
	for _, r := range grid {
		s.Grid = append(s.Grid, r.String())
	}
	return s
}
