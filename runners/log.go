package runners

import (
	"fmt"
	"sync"
)

// cappedLog keeps the head and the tail of what a method prints.
type cappedLog struct {
	mu         sync.Mutex
	head, tail []byte
	dropped    int
}

const logHead, logTail = 16 << 10, 48 << 10

// Write never fails.
func (l *cappedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	if room := logHead - len(l.head); room > 0 {
		take := min(room, len(p))
		l.head = append(l.head, p[:take]...)
		p = p[take:]
	}
	l.tail = append(l.tail, p...)
	if over := len(l.tail) - logTail; over > 0 {
		l.dropped += over
		l.tail = append(l.tail[:0], l.tail[over:]...)
	}
	return n, nil
}

// String is what was kept.
func (l *cappedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped == 0 {
		return string(l.head) + string(l.tail)
	}
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", l.head, l.dropped, l.tail)
}
