package runners

import (
	"context"
	"sync"
)

// claims keep two cells of one invocation from asking the same thing twice at once. Answers of one
// episode are claimed in grid order and a visible hash covers the number of steps, so waits go from
// shorter to longer prefixes only and can't form a circle.
type claims struct {
	mu   *sync.Mutex
	held map[string]chan struct{}
}

func newClaims() claims { return claims{mu: &sync.Mutex{}, held: map[string]chan struct{}{}} }

// take claims a key. When somebody else holds it, it waits for the release and returns false: look
// into the store, then try again.
func (c claims) take(ctx context.Context, key string) (mine bool, err error) {
	c.mu.Lock()
	ch, taken := c.held[key]
	if !taken {
		c.held[key] = make(chan struct{})
	}
	c.mu.Unlock()
	if !taken {
		return true, nil
	}
	select {
	case <-ch:
		return false, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// release gives keys back, after their answers are stored.
func (c claims) release(keys ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range keys {
		if ch, ok := c.held[k]; ok {
			close(ch)
			delete(c.held, k)
		}
	}
}
