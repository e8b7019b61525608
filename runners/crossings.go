package runners

import (
	"slices"

	"intentlab/ablations/neardup"
)

// Crossings counts which open intents of dev and the test parts stand in training (and those of the
// test parts in dev) as well, equal or nearly so: what a method can copy. Over folds they are summed.
func (d *Data) Crossings() []neardup.Crossing {
	var out []neardup.Crossing
	for _, f := range d.Split.Folds {
		part := func(name string, idx []int) neardup.Part {
			p := neardup.Part{Name: name}
			for _, i := range idx {
				ep := d.Episodes[i]
				p.Texts = append(p.Texts, neardup.Text{Episode: ep.ID, Text: ep.OpenIntent, Cluster: ep.ClusterID})
			}
			return p
		}
		parts := []neardup.Part{part("train", f.Train), part("dev", f.Dev)}
		for _, t := range f.Tests {
			parts = append(parts, part(t.Name, t.Episodes))
		}
		for _, c := range neardup.Across(parts) {
			if c.From != "train" && c.From != "dev" {
				continue // test lists may share episodes
			}
			i := slices.IndexFunc(out, func(o neardup.Crossing) bool { return o.From == c.From && o.In == c.In })
			if i < 0 {
				out = append(out, c)
				continue
			}
			sum := &out[i]
			sum.Texts, sum.Equal, sum.Near, sum.SameCluster = sum.Texts+c.Texts, sum.Equal+c.Equal, sum.Near+c.Near, sum.SameCluster+c.SameCluster
			sum.Examples = append(sum.Examples, c.Examples...)
			sum.Examples = sum.Examples[:min(len(sum.Examples), 3)]
		}
	}
	return out
}
