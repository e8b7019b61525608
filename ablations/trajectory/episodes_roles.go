package trajectory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/go-faster/jx"

	"intentlab/ablations/task"
)

// roleReader reads records of any shape by their field roles. One reads a whole source: rows of an
// episode may go over the end of a file, and whether a field occurs is known at the end.
type roleReader struct {
	*EpisodeFields
	v        Visibility
	out      output
	declared []declaredField
	index    *fieldIndex
	records  int
	rows     *rowGroup
	finished map[string]string // ids of rows of steps that are done, and where they stood
}

// newRoleReader checks the settings.
func newRoleReader(o *EpisodesOptions, v Visibility, out output) (*roleReader, error) {
	wrong := o.Check()
	for _, setting := range sortedNames(wrong) {
		return nil, fmt.Errorf("%s: %s", setting, wrong[setting])
	}
	declared := o.Fields.declared()
	return &roleReader{EpisodeFields: o.Fields, v: v, out: out, declared: declared, index: newFieldIndex(declared), finished: map[string]string{}}, nil
}

// loadByRoles reads JSON lines and top-level JSON arrays.
func loadByRoles(ctx context.Context, src Source, o *EpisodesOptions, out output) error {
	r, err := newRoleReader(o, src.Visibility, out)
	if err != nil {
		return err
	}
	err = tree{ctx: ctx, skip: out.skip, sidecar: src.Observations, file: func(path string) error {
		if !hasExt(path, ".jsonl", ".ndjson", ".json") {
			out.skip(Skip{Where: path, Reason: NotOfThisFormat, Detail: "not a .jsonl, .ndjson or .json file"})
			return nil
		}
		return readInput(ctx, path, r.read)
	}}.walk(src.Path)
	if err != nil {
		return err
	}
	return r.finish()
}

// otherShapeError is a file whose first record has no id.
type otherShapeError string

func (e otherShapeError) Error() string { return string(e) }

// read reads one file. Lines are numbered from 1, elements of an array from 0.
func (r *roleReader) read(in *input) error {
	n := 0
	one := func(d *jx.Decoder, where string) error {
		if d.Next() != jx.Object {
			if n == 0 {
				return otherShapeError("its first record is no JSON object")
			}
			return settled{fmt.Errorf("%s: not a JSON object", where)}
		}
		kids, err := r.index.readObject(d, "", false)
		if err != nil {
			return err
		}
		first := n == 0
		n++
		if err := r.record(&node{kids: kids, opened: true}, where, first); err != nil {
			return settled{err}
		}
		return nil
	}
	var err error
	if hasExt(in.path, ".json") {
		d := jx.Decode(in.r, min(64<<10, in.r.Size()))
		if err = jsonRecords(d, func() error { return one(d, fmt.Sprintf("%s: record %d", in.path, n)) }); err == nil && n == 0 {
			err = otherShapeError("it holds no records")
		}
	} else {
		err = in.lines(func(line int, b []byte) error {
			where := fmt.Sprintf("%s:%d", in.path, line)
			d := jx.DecodeBytes(b)
			err := one(d, where)
			var own settled
			if err == nil {
				err = jsonEnd(d)
			}
			if _, other := errors.AsType[otherShapeError](err); err == nil || other || errors.As(err, &own) {
				return err
			}
			return settled{fmt.Errorf("%s: broken JSON: %s", where, lineFault(err))}
		})
	}
	if other, ok := errors.AsType[otherShapeError](err); ok {
		r.out.skip(Skip{Where: in.path, Reason: NotOfThisFormat, Detail: string(other)})
		return nil
	}
	if err == nil {
		return nil
	}
	if hasExt(in.path, ".json") {
		return in.jsonError(err)
	}
	var own settled
	if errors.As(err, &own) {
		return own.error
	}
	return err
}

// lineFault is the innermost cause of a decoder's error, which has a word for every level.
func lineFault(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	if text := err.Error(); !strings.Contains(text, "EOF") {
		return capText(text, 200)
	}
	return "the line ends in the middle of a value"
}

