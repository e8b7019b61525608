package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"intentlab/runners/reply"
)

// Version is part of the answer key of every kind that reads replies with this package.
const Version = 1

// Answer is what a reply says. Closed is as written, not yet mapped to a label.
type Answer struct {
	Closed, Open string
	// Confidence is the model's own word, 0 to 1; nil where it gave none that can be read.
	Confidence *float64
	// Rung tells how the answer was found; Flags what was bent on the way, for `show` and `--pilot`.
	Rung  reply.Rung
	Flags []string
}

// Failure is a reply without an answer. Reason is one short word: empty_reply, no_answer, bad_answer.
type Failure struct{ Reason, Detail string }

func (f *Failure) Error() string { return f.Detail }

// Read reads a reply. wantClosed says whether the dataset has closed intents: only then an object
// needs one. The ladder is that of package reply; where no object parses at all, lines such as
// "closed_intent: Travel" are read, provided that each occurs once. An object that lacks an asked
// field, or holds another type there, is a bad answer: nothing is made up.
func Read(text string, wantClosed bool) (Answer, error) {
	if reply.Empty(text) {
		return Answer{}, &Failure{"empty_reply", "the model replied with nothing"}
	}
	f := reply.Find(text, func(o reply.Object) bool {
		_, err := fields(o, wantClosed)
		return err == nil
	})
	switch {
	case f.Object != nil:
		a, err := fields(f.Object, wantClosed)
		if err != nil {
			return Answer{}, err // Find has accepted it by the same rule
		}
		a.Rung = f.Rung
		if f.Several {
			a.Flags = append(a.Flags, "multiple_objects")
		}
		if f.Reasoned {
			a.Flags = append(a.Flags, "think_removed")
		}
		return a, nil
	case f.Parsed > 0:
		o := lastObject(text)
		_, err := fields(o, wantClosed)
		if err == nil {
			err = errors.New("it has none of the asked fields")
		}
		return Answer{}, &Failure{"bad_answer", "the model's JSON holds no answer: " + err.Error()}
	}
	a, ok := plain(f.Rest, wantClosed)
	if !ok {
		return Answer{}, &Failure{"no_answer", fmt.Sprintf("no JSON object and no plain answer in the reply %q", short(f.Rest))}
	}
	a.Rung, a.Flags = reply.Line, []string{"plain_text"}
	return a, nil
}

func lastObject(text string) (last reply.Object) {
	reply.Find(text, func(o reply.Object) bool { last = o; return false })
	return last
}

func fields(o reply.Object, wantClosed bool) (Answer, error) {
	var a Answer
	var err error
	if a.Open, err = text(o, "predicted_intent"); err != nil && !wantClosed {
		return a, err
	}
	openErr := err
	if !wantClosed {
		return a, nil
	}
	if a.Closed, err = text(o, "closed_intent"); err != nil {
		return a, err
	}
	if openErr != nil {
		if _, given := o["predicted_intent"]; given {
			return a, openErr
		}
		a.Flags = append(a.Flags, "no_open_intent")
	}
	raw, given := o["closed_confidence"]
	if !given || string(raw) == "null" {
		return a, nil
	}
	if a.Confidence = confidence(raw); a.Confidence == nil {
		a.Flags = append(a.Flags, "unreadable_confidence")
	}
	return a, nil
}

// text reads a field of text. An explicit null abstains.
func text(o reply.Object, key string) (string, error) {
	raw, ok := o[key]
	if !ok {
		return "", fmt.Errorf("it has no %q", key)
	}
	if string(raw) == "null" {
		return "", nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", fmt.Errorf("its %q is no text", key)
	}
	return strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD")), nil
}

// confidence reads 0.8, "0.8" and "80%"; nil for all else. A bare 80 may mean anything.
func confidence(raw json.RawMessage) *float64 {
	s := strings.TrimSpace(string(raw))
	var quoted string
	if json.Unmarshal(raw, &quoted) == nil {
		s = strings.TrimSpace(quoted)
	}
	scale := 1.0
	if p, ok := strings.CutSuffix(s, "%"); ok {
		s, scale = strings.TrimSpace(p), 100
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || x < 0 || x/scale > 1 {
		return nil
	}
	x /= scale
	return &x
}

var plainLine = regexp.MustCompile(`(?im)^[\s*#>-]*(closed[_ ]intent|predicted[_ ]intent|closed[_ ]confidence)[\s*]*:[\s*]*(.+?)[\s*]*$`)

// plain reads an answer of named lines; each name may occur once.
func plain(s string, wantClosed bool) (Answer, bool) {
	got := map[string]string{}
	for _, m := range plainLine.FindAllStringSubmatch(s, -1) {
		name := strings.ReplaceAll(strings.ToLower(m[1]), " ", "_")
		if _, again := got[name]; again {
			return Answer{}, false
		}
		got[name] = strings.Trim(m[2], `"“”`)
	}
	a := Answer{Closed: got["closed_intent"], Open: got["predicted_intent"]}
	if c, ok := got["closed_confidence"]; ok {
		a.Confidence = confidence(json.RawMessage(c))
	}
	if wantClosed {
		return a, a.Closed != ""
	}
	return a, a.Open != ""
}

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 120 {
		return string(r[:119]) + "…"
	}
	return s
}
