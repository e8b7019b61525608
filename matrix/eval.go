package matrix

import (
	"fmt"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// body is an hcl.Body that evaluates its attributes by the rules of the language before gohcl sees
// them (gohcl can't take marked values), and remembers where each attribute stood and which parts
// of its value are secret.
type body struct {
	hcl.Body
	in     *reader
	attrs  map[string]*hcl.Attribute
	blocks map[string][]*body
	hidden map[string][]cty.Path
	failed map[string]bool // did not evaluate: no further checks
	at     hcl.Range       // the block's header
}

func (r *reader) body(b hcl.Body, at hcl.Range) *body {
	return &body{Body: b, in: r, at: at, attrs: map[string]*hcl.Attribute{}, blocks: map[string][]*body{},
		hidden: map[string][]cty.Path{}, failed: map[string]bool{}}
}

// Content implements hcl.Body.
func (b *body) Content(schema *hcl.BodySchema) (*hcl.BodyContent, hcl.Diagnostics) {
	c, diags := b.Body.Content(schema)
	return b.wrap(c), diags
}

// PartialContent implements hcl.Body.
func (b *body) PartialContent(schema *hcl.BodySchema) (*hcl.BodyContent, hcl.Body, hcl.Diagnostics) {
	c, rest, diags := b.Body.PartialContent(schema)
	return b.wrap(c), b.in.body(rest, b.at), diags
}

func (b *body) wrap(c *hcl.BodyContent) *hcl.BodyContent {
	if c == nil {
		return nil
	}
	out := &hcl.BodyContent{MissingItemRange: c.MissingItemRange, Attributes: hcl.Attributes{}}
	for name, a := range c.Attributes {
		wrapped := *a
		wrapped.Expr = &expression{Expression: a.Expr, in: b, name: name}
		out.Attributes[name] = &wrapped
		b.attrs[name] = a
	}
	for _, block := range c.Blocks {
		wrapped := *block
		inner := b.in.body(block.Body, block.DefRange)
		wrapped.Body = inner
		out.Blocks = append(out.Blocks, &wrapped)
		b.blocks[block.Type] = append(b.blocks[block.Type], inner)
	}
	return out
}

// valueRange is where the value of an attribute stands, or the block's header.
func (b *body) valueRange(name string) hcl.Range {
	if a := b.attrs[name]; a != nil {
		return a.Expr.Range()
	}
	return b.at
}

func (b *body) has(name string) bool { return b.attrs[name] != nil }

type expression struct {
	hcl.Expression
	in   *body
	name string
}

// UnwrapExpression lets the static forms (lists, maps, traversals) through.
func (e *expression) UnwrapExpression() hcl.Expression { return e.Expression }

// Value implements hcl.Expression: without marks, unset environment reported.
func (e *expression) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	r := e.in.in
	res := r.evaluate(e.Expression, ctx)
	v, hidden, diags := r.settle(e.Expression, res)
	if len(hidden) > 0 {
		e.in.hidden[e.name] = hidden
	}
	if diags.HasErrors() || !v.IsWhollyKnown() {
		e.in.failed[e.name] = true
	}
	return v, diags
}

// result is an evaluated expression, still with its marks. unset holds the errors that an unset
// environment variable would be reported with.
type result struct {
	v     cty.Value
	diags hcl.Diagnostics
	unset hcl.Diagnostics
	from  hcl.Range // the reference that an unset environment variable comes through
}

// evaluate first takes an unset env() as an error, so that try(env("A"), "b") works; only when that
// fails, as a value to come.
func (r *reader) evaluate(expr hcl.Expression, ctx *hcl.EvalContext) result {
	if wrapped, ok := expr.(*expression); ok {
		expr = wrapped.Expression
	}
	if d := r.undeclared(expr, ctx); d.HasErrors() {
		return result{v: cty.DynamicVal, diags: d}
	}
	v, diags := expr.Value(ctx)
	if !diags.HasErrors() {
		res := result{v: v, diags: diags}
		if len(unsetNames(v)) > 0 {
			res.from = unsetThrough(expr, ctx)
		}
		return res
	}
	lenient := ctx.NewChild()
	lenient.Functions = map[string]function.Function{"env": r.envFunc(true)}
	if lv, ld := expr.Value(lenient); !ld.HasErrors() && len(unsetNames(lv)) > 0 {
		return result{v: lv, unset: diags}
	}
	return result{v: cty.DynamicVal, diags: r.explain(diags)}
}

