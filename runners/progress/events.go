package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"sync"
	"time"
)

// Events writes what happens as JSON lines: every line is an object with "at" (RFC 3339, UTC), "event"
// and the event's fields. It is a log for other programs; results are in the store only. A nil *Events
// writes nothing.
type Events struct {
	mu  sync.Mutex
	w   io.Writer
	now func() time.Time
	err error
}

// NewEvents writes to w, one Write a line.
func NewEvents(w io.Writer) *Events { return &Events{w: w, now: time.Now} }

// Err is the first error of writing; a run goes on without its log and says so at the end.
func (e *Events) Err() error {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// write takes a Snapshot or a map of plain values.
func (e *Events) write(kind string, fields any) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return
	}
	line := map[string]any{}
	switch f := fields.(type) {
	case map[string]any:
		maps.Copy(line, f)
	default:
		line["progress"] = f
	}
	line["at"], line["event"] = e.now().UTC().Format(time.RFC3339Nano), kind
	b, err := json.Marshal(line)
	if err == nil {
		_, err = e.w.Write(append(b, '\n'))
	}
	if err != nil {
		e.err = fmt.Errorf("writing events: %w", err)
	}
}
