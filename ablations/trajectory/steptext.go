package trajectory

import (
	"strings"
	"unicode/utf8"

	"intentlab/ablations/task"
)

// Caps of the text of one step, in runes: a single WebLINX turn can carry 900 KB of page text
// (datasets.md, section 1, quirk 1). A cut text ends in "…", which counts. Intents are never cut.
const (
	MaxElement   = 500
	MaxURL       = 2000
	MaxValue     = 4000
	MaxUtterance = 4000
	// MaxObservation is wider: it stands for a whole screen.
	MaxObservation = 8000
	MaxAction      = 5000
)

// capText cuts s to at most limit runes.
func capText(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == limit {
			return s[:i] + "…"
		}
	}
	return s
}

// capSteps applies the caps and makes the indices 0, 1, 2, ….
func capSteps(steps []task.Step) {
	for i := range steps {
		s := steps[i]
		s.Index = i
		s.Utterance = capText(s.Utterance, MaxUtterance)
		s.Element = capText(s.Element, MaxElement)
		s.URL = capText(s.URL, MaxURL)
		s.Value = capText(s.Value, MaxValue)
		s.Action = capText(s.Action, MaxAction)
		s.Observation = capText(s.Observation, MaxObservation)
		if s != steps[i] { // written only where something changes: turns share the steps before them
			steps[i] = s
		}
	}
}

// actionStep composes the readable action of a step from its capped parts: "op element: value", or
// "op value" without an element.
func actionStep(op, element, value string) task.Step {
	element, value = capText(element, MaxElement), capText(value, MaxValue)
	text := op
	if element != "" {
		text += " " + element
		if value != "" {
			text += ":"
		}
	}
	if value != "" {
		text += " " + value
	}
	return task.Step{Kind: "action", Op: op, Action: text, Element: element, Value: value}
}

// oneLine collapses every run of white space, NBSP included, to one blank and trims the ends. It
// stops as soon as limit runes are certain to be exceeded, for texts as long as a page.
func oneLine(s string, limit int) string {
	if len(s) > 64*limit {
		s = strings.ToValidUTF8(s[:64*limit], "")
	}
	return strings.Join(strings.Fields(s), " ")
}

// elementText writes "[tag] label", the label being the element's text or else the first telling
// attribute. Links are no label: they hold hosts.
func elementText(tag, text string, attrs map[string]string) string {
	tag = strings.ToLower(strings.TrimSpace(tag))
	label := oneLine(text, MaxElement)
	for _, key := range labelAttributes {
		if label != "" {
			break
		}
		label = oneLine(attrs[key], MaxElement)
	}
	switch {
	case tag == "":
		return label
	case label == "":
		return "[" + tag + "]"
	}
	return "[" + tag + "] " + label
}

// labelAttributes are the attributes that name an element, most telling first, with '_' for '-' as
// Mind2Web writes them.
var labelAttributes = []string{"aria_label", "placeholder", "title", "alt", "name", "id"}
