package trajectory

import "strings"

// EpisodesOptions are the settings of format "episodes".
type EpisodesOptions struct {
	Fields *EpisodeFields `hcl:"fields,block" doc:"Field roles, for records of any other shape: where id, intents and steps stand, and what of the rest a method may see. Without it, lines are in the form of benchmark.md"`
}

// EpisodeFields says where the parts of an episode stand in a foreign record, and which role its
// other fields have. A field is named by its path: names joined by dots, with numbers for elements
// of a list ("sites.0"). JSON text inside a string is opened on the way. A field without a role is
// never shown.
type EpisodeFields struct {
	Rows       string            `hcl:"rows,optional" enum:"episode,step" default:"\"episode\"" doc:"What a record is: an episode, or one step of it. Rows of steps stand together by id"`
	ID         string            `hcl:"id" doc:"Field with the episode's id, a text or a number. Methods see the id"`
	HashID     bool              `hcl:"hash_id,optional" doc:"Show a hash in place of the id, for ids that tell the intent"`
	Open       string            `hcl:"open,optional" doc:"Field with the open intent"`
	Closed     string            `hcl:"closed,optional" doc:"Field with the closed label"`
	LabelSpace string            `hcl:"label_space,optional" default:"episodes. and the field of the closed label" doc:"Name of the label space"`
	Cluster    string            `hcl:"cluster,optional" default:"the id" doc:"Field with the unit of resampling"`
	Lists      string            `hcl:"lists,optional" doc:"Field with the official list that the episode stands in, or a list of them, for split { official }"`
	Groups     map[string]string `hcl:"groups,optional" doc:"Units for split { by }: their name and their field; never shown"`
	Steps      string            `hcl:"steps,optional" doc:"Field with the steps: a list of objects or, without a step block, of texts, which are the actions"`
	Visible    []string          `hcl:"visible,optional" doc:"Role: shown as metadata"`
	Profile    []string          `hcl:"profile,optional" doc:"Role: shown as the user's profile"`
	Target     []string          `hcl:"target,optional" doc:"Role: names the answer, never shown"`
	Determines []string          `hcl:"determines,optional" doc:"Role: determines the answer, shown as_published only"`
	Future     []string          `hcl:"future,optional" doc:"Role: known at the end of the episode only, shown as_published only"`
	Apps       string            `hcl:"apps,optional" doc:"Role: the list of all apps of the episode, shown as_published only"`
	Step       *StepFields       `hcl:"step,block" doc:"Fields of a step, relative to an element of steps; or to the record where it is a step; or, without steps, parallel lists of the record: actions[].type"`
}

// StepFields says which fields of a step stand for which of its parts; to be named here is the role
// "visible". A part whose field is also in Determines or Future is shown as_published only.
type StepFields struct {
	Index       string            `hcl:"index,optional" default:"the order in the file" doc:"Rows of steps: field with the number to order by"`
	Op          string            `hcl:"op,optional" doc:"Field with the operation: click, type, … (channel action)"`
	Ops         map[string]string `hcl:"ops,optional" doc:"Names for operations that are written as codes"`
	Action      string            `hcl:"action,optional" default:"made of op, element and value" doc:"Field with the whole action as text (channel action)"`
	Element     string            `hcl:"element,optional" doc:"Field with the element acted on (channel observation)"`
	Value       string            `hcl:"value,optional" doc:"Field with the text typed or the option chosen (channel observation)"`
	URL         string            `hcl:"url,optional" doc:"Field with the page's address (channel observation)"`
	App         string            `hcl:"app,optional" doc:"Field with the app in the foreground (channel metadata)"`
	Utterance   string            `hcl:"utterance,optional" doc:"Field with what was said (channel utterance)"`
	Speaker     string            `hcl:"speaker,optional" doc:"Field with who said it; no_initial_instruction masks the first of \"instructor\""`
	Observation string            `hcl:"observation,optional" doc:"Field with what was on the screen: OCR, accessibility text, a caption (channel observation)"`
	Target      []string          `hcl:"target,optional" doc:"Role: names the answer, never shown"`
	Determines  []string          `hcl:"determines,optional" doc:"Role: determines the answer, shown as_published only"`
	Future      []string          `hcl:"future,optional" doc:"Role: known later only, shown as_published only"`
}

