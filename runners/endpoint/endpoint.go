// Package endpoint speaks to OpenAI-compatible services: chat completions and embeddings, through one
// layer of retries, one pace and one response cache for all who call the same endpoint. It knows no
// task, no intent and no experiment.
package endpoint

import (
	"context"
	"encoding/json"
	"time"
)

// Message is one message of a chat; Role is "system", "user" or "assistant".
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Shape is how a reply is to be shaped.
type Shape string

// The shapes in the order in which a caller falls back: a JSON schema that the service enforces, any
// JSON object, plain text.
const (
	Schema Shape = "schema"
	Object Shape = "object"
	Text   Shape = "text"
)

// Request is one chat completion. All of it but the fields named below is part of the cache key.
type Request struct {
	Model    string
	Messages []Message
	// Sampling: nil leaves the choice to the service; a temperature of 0 is sent as 0.
	Temperature, TopP *float64
	MaxTokens         *int
	Seed              *int64
	Stop              []string
	// TopLogprobs asks for log-probabilities of that many alternatives a token; 0 asks for none.
	TopLogprobs int
	// Shape and, for Schema, the schema with its name.
	Shape      Shape
	SchemaName string
	JSONSchema json.RawMessage
	// ReasoningEffort is sent as reasoning_effort where it is not "".
	ReasoningEffort string
	// Repeat tells apart repetitions of one question (votes, samples): it is in the cache key and is
	// never sent.
	Repeat int

	// Not in the key:

	// For names who pays, as in budgets: "method NAME" or "judge NAME".
	For string
	// Flow groups requests whose prompts share a beginning (the prefixes of one episode): the pace keeps
	// them adjacent, and is fair between values of For.
	Flow string
	// Tokens is an estimate of what the request reads and writes, for budgets and the token bucket,
	// settled by what the service reports; 0 lets the client estimate.
	Tokens int
	// Accept says whether a reply is a final answer worth keeping; only such replies are cached. Nil
	// accepts every reply with a finish reason of "stop" and some text.
	Accept func(Reply) error
}

// Usage is what a reply cost in tokens, as the service reports it; zero where it reports nothing.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"` // reasoning included
	// CachedTokens are those of the input that the service had cached; ReasoningTokens those of the output
	// that were not shown.
	CachedTokens    int `json:"cached_tokens,omitempty"`
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`
}

// Logprob is one token of a reply with its log-probability and the alternatives that were asked for.
type Logprob struct {
	Token   string    `json:"token"`
	Logprob float64   `json:"logprob"`
	Top     []Logprob `json:"top,omitempty"`
}

// Reply is a service's answer to a chat request. An empty text is an ordinary outcome: the caller
// decides what it means.
type Reply struct {
	Text         string    `json:"text"`
	Reasoning    string    `json:"reasoning,omitempty"` // reasoning_content, where the service sends it apart
	Refusal      string    `json:"refusal,omitempty"`
	FinishReason string    `json:"finish_reason"` // "stop", "length", "content_filter" … as sent
	Model        string    `json:"model"`         // the id that the service returned
	Fingerprint  string    `json:"fingerprint,omitempty"`
	Logprobs     []Logprob `json:"logprobs,omitempty"`
	Usage        Usage     `json:"usage"`
	// USD is what the reply cost at the endpoint's prices; nil where no price is known. The price of a
	// cached reply is that of the first time, and nothing is paid for it now.
	USD *float64 `json:"usd,omitempty"`
	// Bent lists the quirks that were worked around for this reply ("max_completion_tokens", "no_temperature").
	Bent []string `json:"bent,omitempty"`
	// Service is how long the last attempt took at the service; of a cached reply, the first time's.
	Service time.Duration `json:"service_ns"`

	// Cached says that the reply came from the response cache or from a call of somebody else that was
	// in flight: nothing was sent. Attempts and Queue are of this call.
	Cached   bool          `json:"-"`
	Attempts int           `json:"-"`
	Queue    time.Duration `json:"-"`
}

// Caller is what methods and judges see of an endpoint. Errors are context errors or [*Error]s.
type Caller interface {
	Chat(ctx context.Context, r Request) (Reply, error)
	// Embed returns one vector a text, in order.
	Embed(ctx context.Context, r EmbedRequest) (Embedding, error)
	// Ceiling is how many requests the endpoint may have in flight at most: what a caller keeps ready.
	Ceiling() int
}

// EmbedRequest asks for the embeddings of texts.
type EmbedRequest struct {
	Model      string
	Texts      []string
	Dimensions int    // 0 leaves it to the model
	For        string // as in [Request]
}

// Embedding is the reply to an [EmbedRequest].
type Embedding struct {
	Vectors [][]float32
	Model   string
	Usage   Usage
	USD     *float64
	Cached  bool
}

// Reason is a short stable word for why a request failed; it is stored with the task.
type Reason string

// What can become of a request. Slow-downs, server errors and broken transports are retried first and
// reach the caller only when the attempts are used up.
const (
	Throttled   Reason = "throttled"    // 429 to the end
	ServerError Reason = "server_error" // 408, 409, 5xx to the end
	Transport   Reason = "transport"    // no connection, a cut body, an unreadable reply
	Timeout     Reason = "timeout"      // one of the deadlines, to the end
	Rejected    Reason = "rejected"     // any other 4xx: the request or the key is wrong
	TooLong     Reason = "too_long"     // the prompt does not fit the model's context; a failure of the task
	Filtered    Reason = "filtered"     // the service's content filter refused the prompt; a failure of the task
	Quota       Reason = "quota"        // nothing more to be had for a long time: the endpoint is parked
	Budget      Reason = "budget"       // a declared budget is used up: nothing was sent
)

// Error is a request that failed for good within this call. Its text is one sentence with the service's
// own words, clipped, without any secret.
type Error struct {
	Reason   Reason
	Status   int // of the last attempt; 0 where none was had
	Attempts int
	Detail   string
}

func (e *Error) Error() string { return e.Detail }

// Cache keeps replies of one store of responses. Both methods are safe for concurrent use.
type Cache interface {
	// Get returns what was put under a key.
	Get(ctx context.Context, key string) (reply []byte, found bool, err error)
	// Put stores a valid final reply under its key, with the canonical inputs of the key, so that a miss
	// can be explained. It returns once the entry survives a power cut.
	Put(ctx context.Context, e Entry) error
}

// Entry is one reply to be cached.
type Entry struct {
	Key      string // hex SHA-256 of Inputs
	Inputs   []byte // canonical JSON of everything that is in the key
	Reply    []byte // JSON
	Provider string
	Model    string
	Tokens   int // input and output
	USD      *float64
}

// Purse is a budget's side of a call: Reserve right before the first attempt is sent, with the pass of
// the gate in hand, so that nothing is set aside for callers that only wait; then exactly one of Settle
// or Release on what it returned.
type Purse interface {
	// Reserve sets aside one request, its tokens and its price (nil: unknown). It returns an [*Error] with
	// the reason Budget when one of the limits that count for payer leaves no room.
	Reserve(payer string, tokens int, usd *float64) (Hold, error)
}

// Hold is an amount set aside; the request that Reserve set aside counts as sent. Each further attempt
// is a request and may cost: Again, before it is sent, counts one more, or says with an [*Error] that
// there is no room for it. Settle books what was used and gives the rest back; Release gives all but
// the requests sent back.
type Hold interface {
	Again() error
	Settle(tokens int, usd *float64)
	Release()
}
