package runners

import (
	"context"
	"fmt"
	"io"

	"github.com/sourcegraph/conc/pool"

	"intentlab/ablations/partition"
	"intentlab/ablations/task"
	"intentlab/results/metrics"
	"intentlab/runners/predictors"
)

// AuditProbe is how often a probe, or the prior that it is compared with, names the closed label. It is
// fitted on the training split in memory; nothing is stored.
type AuditProbe struct {
	Probe    string       `json:"probe"`
	Accuracy []AuditRatio `json:"accuracy"` // found are the tasks answered rightly
	NAUC     *float64     `json:"nauc"`     // null where no task has a closed label
}

// Probes are the kinds that Audit asks where it is told to, the prior first.
var Probes = []string{"majority", "length_probe", "url_probe", "instruction_probe", "metadata_probe", "shuffled_labels"}

// probe asks every probe about the evaluated tasks of a variant.
func (g *Engine) probe(ctx context.Context, v *variant, ablation string) ([]AuditProbe, error) {
	out := make([]AuditProbe, len(Probes))
	p := pool.New().WithMaxGoroutines(g.workers).WithContext(ctx).WithCancelOnError().WithFirstError()
	for i, name := range Probes {
		p.Go(func(ctx context.Context) error {
			right, asked := make([]int, len(v.grid)), make([]int, len(v.grid))
			for _, number := range v.data.FoldNumbers() {
				if err := g.probeFold(ctx, v, ablation, name, number, right, asked); err != nil {
					return fmt.Errorf("asking %s: %w", name, err)
				}
			}
			out[i] = probed(name, v.grid, right, asked)
			return nil
		})
	}
	return out, p.Wait()
}

func probed(name string, grid []task.Ratio, right, asked []int) AuditProbe {
	c := metrics.Curve{Grid: make([]int, len(grid)), Values: make([]metrics.Value, len(grid))}
	x := AuditProbe{Probe: name, Accuracy: make([]AuditRatio, len(grid))}
	for j, r := range grid {
		s := share(right[j], asked[j])
		x.Accuracy[j] = AuditRatio{Ratio: r.String(), Tasks: asked[j], Found: right[j], Share: s}
		c.Grid[j], c.Values[j] = int(r), metrics.None("no task has a closed label")
		if s != nil {
			c.Values[j] = metrics.Of(*s)
		}
	}
	_, nauc := metrics.Area(c, false)
	x.NAUC = nauc.Ptr()
	return x
}

// probeFold fits a probe on one fold and adds up its right answers by ratio.
func (g *Engine) probeFold(ctx context.Context, v *variant, ablation, name string, number int, right, asked []int) (err error) {
	d := v.data
	fold := d.Fold(number)
	kind := g.Kinds.Methods[name]
	setup := predictors.Setup{Seed: g.Exp.Seeds[0], Dataset: d.Decl.ID, Ablation: ablation, Dir: g.Exp.Dir, Fold: number, Log: io.Discard,
		Labels: partition.LabelSpace(d.Episodes, fold)}
	setup.Labels.Name = d.Space.Name
	if kind.Options != nil {
		setup.Options = kind.Options()
	}
	p, err := kind.New(setup)
	if err != nil {
		return err
	}
	defer func() {
		if closing := p.Close(); err == nil {
			err = closing
		}
	}()
	if l, ok := p.(predictors.Learner); ok {
		if err := l.Fit(ctx, v.examples(fold.Train), v.examples(fold.Dev)); err != nil {
			return fmt.Errorf("fitting: %w", err)
		}
	}
	places, judged := d.asked(fold, g.Exp.Evaluate)
	for _, i := range places {
		label := d.Episodes[i].ClosedIntent
		if !judged[i] || label == "" {
			continue
		}
		tasks, err := v.prefixes(i)
		if err != nil {
			return err
		}
		for j, t := range tasks {
			a, err := p.Predict(ctx, t, nil)
			if err != nil {
				return err
			}
			asked[j]++
			if a.ClosedIntent == label {
				right[j]++
			}
		}
	}
	return nil
}
