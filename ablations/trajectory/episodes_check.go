package trajectory

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// indexed names an element of a list setting, as the language's messages point at it.
func indexed(setting string, i int) string { return setting + "[" + strconv.Itoa(i) + "]" }

func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// Check says what is wrong with the settings, by setting: roles that contradict each other and fields
// that would show the answer or the future. Which fields there are, the data tells when it is read.
func (o *EpisodesOptions) Check() map[string]string {
	wrong := map[string]string{}
	if o.Fields == nil {
		return wrong
	}
	c := fieldCheck{EpisodeFields: o.Fields, wrong: wrong}
	c.names()
	c.steps()
	c.roles()
	return wrong
}

type fieldCheck struct {
	*EpisodeFields
	wrong map[string]string
}

func (c *fieldCheck) say(setting, format string, args ...any) {
	if _, told := c.wrong[setting]; !told {
		c.wrong[setting] = fmt.Sprintf(format, args...)
	}
}

// names looks at each name by itself.
func (c *fieldCheck) names() {
	if c.ID == "" {
		c.say("fields.id", "must name a field")
	}
	switch c.Rows {
	case "", "episode", "step":
	default:
		c.say("fields.rows", "want \"episode\" or \"step\"")
	}
	lists := map[string][]string{"visible": c.Visible, "profile": c.Profile, "target": c.Target, "determines": c.Determines, "future": c.Future}
	if s := c.Step; s != nil {
		lists["step.target"], lists["step.determines"], lists["step.future"] = s.Target, s.Determines, s.Future
	}
	for setting, list := range lists {
		for i, p := range list {
			if strings.Trim(p, ".") != p || p == "" {
				c.say("fields."+indexed(setting, i), "%q names no field", p)
			}
		}
	}
	for _, name := range sortedNames(c.Groups) {
		if c.Groups[name] == "" {
			c.say("fields.groups["+name+"]", "must name a field")
		}
		if name == "episode" || name == "cluster" {
			c.say("fields.groups["+name+"]", "split { by = %q } has a meaning of its own; take another name", name)
		}
	}
	for _, d := range c.declared() {
		shown := d.role != targetField && d.role != answerField && d.role != placeField
		if shown && slices.ContainsFunc(strings.Split(strings.ReplaceAll(d.path, "[]", ""), "."), isTarget) {
			c.say(d.setting, "a field named target may never be visible; give it the role target")
		}
		if (d.path == "apps" || d.path == "profile") && !strings.HasPrefix(d.setting, "fields.step.") && (d.role == visibleField || d.role == determinesField || d.role == futureField) &&
			d.setting != "fields.apps" && !strings.HasPrefix(d.setting, "fields.profile[") {
			c.say(d.setting, "metadata has a place of its own for %s; use fields.%s", d.path, d.path)
		}
	}
}

func isTarget(name string) bool { return strings.EqualFold(name, "target") }

// steps looks at how steps are found.
func (c *fieldCheck) steps() {
	parallel := false
	for _, d := range c.declared() {
		head, tail, many := strings.Cut(d.path, "[]")
		if !many {
			continue
		}
		switch inStep := strings.HasPrefix(d.setting, "fields.step."); {
		case c.rowsOfSteps() && c.Steps != "":
			// The one mistake is told below.
		case !inStep || c.rowsOfSteps():
			c.say(d.setting, "[] stands for each step in a step block of parallel lists only")
		case c.Steps == "":
			parallel = true
			if head == "" || strings.Contains(tail, "[]") || tail != "" && tail[0] != '.' {
				c.say(d.setting, "%q is no field of a list: want LIST[] or LIST[].FIELD", d.path)
			}
		case strings.Contains(tail, "[]"):
			c.say(d.setting, "[] is for parallel lists; this field is relative to an element of steps")
		}
	}
	hasParts := c.Step != nil && len(c.Step.parts()) > 0
	switch {
	case c.rowsOfSteps() && c.Steps != "":
		c.say("fields.steps", "a record is a step already (rows = \"step\")")
	case c.Step != nil && !hasParts:
		c.say("fields.step", "says nothing of what a step shows: name at least one of op, action, element, value, url, app, utterance")
	case c.rowsOfSteps() && !hasParts:
		c.say("fields.rows", "rows of steps need a step block that says which field is op, action, element and so on")
	case !c.rowsOfSteps() && c.Steps == "" && c.Step == nil:
		c.say("fields", "say where the steps are: steps = \"FIELD\", a step block with parallel lists, or rows = \"step\"")
	case !c.rowsOfSteps() && c.Steps == "" && !parallel:
		c.say("fields.step", "without steps its fields must be parallel lists, such as actions[].type; or say steps = \"FIELD\" or rows = \"step\"")
	case !c.rowsOfSteps() && c.Steps == "":
		for _, d := range c.declared() {
			if strings.HasPrefix(d.setting, "fields.step.") && !strings.Contains(d.path, "[]") {
				c.say(d.setting, "%q is no list of steps: parallel lists are written %s[]", d.path, d.path)
			}
		}
	}
	if c.Step != nil && c.Step.Index != "" && !c.rowsOfSteps() {
		c.say("fields.step.index", "only rows of steps are ordered by a number; lists keep their order")
	}
}

