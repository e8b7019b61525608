package matrix

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// settingError is a setting that has no canonical form, such as a file that can't be read.
type settingError struct {
	attr string
	elem int // element of a list, or -1
	err  error
}

func (e *settingError) Error() string { return e.attr + ": " + e.err.Error() }

func (e *settingError) diagnostic(b *body) *hcl.Diagnostic {
	rng := b.nestedRange(e.attr)
	if a := b.attrs[e.attr]; a != nil && e.elem >= 0 {
		if ranges := elementRanges(a.Expr); e.elem < len(ranges) {
			rng = ranges[e.elem]
		}
	}
	return errorAt(rng, "Can't identify a setting", "%s.", e.Error())
}

// canonical is the canonical form of a kind's settings for keys (decisions.md, "Keys"). Every field
// counts by its hcl name, defaults included, except as its key tag says:
//
//	key:"-"      not at all: limits, time-outs, worker counts
//	key:"files"  a list of files and globs: relative name and SHA-256 of each file's content
//	key:"path"   not at all: content that is identified elsewhere
//
// What comes from a sensitive variable is left out.
func (r *reader) canonical(kind Kind, options any, b *body) (map[string]any, bool) {
	if options == nil {
		return map[string]any{}, true
	}
	out, err := r.structSettings(reflect.ValueOf(options).Elem(), b, "", source{kind, options})
	var bad *settingError
	if errors.As(err, &bad) {
		r.add(bad.diagnostic(b))
	}
	return out, err == nil
}

// source is the whole that a setting belongs to.
type source struct {
	kind    Kind
	options any
}

// structSettings fails with a *settingError only.
func (r *reader) structSettings(v reflect.Value, b *body, prefix string, from source) (map[string]any, error) {
	out := map[string]any{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, kind := hclTag(f)
		if kind != "attr" && kind != "optional" && kind != "block" {
			continue
		}
		switch f.Tag.Get("key") {
		case "-", "path":
			continue
		case "files":
			files, err := r.fileSettings(prefix+name, v.Field(i), from)
			if err != nil {
				return nil, err
			}
			out[name] = files
			continue
		}
		hidden := b.hidden[name]
		if covers(hidden) {
			continue
		}
		var val any
		var err error
		if kind == "block" {
			val, err = r.blockSettings(v.Field(i), b.blocks[name], prefix+name+".", from)
		} else {
			val, err = plain(v.Field(i), hidden)
		}
		if err != nil {
			var inner *settingError
			if errors.As(err, &inner) {
				return nil, inner
			}
			return nil, &settingError{attr: prefix + name, elem: -1, err: err}
		}
		if val != nil {
			out[name] = val
		}
	}
	return out, nil
}

// covers reports whether a secret path reaches the whole value or an element of a list: maps lose
// the secret entry only.
func covers(hidden []cty.Path) bool {
	for _, p := range hidden {
		if len(p) == 0 {
			return true
		}
		if step, ok := p[0].(cty.IndexStep); ok && step.Key.Type() != cty.String {
			return true
		}
	}
	return false
}

func hiddenKey(hidden []cty.Path, key string) bool {
	for _, p := range hidden {
		switch step := p[0].(type) {
		case cty.IndexStep:
			if step.Key.AsString() == key {
				return true
			}
		case cty.GetAttrStep:
			if step.Name == key {
				return true
			}
		}
	}
	return false
}

func (r *reader) blockSettings(v reflect.Value, bodies []*body, prefix string, from source) (any, error) {
	body := func(i int) *body {
		if i < len(bodies) {
			return bodies[i]
		}
		return r.body(hcl.EmptyBody(), hcl.Range{})
	}
	if v.Kind() == reflect.Slice {
		list := []any{}
		for i := range v.Len() {
			m, err := r.structSettings(reflect.Indirect(v.Index(i)), body(i), prefix, from)
			if err != nil {
				return nil, err
			}
			list = append(list, m)
		}
		return list, nil
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, nil
		}
		v = v.Elem()
	}
	m, err := r.structSettings(v, body(0), prefix, from)
	if err != nil || len(m) == 0 {
		return nil, err
	}
	return m, nil
}

// plain is a value as JSON has it.
func plain(v reflect.Value, hidden []cty.Path) (any, error) {
	if v.Type() == reflect.TypeFor[cty.Value]() {
		val := v.Interface().(cty.Value)
		if val == cty.NilVal || val.IsNull() {
			return nil, nil
		}
		return jsonValue(val)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return plain(v.Elem(), hidden)
	case reflect.Slice, reflect.Array:
		out := make([]any, v.Len())
		for i := range out {
			x, err := plain(v.Index(i), nil)
			if err != nil {
				return nil, err
			}
			out[i] = x
		}
		return out, nil
	case reflect.Map:
		out := map[string]any{}
		for _, k := range v.MapKeys() {
			if hiddenKey(hidden, k.String()) {
				continue
			}
			x, err := plain(v.MapIndex(k), nil)
			if err != nil {
				return nil, err
			}
			out[k.String()] = x
		}
		return out, nil
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return v.Interface(), nil
	}
	return nil, fmt.Errorf("a setting of type %s has no canonical form", v.Type())
}

// fileSettings lists name and content of each file. A name without wildcards must exist, since it
// can't be identified otherwise.
func (r *reader) fileSettings(attr string, v reflect.Value, from source) (any, error) {
	files := map[string]any{}
	add := func(elem int, names ...string) error {
		for _, n := range names {
			digest, err := r.fileDigest(n)
			if err != nil {
				return &settingError{attr: attr, elem: elem, err: err}
			}
			files[r.relative(n)] = digest
		}
		return nil
	}
	if from.kind.Files != nil {
		names, err := from.kind.Files(from.options, r.dir)
		if err != nil {
			return nil, &settingError{attr: attr, elem: -1, err: err}
		}
		return files, add(-1, names...)
	}
	var patterns []string
	switch {
	case v.Kind() == reflect.String && v.String() != "":
		patterns = []string{v.String()}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			patterns = append(patterns, v.Index(i).String())
		}
	}
	for i, p := range patterns {
		names, err := r.matching(p)
		if err != nil {
			return nil, &settingError{attr: attr, elem: i, err: err}
		}
		if err := add(i, names...); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// matching expands a glob; a folder stands for everything below it.
func (r *reader) matching(pattern string) ([]string, error) {
	if st, err := os.Stat(r.abs(pattern)); err == nil && st.IsDir() {
		return below(r.abs(pattern))
	}
	if !strings.ContainsAny(pattern, "*?[") {
		return []string{pattern}, nil
	}
	names, err := r.glob(pattern)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no file matches %q", pattern)
	}
	return names, err
}
