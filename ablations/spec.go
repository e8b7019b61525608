// Package ablations turns an episode into what a method may see: it cuts the prefix, builds the
// graph, removes what is hidden, and applies the ablation's channels (benchmark.md).
package ablations

// Channel is one source of evidence in a prefix.
type Channel string

// The channels. Metadata includes apps and profile; Observation is target element, url, value.
const (
	Metadata    Channel = "metadata"
	Utterance   Channel = "utterance"
	Action      Channel = "action"
	Observation Channel = "observation"
)

// Channels is a set of channels in the order metadata, utterance, action, observation.
type Channels []Channel

// Has reports whether c is in the set.
func (cs Channels) Has(c Channel) bool {
	for _, x := range cs {
		if x == c {
			return true
		}
	}
	return false
}

// Spec is a resolved ablation: an identity-bearing pair of channel sets plus transforms. Its zero
// transforms change nothing. The JSON form is part of the variant's identity.
type Spec struct {
	Name string `json:"-"`
	// Modifier marks a preset that only takes away (no_url, no_metadata, …). Alone it is
	// full_context less what it takes; in [Compose] it restricts, but adds and removes no graph.
	Modifier bool `json:"-"`

	Text  Channels `json:"text"`
	Graph Channels `json:"graph"`
	// LastKSteps keeps the last k of the steps that the channels leave, and the apps from there on;
	// 0 keeps all. Earlier turns are not steps: NoContext hides them.
	LastKSteps int `json:"last_k_steps,omitempty"`
	// NoContext hides the earlier turns of a conversation.
	NoContext bool `json:"no_context,omitempty"`
	// StructureOnly leaves node types, operations and order of the graph, and no other string.
	StructureOnly bool `json:"structure_only,omitempty"`
	// NoInitialInstruction masks the instructor's first request (see maskFirstRequest).
	NoInitialInstruction bool `json:"no_initial_instruction,omitempty"`
	// NoURL masks URLs and hosts in every channel, by trajectory.MaskURLs, keys of metadata included; an
	// episode whose id holds a host has neutral ids.
	NoURL bool `json:"no_url,omitempty"`
	// HideRatio gives tasks neutral ids and leaves out both ratios; the duplicate flag is then always
	// false and prefix_step_count stays, since the steps can be counted.
	HideRatio bool `json:"hide_ratio,omitempty"`
	// ShuffledSteps destroys the order of the steps, of earlier turns, and of the apps.
	ShuffledSteps bool `json:"shuffled_steps,omitempty"`
	// ExtraEdges names further local relations of the graph, off by default.
	ExtraEdges []string `json:"extra_edges,omitempty"`
}

// HasGraph reports whether the ablation shows a graph.
func (s Spec) HasGraph() bool { return len(s.Graph) > 0 }

// HasText reports whether the ablation shows any text.
func (s Spec) HasText() bool { return len(s.Text) > 0 }
