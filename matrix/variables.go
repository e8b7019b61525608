package matrix

import (
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

const envPrefix = "INTENTLAB_VAR_"

type variable struct {
	block    *variableBlock
	at       hcl.Range // the name
	typ      cty.Type
	defaults *typeexpr.Defaults
	failed   bool
	value    cty.Value
	set      bool
	from     hcl.Range // where the value was given
}

// readVariables resolves all variables: default < INTENTLAB_VAR_NAME < -var-file < -var. A variable
// that fails is unknown, so that its uses report nothing more.
func (r *reader) readVariables(blocks hcl.Blocks) {
	byName := map[string]*variable{}
	var order []*variable
	for _, b := range blocks {
		v := &variable{block: &variableBlock{}, at: b.LabelRanges[0], typ: cty.DynamicPseudoType, value: cty.DynamicVal}
		v.block.Name = b.Labels[0]
		if byName[v.block.Name] != nil {
			continue // reported as a duplicate
		}
		byName[v.block.Name] = v
		order = append(order, v)
		r.variableNames = append(r.variableNames, v.block.Name)
		r.declare(v, b)
	}
	r.variablesFromEnvironment(byName)
	for _, f := range r.in.VarFiles {
		r.variablesFromFile(f, byName)
	}
	for _, nv := range r.in.Vars {
		r.variableFromFlag(nv, byName)
	}
	values := map[string]cty.Value{}
	for _, v := range order {
		values[v.block.Name] = r.finishVariable(v)
	}
	r.ctx.Variables["var"] = cty.ObjectVal(values)
}

func (r *reader) declare(v *variable, b *hcl.Block) {
	wrapped := r.body(b.Body, b.DefRange)
	diags := gohcl.DecodeBody(wrapped, r.ctx, v.block)
	r.add(diags...)
	v.failed = diags.HasErrors()
	if wrapped.has("type") {
		ty, def, d := typeexpr.TypeConstraintWithDefaults(hcl.UnwrapExpression(wrapped.attrs["type"].Expr))
		r.add(d...)
		if d.HasErrors() {
			v.failed = true
		} else {
			v.typ, v.defaults = ty, def
		}
	}
	if wrapped.has("default") {
		expr := wrapped.attrs["default"].Expr
		if len(expr.Variables()) > 0 {
			r.errorAt(expr.Range(), "Not a constant", "The default of a variable can't refer to anything; use locals for that.")
			v.failed = true
			return
		}
		res := r.evaluate(expr, r.ctx)
		r.add(res.diags...)
		v.failed = v.failed || res.diags.HasErrors()
		v.assign(res.v, expr.Range())
	}
}

func (v *variable) assign(val cty.Value, from hcl.Range) { v.value, v.from, v.set = val, from, true }

func (r *reader) variablesFromEnvironment(byName map[string]*variable) {
	if r.in.Environ == nil {
		return
	}
	env := append([]string(nil), r.in.Environ()...)
	sort.Strings(env)
	for _, kv := range env {
		name, raw, _ := strings.Cut(kv, "=")
		name, ok := strings.CutPrefix(name, envPrefix)
		if !ok {
			continue
		}
		if v := byName[name]; v != nil {
			r.assignText(v, raw, envPrefix+name)
		} else if s := suggest(name, r.variableNames); s != "" { // others may belong to another experiment
			r.add(&hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "Unknown variable",
				Detail: fmt.Sprintf("%s%s in the environment sets no variable of this experiment. Did you mean %q?", envPrefix, name, envPrefix+s)})
		}
	}
}

