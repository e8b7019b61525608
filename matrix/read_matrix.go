package matrix

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// readMatrix selects and orders what is combined. Without a matrix block everything is.
func (r *reader) readMatrix(block *hcl.Block) {
	x := &matrixBlock{}
	b := r.body(hcl.EmptyBody(), hcl.Range{})
	if block != nil {
		b = r.body(block.Body, block.DefRange)
		r.decode(b, r.ctx, x)
	}
	pick := func(kind, attr string, expr hcl.Expression) []*declared {
		if !b.has(attr) {
			return r.names[kind].list
		}
		list, all := r.resolveList(kind, expr)
		if items, d := hcl.ExprList(expr); !all && !d.HasErrors() && len(items) == 0 {
			r.errorAt(expr.Range(), "Empty list", "%q must name at least one %s.", attr, kind)
		}
		return list
	}
	datasets := pick("dataset", "datasets", x.Datasets)
	ablationList := pick("ablation", "ablations", x.Ablations)
	methods := pick("method", "methods", x.Methods)
	r.pickJudges(b, x)
	baseline := r.baseline(b, x.Baseline, methods)
	excludes := r.excludes(x.Exclude, b)
	if r.diags.HasErrors() {
		return // indices below need every block
	}
	e := r.exp
	e.Datasets = selected(e.Datasets, datasets, func(d Dataset) string { return d.ID })
	e.Ablations = selected(e.Ablations, ablationList, func(a Ablation) string { return a.ID })
	e.Methods = selected(e.Methods, methods, func(m Method) string { return m.ID })
	for _, axis := range []struct {
		kind string
		n    int
	}{{"dataset", len(e.Datasets)}, {"ablation", len(e.Ablations)}, {"method", len(e.Methods)}} {
		if axis.n == 0 && len(r.names[axis.kind].bases) > 0 { // else the block is missing, which is reported
			r.errorAt(r.names[axis.kind].first, "Empty matrix", "The matrix has no %s: its for_each is empty.", axis.kind)
		}
	}
	e.Baseline, e.Excludes = baseline, excludes
	if !b.has("baseline") {
		e.Baseline = defaultBaseline(e.Methods)
	}
	r.references()
	r.checkExcludes()
}

func selected[T any](all []T, list []*declared, id func(T) string) []T {
	byID := map[string]T{}
	for _, x := range all {
		byID[id(x)] = x
	}
	var out []T
	for _, d := range list {
		if x, ok := byID[d.id]; ok {
			out = append(out, x)
		}
	}
	return out
}

func (r *reader) pickJudges(b *body, x *matrixBlock) {
	if b.has("judges") {
		list, all := r.resolveList("judge", x.Judges)
		if !all {
			for _, d := range list {
				r.exp.MatrixJudges = append(r.exp.MatrixJudges, d.id)
			}
			if items, d := hcl.ExprList(x.Judges); !d.HasErrors() && len(items) == 0 {
				r.errorAt(x.Judges.Range(), "Empty list", "\"judges\" must name at least one judge.")
			}
			return
		}
	}
	for _, j := range r.exp.Judges {
		r.exp.MatrixJudges = append(r.exp.MatrixJudges, j.ID)
	}
}

// baseline reads the map by hand, since converting it to an object would swallow a misspelt key.
func (r *reader) baseline(b *body, expr hcl.Expression, methods []*declared) Baseline {
	var out Baseline
	if !b.has("baseline") {
		return out
	}
	pairs, diags := hcl.ExprMap(expr)
	if diags.HasErrors() {
		r.errorAt(expr.Range(), "Wrong baseline", "A map such as { closed = method.NAME, open = method.NAME } is required here.")
		return out
	}
	seen := map[string]bool{}
	for _, p := range pairs {
		key := keyText(p.Key)
		if key != "closed" && key != "open" {
			r.errorAt(p.Key.Range(), "Unknown key", "%s", noSuch("key of baseline", key, []string{"closed", "open"}))
			continue
		}
		if seen[key] {
			r.errorAt(p.Key.Range(), "Named twice", "The key %q is already there.", key)
			continue
		}
		seen[key] = true
		d := r.resolveOne("method", p.Value)
		if d == nil {
			continue
		}
		in := false
		for _, m := range methods {
			in = in || m.id == d.id
		}
		if !in {
			r.errorAt(p.Value.Range(), "Baseline outside of the matrix", "method.%s is not among the matrix's methods, so nothing can be measured against it.", d.name)
			continue
		}
		if key == "closed" {
			out.Closed = d.id
		} else {
			out.Open = d.id
		}
	}
	return out
}

