package trajectory

import (
	"regexp"
	"strings"

	"github.com/go-faster/jx"

	"intentlab/ablations/task"
)

// webAction holds what is kept of an element of "actions".
type webAction struct {
	op, originalOp, value string
	tag                   string
	attrs                 map[string]string
	rank                  int // of the positive candidate kept so far; 0: none
}

var mind2WebAttributes = func() map[string]bool {
	keep := map[string]bool{}
	for _, k := range labelAttributes {
		keep[k] = true
	}
	return keep
}()

func readWebAction(d *jx.Decoder) (webAction, error) {
	var a webAction
	_, err := jsonObject(d, func(key string) (err error) {
		switch key {
		case "operation":
			err = a.readOperation(d)
		case "pos_candidates":
			a.tag, a.attrs, a.rank = "", nil, 0 // a repeated key: the last one counts
			_, err = jsonArray(d, func() error { return a.readPositive(d) })
		default:
			err = d.Skip() // raw_html, cleaned_html and neg_candidates are nearly all of the file
		}
		return err
	})
	return a, err
}

// readOperation reads {"op","original_op","value"}, also as JSON text in a string.
func (a *webAction) readOperation(d *jx.Decoder) error {
	if d.Next() == jx.String {
		s, err := d.StrBytes()
		if err == nil {
			a.operationText(s)
		}
		return err
	}
	_, err := jsonObject(d, func(key string) (err error) {
		switch key {
		case "op":
			a.op, err = jsonText(d)
		case "original_op":
			a.originalOp, err = jsonText(d)
		case "value":
			a.value, err = jsonText(d)
		default:
			err = d.Skip()
		}
		return err
	})
	return err
}

// operationText is readOperation of JSON text. Broken text is no error: what was read of it stands.
func (a *webAction) operationText(s []byte) { _ = a.readOperation(jx.DecodeBytes(oneObject(s))) }

// readPositive reads a positive candidate and keeps it if it is better than the one before: the
// original target, else a top-level target, else the first.
func (a *webAction) readPositive(d *jx.Decoder) error {
	var tag string
	var attrs map[string]string
	rank := 1
	found, err := jsonObject(d, func(key string) (err error) {
		var is bool
		switch key {
		case "tag":
			tag, err = jsonText(d)
		case "attributes":
			attrs, err = jsonAttributes(d, mind2WebAttributes)
		case "is_original_target":
			if is, err = jsonTrue(d); is {
				rank = 3
			}
		case "is_top_level_target":
			if is, err = jsonTrue(d); is {
				rank = max(rank, 2)
			}
		default:
			err = d.Skip()
		}
		return err
	})
	if err == nil && found && rank > a.rank {
		a.tag, a.attrs, a.rank = tag, attrs, rank
	}
	return err
}

// reprForm is "[role]  text -> OP" or "-> OP: value" (datasets.md, section 2).
var reprForm = regexp.MustCompile(`(?s)^\s*(?:\[([^\]]*)\])?(.*?)\s+->\s+([A-Z_]+)(?::\s?(.*))?$`)

type actionRepr struct{ role, text, op, value string }

func parseRepr(repr string) (actionRepr, bool) {
	m := reprForm.FindStringSubmatch(repr)
	if m == nil {
		return actionRepr{}, false
	}
	return actionRepr{role: m[1], text: m[2], op: strings.ToLower(m[3]), value: strings.TrimSpace(m[4])}, true
}

// steps joins action_reprs and actions. matched is false when both are there in different numbers;
// action_reprs alone count then.
func (t webTask) steps() (steps []task.Step, matched bool) {
	if len(t.reprs) == 0 {
		for _, a := range t.actions {
			steps = append(steps, webStep("", a))
		}
		return steps, true
	}
	matched = len(t.actions) == 0 || len(t.actions) == len(t.reprs)
	for i, repr := range t.reprs {
		var a webAction
		if matched && i < len(t.actions) {
			a = t.actions[i]
		}
		steps = append(steps, webStep(repr, a))
	}
	return steps, matched
}

func webStep(repr string, a webAction) task.Step {
	r, ok := parseRepr(repr)
	if !ok && strings.TrimSpace(repr) != "" {
		// A form that is not known: its text is all there is to see.
		r.text = repr
	}
	op, value := a.originalOp, a.value
	if op == "" {
		op = a.op
	}
	if op == "" {
		op, value = r.op, r.value
	}
	if op = strings.ToLower(strings.TrimSpace(op)); op == "" {
		op = "action"
	}
	tag := r.role
	if a.rank > 0 && a.tag != "" {
		tag = a.tag
	}
	return actionStep(op, elementText(tag, r.text, a.attrs), value)
}
