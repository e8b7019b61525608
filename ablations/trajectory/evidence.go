package trajectory

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"intentlab/ablations/task"
)

// bare is a text that says no more than where or how far: numbers, with brackets, "x=", "to".
var bare = regexp.MustCompile(`(?i)^(?:[\s()\[\]{},;:.\-+=\d]|\b[xy]\s*[=:]|\b(?:to|px)\b)*$`)

func isBare(text string) bool {
	return bare.MatchString(text) && (strings.ContainsAny(text, "0123456789") || strings.IndexFunc(text, unicode.IsLetter) < 0)
}

// directions are values that belong to the operation.
var directions = map[string]bool{"up": true, "down": true, "left": true, "right": true}

// pointing are the operations whose numbers are positions, distances or times. A number that is typed or
// chosen is a value.
var pointing = []string{"click", "double", "right", "long", "tap", "touch", "press", "scroll", "swipe", "drag", "hover", "move", "wait", "action"}

// Evidence reports whether a step shows more than an operation and a position: an utterance, the text
// of an element, a URL, a value, an observation or an app. The hash of a screenshot is none, since
// methods see the hash and not the picture. Coordinates, directions, and the numbers of a click, a
// scroll or a wait are positions; key presses are operations. Where a step has no operation, the first
// word of its action is it. Placeholder steps and bare clicks carry no evidence: what can be predicted
// from them is predicted from their number and kind (datasets.md, section 3, quirk 9, and section 4).
func Evidence(s task.Step) bool {
	return s.Utterance != "" || s.URL != "" || s.Observation != "" || s.App != "" ||
		s.Element != "" && !isBare(s.Element) || valueSays(s) || actionSays(s)
}

func valueSays(s task.Step) bool {
	value := strings.ToLower(strings.TrimSpace(s.Value))
	if value == "" || directions[value] {
		return false
	}
	return !isBare(value) || !slices.ContainsFunc(pointing, func(op string) bool { return strings.HasPrefix(strings.ToLower(s.Op), op) })
}

// actionSays reports whether the readable action holds words that operation, element, value and
// directions don't account for.
func actionSays(s task.Step) bool {
	if strings.HasPrefix(s.Op, "press_") {
		return false // the action names the key that the operation names
	}
	rest := s.Action
	for _, part := range []string{s.Op, s.Element, s.Value} {
		if part != "" {
			rest = strings.Replace(rest, part, "", 1)
		}
	}
	words := strings.FieldsFunc(strings.ToLower(rest), func(r rune) bool { return !unicode.IsLetter(r) && r != '_' })
	if s.Op == "" && len(words) > 0 && strings.IndexFunc(words[0], func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		words = words[1:]
	}
	return slices.ContainsFunc(words, func(w string) bool { return !directions[w] && !slices.Contains(positionWords, w) })
}

// positionWords may stand between numbers.
var positionWords = []string{"x", "y", "to", "at", "px"}