func keyText(expr hcl.Expression) string {
	if kw := hcl.ExprAsKeyword(expr); kw != "" {
		return kw
	}
	v, diags := expr.Value(nil)
	if diags.HasErrors() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		return "?"
	}
	return v.AsString()
}

// defaultBaseline is the one place where the language knows kinds by name (decisions.md, "Judges").
func defaultBaseline(methods []Method) Baseline {
	var out Baseline
	for _, m := range methods {
		if m.Uses == "majority" && out.Closed == "" {
			out.Closed = m.ID
		}
		if k, ok := m.Settings["k"].(int); m.Uses == "tfidf_knn" && ok && k == 1 && out.Open == "" {
			out.Open = m.ID
		}
	}
	return out
}

func (r *reader) excludes(blocks []*excludeBlock, b *body) []Exclude {
	var out []Exclude
	for i, x := range blocks {
		in := b.blocks["exclude"][i]
		ex := Exclude{Reason: x.Reason, Range: x.At}
		if ex.Reason == "" {
			ex.Reason = "excluded"
		}
		ids := func(kind, attr string, expr hcl.Expression) []string {
			if !in.has(attr) {
				return nil
			}
			list, all := r.resolveList(kind, expr)
			if all {
				return nil
			}
			var out []string
			for _, d := range list {
				out = append(out, d.id)
			}
			if items, d := hcl.ExprList(expr); !d.HasErrors() && len(items) == 0 {
				r.errorAt(expr.Range(), "Empty list", "An empty list excludes nothing; leave %q out to match all.", attr)
			}
			return out
		}
		ex.Datasets = ids("dataset", "datasets", x.Datasets)
		ex.Ablations = ids("ablation", "ablations", x.Ablations)
		ex.Methods = ids("method", "methods", x.Methods)
		if in.has("seeds") {
			ex.Seeds = r.seeds(x.Seeds, r.ctx)
		}
		if len(ex.Datasets)+len(ex.Ablations)+len(ex.Methods)+len(ex.Seeds) == 0 && !r.diags.HasErrors() {
			r.errorAt(x.At, "Exclude everything", "This exclude names nothing in particular and would take every cell out.")
		}
		out = append(out, ex)
	}
	return out
}

// references fills the default and checks that what an effect is measured against is there.
func (r *reader) references() {
	in := map[string]bool{}
	for _, a := range r.exp.Ablations {
		in[a.ID] = true
	}
	for i, a := range r.exp.Ablations {
		if a.Reference != "" && !in[a.Reference] {
			r.errorAt(a.Range, "Reference outside of the matrix", "The effect of ablation %s is measured against %s, which is not among the matrix's ablations.", a.Name, a.Reference)
		}
		switch {
		case a.Reference == a.ID:
			r.exp.Ablations[i].Reference = ""
		case a.Reference == "" && a.ID != fullContext && in[fullContext]:
			r.exp.Ablations[i].Reference = fullContext
		}
	}
}

// checkExcludes finds rules that take nothing out: mostly for something no longer in the matrix.
func (r *reader) checkExcludes() {
	hits := make([]int, len(r.exp.Excludes))
	r.exp.eachPoint(func(c Cell) {
		for i := range r.exp.Excludes {
			if r.exp.Excludes[i].matches(r.exp, c) {
				hits[i]++
			}
		}
	})
	for i, n := range hits {
		if n == 0 {
			r.errorAt(r.exp.Excludes[i].Range, "Exclude matches nothing", "This exclude matches no cell of the matrix.")
		}
	}
}

// finish completes a valid experiment: what is not built, and the canonical configuration.
func (r *reader) finish() {
	used := map[string]bool{}
	for _, d := range r.exp.Datasets {
		used["dataset "+d.ID] = true
		for _, j := range d.Judges {
			used["judge "+j] = true
		}
	}
	for _, a := range r.exp.Ablations {
		used["ablation "+a.ID] = true
	}
	for _, m := range r.exp.Methods {
		used["method "+m.ID] = true
	}
	for _, j := range r.exp.MatrixJudges {
		used["judge "+j] = true
	}
	var texts []sentence
	for _, s := range r.notBuilt {
		if s.kind == "" || used[s.kind+" "+s.id] {
			texts = append(texts, s)
		}
	}
	r.exp.NotBuilt = r.inFileOrder(texts)
	if err := r.exp.resolve(); err != nil {
		r.add(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: "No canonical form", Detail: fmt.Sprintf("the configuration can't be written as JSON: %s", err)})
	}
}
