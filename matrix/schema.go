package matrix

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

type object = map[string]any

// Schema writes the language as JSON Schema (draft 2020-12) for the .hcl.json form. Any value may
// also be a string with a ${…} template, as HCL's JSON form has it. It is read off the structs that
// files are decoded into; an error is as for [Docs].
func Schema(k Kinds) ([]byte, error) {
	properties := object{"//": object{"description": "A comment."}}
	var required []string
	for _, block := range language() {
		s, err := blockSchema(block, k)
		if err != nil {
			return nil, err
		}
		properties[block.name] = s
		if block.required {
			required = append(required, block.name)
		}
	}
	doc := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:intentlab:experiment",
		"title": "intentlab experiment", "type": "object", "properties": properties, "additionalProperties": false, "required": required,
		"$defs": object{
			"template": object{"type": "string", "pattern": `[$%]\{`, "description": "An expression in a template."},
		},
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(out, '\n'), nil
}

func blockSchema(block blockType, k Kinds) (object, error) {
	var inner object
	switch {
	case block.value == nil:
		inner = object{"type": "object"}
	default:
		p, err := describe(block.value())
		if err != nil {
			return nil, fmt.Errorf("block %s: %w", block.name, err)
		}
		inner = partSchema(p, block.kinds == nil)
	}
	if block.kinds != nil {
		if err := addKinds(inner, block, block.kinds(k)); err != nil {
			return nil, err
		}
	}
	body := oneOrMany(inner)
	if block.labelled {
		body = oneOrMany(object{"type": "object", "additionalProperties": body})
	}
	body["description"] = block.summary
	return body, nil
}

// addKinds adds one branch for each kind; unevaluatedProperties then refuses what neither the block
// nor its kind has.
func addKinds(inner object, block blockType, kinds map[string]Kind) error {
	var branches []any
	names := sortedKeys(kinds)
	for _, name := range names {
		p, err := optionsOf(kinds[name])
		if err != nil {
			return err
		}
		then := partSchema(p, false)
		then["description"] = kinds[name].Summary
		branches = append(branches, object{
			"if":   object{"properties": object{block.discriminator: object{"const": name}}, "required": []string{block.discriminator}},
			"then": then,
		})
	}
	properties, _ := inner["properties"].(object)
	properties[block.discriminator] = object{"anyOf": []any{object{"enum": names}, template()}}
	if len(branches) > 0 {
		inner["allOf"] = branches
	}
	inner["unevaluatedProperties"] = false
	return nil
}

func partSchema(p part, closed bool) object {
	properties := object{"//": object{"description": "A comment."}}
	s := object{"type": "object", "properties": properties}
	var required []string
	for _, o := range p.options {
		properties[o.name] = optionSchema(o)
		if o.required {
			required = append(required, o.name)
		}
	}
	for _, n := range p.blocks {
		inner := oneOrMany(partSchema(n.part, true))
		if !n.repeated {
			inner = partSchema(n.part, true)
		}
		inner["description"] = n.doc
		properties[n.name] = inner
		if n.required {
			required = append(required, n.name)
		}
	}
	if len(required) > 0 {
		s["required"] = required
	}
	if closed {
		s["additionalProperties"] = false
	}
	return s
}

// oneOrMany is how HCL's JSON form repeats a block.
func oneOrMany(s object) object {
	return object{"anyOf": []any{s, object{"type": "array", "items": s}}}
}

func template() object { return object{"$ref": "#/$defs/template"} }

func optionSchema(o option) object {
	s := typeSchema(o.typ)
	if len(o.enum) > 0 {
		if s["type"] == "array" {
			s["items"] = object{"anyOf": []any{object{"enum": o.enum}, template()}}
		} else {
			s = object{"enum": o.enum}
		}
	}
	if lo, err := strconv.ParseFloat(o.min, 64); err == nil {
		s["minimum"] = lo
	}
	if hi, err := strconv.ParseFloat(o.max, 64); err == nil {
		s["maximum"] = hi
	}
	if len(s) > 0 {
		s = object{"anyOf": []any{s, template()}}
	}
	s["description"] = o.doc + o.constraint()
	if !o.required {
		s["description"] = s["description"].(string) + ". Default: " + o.def
		var v any
		if json.Unmarshal([]byte(o.def), &v) == nil {
			s["default"] = v
		}
	}
	return s
}

// typeSchema turns the words of typeName and of the type tags into a schema; {} takes anything.
func typeSchema(t string) object {
	if elem, ok := strings.CutPrefix(t, "list of "); ok {
		return object{"type": "array", "items": orTemplate(typeSchema(elem))}
	}
	if elem, ok := strings.CutPrefix(t, "map of "); ok {
		return object{"type": "object", "additionalProperties": orTemplate(typeSchema(elem))}
	}
	if rest, ok := strings.CutPrefix(t, `"*" or `); ok {
		return object{"anyOf": []any{object{"const": "*"}, typeSchema(rest)}}
	}
	if kind, ok := strings.CutSuffix(t, " reference"); ok {
		return object{"type": "string", "pattern": `^` + kind + `\.[^.\[]+(\["[^"]+"\])?$`}
	}
	if one, other, ok := strings.Cut(t, " or "); ok {
		return object{"anyOf": []any{typeSchema(one), typeSchema(other)}}
	}
	switch t {
	case "string":
		return object{"type": "string"}
	case "preset name":
		return object{"enum": presetNames()}
	case "bool":
		return object{"type": "boolean"}
	case "number":
		return object{"type": "number"}
	case "whole number":
		return object{"type": "integer"}
	case "ratio":
		return object{"type": []string{"string", "number"}}
	case "type":
		return object{"type": "string"}
	}
	return object{} // any, and for_each, whose sets come from functions
}

func orTemplate(s object) object {
	if len(s) == 0 || s["type"] == "string" && len(s) == 1 {
		return s
	}
	return object{"anyOf": []any{s, template()}}
}
