package runners

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"intentlab/ablations"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// variant is a dataset seen through an ablation. Tasks are built lazily, episode by episode; only
// their visible hashes are kept.
type variant struct {
	data  *Data
	spec  ablations.Spec
	grid  []task.Ratio
	seed  uint64
	space string // name of the label space in the contract

	mu     sync.Mutex
	ready  bool
	err    error
	hashes [][]string // by episode and ratio
	digest string     // of all hashes: equal digests are byte-identical variants
}

// prefixes opens an episode and cuts it at every ratio.
func (v *variant) prefixes(i int) ([]task.Task, error) {
	ep := v.data.Episodes[i]
	view, err := ablations.Open(ep, v.spec, v.options(ep)...)
	if err != nil {
		return nil, err
	}
	ps := ablations.Prefixes(len(ep.Steps), v.grid)
	out := make([]task.Task, len(ps))
	for j, p := range ps {
		if out[j], err = view.At(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (v *variant) options(trajectory.Episode) []ablations.Option {
	return []ablations.Option{ablations.WithLabelSpace(v.space), ablations.WithSeed(v.seed)}
}

// prepare computes the visible hashes of all prefixes, once, on all cores. Being cancelled is not
// remembered.
func (v *variant) prepare(ctx context.Context, workers int) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ready {
		return v.err
	}
	err := v.hash(ctx, workers)
	if err != nil && ctx.Err() != nil {
		return err
	}
	v.ready, v.err = true, err
	return err
}

func (v *variant) hash(ctx context.Context, workers int) error {
	v.hashes = make([][]string, len(v.data.Episodes))
	p := pool.New().WithMaxGoroutines(workers).WithContext(ctx).WithCancelOnError().WithFirstError()
	for i := range v.data.Episodes {
		if ctx.Err() != nil {
			break
		}
		p.Go(func(ctx context.Context) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			tasks, err := v.prefixes(i)
			if err != nil {
				return err
			}
			hs := make([]string, len(tasks))
			for j, t := range tasks {
				if j > 0 && t.PrefixStepCount == tasks[j-1].PrefixStepCount {
					hs[j] = hs[j-1]
					continue
				}
				if hs[j], err = task.VisibleHash(t, nil, 0); err != nil {
					return fmt.Errorf("hashing %s: %w", t.ID, err)
				}
			}
			v.hashes[i] = hs
			return nil
		})
	}
	if err := p.Wait(); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	sum := sha256.New()
	for _, hs := range v.hashes {
		for _, h := range hs {
			io.WriteString(sum, h) // a hash.Hash never fails
		}
	}
	v.digest = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// examples streams the examples of the episodes idx.
func (v *variant) examples(idx []int) task.Examples {
	return ablations.Examples(v.data.Episodes, idx, v.grid, v.spec, v.options)
}

// exampleDigest identifies what a fit on the episodes idx would see, without building a task: the
// visible hashes of the distinct prefixes and the intents.
func (v *variant) exampleDigest(idx []int) string {
	sum := sha256.New()
	for n, i := range idx {
		ep := v.data.Episodes[i]
		for j, p := range ablations.Prefixes(len(ep.Steps), v.grid) {
			if !p.Duplicate {
				fmt.Fprintf(sum, "%s %d %q %q\n", v.hashes[i][j], n, ep.ClosedIntent, ep.OpenIntent)
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
