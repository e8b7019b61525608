// Package judge scores a predicted open intent against the gold one, 0..1. A judge is blind: it
// sees two texts and the platform, never method, ablation, ratio or task id (metrics-and-judge.md
// B4.2).
package judge

import (
	"context"

	"intentlab/ablations/task"
)

// State is the outcome of judging, as in metrics-and-judge.md B5. Only Scored carries a score.
type State string

// The states. Method states enter the mean as 0; judge states are unscored; gold states take the
// task out for every method alike.
const (
	Scored          State = "scored"
	MethodEmpty     State = "method_empty"
	UnsupportedGold State = "gold_unsupported_text"
	UnsupportedText State = "judge_unsupported_text"
	GoldMissing     State = "gold_missing"
	BadScore        State = "judge_bad_score"
	NoFixture       State = "judge_no_fixture"
)

// Question is one pair to judge.
type Question struct {
	Gold, Predicted string
	Platform        string // "web", "mobile" or ""
}

// Verdict is a judge's word on one question. Score is meaningful in state Scored only, and lies in
// [0, 1]. Raw is what the judge measured before calibration or parsing (a cosine, a reply).
type Verdict struct {
	State  State   `json:"state"`
	Score  float64 `json:"score"`
	Level  *int    `json:"level,omitempty"`
	Reason string  `json:"reason,omitempty"`
	Raw    string  `json:"raw,omitempty"`
	// Flags are remarks that change no state, such as PredictionTruncated.
	Flags []string `json:"flags,omitempty"`
}

// Judge scores questions; it is safe for concurrent use. The fingerprint identifies everything that
// decides a verdict except the two texts.
type Judge interface {
	Judge(ctx context.Context, q Question) (Verdict, error)
	Fingerprint() string
	// Identity is the canonical input of the fingerprint, stored beside it.
	Identity() map[string]any
}

// Setup is what a judge is built with.
type Setup struct {
	Options any
	Lo, Hi  float64 // calibration anchors (B6): score = clip((x-lo)/(hi-lo), 0, 1)
	Dir     string  // the experiment's folder
}

// Kind is one judge kind. One file a kind.
type Kind struct {
	Name, Summary, Doc string
	Options            func() any
	NeedsEndpoint      bool
	CodeVersion        int
	New                func(Setup) (Judge, error)
}

// VerdictKey is the key of metrics-and-judge.md B4.7 for judges without an endpoint: the judge's
// fingerprint and the two normalised texts (normalised here; doing so before changes nothing).
func VerdictKey(fingerprint string, q Question) (string, error) {
	return task.Hash(map[string]string{"judge": fingerprint, "gold": Normalise(q.Gold), "predicted": Normalise(q.Predicted), "platform": q.Platform})
}
