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

// sensitive marks what comes from a sensitive variable; unsetEnv what depends on a variable of the
// environment that is not set (its value is then unknown).
type sensitive struct{}

type unsetEnv string

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

// settle removes the marks. What is unknown because the environment is not set becomes an empty
// value where it is a secret and an error otherwise.
func (r *reader) settle(expr hcl.Expression, res result) (cty.Value, []cty.Path, hcl.Diagnostics) {
	if res.diags.HasErrors() {
		return cty.DynamicVal, nil, res.diags
	}
	plain, marks := res.v.UnmarkDeepWithPaths()
	var hidden []cty.Path
	names := map[string]bool{}
	secret := true
	for _, m := range marks {
		_, isSecret := m.Marks[sensitive{}]
		if isSecret {
			hidden = append(hidden, m.Path)
		}
		for k := range m.Marks {
			if n, ok := k.(unsetEnv); ok {
				names[string(n)] = true
				secret = secret && isSecret
			}
		}
	}
	diags := res.diags
	if len(names) == 0 {
		if !plain.IsWhollyKnown() {
			diags = append(diags, r.unknown(expr)...)
		}
		r.noteSecrets(plain, hidden)
		return plain, hidden, diags
	}
	if !secret || r.in.ForRun {
		return cty.DynamicVal, hidden, append(diags, r.unsetDiags(expr, res, names)...)
	}
	return placeholder(plain), hidden, diags
}

// unknown is for a value that could not be worked out. Its cause is mostly reported already; where
// it is not (some expressions lose the mark of an unset environment variable) it must not pass.
func (r *reader) unknown(expr hcl.Expression) hcl.Diagnostics {
	if r.diags.HasErrors() {
		return nil
	}
	return hcl.Diagnostics{errorAt(expr.Range(), "Unknown value", "This value can't be worked out; it depends on an environment variable that is not set.")}
}

// unsetDiags reports unset variables at the argument of env(), or, when they come through a local
// or a variable, where they are used.
func (r *reader) unsetDiags(expr hcl.Expression, res result, names map[string]bool) hcl.Diagnostics {
	if len(res.unset) > 0 {
		return r.explain(res.unset)
	}
	var list []string
	for n := range names {
		list = append(list, n)
	}
	sort.Strings(list)
	at := expr.Range()
	if res.from.Filename != "" {
		at = res.from
	}
	return hcl.Diagnostics{errorAt(at, "Environment variable not set",
		"This value needs the environment variable %s, which is not set.", strings.Join(list, " and "))}
}

// unsetThrough finds the first reference of expr that depends on an unset environment variable.
func unsetThrough(expr hcl.Expression, ctx *hcl.EvalContext) hcl.Range {
	for _, tr := range expr.Variables() {
		if tr.IsRelative() || !inScope(ctx, tr.RootName()) {
			continue
		}
		if v, diags := tr.TraverseAbs(ctx); !diags.HasErrors() && len(unsetNames(v)) > 0 {
			return tr.SourceRange()
		}
	}
	return hcl.Range{}
}

func placeholder(v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if v.IsKnown() {
			return v, nil
		}
		switch {
		case v.Type() == cty.Number:
			return cty.Zero, nil
		case v.Type() == cty.Bool:
			return cty.False, nil
		case v.Type() == cty.String || v.Type() == cty.DynamicPseudoType:
			return cty.StringVal(""), nil
		}
		return v, nil
	})
	if err != nil {
		return cty.DynamicVal
	}
	return out
}

// noteSecrets keeps the strings that diagnostics must not quote.
func (r *reader) noteSecrets(v cty.Value, hidden []cty.Path) {
	for _, p := range hidden {
		if inner, err := p.Apply(v); err == nil {
			r.noteSecret(inner)
		}
	}
}

func (r *reader) noteSecret(v cty.Value) {
	v, _ = v.UnmarkDeep()
	// The walk can't fail: its callback returns no error.
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		if v.IsKnown() && !v.IsNull() && v.Type() == cty.String && len(v.AsString()) > 3 {
			r.secrets = append(r.secrets, v.AsString())
		}
		return true, nil
	})
}

func unsetNames(v cty.Value) []string {
	_, marks := v.UnmarkDeep()
	var names []string
	for m := range marks {
		if n, ok := m.(unsetEnv); ok {
			names = append(names, string(n))
		}
	}
	sort.Strings(names)
	return names
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
