package matrix

import (
	"fmt"
	"math"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"intentlab/ablations/partition"
)

func (r *reader) readDatasets() {
	for _, d := range r.names["dataset"].list {
		r.exp.Datasets = append(r.exp.Datasets, r.readDataset(d))
	}
}

func (r *reader) readDataset(d *declared) Dataset {
	ctx := r.context(d)
	b := r.body(d.block.Body, d.block.DefRange)
	x := newDatasetBlock()
	ok := r.decode(b, ctx, x, kindOptionNames(r.in.Kinds.Formats, x.Format)...)
	out := Dataset{Name: d.name, ID: d.id, Format: x.Format, Visibility: x.Visibility, Limit: x.Limit, Range: d.block.DefRange}
	if b.has("path") && !b.failed["path"] {
		if x.Path == "" {
			r.errorAt(b.valueRange("path"), "No path", "\"path\" must name a folder or a file.")
		}
		out.Path = r.abs(x.Path)
	}
	if x.Observations != "" {
		out.Observations = r.abs(x.Observations)
	}
	out.InMacro = x.InMacro
	kind, known := r.in.Kinds.Formats[x.Format]
	switch {
	case known:
		options, inner, good := r.options(kind, x.Rest, ctx, attributeNames(x))
		out.Options = options
		if ok = ok && good; good {
			out.Settings, ok = r.canonical(kind, options, inner)
		}
		if !kind.Built {
			r.notYetUsed("dataset", d, "dataset %s: the format %q is not built yet", d.base, kind.Name)
		}
	case b.has("format") && !b.failed["format"]:
		r.errorAt(b.valueRange("format"), "Unknown format", "%s", noSuch("format", x.Format, sortedKeys(r.in.Kinds.Formats)))
	}
	if b.has("judges") {
		list, _ := r.resolveList("judge", x.Judges)
		for _, j := range list {
			out.Judges = append(out.Judges, j.id)
		}
	}
	out.Filter = r.filter(b, x.Filter)
	out.Split = r.split(b, x.Split, kind, known)
	d.failed = d.failed || !ok
	return out
}

func (r *reader) filter(b *body, x *filterBlock) partition.Filter {
	f := partition.Filter{MinSteps: x.MinSteps, MaxSteps: x.MaxSteps, MinScore: x.MinScore}
	if x.Scores != "" {
		f.Scores = r.abs(x.Scores)
	}
	in := b.blocks["filter"]
	if len(in) == 0 {
		return f
	}
	if x.MaxSteps > 0 && x.MinSteps > x.MaxSteps {
		r.errorAt(in[0].valueRange("max_steps"), "Empty filter", "max_steps (%d) is less than min_steps (%d): no episode would be left.", x.MaxSteps, x.MinSteps)
	}
	if in[0].has("min_score") && x.Scores == "" {
		r.errorAt(in[0].valueRange("min_score"), "No scores", "min_score needs scores, a JSONL file of scores.")
	}
	return f
}

func (r *reader) split(b *body, x *splitBlock, kind Kind, known bool) partition.Split {
	s := partition.Split{By: x.By, Stratify: x.Stratify, Seed: x.Seed, Folds: x.Folds, AllowUnseen: x.AllowUnseen}
	s.Train, s.Dev, s.Test = shares(x)
	if s.By == "" {
		s.By = kind.SplitUnit
	}
	if len(b.blocks["split"]) == 0 {
		return s
	}
	in := b.blocks["split"][0]
	units, open := splitUnits(kind)
	if in.has("by") && known && !open && !in.failed["by"] && !contains(units, x.By) {
		r.errorAt(in.valueRange("by"), "Unknown unit", "%s", noSuch("unit", x.By, units))
	}
	ways := []string{}
	for _, share := range []string{"train", "dev", "test"} {
		if in.has(share) {
			ways = append(ways, "shares")
			break
		}
	}
	if in.has("folds") && x.Folds != 0 {
		ways = append(ways, "folds")
		if x.Folds > 0 && x.Folds < 3 {
			r.errorAt(in.valueRange("folds"), "Too few folds", "\"folds\" must be at least 3: one to test, one for dev and the rest to train.")
		}
	}
	for _, w := range []string{"official", "ids"} {
		if len(in.blocks[w]) > 0 {
			ways = append(ways, w)
		}
	}
	if len(ways) > 1 {
		r.errorAt(in.at, "Two ways to split", "A split is by shares (train, dev, test), folds, official or ids; this one has %s and %s.", ways[0], ways[1])
		return s
	}
	switch {
	case x.Official != nil:
		s.Official = r.official(in.blocks["official"][0], x.Official)
	case x.IDs != nil:
		s.IDs = r.ids(in.blocks["ids"][0], x.IDs)
	case s.Train+s.Dev+s.Test != 1000 && !in.failed["train"] && !in.failed["dev"] && !in.failed["test"]:
		r.errorAt(in.firstRange("train", "dev", "test"), "Shares don't sum to 1",
			"train (%v), dev (%v) and test (%v) must sum to 1, each with at most three decimals.", x.Train, x.Dev, x.Test)
	case s.Folds == 0 && (s.Test == 0 && r.exp.Evaluate == "test" || s.Dev == 0 && r.exp.Evaluate == "dev" || s.Test+s.Dev == 0):
		r.errorAt(in.firstRange("test", "dev", "train"), "Nothing to evaluate", "The experiment evaluates %q, and this split leaves no episode for it.", r.exp.Evaluate)
	}
	return s
}

