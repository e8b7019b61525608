package progress

import (
	"cmp"
	"slices"
	"time"
)

// Snapshot is where a run stands. It is the payload of `progress` events and what `status` reads of a
// running process.
type Snapshot struct {
	Seconds float64 `json:"seconds"` // since the start of this invocation
	Done    int     `json:"done"`    // tasks stored by this invocation
	Total   int     `json:"total"`   // tasks it is to do
	Before  int     `json:"before"`  // tasks of the same cells that were stored before
	Asked   int     `json:"asked"`   // answers that were not reused
	Failed  int     `json:"failed"`
	// Rate is tasks a second over the last minute; Left the seconds to go at that rate, null while
	// nothing is known.
	Rate      float64        `json:"rate"`
	Left      *float64       `json:"left"`
	Methods   []Method       `json:"methods"`
	Endpoints []Endpoint     `json:"endpoints,omitempty"`
	Spend     []Spend        `json:"spend,omitempty"`
	Failures  []FailureCount `json:"failures,omitempty"` // most frequent first
}

// Method is one method's share of a snapshot.
type Method struct {
	Name   string `json:"name"`
	Done   int    `json:"done"`
	Total  int    `json:"total"`
	Asked  int    `json:"asked"`
	Failed int    `json:"failed"`
}

// FailureCount is how many tasks failed for a reason.
type FailureCount struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Endpoint is the state of one endpoint: requests in flight, the width that the adaptive limit allows
// now and its ceiling, callers that wait, what was used in the last minute, retries by kind, and why it
// is parked, if it is.
type Endpoint struct {
	Name              string         `json:"name"`
	InFlight          int            `json:"in_flight"`
	Limit             int            `json:"limit"`
	Ceiling           int            `json:"ceiling"`
	Waiting           int            `json:"waiting"`
	RequestsPerMinute int            `json:"requests_per_minute"`
	TokensPerMinute   int            `json:"tokens_per_minute"`
	Retries           map[string]int `json:"retries,omitempty"`
	Cached            int            `json:"cached"` // replies from the response cache
	Parked            string         `json:"parked,omitempty"`
}

// Spend is what a budget's scope has used; a limit of 0 is none. Unpriced counts requests whose price
// is not known.
type Spend struct {
	Scope        string  `json:"scope"` // "run", "method NAME" or "judge NAME"
	USD          float64 `json:"usd"`
	Requests     int     `json:"requests"`
	Tokens       int     `json:"tokens"`
	LimitUSD     float64 `json:"limit_usd,omitempty"`
	LimitRequest int     `json:"limit_requests,omitempty"`
	LimitTokens  int     `json:"limit_tokens,omitempty"`
	Unpriced     int     `json:"unpriced,omitempty"`
}

// window is how far back the rate looks: long enough for a steady figure, short enough to notice that
// a service has slowed down.
const window = time.Minute

// Snapshot says where the run stands now.
func (m *Meter) Snapshot() Snapshot { return m.at(time.Now()) }

func (m *Meter) at(now time.Time) Snapshot {
	m.mu.Lock()
	live := m.live
	s := Snapshot{Seconds: now.Sub(m.start).Seconds(), Done: m.total.done, Total: m.total.total, Before: m.before,
		Asked: m.total.asked, Failed: m.total.failed, Rate: m.rate(now), Methods: []Method{}}
	for _, name := range m.order {
		c := m.methods[name]
		s.Methods = append(s.Methods, Method{name, c.done, c.total, c.asked, c.failed})
	}
	for reason, n := range m.failures {
		s.Failures = append(s.Failures, FailureCount{reason, n})
	}
	m.mu.Unlock()
	slices.SortFunc(s.Failures, func(a, b FailureCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	if left := s.Total - s.Done; s.Rate > 0 {
		seconds := float64(left) / s.Rate
		s.Left = &seconds
	}
	// Not under the lock: whoever is asked may be counting something here.
	if live.Endpoints != nil {
		s.Endpoints = live.Endpoints()
	}
	if live.Spend != nil {
		s.Spend = live.Spend()
	}
	return s
}

// rate keeps a sample a second and compares with the oldest within the window; with the start before
// there are any.
func (m *Meter) rate(now time.Time) float64 {
	if n := len(m.samples); n == 0 || now.Sub(m.samples[n-1].at) >= time.Second {
		m.samples = append(m.samples, sample{now, m.total.done})
	}
	for len(m.samples) > 1 && now.Sub(m.samples[0].at) > window {
		m.samples = m.samples[1:]
	}
	from := sample{at: m.start}
	if now.Sub(m.start) > window {
		from = m.samples[0]
	}
	seconds := now.Sub(from.at).Seconds()
	if seconds < 0.1 {
		return 0
	}
	return float64(m.total.done-from.done) / seconds
}
