package matrix

import (
	"math/big"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"intentlab/ablations/task"
)

func (r *reader) readExperiment(blocks hcl.Blocks) {
	r.exp.Ratios, r.exp.Seeds = task.Grid(), []int64{0}
	if len(blocks) == 0 {
		return
	}
	b := r.body(blocks[0].Body, blocks[0].DefRange)
	x := newExperimentBlock()
	name := blocks[0].Labels[0]
	x.Store = "output/" + name + ".db"
	r.decode(b, r.ctx, x)
	e := r.exp
	e.Name, e.Description, e.Seed, e.Evaluate = name, x.Description, x.Seed, x.Evaluate
	e.Store = r.abs(x.Store)
	if x.Store == "" {
		r.errorAt(b.valueRange("store"), "No store", "\"store\" must name a file.")
	}
	if x.Cache != "" {
		e.Cache = r.abs(x.Cache)
	}
	if b.has("ratios") {
		e.Ratios = r.ratios(x.Ratios)
	}
	if b.has("seeds") {
		e.Seeds = r.seeds(x.Seeds, r.ctx)
	}
}

// ratios reads the grid; each mistake has the position of its element.
func (r *reader) ratios(expr hcl.Expression) []task.Ratio {
	items, ok := r.elements(expr, r.ctx)
	if ok && len(items) == 0 {
		r.errorAt(expr.Range(), "No ratios", "At least one ratio is required.")
	}
	var out []task.Ratio
	for _, it := range items {
		ratio, good := asRatio(it.v)
		switch {
		case !good:
			r.errorAt(it.rng, "Wrong ratio", "A ratio is a decimal in (0, 1] with at most three decimals, such as \"0.25\".")
		case len(out) > 0 && ratio == out[len(out)-1]:
			r.errorAt(it.rng, "Repeated ratio", "The ratio %s is already in the list.", ratio)
		case len(out) > 0 && ratio < out[len(out)-1]:
			r.errorAt(it.rng, "Ratios out of order", "Ratios must ascend; %s stands after %s.", ratio, out[len(out)-1])
		default:
			out = append(out, ratio)
		}
	}
	return out
}

// asRatio takes a decimal string, or a number, which HCL keeps to 512 bits: a computed one may miss
// the decimal by less than any float would.
func asRatio(v cty.Value) (task.Ratio, bool) {
	if v.IsNull() {
		return 0, false
	}
	if v.Type() == cty.String {
		ratio, err := task.ParseRatio(v.AsString())
		return ratio, err == nil
	}
	permille, ok := permille(v)
	return task.Ratio(permille), ok && permille >= 1 && permille <= 1000
}

// permille is a number in whole thousandths.
func permille(v cty.Value) (int, bool) {
	if v.IsNull() || v.Type() != cty.Number {
		return 0, false
	}
	x := new(big.Float).SetPrec(512).Mul(v.AsBigFloat(), big.NewFloat(1000))
	f, _ := x.Float64()
	if f < 0 || f > 1e6 {
		return 0, false
	}
	n := int(f + 0.5)
	d := new(big.Float).Sub(x, big.NewFloat(float64(n)))
	return n, d.Abs(d).Cmp(big.NewFloat(1e-9)) < 0
}

func (r *reader) seeds(expr hcl.Expression, ctx *hcl.EvalContext) []int64 {
	items, ok := r.elements(expr, ctx)
	if ok && len(items) == 0 {
		r.errorAt(expr.Range(), "No seeds", "At least one seed is required.")
	}
	var out []int64
	seen := map[int64]bool{}
	for _, it := range items {
		n, good := asInt(it.v)
		switch {
		case !good:
			r.errorAt(it.rng, "Wrong seed", "A seed is a whole number.")
		case seen[n]:
			r.errorAt(it.rng, "Repeated seed", "The seed %d is already in the list.", n)
		default:
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

func asInt(v cty.Value) (int64, bool) {
	if v.IsNull() {
		return 0, false
	}
	n, err := convert.Convert(v, cty.Number)
	if err != nil || v.Type() == cty.Bool || !n.IsKnown() || n.IsNull() {
		return 0, false
	}
	i, acc := n.AsBigFloat().Int64()
	return i, acc == big.Exact
}

func (r *reader) readBudget(block *hcl.Block) {
	b := r.body(block.Body, block.DefRange)
	x := &budgetBlock{OnLimit: "pause"}
	r.decode(b, r.ctx, x)
	r.exp.Budget = &Budget{USD: x.USD, Requests: x.Requests, Tokens: x.Tokens, OnLimit: x.OnLimit}
	// A limit that nothing enforces is worse than none: a program may report what it costs.
	r.notYet(block.DefRange, "budget: the limits of a run are not built yet")
}

func (r *reader) readReports(blocks hcl.Blocks) {
	for _, block := range blocks {
		b := r.body(block.Body, block.DefRange)
		x := newReportBlock()
		x.Out = "output/" + block.Labels[0]
		r.decode(b, r.ctx, x)
		if len(x.Tables) == 0 || len(x.Formats) == 0 {
			r.errorAt(block.DefRange, "Empty report", "A report needs at least one table and one format.")
		}
		r.exp.Reports = append(r.exp.Reports, Report{Name: block.Labels[0], Tables: x.Tables, Formats: x.Formats, Out: r.abs(x.Out), Range: block.DefRange})
		for _, f := range x.Formats {
			if contains(laterFormats, f) {
				r.notYet(block.DefRange, "report %s: the format %q is not built yet", block.Labels[0], f)
			}
		}
	}
}

// laterFormats are formats of the language whose writers come later.
var laterFormats = strings.Split("latex,html,parquet", ",")
