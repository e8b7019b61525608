package runners

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Progress counts what a run does. The zero pointer from NewProgress is silent until Show.
type Progress struct {
	total, before, done, asked, failed atomic.Int64

	mu    sync.Mutex
	say   func(string)
	start time.Time
}

// NewProgress returns a silent progress.
func NewProgress() *Progress { return &Progress{start: time.Now(), say: func(string) {}} }

// Expect adds tasks that the run is to do, and those of the same cells that were stored before.
func (p *Progress) Expect(tasks, before int) {
	p.total.Add(int64(tasks))
	p.before.Add(int64(before))
}

// Did counts tasks that were to do and are stored now: asked are the answers among them that were not reused.
func (p *Progress) Did(tasks, asked, failed int) {
	p.done.Add(int64(tasks))
	p.asked.Add(int64(asked))
	p.failed.Add(int64(failed))
}

// Done returns how many of the tasks that were to do are stored, and how many were to do.
func (p *Progress) Done() (done, total int64) { return p.done.Load(), p.total.Load() }

// Say shows a line between the progress lines.
func (p *Progress) Say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say(line)
}

// line describes the moment; final is the last word on a run, which promises nothing more.
func (p *Progress) line(final bool) string {
	done, total := p.Done()
	took := time.Since(p.start)
	rate := float64(done) / max(took.Seconds(), 0.001)
	s := fmt.Sprintf("%d of %d tasks, %d asked, %.0f/s", done, total, p.asked.Load(), rate)
	if f := p.failed.Load(); f > 0 {
		s += fmt.Sprintf(", %d failed", f)
	}
	if n := p.before.Load(); n > 0 {
		s += fmt.Sprintf(", %d more were stored before", n)
	}
	if left := total - done; left > 0 && rate > 0 && done > 0 && !final {
		s += ", about " + (time.Duration(float64(left)/rate) * time.Second).Round(time.Second).String() + " left"
	}
	return s
}

// Show prints progress to w until the returned function is called, which waits for the last line:
// one line kept up to date on a terminal, a plain line every interval elsewhere.
func (p *Progress) Show(w io.Writer, terminal bool, interval time.Duration) (stop func()) {
	if terminal {
		interval = 200 * time.Millisecond
	}
	width := 0
	paint := func(final bool) {
		s := p.line(final)
		if !terminal {
			fmt.Fprintln(w, s)
			return
		}
		fmt.Fprintf(w, "\r%s%s", s, strings.Repeat(" ", max(0, width-len(s))))
		width = len(s)
	}
	p.mu.Lock()
	p.say = func(line string) {
		if terminal && width > 0 {
			fmt.Fprintf(w, "\r%s\r", strings.Repeat(" ", width))
			width = 0
		}
		fmt.Fprintln(w, line)
	}
	p.mu.Unlock()
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.mu.Lock()
				paint(false)
				p.mu.Unlock()
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
			p.mu.Lock()
			defer p.mu.Unlock()
			if terminal || p.total.Load() > 0 {
				paint(true)
			}
			if terminal {
				fmt.Fprintln(w)
			}
			p.say = func(line string) { fmt.Fprintln(w, line) }
		})
	}
}
