package matrix

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

func (r *reader) readEndpoints() {
	for _, d := range r.names["endpoint"].list {
		r.exp.Endpoints = append(r.exp.Endpoints, r.readEndpoint(d))
	}
}

func (r *reader) readEndpoint(d *declared) Endpoint {
	b := r.body(d.block.Body, d.block.DefRange)
	x := newEndpointBlock()
	d.failed = !r.decode(b, r.ctx, x)
	e := Endpoint{Name: d.name, Provider: x.Provider, BaseURL: strings.TrimRight(x.BaseURL, "/"), MaxConcurrency: x.MaxConcurrency,
		RequestsPerMinute: x.RequestsPerMinute, TokensPerMinute: x.TokensPerMinute, Timeout: x.Timeout, Range: d.block.DefRange}
	if e.Provider == "" {
		e.Provider = d.name
	}
	if x.Price != nil {
		e.Price = &Price{Input: x.Price.Input, Output: x.Price.Output, CachedInput: x.Price.CachedInput}
		if !b.blocks["price"][0].has("cached_input") {
			e.Price.CachedInput = x.Price.Input
		}
	}
	if b.has("api_key") {
		v := r.secret(x.APIKey, r.ctx)
		if s, err := convert.Convert(v, cty.String); err != nil {
			r.errorAt(x.APIKey.Range(), "Wrong type", "\"api_key\" must be text.")
		} else if s.IsKnown() && !s.IsNull() {
			e.APIKey = NewSecret(s.AsString())
		}
	}
	if b.has("headers") {
		v, err := convert.Convert(r.secret(x.Headers, r.ctx), cty.Map(cty.String))
		if err != nil {
			r.errorAt(x.Headers.Range(), "Wrong type", "\"headers\" must be a map of text.")
		} else if v.IsWhollyKnown() && !v.IsNull() {
			e.Headers = map[string]string{}
			for k, h := range v.AsValueMap() {
				if h.IsNull() {
					r.errorAt(x.Headers.Range(), "Wrong type", "The header %q has no value.", k)
					continue
				}
				e.Headers[k] = h.AsString()
			}
		}
	}
	if b.has("extra_body") {
		e.ExtraBody = r.extraBody(x.ExtraBody)
	}
	return e
}

// secret evaluates what is sent and never stored: all of it counts as sensitive.
func (r *reader) secret(expr hcl.Expression, ctx *hcl.EvalContext) cty.Value {
	res := r.evaluate(expr, ctx)
	if !res.diags.HasErrors() {
		v, paths := res.v.UnmarkDeepWithPaths()
		for i := range paths {
			paths[i].Marks = cty.NewValueMarks(append(markList(paths[i].Marks), sensitive{})...)
		}
		res.v = v.MarkWithPaths(paths)
	}
	v, _, diags := r.settle(expr, res)
	r.add(diags...)
	if !diags.HasErrors() {
		r.noteSecret(v)
	}
	return v
}

func markList(m cty.ValueMarks) []any {
	var out []any
	for k := range m { // a set into a set
		out = append(out, k)
	}
	return out
}

func (r *reader) extraBody(expr hcl.Expression) map[string]any {
	v, hidden, diags := r.settle(expr, r.evaluate(expr, r.ctx))
	r.add(diags...)
	if diags.HasErrors() || !v.IsWhollyKnown() {
		return nil
	}
	if len(hidden) > 0 {
		r.errorAt(expr.Range(), "Secret in extra_body", "\"extra_body\" is part of the answer key and can't hold a sensitive value; use headers.")
		return nil
	}
	if v.IsNull() || !(v.Type().IsObjectType() || v.Type().IsMapType()) {
		r.errorAt(expr.Range(), "Wrong type", "\"extra_body\" must be a map.")
		return nil
	}
	m, err := jsonValue(v)
	if err != nil {
		r.errorAt(expr.Range(), "Wrong type", "\"extra_body\" can't be written as JSON: %s.", err)
		return nil
	}
	out, _ := m.(map[string]any)
	return out
}

// jsonValue turns a known value into maps, lists, strings, numbers and bools.
func jsonValue(v cty.Value) (any, error) {
	raw, err := ctyjson.Marshal(v, v.Type())
	if err != nil {
		return nil, err
	}
	var out any
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber() // a large integer stays what it is
	err = dec.Decode(&out)
	return out, err
}

// options decodes the settings of a kind from what the language left of its block.
func (r *reader) options(kind Kind, rest hcl.Body, ctx *hcl.EvalContext, language []string) (any, *body, bool) {
	b, ok := rest.(*body)
	if !ok {
		return nil, nil, false // the block itself could not be decoded
	}
	var target any = &struct{}{}
	if kind.Options != nil {
		if o := kind.Options(); o != nil {
			target = o
		}
	}
	good := r.fill(b, ctx, target, language...)
	if kind.Options == nil {
		return nil, b, good
	}
	return target, b, good
}

// attributeNames are the names that a block struct accepts.
func attributeNames(v any) []string {
	t := reflect.TypeOf(v).Elem()
	var out []string
	for i := range t.NumField() {
		if name, kind := hclTag(t.Field(i)); kind == "attr" || kind == "optional" || kind == "block" {
			out = append(out, name)
		}
	}
	return out
}

func kindOptionNames(kinds map[string]Kind, name string) []string {
	k, ok := kinds[name]
	if !ok || k.Options == nil {
		return nil
	}
	return attributeNames(k.Options())
}

