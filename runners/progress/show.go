package progress

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Screen is where progress is shown.
type Screen struct {
	W io.Writer
	// Width returns the terminal's width in columns; nil where W is no terminal.
	Width func() int
	// Interval is the time between plain lines.
	Interval time.Duration
}

// refresh is how often a terminal is repainted.
const refresh = 200 * time.Millisecond

// Show prints progress until the returned function is called, which waits for the last line: a block of
// lines kept up to date on a terminal, a plain line every interval elsewhere. Each tick is also a
// `progress` event, at most one an interval.
func (m *Meter) Show(s Screen) (stop func()) {
	p := &painter{meter: m, screen: s}
	m.mu.Lock()
	m.say = p.say
	m.mu.Unlock()
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		every := s.Interval
		if s.Width != nil {
			every = refresh
		}
		tick := time.NewTicker(every)
		defer tick.Stop()
		told := time.Now()
		for {
			select {
			case now := <-tick.C:
				snapshot := m.Snapshot()
				if now.Sub(told) >= s.Interval {
					told = now
					m.events.write("progress", snapshot)
				}
				m.mu.Lock()
				p.paint(snapshot)
				m.mu.Unlock()
			case <-quit:
				return
			}
		}
	}()
	var once sync.Once
	return func() {
		once.Do(func() {
			close(quit)
			<-ended
			last := m.Snapshot()
			m.events.write("progress", last)
			m.mu.Lock()
			defer m.mu.Unlock()
			p.clear()
			if s.Width != nil || last.Total > 0 {
				fmt.Fprintln(s.W, last.Line(true))
			}
			m.say = func(line string) { fmt.Fprintln(s.W, line) }
		})
	}
}

// painter keeps the block on a terminal. Its methods are called under the meter's lock.
type painter struct {
	meter  *Meter
	screen Screen
	rows   int // that the block takes now
}

func (p *painter) paint(s Snapshot) {
	if p.screen.Width == nil {
		fmt.Fprintln(p.screen.W, s.Line(false))
		return
	}
	lines := s.Block(p.screen.Width())
	p.clear()
	for _, l := range lines {
		fmt.Fprintf(p.screen.W, "%s\n", l)
	}
	p.rows = len(lines)
}

// clear takes the block off the terminal: up to its first row, then everything below is erased.
func (p *painter) clear() {
	if p.rows > 0 {
		fmt.Fprintf(p.screen.W, "\x1b[%dA\r\x1b[J", p.rows)
		p.rows = 0
	}
}

func (p *painter) say(line string) {
	p.clear()
	fmt.Fprintln(p.screen.W, line)
}