// record takes one record. The first of a file decides whether the file is of this shape.
func (r *roleReader) record(root *node, where string, first bool) error {
	e, texts, err := r.head(root)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if e.ID == "" {
		text := fmt.Sprintf("the record has no %q (fields.id)%s", r.ID, r.near(r.ID))
		if first {
			return otherShapeError("its first record: " + text)
		}
		return fmt.Errorf("%s: %s", where, text)
	}
	r.records++
	if r.rowsOfSteps() {
		return r.row(root, where, e, texts)
	}
	if e.Steps, err = r.steps(root); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return r.out.emit(where, e)
}

// head reads all but the steps. texts are what the rows of one episode must agree on.
func (r *roleReader) head(root *node) (e Episode, texts map[string]string, err error) {
	get := func(path string) *node {
		n, ferr := r.index.lookup(root, path, path)
		if err == nil {
			err = ferr
		}
		return n
	}
	read := func(path string, as func(*node) (string, error)) string {
		n := get(path)
		if err != nil || n == nil {
			return ""
		}
		var s string
		if s, err = as(n); err == nil && texts != nil && s != "" {
			texts[path] = s
		}
		return s
	}
	e.ID = strings.TrimSpace(read(r.ID, (*node).text))
	if r.HashID && e.ID != "" {
		sum := sha256.Sum256([]byte(e.ID))
		e.ID = hex.EncodeToString(sum[:8])
	}
	e.ID = EncodeID(e.ID)
	if r.rowsOfSteps() {
		texts = map[string]string{}
	}
	e.OpenIntent = strings.TrimSpace(read(r.Open, (*node).text))
	e.ClosedIntent = strings.TrimSpace(read(r.Closed, (*node).text))
	e.ClusterID = read(r.Cluster, (*node).text)
	if e.LabelSpace = r.LabelSpace; e.LabelSpace == "" {
		e.LabelSpace = "episodes." + r.Closed
		if r.Closed == "" {
			e.LabelSpace = "episodes.closed_intent"
		}
	}
	for _, name := range sortedNames(r.Groups) {
		if s := read(r.Groups[name], (*node).text); s != "" {
			e.Groups = put(e.Groups, name, s)
		}
	}
	show := func(paths []string, to map[string]string) map[string]string {
		for _, p := range paths {
			if s := read(p, (*node).shown); s != "" {
				to = put(to, p, s)
			}
		}
		return to
	}
	e.Metadata, e.Profile = show(r.Visible, nil), show(r.Profile, nil)
	if err != nil {
		return e, nil, err
	}
	if e.Lists, err = r.index.texts(get(r.Lists)); err != nil {
		return e, nil, err
	}
	for _, p := range r.Target {
		get(p)
	}
	if apps := get(r.Apps); r.v == AsPublished && err == nil {
		if e.Apps, err = r.index.texts(apps); err != nil {
			return e, nil, err
		}
	}
	if r.v == AsPublished {
		e.Metadata = show(r.Future, show(r.Determines, e.Metadata))
	} else {
		for _, p := range append(slices.Clone(r.Determines), r.Future...) {
			get(p)
		}
	}
	return e, texts, err
}