// splitUnits are the names that `by` may take; open when the data may have more.
func splitUnits(kind Kind) (units []string, open bool) {
	units = []string{"episode", "cluster"}
	for _, g := range append([]string{kind.SplitUnit}, kind.Groups...) {
		if g != "" && !hclsyntax.ValidIdentifier(g) {
			open = true
		} else if g != "" && !contains(units, g) {
			units = append(units, g)
		}
	}
	return units, open
}

// firstRange is the first written of the named attributes.
func (b *body) firstRange(names ...string) hcl.Range {
	for _, n := range names {
		if b.has(n) {
			return b.valueRange(n)
		}
	}
	return b.at
}

// shares rounds to permille; a share with more decimals makes the sum wrong on purpose.
func shares(x *splitBlock) (train, dev, test int) {
	permille := func(f float64) int {
		n := math.Round(f * 1000)
		if math.Abs(f*1000-n) > 1e-6 {
			return -1_000_000
		}
		return int(n)
	}
	return permille(x.Train), permille(x.Dev), permille(x.Test)
}

func (r *reader) official(b *body, x *officialBlock) *partition.Official {
	o := &partition.Official{Train: x.Train, Test: x.Test, DevShare: 100}
	for _, part := range []struct {
		name string
		list []string
	}{{"train", x.Train}, {"test", x.Test}} {
		if b.has(part.name) && !b.failed[part.name] && len(part.list) == 0 {
			r.errorAt(b.valueRange(part.name), "No list", "%q must name at least one of the dataset's lists.", part.name)
		}
	}
	if !b.has("dev") {
		return o
	}
	if _, d := hcl.ExprList(x.Dev); !d.HasErrors() {
		o.DevShare = 0
		o.DevLists = r.stringList(x.Dev)
		return o
	}
	v, _, diags := r.settle(x.Dev, r.evaluate(x.Dev, r.ctx))
	r.add(diags...)
	if diags.HasErrors() || !v.IsWhollyKnown() {
		return o
	}
	n, ok := permille(v)
	if !ok || n >= 1000 {
		r.errorAt(x.Dev.Range(), "Wrong dev", "\"dev\" is a share of train, at least 0 and below 1, or a list of names.")
	}
	o.DevShare = n
	return o
}

func (r *reader) ids(b *body, x *idsBlock) *partition.IDLists {
	out := &partition.IDLists{}
	seen := map[string]string{}
	for _, part := range []struct {
		name string
		expr hcl.Expression
		to   *[]string
	}{{"train", x.Train, &out.Train}, {"dev", x.Dev, &out.Dev}, {"test", x.Test, &out.Test}} {
		if !b.has(part.name) {
			continue
		}
		ids := r.idList(part.expr)
		for _, id := range ids {
			if other, again := seen[id]; again {
				r.errorAt(part.expr.Range(), "Episode in two parts", "The episode %q is already in %s.", id, other)
				break
			}
			seen[id] = part.name
		}
		*part.to = ids
	}
	if !b.has("test") {
		r.errorAt(b.at, "No test ids", "\"ids\" must give the test episodes.")
	}
	return out
}

// idList reads a list of ids, or one string: a file of ids.
func (r *reader) idList(expr hcl.Expression) []string {
	if _, d := hcl.ExprList(expr); !d.HasErrors() {
		return r.stringList(expr)
	}
	v, _, diags := r.settle(expr, r.evaluate(expr, r.ctx))
	r.add(diags...)
	if diags.HasErrors() || !v.IsWhollyKnown() {
		return nil
	}
	if v.IsNull() || v.Type() != cty.String {
		return r.stringList(expr)
	}
	ids, err := r.readIDs(v.AsString())
	if err != nil {
		r.errorAt(expr.Range(), "Can't read ids", "%s.", err)
	}
	return ids
}

func (r *reader) stringList(expr hcl.Expression) []string {
	items, _ := r.elements(expr, r.ctx)
	var out []string
	for _, it := range items {
		if it.v.IsNull() || it.v.Type() != cty.String {
			r.errorAt(it.rng, "Wrong type", "Text is required here.")
			continue
		}
		out = append(out, it.v.AsString())
	}
	return out
}

func (r *reader) notYet(at hcl.Range, format string, args ...any) {
	r.notBuilt = append(r.notBuilt, sentence{at: at, text: fmt.Sprintf(format, args...)})
}

// notYetUsed counts only if the block is in the matrix.
func (r *reader) notYetUsed(kind string, d *declared, format string, args ...any) {
	r.notBuilt = append(r.notBuilt, sentence{at: d.block.DefRange, text: fmt.Sprintf(format, args...), kind: kind, id: d.id})
}
