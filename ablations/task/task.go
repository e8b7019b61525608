// Package task holds what a predictor may see and what it answers.
//
// The one rule: everything in this package may be shown to a model. No type here can carry the
// intent of a task that is being evaluated; [Example] is the only value with intents, and the
// engine builds it from training and dev episodes only (decisions.md, "Examples for learning").
// The package is a leaf: it imports nothing else of this module, so that a predictor that reaches
// for gold does not compile.
package task

import (
	"context"
	"encoding/json"
	"iter"
	"sort"
)

// Step is one visible event: an utterance, an action, or both, with its observation.
//
// Channels (benchmark.md, "Ablations"): Speaker and Utterance belong to channel utterance; Op and
// Action to channel action; Element, URL, Value, Observation and Screenshot to channel observation. Action is the readable
// text of the whole action; a view that hides the observation replaces it by Op, since the text
// quotes the element.
type Step struct {
	Index     int    `json:"index"`
	Kind      string `json:"kind"` // "utterance" or "action"
	Speaker   string `json:"speaker,omitempty"`
	Utterance string `json:"utterance,omitempty"`
	Action    string `json:"action,omitempty"`
	Op        string `json:"op,omitempty"`
	Element   string `json:"element,omitempty"`
	URL       string `json:"url,omitempty"`
	Value     string `json:"value,omitempty"`
	App       string `json:"app,omitempty"` // app in the foreground, where the source tells (channel metadata)
	// Observation is what was on the screen: OCR, accessibility text, a caption. Screenshot names its
	// picture by content, "sha256:" and 64 hex digits, and holds no path. Both come from a sidecar or
	// stand in the data (channel observation).
	Observation string `json:"observation,omitempty"`
	Screenshot  string `json:"screenshot,omitempty"`
}

// Metadata is the visible description of an episode: free fields, the apps opened so far, and the
// user's profile. Its JSON form is one object: the fields, then "apps" and "profile" where present.
type Metadata struct {
	Fields  map[string]string
	Apps    []string
	Profile map[string]string
}

// Empty reports whether nothing at all is visible.
func (m Metadata) Empty() bool {
	return len(m.Fields) == 0 && len(m.Apps) == 0 && len(m.Profile) == 0
}

// MarshalJSON writes one flat object with sorted keys.
func (m Metadata) MarshalJSON() ([]byte, error) {
	flat := make(map[string]any, len(m.Fields)+2)
	for k, v := range m.Fields {
		flat[k] = v
	}
	if len(m.Apps) > 0 {
		flat["apps"] = m.Apps
	}
	if len(m.Profile) > 0 {
		flat["profile"] = m.Profile
	}
	return Canonical(flat)
}

// UnmarshalJSON reads what MarshalJSON writes; a field that is not a string is kept as its JSON text.
func (m *Metadata) UnmarshalJSON(b []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*m = Metadata{}
	for k, v := range raw {
		switch k {
		case "apps":
			if err := json.Unmarshal(v, &m.Apps); err != nil {
				return err
			}
		case "profile":
			if err := json.Unmarshal(v, &m.Profile); err != nil {
				return err
			}
		default:
			if m.Fields == nil {
				m.Fields = map[string]string{}
			}
			var s string
			if json.Unmarshal(v, &s) != nil {
				s = string(v)
			}
			m.Fields[k] = s
		}
	}
	return nil
}

