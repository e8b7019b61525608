package predictors

// Planned are kinds of the language whose engine is not built yet: they validate and plan, and a run
// refuses them. A kind moves from here to [Kinds] when it has a constructor.
var Planned = map[string]Kind{
	"chat": {Name: "chat", Summary: "a chat model behind an OpenAI-compatible endpoint", Needs: Needs{Endpoint: true}, UsesLabels: true, Causal: true, CodeVersion: 1,
		Options: func() any { return &ChatOptions{} }},
	"http": {Name: "http", Summary: "a service that answers a POST of the input record", UsesLabels: true, Causal: true, CodeVersion: 1,
		Options: func() any { return &HTTPOptions{} }},
}

// ChatOptions are the settings of the kind chat.
type ChatOptions struct {
	Model       string   `hcl:"model" doc:"model name, as the endpoint knows it"`
	Temperature *float64 `hcl:"temperature,optional" min:"0" default:"0" doc:"sampling temperature"`
	TopP        *float64 `hcl:"top_p,optional" min:"0" default:"the service's" doc:"nucleus sampling"`
	MaxTokens   *int     `hcl:"max_tokens,optional" min:"1" default:"the service's" doc:"longest answer in tokens"`
	Prompt      string   `hcl:"prompt,optional" default:"the built-in prompt" doc:"Go template over the visible input"`
	Shots       int      `hcl:"shots,optional" min:"0" doc:"examples from train in the prompt"`
}

// HTTPOptions are the settings of the kind http.
type HTTPOptions struct {
	URL     string `hcl:"url" doc:"address that takes the input record"`
	Timeout string `hcl:"timeout,optional" key:"-" default:"1m" doc:"until a task is answered"`
}