func (r *reader) variableFromFlag(nv string, byName map[string]*variable) {
	name, raw, ok := strings.Cut(nv, "=")
	if !ok {
		r.add(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Bad -var", Detail: fmt.Sprintf("-var %s: want NAME=VALUE.", nv)})
		return
	}
	v := byName[name]
	if v == nil {
		r.add(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Unknown variable", Detail: "-var " + nv + ": " + lowerFirst(noSuch("variable", name, r.variableNames))})
		return
	}
	r.assignText(v, raw, "-var "+name)
}

// assignText takes a value from a flag or the environment: literal text for string, number and bool
// variables (and for those without a type), an HCL expression otherwise.
func (r *reader) assignText(v *variable, raw, source string) {
	r.sources.put(source, []byte(raw))
	rng := hcl.Range{Filename: source, Start: hcl.InitialPos, End: hcl.Pos{Line: 1, Column: len(raw) + 1, Byte: len(raw)}}
	if v.block.Sensitive {
		r.sources.put(source, nil)
		r.noteSecret(cty.StringVal(raw))
	}
	if v.typ.IsPrimitiveType() || v.typ == cty.DynamicPseudoType {
		v.assign(cty.StringVal(raw), rng)
		return
	}
	expr, diags := hclsyntax.ParseExpression([]byte(raw), source, hcl.InitialPos)
	if !diags.HasErrors() {
		var val cty.Value
		val, diags = expr.Value(&hcl.EvalContext{Functions: r.ctx.Functions})
		if !diags.HasErrors() {
			v.assign(val, rng)
			return
		}
	}
	r.add(diags...)
	v.failed = true
}

// variablesFromFile reads a -var-file: attributes only, HCL or JSON by its name.
func (r *reader) variablesFromFile(name string, byName map[string]*variable) {
	src, err := os.ReadFile(name)
	if err != nil {
		r.add(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Can't read a variables file", Detail: fmt.Sprintf("-var-file %s: can't read it: %s.", name, cause(err))})
		return
	}
	r.sources.put(name, src)
	f, diags := parse(name, src)
	r.add(diags...)
	if f == nil || diags.HasErrors() {
		return
	}
	attrs, diags := f.Body.JustAttributes()
	r.add(diags...)
	for _, a := range bySource(attrs) {
		v := byName[a.Name]
		if v == nil {
			r.errorAt(a.NameRange, "Unknown variable", "%s", noSuch("variable", a.Name, r.variableNames))
			continue
		}
		val, d := a.Expr.Value(&hcl.EvalContext{Functions: r.ctx.Functions})
		r.add(d...)
		if d.HasErrors() {
			v.failed = true
			continue
		}
		v.assign(val, a.Expr.Range())
	}
}

// bySource gives the attributes in the order of the file; JustAttributes returns a map.
func bySource(attrs hcl.Attributes) []*hcl.Attribute {
	out := make([]*hcl.Attribute, 0, len(attrs))
	for _, name := range sortedKeys(attrs) {
		out = append(out, attrs[name])
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i].Range, out[j].Range
		return a.Filename == b.Filename && a.Start.Byte < b.Start.Byte
	})
	return out
}

// finishVariable applies defaults, then converts, then validates (the order matters: libraries B2).
func (r *reader) finishVariable(v *variable) cty.Value {
	if v.failed {
		return cty.DynamicVal
	}
	if !v.set {
		n := v.block.Name
		r.errorAt(v.at, "No value for a variable", "The variable %q has no value: give it a default, -var %s=…, or %s%s.", n, n, envPrefix, n)
		return cty.DynamicVal
	}
	val := v.value
	if v.block.Sensitive {
		v.from = v.at // the line that holds the value is not to be quoted
	}
	if v.defaults != nil && !val.IsNull() {
		val = v.defaults.Apply(val)
	}
	val, err := convert.Convert(val, v.typ)
	if err != nil {
		if v.block.Sensitive {
			r.noteSecret(v.value)
		}
		r.errorAt(v.from, "Wrong type", "The variable %q has an unsuitable value: %s.", v.block.Name, err)
		return cty.DynamicVal
	}
	if v.block.Sensitive {
		r.noteSecret(val)
		val = val.Mark(sensitive{})
	}
	r.validate(v, val)
	return val
}

func (r *reader) validate(v *variable, val cty.Value) {
	ctx := &hcl.EvalContext{Functions: r.ctx.Functions, Variables: map[string]cty.Value{
		"var": cty.ObjectVal(map[string]cty.Value{v.block.Name: val}),
	}}
	for _, rule := range v.block.Validation {
		ok, diags := rule.Condition.Value(ctx)
		if !diags.HasErrors() {
			var err error
			ok, _ = ok.Unmark()
			if ok, err = convert.Convert(ok, cty.Bool); err != nil || ok.IsNull() {
				diags = append(diags, errorAt(rule.Condition.Range(), "Not a condition", "A condition must be true or false."))
			}
		}
		r.add(diags...)
		if !diags.HasErrors() && ok.IsKnown() && ok.False() {
			r.errorAt(v.from, "Invalid value", "The variable %q is not valid: %s", v.block.Name, rule.ErrorMessage)
		}
	}
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
