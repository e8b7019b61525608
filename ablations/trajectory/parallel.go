package trajectory

import (
	"context"
	"runtime"

	"github.com/sourcegraph/conc/pool"
)

// job reads one file, or one folder that is an episode, into out.
type job func(ctx context.Context, out output) error

// pending is how many episodes, skips or rows of one job may wait for those before it. It bounds what is
// held while a job is ahead of its turn.
const pending = 32

// inOrder runs the jobs that walk adds on all processors and passes on what they find in the order in
// which they were added: episodes, skips and errors come as if one job ran after the other. walk's own
// output goes through the out that it is given. The first error, in that order, ends it; jobs that are
// ahead are stopped and waited for.
func inOrder(ctx context.Context, out output, walk func(add func(job) error, out output) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	width := runtime.GOMAXPROCS(0)
	queue := make(chan *queued, width)
	var walkErr error
	walker := pool.New()
	walker.Go(func() {
		defer close(queue)
		workers := pool.New().WithMaxGoroutines(width)
		defer workers.Wait()
		enqueue := func(q *queued) error {
			select {
			case queue <- q:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		walkErr = walk(func(j job) error {
			q := &queued{found: make(chan func() error, pending)}
			if err := enqueue(q); err != nil {
				return err
			}
			workers.Go(func() {
				defer close(q.found)
				q.err = j(ctx, q.output(ctx, out))
			})
			return nil
		}, output{
			skip: func(s Skip) {
				q := &queued{found: make(chan func() error, 1)}
				q.found <- func() error { out.skip(s); return nil }
				close(q.found)
				_ = enqueue(q) // stopped: the error is elsewhere
			},
			emit: out.emit, do: out.do,
		})
	})
	err := drain(queue)
	cancel()
	for q := range queue { // nobody may wait for a place in it
		for range q.found {
		}
	}
	walker.Wait()
	if err != nil {
		return err
	}
	return walkErr
}

// queued is what one job has found so far, as calls that pass it on.
type queued struct {
	found chan func() error
	err   error // once found is closed
}

func drain(queue <-chan *queued) error {
	for q := range queue {
		for pass := range q.found {
			if err := pass(); err != nil {
				return err
			}
		}
		if q.err != nil {
			return q.err
		}
	}
	return nil
}

// output puts what a job finds into its queue.
func (q *queued) output(ctx context.Context, out output) output {
	do := func(f func() error) error {
		select {
		case q.found <- f:
			return nil
		case <-ctx.Done():
			return settled{ctx.Err()}
		}
	}
	return output{
		do: do,
		emit: func(where string, e Episode) error {
			// Here, since the next episode may be made of the same steps while this one waits.
			capSteps(e.Steps)
			capSteps(e.ContextSteps)
			return do(func() error { return out.emit(where, e) })
		},
		skip: func(s Skip) {
			_ = do(func() error { out.skip(s); return nil }) // stopped: the error is elsewhere
		},
	}
}
