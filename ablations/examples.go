package ablations

import (
	"context"
	"iter"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// Examples streams what a method may learn from: the distinct prefixes of the episodes at the given
// places, in that order and grid order, each weighted 1/(prefixes of its episode) (decisions.md,
// "Examples for learning"). options, which may be nil, gives the view options of an episode. The
// caller passes places of training or dev episodes only.
func Examples(episodes []trajectory.Episode, places []int, grid []task.Ratio, spec Spec, options func(trajectory.Episode) []Option) task.Examples {
	return func(ctx context.Context) iter.Seq2[task.Example, error] {
		return func(yield func(task.Example, error) bool) {
			for _, at := range places {
				if err := ctx.Err(); err != nil {
					yield(task.Example{}, err)
					return
				}
				var opts []Option
				if options != nil {
					opts = options(episodes[at])
				}
				examples, err := examplesOf(episodes[at], grid, spec, opts)
				if err != nil {
					yield(task.Example{}, err)
					return
				}
				for _, e := range examples {
					if !yield(e, nil) {
						return
					}
				}
			}
		}
	}
}

func examplesOf(ep trajectory.Episode, grid []task.Ratio, spec Spec, opts []Option) ([]task.Example, error) {
	v, err := Open(ep, spec, opts...)
	if err != nil {
		return nil, err
	}
	prefixes := Distinct(Prefixes(len(ep.Steps), grid))
	out := make([]task.Example, len(prefixes))
	for i, p := range prefixes {
		t, err := v.At(p)
		if err != nil {
			return nil, err
		}
		out[i] = task.Example{Task: t, ClosedIntent: ep.ClosedIntent, OpenIntent: ep.OpenIntent, Weight: 1 / float64(len(prefixes))}
	}
	return out, nil
}
