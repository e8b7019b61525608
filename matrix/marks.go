package matrix

import (
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// sensitive marks what comes from a sensitive variable; unsetEnv what depends on a variable of the
// environment that is not set (its value is then unknown).
type sensitive struct{}

type unsetEnv string

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