func put(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

// steps reads the steps of a record that is an episode.
func (r *roleReader) steps(root *node) ([]task.Step, error) {
	if r.Steps == "" {
		return r.parallelSteps(root)
	}
	list, err := r.stepList(root, r.Steps)
	if err != nil || list == nil {
		return nil, err
	}
	var out []task.Step
	for i, n := range list {
		var s task.Step
		if r.Step == nil {
			s.Action, err = n.text()
		} else if err = r.index.open(n); err == nil {
			if n.kids == nil {
				err = errors.New("it is no object, as the step block says")
			} else {
				s, err = r.step(func(path string) (*node, error) { return r.index.lookup(n, path, r.stepPath(path)) })
			}
		}
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		out = append(out, s)
	}
	fillKinds(out)
	return out, nil
}

// stepList finds a list of steps; nil where it is absent or null.
func (r *roleReader) stepList(root *node, path string) ([]*node, error) {
	n, err := r.index.lookup(root, path, path)
	if n == nil || err != nil || string(n.raw) == "null" {
		return nil, err
	}
	if err := r.index.open(n); err != nil {
		return nil, err
	}
	if !n.array {
		return nil, fmt.Errorf("field %q: want a list of steps", path)
	}
	return n.list, nil
}

// parallelSteps reads steps whose parts stand in lists of equal length.
func (r *roleReader) parallelSteps(root *node) ([]task.Step, error) {
	lists := map[string][]*node{}
	first := ""
	for _, d := range r.declared {
		head, _, many := strings.Cut(d.path, "[]")
		if _, read := lists[head]; read || !many {
			continue
		}
		list, err := r.stepList(root, head)
		if err != nil {
			return nil, err
		}
		if list == nil {
			continue
		}
		if lists[head] = list; first == "" {
			first = head
		}
		if len(list) != len(lists[first]) {
			return nil, fmt.Errorf("%q has %d elements and %q has %d: parallel lists must be of one length", first, len(lists[first]), head, len(list))
		}
	}
	var out []task.Step
	for i := range lists[first] {
		s, err := r.step(func(path string) (*node, error) {
			head, tail, _ := strings.Cut(path, "[]")
			if lists[head] == nil {
				return nil, nil
			}
			n, err := r.index.find(lists[head][i], strings.TrimPrefix(tail, "."))
			if n != nil {
				r.index.roled[path] = true
			}
			return n, err
		})
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		out = append(out, s)
	}
	fillKinds(out)
	return out, nil
}

// step fills one step in; find follows a path as the step block has it.
func (r *roleReader) step(find func(path string) (*node, error)) (task.Step, error) {
	var s task.Step
	to := map[string]*string{"op": &s.Op, "action": &s.Action, "element": &s.Element, "value": &s.Value, "url": &s.URL,
		"app": &s.App, "utterance": &s.Utterance, "speaker": &s.Speaker, "observation": &s.Observation}
	for _, p := range r.Step.parts() {
		n, err := find(p.path)
		if err != nil {
			return s, err
		}
		if n == nil || r.Step.hidden(p.path, r.v) {
			continue
		}
		text, err := n.shown()
		if err != nil {
			return s, err
		}
		if name, coded := r.Step.Ops[text]; coded && p.name == "op" {
			text = name
		}
		*to[p.name] = text
	}
	for _, list := range [][]string{r.Step.Target, r.Step.Determines, r.Step.Future} {
		for _, p := range list {
			if _, err := find(p); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// finish emits what is pending, and says which roles name fields that do not exist and which fields
// have no role.
func (r *roleReader) finish() error {
	if err := r.flush(); err != nil {
		return err
	}
	if r.records == 0 {
		return nil // whoever counts episodes says why
	}
	if missing := r.absent(); missing != "" {
		return errors.New(missing)
	}
	for _, name := range slices.Sorted(maps.Keys(r.index.noRole)) {
		r.out.skip(Skip{Where: name, Reason: NoRole, Count: r.index.noRole[name]})
	}
	if r.index.tooMany {
		r.out.skip(Skip{Where: "…", Reason: NoRole, Detail: fmt.Sprintf("and further fields beyond the first %d names", maxFieldNames)})
	}
	return nil
}

// absent names the first role whose field occurs in no record, or "".
func (r *roleReader) absent() string {
	check := r.declared
	if r.Steps != "" && r.Step != nil {
		check = append([]declaredField{{setting: "fields.steps", path: r.Steps}}, check...)
	}
	for _, d := range check {
		if !r.index.roled[d.path] {
			return fmt.Sprintf("no record has a field %q (%s)%s", d.path, d.setting, r.near(d.path))
		}
	}
	return ""
}

// near suggests a field that was seen: one that is spelled almost the same, or that has this name
// further inside.
func (r *roleReader) near(path string) string {
	best, least := "", max(2, len(path)/4)+1
	for _, name := range slices.Sorted(maps.Keys(r.index.known)) {
		distance := levenshtein.Distance(path, name, nil)
		if strings.HasSuffix(name, "."+path) {
			distance = 1
		}
		if name != path && distance < least {
			best, least = name, distance
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
