package matrix

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

type eachItem struct {
	key   string
	value cty.Value
}

// forEach evaluates for_each: a map, or a set of strings. A map that is written out keeps the
// order of the file. Without for_each there is one element without a key.
func (r *reader) forEach(b *hcl.Block) (items []eachItem, keyed, ok bool) {
	if b.Type == "endpoint" {
		return []eachItem{{}}, false, true
	}
	content, _, _ := b.Body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "for_each"}}})
	a := content.Attributes["for_each"]
	if a == nil {
		return []eachItem{{}}, false, true
	}
	rng := a.Expr.Range()
	res := r.evaluate(a.Expr, r.ctx)
	if res.diags.HasErrors() {
		r.add(res.diags...)
		return nil, true, false
	}
	if names := unsetNames(res.v); len(names) > 0 {
		set := map[string]bool{}
		for _, n := range names {
			set[n] = true
		}
		r.add(r.unsetDiags(a.Expr, res, set)...)
		return nil, true, false
	}
	v, marks := res.v.Unmark()
	if _, secret := marks[sensitive{}]; secret {
		r.errorAt(rng, "Sensitive for_each", "for_each can't be sensitive: its keys become names.")
		return nil, true, false
	}
	if !v.IsKnown() {
		r.add(r.unknown(a.Expr)...)
		return nil, true, false
	}
	t := v.Type()
	isSet := t.IsSetType() && (t.ElementType() == cty.String || v.LengthInt() == 0)
	if v.IsNull() || !(t.IsMapType() || t.IsObjectType() || isSet) {
		hint := ""
		if t.IsTupleType() || t.IsListType() {
			hint = "; wrap the list in toset(…)"
		}
		r.errorAt(rng, "Wrong for_each", "for_each takes a map or a set of strings%s.", hint)
		return nil, true, false
	}
	ok = true
	for it := v.ElementIterator(); it.Next(); {
		k, e := it.Element()
		if isSet {
			k, _ = e.UnmarkDeep()
		}
		if !k.IsKnown() || k.IsNull() {
			r.errorAt(rng, "Wrong for_each", "A key of for_each has no value.")
			return nil, true, false
		}
		key := k.AsString()
		if bad := badKey(key); bad {
			r.errorAt(rng, "Wrong for_each key", "The key %q becomes part of a name: use letters, digits, _ - and . only.", key)
			ok = false
			continue
		}
		items = append(items, eachItem{key, e})
	}
	return inSourceOrder(a.Expr, r.ctx, items), true, ok
}

func badKey(key string) bool {
	return key == "" || strings.HasPrefix(key, ".") || strings.ContainsFunc(key, func(c rune) bool {
		return c <= ' ' || c == 0x7f || strings.ContainsRune("\"'`:/\\%#[]{}$*?<>|&;,", c)
	})
}

// inSourceOrder restores the order of a written-out map, which its value has lost.
func inSourceOrder(expr hcl.Expression, ctx *hcl.EvalContext, items []eachItem) []eachItem {
	pairs, diags := hcl.ExprMap(expr)
	if diags.HasErrors() {
		return items
	}
	byKey := map[string]eachItem{}
	for _, it := range items {
		byKey[it.key] = it
	}
	var out []eachItem
	for _, p := range pairs {
		k, d := p.Key.Value(ctx)
		if d.HasErrors() || !k.IsKnown() || k.IsNull() || k.IsMarked() || k.Type() != cty.String {
			return items
		}
		if it, ok := byKey[k.AsString()]; ok {
			delete(byKey, it.key)
			out = append(out, it)
		}
	}
	if len(byKey) > 0 {
		return items
	}
	return out
}

// context is the evaluation context of one element.
func (r *reader) context(d *declared) *hcl.EvalContext {
	if !d.keyed {
		return r.ctx
	}
	ctx := r.ctx.NewChild()
	ctx.Variables = map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal(d.key), "value": d.value})}
	return ctx
}
