package trajectory

import (
	"regexp"
	"strings"
	"unicode"

	"intentlab/ablations/task"
)

// bareElement is an element that says no more than where it is: coordinates, with or without brackets,
// or from where to where.
var bareElement = regexp.MustCompile(`^(?:[\s()\[\]{},;:.\-\d]|\bto\b)*$`)

// directions and keys are values that belong to the operation.
var directions = map[string]bool{"up": true, "down": true, "left": true, "right": true}

// Evidence reports whether a step shows more than an operation and a position: an utterance, the text
// of an element, a URL, a value other than a direction or numbers, an observation, a screenshot or an
// app. Placeholder steps and bare clicks, scrolls and key presses carry none: what can be predicted
// from them is predicted from their number and kind (datasets.md, section 3, quirk 9, and section 4).
func Evidence(s task.Step) bool {
	value := strings.ToLower(strings.TrimSpace(s.Value))
	return s.Utterance != "" || s.URL != "" || s.Observation != "" || s.Screenshot != "" || s.App != "" ||
		s.Element != "" && !bareElement.MatchString(s.Element) ||
		value != "" && !directions[value] && !bareElement.MatchString(value) ||
		actionSays(s)
}

// actionSays reports whether the readable action holds letters that neither the operation nor the
// element or value account for.
func actionSays(s task.Step) bool {
	rest := s.Action
	for _, part := range []string{s.Element, s.Value} {
		if part != "" {
			rest = strings.Replace(rest, part, "", 1)
		}
	}
	rest = strings.Replace(rest, s.Op, "", 1)
	return s.Op != "" && strings.IndexFunc(rest, unicode.IsLetter) >= 0
}
