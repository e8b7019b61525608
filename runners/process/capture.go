package process

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// captureHead and captureTail bound what is kept of a stream, in bytes.
const (
	captureHead = 64 << 10
	captureTail = 64 << 10
)

// Log is a writer that several goroutines and children may share. The nil Log drops everything.
type Log struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// NewLog wraps w.
func NewLog(w io.Writer) *Log { return &Log{w: w} }

// Write writes p as one piece. It never fails, so that a broken log can't end a method; Err tells.
func (l *Log) Write(p []byte) (int, error) {
	if l == nil || l.w == nil {
		return len(p), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		_, l.err = l.w.Write(p)
	}
	return len(p), nil
}

// Printf writes one line.
func (l *Log) Printf(format string, args ...any) {
	_, _ = fmt.Fprintf(l, format+"\n", args...) // Write never fails
}

// Err is the first error of the underlying writer.
func (l *Log) Err() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Capture keeps the first 64 KiB and the last 64 KiB of a stream. The head goes to the log as it
// comes, the tail when the stream ends.
type Capture struct {
	log *Log

	mu      sync.Mutex
	head    []byte
	ring    []byte // the last captureTail bytes behind the head; full ones wrap at pos
	pos     int
	total   int64
	flushed bool
}

// NewCapture makes an empty capture that also feeds log.
func NewCapture(log *Log) *Capture { return &Capture{log: log} }

// Write keeps p as far as the caps allow; it never fails.
func (c *Capture) Write(p []byte) (int, error) {
	n := len(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += int64(n)
	if room := captureHead - len(c.head); room > 0 {
		part := p[:min(room, len(p))]
		c.head = append(c.head, part...)
		_, _ = c.log.Write(part) // Log never fails
		p = p[len(part):]
	}
	if len(p) > captureTail {
		p = p[len(p)-captureTail:]
	}
	for len(p) > 0 {
		if len(c.ring) < captureTail {
			part := p[:min(captureTail-len(c.ring), len(p))]
			c.ring = append(c.ring, part...)
			p = p[len(part):]
			continue
		}
		k := copy(c.ring[c.pos:], p)
		c.pos = (c.pos + k) % captureTail
		p = p[k:]
	}
	return n, nil
}

// tail is what is kept behind the head, and how much was left out between them.
func (c *Capture) tail() (string, int64) {
	s := string(c.ring[c.pos:]) + string(c.ring[:c.pos])
	return s, c.total - int64(len(c.head)) - int64(len(s))
}

// String is everything kept, with a line that says how much was left out.
func (c *Capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail, left := c.tail()
	if left > 0 {
		tail = fmt.Sprintf("\n[… %d of %d bytes left out …]\n", left, c.total) + tail
	}
	return strings.ToValidUTF8(string(c.head)+tail, "\uFFFD")
}

// Flush writes what is kept behind the head to the log; later calls do nothing.
func (c *Capture) Flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flushed {
		return
	}
	c.flushed = true
	tail, left := c.tail()
	if left > 0 {
		c.log.Printf("\n[… %d of %d bytes of stderr left out …]", left, c.total)
	}
	_, _ = c.log.Write([]byte(tail)) // Log never fails
}
