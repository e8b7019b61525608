// Package progress tells people and programs where a run stands: counters that the engine feeds
// ([Meter]), what they come to at a moment ([Snapshot]), and three ways to show it: a block of lines on
// a terminal and plain lines elsewhere ([Meter.Show]), and events as JSON lines ([Events]).
package progress

import (
	"sync"
	"time"
)

// Meter counts what a run does. All methods may be called from any goroutine. The zero value is not
// ready: use [New].
type Meter struct {
	mu       sync.Mutex
	start    time.Time
	total    counts
	before   int
	methods  map[string]*counts
	order    []string // methods in the order in which they were announced
	failures map[string]int
	samples  []sample // one a second at most, the last minute's
	live     Live
	say      func(string)
	events   *Events
}

type counts struct{ total, done, asked, failed int }

type sample struct {
	at   time.Time
	done int
}

// Live is asked for what only others know at the moment of a snapshot; nil fields are left out.
type Live struct {
	Endpoints func() []Endpoint
	Spend     func() []Spend
}

// New returns a meter that shows nothing until [Meter.Show]. events may be nil.
func New(events *Events) *Meter {
	return &Meter{start: time.Now(), methods: map[string]*counts{}, failures: map[string]int{}, say: func(string) {}, events: events}
}

// Watch sets where live figures come from.
func (m *Meter) Watch(l Live) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live = l
}

// Expect adds tasks of a method that the run is to do, and those of the same cells that were stored
// before.
func (m *Meter) Expect(method string, tasks, before int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.methods[method]
	if c == nil {
		c = &counts{}
		m.methods[method] = c
		m.order = append(m.order, method)
	}
	c.total += tasks
	m.total.total += tasks
	m.before += before
}

// Did counts tasks that were to do and are stored now: asked are the answers among them that were not
// reused, failures the reasons of those that failed.
func (m *Meter) Did(method string, tasks, asked int, failures []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range []*counts{&m.total, m.methods[method]} {
		if c != nil {
			c.done += tasks
			c.asked += asked
			c.failed += len(failures)
		}
	}
	for _, f := range failures {
		m.failures[f]++
	}
}

// Done returns how many of the tasks that were to do are stored, and how many were to do.
func (m *Meter) Done() (done, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total.done, m.total.total
}

// Say shows a line between the progress lines and writes it as a notice to the events.
func (m *Meter) Say(line string) {
	m.events.write("notice", map[string]any{"text": line})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.say(line)
}

// Event writes an event; fields must be plain values. See docs/events.md for the kinds.
func (m *Meter) Event(kind string, fields map[string]any) { m.events.write(kind, fields) }