// undeclared reports var.x, local.x and each.x that do not exist; HCL itself suggests nothing for
// attributes of objects.
func (r *reader) undeclared(expr hcl.Expression, ctx *hcl.EvalContext) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, tr := range expr.Variables() {
		if tr.IsRelative() {
			continue
		}
		root := tr.RootName()
		rng := tr.SourceRange()
		switch root {
		case "each":
			if !inScope(ctx, "each") {
				diags = append(diags, errorAt(rng, "Unknown reference", "each.key and each.value are set only in a block with for_each."))
			}
			continue
		case "var", "local":
		case "dataset", "ablation", "method", "judge", "endpoint":
			diags = append(diags, errorAt(rng, "Not a value", "%s is a reference to a block, which is no value; it can't be used here.", traversalText(tr)))
			continue
		default:
			if len(tr) == 1 && !inScope(ctx, root) {
				detail := fmt.Sprintf("There is no variable %q; text needs quotes: %q.", root, root)
				if s := suggest(root, []string{"var", "local", "each"}); s != "" {
					detail = noSuch("variable", root, []string{"var", "local", "each"})
				}
				diags = append(diags, errorAt(rng, "Unknown variable", "%s", detail))
			}
			continue
		}
		known := r.variableNames
		what := "variable"
		if root == "local" {
			known, what = r.localNames, "local"
		}
		name, ok := memberName(tr)
		switch {
		case !ok && root == "local": // all locals at once would depend on the order of their evaluation
			diags = append(diags, errorAt(rng, "Not a value", "A local is referred to by its name: local.NAME."))
		case ok && !contains(known, name):
			diags = append(diags, errorAt(rng, "Unknown "+what, "%s", noSuch(what, name, known)))
		}
	}
	return diags
}

// memberName is the NAME of local.NAME or local["NAME"].
func memberName(tr hcl.Traversal) (string, bool) {
	if len(tr) < 2 {
		return "", false
	}
	switch step := tr[1].(type) {
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		if step.Key.Type() == cty.String && step.Key.IsKnown() && !step.Key.IsNull() {
			return step.Key.AsString(), true
		}
	}
	return "", false
}

func inScope(ctx *hcl.EvalContext, name string) bool {
	for ; ctx != nil; ctx = ctx.Parent() {
		if _, ok := ctx.Variables[name]; ok {
			return true
		}
	}
	return false
}

// explain adds a suggestion to an attribute that an object lacks.
func (r *reader) explain(diags hcl.Diagnostics) hcl.Diagnostics {
	for _, d := range diags {
		if d.Summary != "Unsupported attribute" || d.EvalContext == nil {
			continue
		}
		e, ok := d.Expression.(*hclsyntax.ScopeTraversalExpr)
		if !ok {
			continue
		}
		for i := len(e.Traversal) - 1; i > 0; i-- {
			step, ok := e.Traversal[i].(hcl.TraverseAttr)
			if !ok {
				continue
			}
			v, vd := e.Traversal[:i].TraverseAbs(d.EvalContext)
			if vd.HasErrors() || !v.Type().IsObjectType() {
				continue
			}
			if !v.Type().HasAttribute(step.Name) {
				d.Detail = noSuch("attribute", step.Name, sortedKeys(v.Type().AttributeTypes()))
			}
			break
		}
	}
	return diags
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// traversalText writes a traversal as in the source.
func traversalText(tr hcl.Traversal) string {
	var b strings.Builder
	for _, step := range tr {
		switch s := step.(type) {
		case hcl.TraverseRoot:
			b.WriteString(s.Name)
		case hcl.TraverseAttr:
			b.WriteString("." + s.Name)
		case hcl.TraverseIndex:
			if s.Key.Type() == cty.String {
				fmt.Fprintf(&b, "[%q]", s.Key.AsString())
			} else if s.Key.Type() == cty.Number {
				fmt.Fprintf(&b, "[%s]", s.Key.AsBigFloat().Text('f', -1))
			}
		}
	}
	return b.String()
}
