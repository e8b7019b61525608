package metrics

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// explained is a field whose nulls have reasons.
type explained interface{ whyJSON() ([]byte, error) }

// object writes a struct as JSON by its json tags, as encoding/json does, and after every field
// that holds a null the sibling "<name>_why". Values fields tagged ",inline" become members of the
// object itself.
func object(v any) ([]byte, error) {
	rv := reflect.ValueOf(v)
	var buf bytes.Buffer
	buf.WriteByte('{')
	for i := range rv.NumField() {
		sf, field := rv.Type().Field(i), rv.Field(i)
		name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if !sf.IsExported() || name == "-" || strings.Contains(opts, "omitempty") && field.IsZero() {
			continue
		}
		if vs, ok := field.Interface().(Values); ok && strings.Contains(opts, "inline") {
			if err := vs.members(&buf); err != nil {
				return nil, err
			}
			continue
		}
		if err := member(&buf, name, field.Interface()); err != nil {
			return nil, err
		}
		if e, ok := field.Interface().(explained); ok {
			why, err := e.whyJSON()
			if err != nil {
				return nil, err
			}
			if why != nil {
				if err := member(&buf, name+"_why", json.RawMessage(why)); err != nil {
					return nil, err
				}
			}
		}
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// member appends one "name":value, with a comma where it isn't the first.
func member(buf *bytes.Buffer, name string, v any) error {
	if b := buf.Bytes(); b[len(b)-1] != '{' {
		buf.WriteByte(',')
	}
	key, err := encode(name)
	if err != nil {
		return err
	}
	val, err := encode(v)
	if err != nil {
		return err
	}
	buf.Write(key)
	buf.WriteByte(':')
	buf.Write(val)
	return nil
}

// ordered writes n members in the given order.
func ordered(n int, at func(int) (string, any)) ([]byte, error) {
	var buf bytes.Buffer
	buf.WriteByte('{')
	for i := range n {
		name, v := at(i)
		if err := member(&buf, name, v); err != nil {
			return nil, err
		}
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// encode is json.Marshal without HTML escaping, which is for the outermost encoder to decide.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