// Keys returns the field names in byte order.
func (m Metadata) Keys() []string {
	keys := make([]string, 0, len(m.Fields))
	for k := range m.Fields {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Contract says what an answer must look like (benchmark.md, "prediction_contract").
type Contract struct {
	ClosedIntent    ClosedContract `json:"closed_intent"`
	PredictedIntent TextContract   `json:"predicted_intent"`
}

// ClosedContract names the label space that a closed intent must come from; empty where the
// dataset has no closed intents.
type ClosedContract struct {
	LabelSpace string `json:"label_space"`
}

// TextContract is the type of the open intent, always "text".
type TextContract struct {
	Type string `json:"type"`
}

// Task is one prefix task as a predictor sees it: a line of inputs.jsonl (benchmark.md). ID is
// "dataset:episode:rX.XX".
type Task struct {
	ID               string   `json:"task_id"`
	Dataset          string   `json:"dataset"`
	EpisodeID        string   `json:"episode_id"`
	Ablation         string   `json:"ablation"`
	RequestedRatio   Ratio    `json:"requested_prefix_ratio,omitempty"` // both ratios are 0 and absent where the ablation hides them
	EffectiveRatio   float64  `json:"effective_prefix_ratio,omitempty"`
	PrefixStepCount  int      `json:"prefix_step_count"` // the true k, also where the ablation drops steps
	DuplicatePrefix  bool     `json:"is_duplicate_prefix"`
	Metadata         Metadata `json:"metadata"`
	ContextSteps     []Step   `json:"context_steps,omitempty"`
	ObservedSteps    []Step   `json:"observed_steps"`
	VisibleGraphPath *string  `json:"visible_graph_path"`
	Contract         Contract `json:"prediction_contract"`

	// Graph is the visible graph in memory; inputs.jsonl carries a path instead, the command
	// protocols send it inline as "visible_graph".
	Graph *Graph `json:"-"`
}

// Graph is a visible graph (benchmark.md, "Visible graph"). It can't express a hidden node: the
// complete graph is a type of package ablations.
type Graph struct {
	TaskID      string `json:"task_id"`
	Nodes       []Node `json:"nodes"`
	Edges       []Edge `json:"edges"`
	HiddenNodes int    `json:"hidden_nodes"` // always 0; kept because the on-disk format has it
	IntentNodes int    `json:"intent_nodes"` // always 0
}

// Node types: episode, metadata, app, profile_attribute, step, action, utterance, element, observation
// (its text is the observation, its value the screenshot's hash).
type Node struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Index *int   `json:"index,omitempty"`
	Key   string `json:"key,omitempty"`
	Value string `json:"value,omitempty"`
	Op    string `json:"op,omitempty"`
	Text  string `json:"text,omitempty"`
	// Speaker is set on utterance nodes, URL on element nodes, where the source tells.
	Speaker string `json:"speaker,omitempty"`
	URL     string `json:"url,omitempty"`
}

// Edge types: observed_prefix_step, contains_action, next_step, uses_app, has_profile_attribute,
// has_metadata, contains_utterance, acts_on, shows (a step and its observation), context_step; and, where the ablation names them,
// same_element, same_app, same_page, repeated_action, copy_paste.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type"`
}

// LabelSpace lists the closed labels of all splits in byte order; SeenInTrain those that occur in
// the training split of the fold at hand.
type LabelSpace struct {
	Name        string   `json:"-"`
	Labels      []string `json:"labels"`
	SeenInTrain []string `json:"seen_in_train"`
}

// LabelProbability is one entry of a ranked closed answer.
type LabelProbability struct {
	Label string  `json:"label"`
	P     float64 `json:"p"`
}

// Usage is what an answer cost; all zero for local methods.
type Usage struct {
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	CostUSD      float64 `json:"cost_usd"`
}

// Answer is what a method says about one task. An empty ClosedIntent abstains; an empty
// PredictedIntent is an empty open answer. Error is a method's own report of failure.
type Answer struct {
	ClosedIntent     string             `json:"closed_intent"`
	ClosedConfidence *float64           `json:"closed_confidence,omitempty"`
	PredictedIntent  string             `json:"predicted_intent"`
	ClosedTopK       []LabelProbability `json:"closed_topk,omitempty"`
	OpenJudgeScore   *float64           `json:"open_judge_score,omitempty"` // self-grading: ignored unless explicitly accepted
	Error            string             `json:"error,omitempty"`
	Usage            Usage              `json:"usage"`

	// Trace is how an endpoint's answer came about; nil for local methods. It is no part of the formats
	// of predictions.
	Trace *Trace `json:"-"`
}

// Trace is how the answer of a method that asks an endpoint came about, or how it failed. A method
// that asked several times sums up Attempts, QueueMS and ServiceMS; the rest is of its last reply.
type Trace struct {
	Reply  string   `json:"reply"`  // the raw text, also where no answer was found in it
	Model  string   `json:"model"`  // the id that the service returned
	Finish string   `json:"finish"` // its finish reason
	Flags  []string `json:"flags,omitempty"`
	// Attempts counts requests that were sent; 0 where all replies came from a cache (Cached).
	Attempts int  `json:"attempts"`
	Cached   bool `json:"cached,omitempty"`
	// QueueMS is the time spent waiting for a turn, ServiceMS that at the service, in milliseconds.
	QueueMS   int64 `json:"queue_ms"`
	ServiceMS int64 `json:"service_ms"`
}

// Example is a task together with its intents, from the training or dev split. It is the only gold
// that a predictor meets. Weight is 1/(prefixes of its episode), so that every episode counts once.
type Example struct {
	Task         Task
	ClosedIntent string // empty where the episode has none
	OpenIntent   string
	Weight       float64
}

// Examples is a re-iterable stream of examples in a fixed order: episodes in dataset order, within
// an episode all non-duplicate prefixes in grid order. An error ends the stream.
type Examples func(ctx context.Context) iter.Seq2[Example, error]

// NoExamples is the empty stream.
func NoExamples(context.Context) iter.Seq2[Example, error] {
	return func(func(Example, error) bool) {}
}