// declaredField is one mention of a field. path is relative to the record; steps of a list are
// written with "[]" (actions[].type).
type declaredField struct {
	setting string // as in the file: fields.visible[0]
	path    string
	role    fieldRole
}

// fieldRole orders fields by how much they may show.
type fieldRole string

const (
	visibleField    fieldRole = "visible"
	targetField     fieldRole = "target"
	determinesField fieldRole = "determines"
	futureField     fieldRole = "future"
	answerField     fieldRole = "answer" // the open and the closed intent
	placeField      fieldRole = "place"  // id, cluster, lists, groups, index: says where an episode belongs, shows nothing
	partField       fieldRole = "part"   // a part of a step
)

// rowsOfSteps reports whether a record is one step.
func (f *EpisodeFields) rowsOfSteps() bool { return f.Rows == "step" }

// stepPath is the path of a step's field relative to the record.
func (f *EpisodeFields) stepPath(path string) string {
	if f.Steps == "" || path == "" {
		return path
	}
	return f.Steps + "[]." + path
}

// stepPart is one visible part of a step.
type stepPart struct {
	name, path string
}

// parts lists the parts of a step that have a field, in the order of the language.
func (s *StepFields) parts() []stepPart {
	var out []stepPart
	for _, p := range []stepPart{{"op", s.Op}, {"action", s.Action}, {"element", s.Element}, {"value", s.Value}, {"url", s.URL},
		{"app", s.App}, {"utterance", s.Utterance}, {"speaker", s.Speaker}, {"observation", s.Observation}} {
		if p.path != "" {
			out = append(out, p)
		}
	}
	return out
}

// declared lists every field that is named, in the order of the language.
func (f *EpisodeFields) declared() []declaredField {
	var out []declaredField
	add := func(setting, path string, role fieldRole) {
		if path != "" {
			out = append(out, declaredField{"fields." + setting, path, role})
		}
	}
	list := func(setting string, paths []string, role fieldRole, full func(string) string) {
		for i, p := range paths {
			add(indexed(setting, i), full(p), role)
		}
	}
	same := func(p string) string { return p }
	add("id", f.ID, placeField)
	add("open", f.Open, answerField)
	add("closed", f.Closed, answerField)
	add("cluster", f.Cluster, placeField)
	add("lists", f.Lists, placeField)
	for _, name := range sortedNames(f.Groups) {
		add("groups["+name+"]", f.Groups[name], placeField)
	}
	if f.Step == nil {
		add("steps", f.Steps, partField)
	}
	list("visible", f.Visible, visibleField, same)
	list("profile", f.Profile, visibleField, same)
	list("target", f.Target, targetField, same)
	list("determines", f.Determines, determinesField, same)
	list("future", f.Future, futureField, same)
	add("apps", f.Apps, futureField)
	if s := f.Step; s != nil {
		add("step.index", f.stepPath(s.Index), placeField)
		for _, p := range s.parts() {
			add("step."+p.name, f.stepPath(p.path), partField)
		}
		list("step.target", s.Target, targetField, f.stepPath)
		list("step.determines", s.Determines, determinesField, f.stepPath)
		list("step.future", s.Future, futureField, f.stepPath)
	}
	return out
}

// NeverVisible lists the fields that methods see under no visibility, as paths in the record.
func (f *EpisodeFields) NeverVisible() []string {
	var out []string
	for _, d := range f.declared() {
		if d.role == targetField || d.role == answerField {
			out = append(out, d.path)
		}
	}
	return out
}

// hidden reports whether a part of a step is held back under v, since its field has a role that
// says so.
func (s *StepFields) hidden(path string, v Visibility) bool {
	if v == AsPublished {
		return false
	}
	for _, list := range [][]string{s.Determines, s.Future} {
		for _, p := range list {
			if p == path || strings.HasPrefix(path, p+".") {
				return true
			}
		}
	}
	return false
}
