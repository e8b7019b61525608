package matrix

import (
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/zclconf/go-cty/cty"
)

// decode fills a block of the language itself. What it holds is stored with the results, so that,
// unlike the settings of kinds, it can't be secret; a base URL is the exception.
func (r *reader) decode(b *body, ctx *hcl.EvalContext, target any, further ...string) bool {
	ok := r.fill(b, ctx, target, further...)
	return r.refuseSecrets(b) && ok
}

func (r *reader) refuseSecrets(b *body) bool {
	ok := true
	for _, name := range sortedKeys(b.hidden) {
		if name != "base_url" {
			r.errorAt(b.valueRange(name), "Sensitive value", "%q can't be sensitive: it is stored with the results.", name)
			ok = false
		}
	}
	for _, kind := range sortedKeys(b.blocks) {
		for _, inner := range b.blocks[kind] {
			ok = r.refuseSecrets(inner) && ok
		}
	}
	return ok
}

// fill fills target (a pointer to a tagged struct that holds the defaults) from b, then checks
// the enum, min, max and format tags. further are names accepted elsewhere in the same block, for
// suggestions. It reports whether there was no error.
func (r *reader) fill(b *body, ctx *hcl.EvalContext, target any, further ...string) bool {
	diags := gohcl.DecodeBody(b, ctx, target)
	for _, d := range diags {
		r.rephrase(b, d, further)
	}
	r.add(diags...)
	before := len(r.diags)
	r.checkTags(b, ctx, reflect.ValueOf(target).Elem())
	if c, ok := target.(interface{ Check() map[string]string }); ok && !diags.HasErrors() && len(r.diags) == before {
		wrong := c.Check()
		for _, name := range sortedKeys(wrong) {
			r.errorAt(b.nestedRange(name), "Wrong setting", "%s: %s.", name, strings.TrimSuffix(wrong[name], "."))
		}
	}
	return !diags.HasErrors() && len(r.diags) == before
}

// nestedRange finds "timeouts.start" as well as "start", and elements: "inputs[1]" of a list,
// "env[NAME]" of an object.
func (b *body) nestedRange(path string) hcl.Range {
	block, rest, nested := strings.Cut(path, ".")
	if inner := b.blocks[block]; nested && len(inner) > 0 {
		return inner[0].nestedRange(rest)
	}
	name, elem, ok := strings.Cut(strings.TrimSuffix(path, "]"), "[")
	if len(b.blocks[name]) > 0 {
		return b.blocks[name][0].at
	}
	if ok && b.has(name) {
		return elementRange(b.attrs[name].Expr, elem)
	}
	return b.valueRange(name)
}

// elementRange is where an element of a list or object is written, else the whole.
func elementRange(expr hcl.Expression, elem string) hcl.Range {
	if pairs, diags := hcl.ExprMap(expr); !diags.HasErrors() {
		for _, p := range pairs {
			if v, d := p.Key.Value(nil); !d.HasErrors() && v.Type() == cty.String && v.AsString() == elem {
				return p.Value.Range()
			}
		}
	}
	if i, err := strconv.Atoi(elem); err == nil {
		if ranges := elementRanges(expr); i >= 0 && i < len(ranges) {
			return ranges[i]
		}
	}
	return expr.Range()
}

var quoted = regexp.MustCompile(`"[^"]+"`)

// rephrase says which attribute a type error is about, and suggests names that HCL can't know.
func (r *reader) rephrase(b *body, d *hcl.Diagnostic, further []string) {
	switch {
	case d.Summary == "Missing required argument":
		if m := quoted.FindString(d.Detail); m != "" {
			d.Detail = m + " is required here."
		}
		if d.Subject != nil && b.at.Filename == d.Subject.Filename && b.at.Start.Line == d.Subject.Start.Line {
			d.Subject = b.at.Ptr()
		}
	case d.Summary == "Unsuitable value type" && d.Subject != nil:
		at, name := b.attributeAt(*d.Subject)
		if name == "" {
			return
		}
		at.failed[name] = true
		if isFollowUp(d) {
			return
		}
		what := strings.TrimPrefix(d.Detail, "Unsuitable value: ")
		d.Detail = fmt.Sprintf("%q has an unsuitable value: %s.", name, what)
		if d.Context != nil {
			d.Subject, d.Context = d.Context, nil
		}
	case strings.HasPrefix(d.Summary, "Duplicate ") && strings.HasSuffix(d.Summary, " block"):
		d.Detail = fmt.Sprintf("There can be one %s here.", strings.TrimPrefix(d.Summary, "Duplicate "))
	case strings.HasPrefix(d.Summary, "Unsupported ") || strings.HasPrefix(d.Summary, "Extraneous JSON"):
		if d.Subject == nil || strings.Contains(d.Detail, "Did you mean") {
			return
		}
		if s := suggest(strings.Trim(r.sources.text(*d.Subject), `"`), further); s != "" {
			d.Detail += fmt.Sprintf(" Did you mean %q?", s)
		}
	}
}

// attributeAt finds the attribute, here or in a nested block, that a range belongs to.
func (b *body) attributeAt(rng hcl.Range) (*body, string) {
	for _, name := range sortedKeys(b.attrs) {
		if b.attrs[name].Range.Overlaps(rng) || b.attrs[name].Expr.StartRange() == rng {
			return b, name
		}
	}
	for _, kind := range sortedKeys(b.blocks) {
		for _, inner := range b.blocks[kind] {
			if at, name := inner.attributeAt(rng); name != "" {
				return at, name
			}
		}
	}
	return b, ""
}