func (r *reader) readMethods() {
	for _, d := range r.names["method"].list {
		r.exp.Methods = append(r.exp.Methods, r.readMethod(d))
	}
}

func (r *reader) readMethod(d *declared) Method {
	ctx := r.context(d)
	b := r.body(d.block.Body, d.block.DefRange)
	x := newMethodBlock()
	ok := r.decode(b, ctx, x)
	m := Method{Name: d.name, ID: d.id, Uses: x.Uses, Seeds: r.exp.Seeds, NoDedup: !x.Dedup, Range: d.block.DefRange}
	if x.Sample != nil {
		m.Sample = &Sample{Episodes: x.Sample.Episodes, Seed: x.Sample.Seed}
	}
	if b.has("seeds") {
		m.Seeds = r.seeds(x.Seeds, ctx)
	}
	var good bool
	m.Kind, m.Options, m.Settings, m.Endpoint, good = r.uses("method", d, b, x.Uses, x.Endpoint, x.Rest, ctx, r.in.Kinds.Methods, attributeNames(x))
	if m.Kind.Declares != nil && m.Options != nil {
		m.Kind.Deterministic, m.Kind.UsesRatio, m.Kind.UsesLabels = m.Kind.Declares(m.Options)
	}
	if m.Kind.Deterministic && len(m.Seeds) > 1 {
		if b.has("seeds") {
			r.warnAt(x.Seeds.Range(), "Needless seeds", "The kind %q is deterministic: only the seed %d is run, and shown for all.", x.Uses, m.Seeds[0])
		}
		m.Seeds = m.Seeds[:1]
	}
	d.failed = d.failed || !ok || !good
	return m
}

func (r *reader) readJudges(declaredAny bool) {
	for _, d := range r.names["judge"].list {
		ctx := r.context(d)
		b := r.body(d.block.Body, d.block.DefRange)
		x := newJudgeBlock()
		ok := r.decode(b, ctx, x)
		j := Judge{Name: d.name, ID: d.id, Uses: x.Uses, Lo: x.Lo, Hi: x.Hi, Theta: x.Threshold, Range: d.block.DefRange}
		if x.Lo >= x.Hi && !b.failed["lo"] && !b.failed["hi"] {
			r.errorAt(b.firstRange("lo", "hi"), "Wrong anchors", "lo (%v) must be below hi (%v).", x.Lo, x.Hi)
		}
		var good bool
		j.Kind, j.Options, j.Settings, j.Endpoint, good = r.uses("judge", d, b, x.Uses, x.Endpoint, x.Rest, ctx, r.in.Kinds.Judges, attributeNames(x))
		if j.Settings != nil {
			j.Settings["lo"], j.Settings["hi"] = x.Lo, x.Hi
		}
		d.failed = d.failed || !ok || !good
		r.exp.Judges = append(r.exp.Judges, j)
	}
	if declaredAny {
		return
	}
	const name = "embedding"
	kind := r.in.Kinds.Judges[name]
	j := Judge{Name: name, ID: name, Uses: name, Kind: kind, Hi: 1, Theta: 0.7, IsDefault: true, Settings: map[string]any{"lo": 0.0, "hi": 1.0}}
	if kind.Options != nil {
		j.Options = kind.Options()
		s, _ := r.canonical(kind, j.Options, r.body(hcl.EmptyBody(), hcl.Range{}))
		for k, v := range s { // into a map again
			j.Settings[k] = v
		}
	}
	r.exp.Judges = []Judge{j}
}

// uses reads what methods and judges share: the kind, its settings and the endpoint.
func (r *reader) uses(block string, d *declared, b *body, name string, endpoint hcl.Expression, rest hcl.Body, ctx *hcl.EvalContext,
	kinds map[string]Kind, language []string) (kind Kind, options any, settings map[string]any, endpointName string, ok bool) {
	var ep *declared
	if b.has("endpoint") {
		if ep = r.resolveOne("endpoint", endpoint); ep != nil {
			endpointName = ep.id
		}
	}
	kind, known := kinds[name]
	if !known {
		if b.has("uses") && !b.failed["uses"] {
			r.errorAt(b.valueRange("uses"), "Unknown kind", "%s", noSuch("kind of "+block, name, sortedKeys(kinds)))
		}
		return kind, nil, nil, endpointName, false
	}
	options, inner, ok := r.options(kind, rest, ctx, language)
	switch {
	case kind.Needs.Endpoint && !b.has("endpoint"):
		r.errorAt(b.at, "No endpoint", "%s %s: the kind %q needs an endpoint: endpoint = endpoint.NAME.", block, d.base, name)
		ok = false
	case !kind.Needs.Endpoint && b.has("endpoint"):
		r.errorAt(b.attrs["endpoint"].Range, "Needless endpoint", "%s %s: the kind %q uses no endpoint.", block, d.base, name)
		ok = false
	}
	if !kind.Built {
		r.notYetUsed(block, d, "%s %s: the kind %q is not built yet", block, d.base, name)
	}
	if !ok {
		return kind, options, nil, endpointName, false
	}
	settings, ok = r.canonical(kind, options, inner)
	if !ok {
		return kind, options, nil, endpointName, false
	}
	if ep != nil {
		for _, e := range r.exp.Endpoints {
			if e.Name == ep.name && len(e.ExtraBody) > 0 {
				settings["extra_body"] = e.ExtraBody
			}
		}
	}
	return kind, options, settings, endpointName, true
}
