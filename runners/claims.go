package runners

import (
	"context"
	"strconv"
	"sync"
)

// claims keep two cells of one invocation from asking the same thing twice at once. Answers of one
// episode are claimed in grid order and a visible hash covers the number of steps, so waits go from
// shorter to longer prefixes only and can't form a circle.
type claims struct {
	mu   *sync.Mutex
	held map[string]chan struct{}
	// settled remembers, by a part of the key, what was answered and stored in this invocation: only
	// such a key can have been answered since a look into the store. A clash costs one more look.
	settled map[uint64]struct{}
}

func newClaims() claims {
	return claims{mu: &sync.Mutex{}, held: map[string]chan struct{}{}, settled: map[uint64]struct{}{}}
}

// take claims a key. When somebody else holds it, it waits for the release and returns false: look
// into the store, then try again. settled says that the key may have been answered in this invocation,
// so that a look into the store is due even though it is now held by the caller.
func (c claims) take(ctx context.Context, key string) (mine, settled bool, err error) {
	c.mu.Lock()
	ch, taken := c.held[key]
	if !taken {
		c.held[key] = make(chan struct{})
		_, settled = c.settled[shortKey(key)]
	}
	c.mu.Unlock()
	if !taken {
		return true, settled, nil
	}
	select {
	case <-ch:
		return false, true, nil
	case <-ctx.Done():
		return false, false, context.Cause(ctx)
	}
}

// shortKey is the first half of a hash, as a number.
func shortKey(key string) uint64 {
	n, err := strconv.ParseUint(key[:min(16, len(key))], 16, 64)
	if err != nil {
		return 0 // not a hash: all such keys share a place
	}
	return n
}

// settle gives keys back after their answers are stored.
func (c claims) settle(keys ...string) { c.release(true, keys) }

// abandon gives keys back that were not answered; settled ones are left alone.
func (c claims) abandon(keys ...string) { c.release(false, keys) }

func (c claims) release(settled bool, keys []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range keys {
		if ch, ok := c.held[k]; ok {
			close(ch)
			delete(c.held, k)
			if settled {
				c.settled[shortKey(k)] = struct{}{}
			}
		}
	}
}
