// Package runners is the engine: it reads the data of an experiment, plans its cells, runs what is
// missing and stores every step (plan → fit → prediction → verdict → score).
package runners

import (
	"context"
	"fmt"

	"intentlab/ablations"
	"intentlab/ablations/index"
	"intentlab/ablations/partition"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
	"intentlab/matrix"
	"intentlab/results"
)

// Data is one dataset as an experiment uses it: read, skipped, filtered, limited and split, in that
// order (decisions.md, "Data order").
type Data struct {
	Decl     matrix.Dataset
	Episodes []trajectory.Episode // after filter and limit, in file order
	Hashes   []string             // content hash of each episode
	Split    partition.Assignment
	Space    task.LabelSpace // of all splits; SeenInTrain is of the first fold
	// Fingerprint identifies the episodes by content, Key the same under the block's name (the name is
	// part of task ids), SplitHash the lists they stand in.
	Fingerprint, Key, SplitHash string
	Read                        int                     // episodes before filter and limit
	Release                     trajectory.Completeness // of what was read
	Skips                       []trajectory.Skip
	Drops                       partition.Drops
	// Steps of all kept episodes, and those among them that show more than an operation and a position.
	Steps, Evident int
}

// ReadData reads one dataset of an experiment through the index, which may be nil. seed orders the
// limit's sample.
func ReadData(ctx context.Context, decl matrix.Dataset, seed uint64, format trajectory.Format, x *index.Index) (*Data, error) {
	d := &Data{Decl: decl}
	src := trajectory.Source{Name: decl.ID, Format: decl.Format, Path: decl.Path, Visibility: trajectory.Visibility(decl.Visibility), Options: decl.Options, Observations: decl.Observations}
	read := x.Read(ctx, src, func(s trajectory.Skip) {
		if s.Reason != trajectory.NoRole { // a field, not an episode: inspect lists them
			d.Skips = append(d.Skips, s)
		}
	})
	hashes := map[string]string{} // by episode
	var tally trajectory.Tally
	var unread error // names the dataset already
	counted := func(yield func(trajectory.Episode, error) bool) {
		for ep, err := range read {
			if err == nil {
				d.Read++
				hashes[ep.ID] = ep.Hash
				tally.Add(ep.Episode)
			}
			unread = err
			if !yield(ep.Episode, err) {
				return
			}
		}
	}
	kept, drops, err := partition.Apply(ctx, counted, decl.Filter)
	if unread != nil {
		return nil, unread
	}
	if err != nil {
		return nil, fmt.Errorf("dataset %s: %w", decl.ID, err)
	}
	d.Drops = drops
	if d.Release, err = tally.Complete(ctx, src); err != nil {
		return nil, err
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("dataset %s: the filter leaves none of its %d episodes", decl.ID, d.Read)
	}
	idx, err := partition.Sample(kept, decl.Limit, seed, partition.SampleUnit(format.SplitUnit))
	if err != nil {
		return nil, fmt.Errorf("dataset %s: taking a sample: %w", decl.ID, err)
	}
	for _, i := range idx {
		d.Episodes = append(d.Episodes, kept[i])
		d.Hashes = append(d.Hashes, hashes[kept[i].ID])
		for _, s := range kept[i].Steps {
			d.Steps++
			if trajectory.Evidence(s) {
				d.Evident++
			}
		}
	}
	if d.Split, err = partition.Assign(d.Episodes, decl.Split, format.SplitUnit); err != nil {
		return nil, fmt.Errorf("dataset %s: %w", decl.ID, err)
	}
	if err := partition.CheckCoverage(d.Episodes, d.Split, decl.Split.AllowUnseen); err != nil {
		return nil, fmt.Errorf("dataset %s: %w", decl.ID, err)
	}
	d.Space = partition.LabelSpace(d.Episodes, d.Split.Folds[0])
	return d, d.fingerprint(format.Version)
}

// fingerprint fills in the identity of episodes and split: content only, no paths or names.
func (d *Data) fingerprint(version int) (err error) {
	type item struct{ ID, Hash string }
	items := make([]item, len(d.Episodes))
	for i, ep := range d.Episodes {
		items[i] = item{ep.ID, d.Hashes[i]}
	}
	if d.Fingerprint, err = task.Hash(struct {
		Format, Visibility string
		Version            int
		Episodes           []item
	}{d.Decl.Format, d.Decl.Visibility, version, items}); err != nil {
		return fmt.Errorf("dataset %s: %w", d.Decl.ID, err)
	}
	// Task ids hold the block's name, so gold is kept under both.
	if d.Key, err = task.Hash([]string{d.Decl.ID, d.Fingerprint}); err != nil {
		return fmt.Errorf("dataset %s: %w", d.Decl.ID, err)
	}
	if d.SplitHash, err = task.Hash(struct {
		Data  string
		Folds []partition.Fold
	}{d.Key, d.Split.Folds}); err != nil {
		return fmt.Errorf("dataset %s: %w", d.Decl.ID, err)
	}
	return nil
}

