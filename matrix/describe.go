package matrix

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// option describes one attribute of a block, read off the struct that it is decoded into.
type option struct {
	name, typ, def, doc string
	required            bool
	enum                []string
	min, max            string
	format              string
}

// part describes the inside of a block.
type part struct {
	options []option
	blocks  []nested
}

// nested describes a block within a block.
type nested struct {
	name, doc string
	repeated  bool
	required  bool
	part
}

// describe reads the tags and the prefilled defaults of a pointer to a settings struct.
func describe(value any) (part, error) {
	if value == nil {
		return part{}, nil
	}
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return part{}, fmt.Errorf("settings are a %T, not a pointer to a struct", value)
	}
	return describeStruct(v.Elem())
}

func describeStruct(v reflect.Value) (part, error) {
	var p part
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, kind := hclTag(f)
		switch kind {
		case "attr", "optional":
			o, err := describeField(name, kind, f, v.Field(i))
			if err != nil {
				return p, fmt.Errorf("%s: %w", v.Type(), err)
			}
			p.options = append(p.options, o)
		case "block":
			n := nested{name: name, doc: f.Tag.Get("doc")}
			inner, t := v.Field(i), f.Type
			if t.Kind() == reflect.Slice {
				n.repeated, t = true, t.Elem()
				inner = reflect.Value{}
			}
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
				if inner.IsValid() && !inner.IsNil() {
					inner = inner.Elem()
				} else {
					inner = reflect.Value{}
				}
			} else {
				n.required = !n.repeated
			}
			if !inner.IsValid() {
				inner = reflect.New(t).Elem()
			}
			var err error
			if n.part, err = describeStruct(inner); err != nil {
				return p, fmt.Errorf("%s: %w", name, err)
			}
			p.blocks = append(p.blocks, n)
		}
	}
	return p, nil
}

func describeField(name, kind string, f reflect.StructField, v reflect.Value) (option, error) {
	o := option{name: name, doc: f.Tag.Get("doc"), def: f.Tag.Get("default"), typ: f.Tag.Get("type"),
		min: f.Tag.Get("min"), max: f.Tag.Get("max"), format: f.Tag.Get("format")}
	if e := f.Tag.Get("enum"); e != "" {
		o.enum = strings.Split(e, ",")
	}
	if o.doc == "" {
		return o, fmt.Errorf("%s has no doc tag", name)
	}
	o.required = kind == "attr" && f.Type.Kind() != reflect.Pointer && f.Type.Kind() != reflect.Interface || o.def == "required"
	if o.typ == "" {
		var err error
		if o.typ, err = typeName(f.Type); err != nil {
			return o, fmt.Errorf("%s: %w", name, err)
		}
	}
	if o.required {
		o.def = ""
	} else if o.def == "" {
		o.def = literal(v)
	}
	return o, nil
}

// typeName is the language's word for a Go type.
func typeName(t reflect.Type) (string, error) {
	if t == reflect.TypeFor[cty.Value]() {
		return "any", nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.String:
		return "string", nil
	case reflect.Bool:
		return "bool", nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "whole number", nil
	case reflect.Float32, reflect.Float64:
		return "number", nil
	case reflect.Slice:
		e, err := typeName(t.Elem())
		return "list of " + e, err
	case reflect.Map:
		e, err := typeName(t.Elem())
		return "map of " + e, err
	}
	return "", fmt.Errorf("the language has no type for %s", t)
}

// literal writes a default as it would stand in a file; "none" for what is unset.
func literal(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "none"
		}
		return literal(v.Elem())
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = literal(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Map:
		items := make([]string, 0, v.Len())
		byName := map[string]string{}
		for _, k := range v.MapKeys() {
			byName[k.String()] = literal(v.MapIndex(k))
		}
		for _, k := range sortedKeys(byName) {
			items = append(items, k+" = "+byName[k])
		}
		if len(items) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(items, ", ") + " }"
	case reflect.Struct:
		return "none"
	}
	return fmt.Sprint(v.Interface())
}

// optionsOf describes the settings of a kind.
func optionsOf(k Kind) (part, error) {
	if k.Options == nil {
		return part{}, nil
	}
	p, err := describe(k.Options())
	if err != nil {
		return p, fmt.Errorf("kind %s: %w", k.Name, err)
	}
	return p, nil
}