// roles looks for pairs of mentions that contradict each other.
func (c *fieldCheck) roles() {
	all := c.declared()
	stepLists := []string{}
	if c.Steps != "" {
		stepLists = append(stepLists, c.Steps)
	}
	for _, d := range all {
		if head, _, many := strings.Cut(d.path, "[]"); many && !slices.Contains(stepLists, head) {
			stepLists = append(stepLists, head)
		}
	}
	for i, d := range all {
		inStep := strings.HasPrefix(d.setting, "fields.step.") || d.setting == "fields.steps"
		if !inStep && d.role != targetField && d.role != placeField {
			for _, list := range stepLists {
				if within(d.path, list) || within(list, d.path) {
					c.say(d.setting, "%q holds steps: it would show all of them at once", d.path)
				}
			}
		}
		for _, before := range all[:i] {
			c.pair(before, d)
		}
	}
	if c.ID != "" && c.Open != "" && !c.HashID && (within(c.ID, c.Open) || within(c.Open, c.ID)) {
		c.say("fields.id", "methods see the id, and this one is the open intent; add hash_id = true")
	}
	if c.ID != "" && c.Closed != "" && !c.HashID && (within(c.ID, c.Closed) || within(c.Closed, c.ID)) {
		c.say("fields.id", "methods see the id, and this one is the closed label; add hash_id = true")
	}
}

// pair says what is wrong with b, given a, which stands before it.
func (c *fieldCheck) pair(a, b declaredField) {
	if a.role == placeField || b.role == placeField || !within(a.path, b.path) && !within(b.path, a.path) {
		return
	}
	shows := func(d declaredField) bool { return d.role != targetField && d.role != answerField }
	// A part of a step is visible; determines and future hold it back.
	restricted := func(x, y declaredField) bool {
		return x.role == partField && (y.role == determinesField || y.role == futureField) && within(x.path, y.path)
	}
	switch {
	case a.role == partField && b.role == partField: // one field may serve two parts
	case a.role == answerField && b.role == answerField, a.role == answerField && b.role == targetField, a.role == targetField && b.role == answerField:
	case a.role == answerField && shows(b) || b.role == answerField && shows(a):
		answer, shown := a, b
		if b.role == answerField {
			answer, shown = b, a
		}
		what := fmt.Sprintf("%q is the answer (%s)", shown.path, answer.setting)
		if shown.path != answer.path {
			what = fmt.Sprintf("%q would show the answer %q (%s)", shown.path, answer.path, answer.setting)
		}
		c.say(shown.setting, "%s; it may not be shown", what)
	case restricted(a, b) || restricted(b, a):
	case a.path == b.path:
		c.say(b.setting, "%q has a role already (%s)", b.path, a.setting)
	case a.role == b.role:
	case within(b.path, a.path):
		c.say(b.setting, "%q lies in %q, which has another role (%s)", b.path, a.path, a.setting)
	default:
		c.say(b.setting, "%q holds %q, which has another role (%s)", b.path, a.path, a.setting)
	}
}

// within reports whether path is outer or lies inside it.
func within(path, outer string) bool {
	return path == outer || strings.HasPrefix(path, outer+".") || strings.HasPrefix(path, outer+"[]")
}