// OutOfMacro says why the dataset is left out of macro averages, "" where it counts: the experiment
// decides, else a dataset counts whose steps carry any evidence.
func (d *Data) OutOfMacro() string {
	switch {
	case d.Decl.InMacro != nil && *d.Decl.InMacro, d.Decl.InMacro == nil && d.Evident > 0:
		return ""
	case d.Decl.InMacro != nil:
		return "the experiment leaves it out (in_macro)"
	}
	return noEvidence
}

const noEvidence = "its steps show nothing but operations and positions"

// FoldNumbers are the fold numbers of the dataset's cells: 0 alone without folds, else 1 to k.
func (d *Data) FoldNumbers() []int {
	if d.Decl.Split.Folds == 0 {
		return []int{0}
	}
	out := make([]int, len(d.Split.Folds))
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// Fold returns the fold with a cell's number.
func (d *Data) Fold(number int) partition.Fold { return d.Split.Folds[max(number, 1)-1] }

// asked lists the episodes whose tasks a cell consists of, ascending, and those that are judged.
// Dev tasks are predicted and stored too; test tasks stay untouched where only dev is evaluated.
func (d *Data) asked(fold partition.Fold, evaluate string) (asked []int, judged map[int]bool) {
	judged = map[int]bool{}
	in := map[int]bool{}
	for _, i := range fold.Dev {
		in[i] = true
		judged[i] = evaluate != "test"
	}
	if evaluate != "dev" {
		for _, i := range fold.Tested() {
			in[i], judged[i] = true, true
		}
	}
	for i := range d.Episodes {
		if in[i] {
			asked = append(asked, i)
		}
	}
	return asked, judged
}

// parts names the evaluated parts in declared order.
func (d *Data) parts(evaluate string) []string {
	var out []string
	if evaluate != "dev" {
		for _, p := range d.Split.Folds[0].Tests {
			out = append(out, p.Name)
		}
	}
	if evaluate != "test" {
		out = append(out, "dev")
	}
	return out
}

// labelled is the form that package ablations names label spaces from.
func labelled(ds []*Data, fold int) []ablations.Dataset {
	out := make([]ablations.Dataset, len(ds))
	for i, d := range ds {
		out[i] = ablations.Dataset{Name: d.Decl.ID, Format: d.Decl.Format, Fingerprint: d.Fingerprint, Episodes: d.Episodes, Fold: d.Fold(min(fold, len(d.Split.Folds)))}
	}
	return out
}

// SkipCounts counts skips by reason.
func SkipCounts(skips []trajectory.Skip) map[string]int {
	out := map[string]int{}
	for _, s := range skips {
		out[s.Reason]++
	}
	return out
}

// rows are the episodes, gold and parts as stored.
func (d *Data) rows(grid []task.Ratio) (episodes []results.Episode, gold []results.Gold, parts []results.Part) {
	for i, ep := range d.Episodes {
		episodes = append(episodes, results.Episode{ID: ep.ID, Hash: d.Hashes[i]})
		for _, p := range ablations.Prefixes(len(ep.Steps), grid) {
			gold = append(gold, results.Gold{Task: task.ID(d.Decl.ID, ep.ID, p.Ratio), Episode: ep.ID, Cluster: ep.ClusterID,
				Ratio: int(p.Ratio), Steps: p.K, TotalSteps: len(ep.Steps), Duplicate: p.Duplicate,
				OpenIntent: ep.OpenIntent, ClosedIntent: ep.ClosedIntent, LabelSpace: d.Space.Name})
		}
	}
	for n, f := range d.Split.Folds {
		number := n + 1
		if d.Decl.Split.Folds == 0 {
			number = 0
		}
		add := func(name string, idx []int) {
			for _, i := range idx {
				parts = append(parts, results.Part{Fold: number, Episode: d.Episodes[i].ID, Name: name})
			}
		}
		add("train", f.Train)
		add("dev", f.Dev)
		for _, t := range f.Tests {
			add(t.Name, t.Episodes)
		}
	}
	return episodes, gold, parts
}

// Folds are the folds to generate files for: 0 alone where no dataset has folds, else 1 to the
// largest number of folds.
func (g *Engine) Folds() []int {
	most := 0
	for _, d := range g.Data {
		most = max(most, d.Decl.Split.Folds)
	}
	if most == 0 {
		return []int{0}
	}
	out := make([]int, most)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// Generation is what package ablations needs to write the files of one fold. A dataset without folds
// has the same split in each.
func (g *Engine) Generation(fold int) ([]ablations.Dataset, []ablations.Spec) {
	specs := make([]ablations.Spec, len(g.Exp.Ablations))
	for i, a := range g.Exp.Ablations {
		specs[i] = a.Spec
	}
	return labelled(g.Data, max(fold, 1)), specs
}
