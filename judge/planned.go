package judge

// Planned are kinds of the language whose engine is not built yet: they validate and plan, and a run
// refuses them. A kind moves from here to [Kinds] when it has a constructor.
var Planned = map[string]Kind{
	"rubric": {Name: "rubric", Summary: "a language model with levels 0–4, reason before level (B4)", NeedsEndpoint: true, CodeVersion: 1,
		Options: func() any { return &RubricOptions{Votes: 1} }},
	"facts": {Name: "facts", Summary: "a language model that compares facts both ways (B4.10)", NeedsEndpoint: true, CodeVersion: 1,
		Options: func() any { return &ModelOptions{} }},
	"pairwise": {Name: "pairwise", Summary: "a language model that compares two methods in both orders (B4.11)", NeedsEndpoint: true, CodeVersion: 1,
		Options: func() any { return &ModelOptions{} }},
	"panel": {Name: "panel", Summary: "the median over several judges (B4.8)", CodeVersion: 1,
		Options: func() any { return &PanelOptions{} }},
}

// RubricOptions are the settings of the kind rubric.
type RubricOptions struct {
	Model       string   `hcl:"model" doc:"model name, as the endpoint knows it"`
	Votes       int      `hcl:"votes,optional" min:"1" doc:"calls a verdict; the median counts"`
	Temperature *float64 `hcl:"temperature,optional" min:"0" default:"0, or 0.7 with several votes" doc:"sampling temperature"`
}

// ModelOptions are the settings of judge kinds that only name a model.
type ModelOptions struct {
	Model string `hcl:"model" doc:"model name, as the endpoint knows it"`
}

// PanelOptions are the settings of the kind panel.
type PanelOptions struct {
	Members []string `hcl:"members" doc:"names of the judges of the panel"`
}
