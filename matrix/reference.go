package matrix

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// declared is one block after for_each: what a reference resolves to.
type declared struct {
	name, id  string // knn["k1"], knn-k1
	base, key string
	keyed     bool
	value     cty.Value // each.value
	block     *hcl.Block
	failed    bool // did not decode; references to it report nothing more
}

// registry holds the declared blocks of one type in file order.
type registry struct {
	kind  string
	list  []*declared
	bases []string
	first hcl.Range       // of the first block
	open  map[string]bool // for_each failed: any key may be right
	keyed map[string]bool
}

// register expands for_each and takes the names down before any body is read, so that references
// can point forwards.
func (r *reader) register(kind string, blocks hcl.Blocks) {
	reg := &registry{kind: kind, open: map[string]bool{}, keyed: map[string]bool{}}
	r.names[kind] = reg
	ids := map[string]hcl.Range{}
	for _, b := range blocks {
		base := b.Labels[0]
		if contains(reg.bases, base) {
			continue // reported as a duplicate
		}
		if len(reg.bases) == 0 {
			reg.first = b.DefRange
		}
		reg.bases = append(reg.bases, base)
		items, keyed, ok := r.forEach(b)
		reg.keyed[base] = keyed
		if !ok {
			reg.open[base] = true
			items = []eachItem{{key: "?", value: cty.DynamicVal}}
		}
		for _, it := range items {
			d := &declared{name: base, id: base, base: base, key: it.key, keyed: keyed, value: it.value, block: b, failed: !ok}
			if keyed {
				d.name, d.id = fmt.Sprintf("%s[%q]", base, it.key), base+"-"+it.key
			}
			if at, again := ids[d.id]; again && ok {
				r.errorAt(b.LabelRanges[0], "Duplicate name", "%s %s would be called %q in tables, as the one at %s is.", kind, d.name, d.id, place(at))
				continue
			}
			ids[d.id] = b.LabelRanges[0]
			reg.list = append(reg.list, d)
		}
	}
}

// keysOf lists the keys of a for_each.
func (g *registry) keysOf(base string) []string {
	var out []string
	for _, d := range g.list {
		if d.base == base && d.keyed {
			out = append(out, d.key)
		}
	}
	return out
}

// resolve finds what a reference names: method.x, method.x["key"], or, for all elements of a
// for_each, method.x. Nothing is returned after a mistake, which is reported here or elsewhere.
func (r *reader) resolve(kind string, expr hcl.Expression) []*declared {
	reg := r.names[kind]
	tr, diags := hcl.AbsTraversalForExpr(expr)
	if diags.HasErrors() {
		r.errorAt(expr.Range(), "Not a reference", "A reference such as %s.NAME is required here.", kind)
		return nil
	}
	rng := tr.SourceRange()
	if tr.RootName() != kind {
		detail := fmt.Sprintf("A reference such as %s.NAME is required here, not %s.", kind, traversalText(tr))
		if len(tr) == 1 && contains(reg.bases, tr.RootName()) {
			detail += fmt.Sprintf(" Did you mean %q?", kind+"."+tr.RootName())
		} else if suggest(tr.RootName(), []string{kind}) != "" {
			detail += fmt.Sprintf(" Did you mean %q?", kind)
		}
		r.errorAt(rng, "Wrong reference", "%s", detail)
		return nil
	}
	step, ok := hcl.TraverseAttr{}, false
	if len(tr) >= 2 {
		step, ok = tr[1].(hcl.TraverseAttr)
	}
	if !ok || len(tr) > 3 {
		r.errorAt(rng, "Wrong reference", "A reference is %s.NAME or %s.NAME[\"key\"].", kind, kind)
		return nil
	}
	if !contains(reg.bases, step.Name) {
		r.errorAt(rng, "Unknown "+kind, "%s", noSuch(kind, step.Name, reg.bases))
		return nil
	}
	key, hasKey := "", len(tr) == 3
	if hasKey {
		switch s := tr[2].(type) {
		case hcl.TraverseIndex:
			if s.Key.Type() == cty.String {
				key = s.Key.AsString()
			} else {
				r.errorAt(s.SrcRange, "Wrong reference", "The key of a for_each is text: %s.%s[\"…\"].", kind, step.Name)
				return nil
			}
		case hcl.TraverseAttr:
			key = s.Name
		}
	}
	if reg.open[step.Name] {
		return nil
	}
	if hasKey && !reg.keyed[step.Name] {
		r.errorAt(rng, "Unknown "+kind, "%s %q has no for_each, so it has no %q.", kind, step.Name, key)
		return nil
	}
	var out []*declared
	for _, d := range reg.list {
		if d.base == step.Name && (!hasKey || d.key == key) {
			out = append(out, d)
		}
	}
	if hasKey && len(out) == 0 {
		r.errorAt(rng, "Unknown "+kind, "%s", noSuch("element of "+kind+"."+step.Name, key, reg.keysOf(step.Name)))
	}
	return out
}

// resolveOne resolves a reference to exactly one block.
func (r *reader) resolveOne(kind string, expr hcl.Expression) *declared {
	list := r.resolve(kind, expr)
	if len(list) > 1 {
		base := list[0].base
		r.errorAt(expr.Range(), "Ambiguous reference", "%s.%s stands for several: %s.%s[\"%s\"].", kind, base, kind, base,
			strings.Join(r.names[kind].keysOf(base), `"], `+kind+"."+base+`["`))
		return nil
	}
	if len(list) == 0 || list[0].failed {
		return nil
	}
	return list[0]
}

// resolveList reads "*" or a list of references. all reports "*".
func (r *reader) resolveList(kind string, expr hcl.Expression) (list []*declared, all bool) {
	items, diags := hcl.ExprList(expr)
	if diags.HasErrors() {
		if v, d := expr.Value(nil); !d.HasErrors() && v.Type() == cty.String && v.IsKnown() && !v.IsNull() && v.AsString() == "*" {
			return r.names[kind].list, true
		}
		r.errorAt(expr.Range(), "Wrong list", "Either \"*\" or a list of references such as [%s.NAME] is required here.", kind)
		return nil, false
	}
	seen := map[string]bool{}
	for _, it := range items {
		for _, d := range r.resolve(kind, it) {
			if seen[d.id] {
				r.errorAt(it.Range(), "Named twice", "%s.%s is already in the list.", kind, d.name)
				continue
			}
			seen[d.id] = true
			list = append(list, d)
		}
	}
	return list, false
}