// checkTags walks the fields that were written in the file.
func (r *reader) checkTags(b *body, ctx *hcl.EvalContext, v reflect.Value) {
	t := v.Type()
	for i := range t.NumField() {
		name, kind := hclTag(t.Field(i))
		field := v.Field(i)
		switch kind {
		case "attr", "optional":
			if b.has(name) && !b.failed[name] {
				r.checkField(b, ctx, name, t.Field(i).Tag, field)
			}
		case "block":
			for j, inner := range b.blocks[name] {
				fv := field
				if fv.Kind() == reflect.Slice {
					if j >= fv.Len() {
						continue
					}
					fv = fv.Index(j)
				}
				if fv = reflect.Indirect(fv); fv.IsValid() && fv.Kind() == reflect.Struct {
					r.checkTags(inner, ctx, fv)
				}
			}
		}
	}
}

func (r *reader) checkField(b *body, ctx *hcl.EvalContext, name string, tag reflect.StructTag, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	rng := b.valueRange(name)
	if enum, ok := tag.Lookup("enum"); ok {
		allowed := strings.Split(enum, ",")
		switch v.Kind() {
		case reflect.String:
			if !contains(allowed, v.String()) {
				r.errorAt(rng, "Unknown value", "%s", noSuchValue(name, v.String(), allowed))
			}
		case reflect.Slice:
			ranges := elementRanges(b.attrs[name].Expr)
			for i := range v.Len() {
				at := rng
				if i < len(ranges) && len(ranges) == v.Len() {
					at = ranges[i]
				}
				if s := v.Index(i).String(); !contains(allowed, s) {
					r.errorAt(at, "Unknown value", "%s", noSuchValue(name, s, allowed))
				}
			}
		}
	}
	var x float64
	switch {
	case v.CanInt():
		x = float64(v.Int())
	case v.CanUint():
		x = float64(v.Uint())
	case v.CanFloat():
		x = v.Float()
	case v.Kind() == reflect.String:
		r.checkFormat(rng, name, tag.Get("format"), v.String())
		return
	default:
		return
	}
	if lo, err := strconv.ParseFloat(tag.Get("min"), 64); err == nil && x < lo {
		r.errorAt(rng, "Out of range", "%q must be at least %s.", name, tag.Get("min"))
	}
	if hi, err := strconv.ParseFloat(tag.Get("max"), 64); err == nil && x > hi {
		r.errorAt(rng, "Out of range", "%q must be at most %s.", name, tag.Get("max"))
	}
}

func (r *reader) checkFormat(rng hcl.Range, name, format, s string) {
	switch format {
	case "duration":
		if d, err := time.ParseDuration(s); err != nil || d <= 0 {
			r.errorAt(rng, "Not a duration", "%q must be a positive duration such as \"90s\" or \"5m\".", name)
		}
	case "url":
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			r.errorAt(rng, "Not a URL", "%q must be an http or https URL.", name)
		}
	}
}

func elementRanges(expr hcl.Expression) []hcl.Range {
	items, diags := hcl.ExprList(expr)
	if diags.HasErrors() {
		return nil
	}
	out := make([]hcl.Range, len(items))
	for i, it := range items {
		out[i] = it.Range()
	}
	return out
}

// element is one element of a list with its own position.
type element struct {
	v   cty.Value
	rng hcl.Range
}

// elements evaluates a list element by element, so that a mistake has the element's position; a
// list that is computed has one position for all.
func (r *reader) elements(expr hcl.Expression, ctx *hcl.EvalContext) ([]element, bool) {
	one := func(e hcl.Expression) (cty.Value, bool) {
		v, hidden, diags := r.settle(e, r.evaluate(e, ctx))
		if len(hidden) > 0 && !diags.HasErrors() {
			diags = append(diags, errorAt(e.Range(), "Sensitive value", "This can't be sensitive: it is stored with the results."))
		}
		r.add(diags...)
		return v, !diags.HasErrors() && v.IsWhollyKnown()
	}
	if items, d := hcl.ExprList(expr); !d.HasErrors() {
		out, ok := make([]element, 0, len(items)), true
		for _, it := range items {
			v, good := one(it)
			ok = ok && good
			if good {
				out = append(out, element{v, it.Range()})
			}
		}
		return out, ok
	}
	v, ok := one(expr)
	if !ok {
		return nil, false
	}
	if v.IsNull() || !(v.Type().IsListType() || v.Type().IsTupleType() || v.Type().IsSetType()) {
		r.errorAt(expr.Range(), "Not a list", "A list is required here.")
		return nil, false
	}
	var out []element
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		out = append(out, element{e, expr.Range()})
	}
	return out, true
}

// hclTag splits a field's hcl tag as gohcl does.
func hclTag(f reflect.StructField) (name, kind string) {
	tag, ok := f.Tag.Lookup("hcl")
	if !ok || tag == "" {
		return "", ""
	}
	name, kind, found := strings.Cut(tag, ",")
	if !found {
		kind = "attr"
	}
	return name, kind
}
