package ablations

import (
	"context"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"
)

// inOrder builds n values with up to workers goroutines and hands them to write one after another,
// by number, so that the output is the same for every number of workers. It looks ahead by no more
// than that number, returns the first error by number, and leaves no goroutine behind.
func inOrder[T any](ctx context.Context, n, workers int, build func(i int) (T, error), write func(T) error) error {
	type result struct {
		value T
		err   error
	}
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	slots := make(chan chan result, workers)
	var feeder conc.WaitGroup
	feeder.Go(func() {
		defer close(slots)
		p := pool.New().WithMaxGoroutines(workers)
		defer p.Wait()
		for i := range n {
			slot := make(chan result, 1)
			select {
			case slots <- slot:
			case <-ctx.Done():
				return
			}
			p.Go(func() {
				var r result
				if ctx.Err() != nil {
					r.err = ctx.Err()
				} else if caught := panics.Try(func() { r.value, r.err = build(i) }); caught != nil {
					r.err = caught.AsError()
				}
				slot <- r
			})
		}
	})
	var first error
	for slot := range slots {
		r := <-slot
		if first == nil {
			if first = r.err; first == nil {
				first = write(r.value)
			}
			if first != nil {
				cancel()
			}
		}
	}
	feeder.Wait()
	if first == nil {
		first = parent.Err()
	}
	return first
}
