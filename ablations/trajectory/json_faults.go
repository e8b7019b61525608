package trajectory

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/go-faster/jx"
)

// plainJSON says in the words of JSON which field holds the wrong kind of value; other errors pass.
func plainJSON(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	got, _, _ := strings.Cut(wrong.Value, " ") // "number 1.5" names the number too
	if wrong.Field == "" {
		return fmt.Errorf("want %s, not a JSON %s", jsonKind(wrong.Type), got)
	}
	return fmt.Errorf("field %q: want %s, not a JSON %s", wrong.Field, jsonKind(wrong.Type), got)
}

func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonKind(t.Elem())
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// episodeKeys are the keys of an episode line; dataset is written by others and not read.
var episodeKeys = jsonKeys(reflect.TypeFor[episodeLine](), "dataset")

func jsonKeys(t reflect.Type, more ...string) []string {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		more = append(more, name)
	}
	return more
}

// misspelled refuses a key of a JSON object that is at most two edits from a known one which the
// object lacks (one edit for keys of up to five letters, where two make another word). Keys match in
// any case, as the decoder takes them.
func misspelled(object []byte, known []string) error {
	var unknown, present []string
	d := jx.DecodeBytes(object)
	err := d.Obj(func(d *jx.Decoder, key string) error {
		key = strings.ToLower(key)
		if slices.Contains(known, key) {
			present = append(present, key)
		} else {
			unknown = append(unknown, key)
		}
		return d.Skip()
	})
	if err != nil {
		return fmt.Errorf("broken episode: %w", err)
	}
	for _, key := range unknown {
		for _, k := range known {
			edits := 2
			if len(k) <= 5 {
				edits = 1
			}
			if !slices.Contains(present, k) && levenshtein.Distance(key, k, nil) <= edits {
				return fmt.Errorf("there is no field %q; did you mean %q?", key, k)
			}
		}
	}
	return nil
}
