package trajectory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-faster/jx"
)

// node is a JSON value of a record whose shape is known from field roles only. It is opened one level
// at a time, and of an object only what covers names is kept.
type node struct {
	path string // "[]" for elements of a list
	raw  []byte
	mute bool // reached by a number: its members are not looked for in the roles

	opened bool
	kids   map[string]*node // of an object
	list   []*node          // of an array
	array  bool
}

// coverage says what is done with a member of an object.
type coverage int

const (
	uncovered coverage = iota // no role names it: passed over and counted
	partly                    // roles name something in it
	wholly                    // it has a role, or lies in a field that has one
)

// fieldIndex knows which fields have a role and counts those that have none.
type fieldIndex struct {
	paths   []string
	known   map[string]coverage
	roled   map[string]bool // paths of roles that occurred
	noRole  map[string]int  // fields without a role, and in how many places they stood
	tooMany bool
}

// maxFieldNames bounds the names that are remembered: objects that are keyed by data have no end of them.
const maxFieldNames = 2000

func newFieldIndex(declared []declaredField) *fieldIndex {
	x := &fieldIndex{known: map[string]coverage{}, roled: map[string]bool{}, noRole: map[string]int{}}
	for _, d := range declared {
		x.paths = append(x.paths, d.path)
	}
	return x
}

func (x *fieldIndex) covers(path string) coverage {
	c, ok := x.known[path]
	if ok {
		return c
	}
	for _, p := range x.paths {
		if within(path, p) {
			c = wholly
			break
		}
		if within(p, path) {
			c = partly
		}
	}
	if len(x.known) < maxFieldNames {
		x.known[path] = c
	}
	return c
}

func (x *fieldIndex) count(path string) {
	if _, ok := x.noRole[path]; !ok && len(x.noRole) >= maxFieldNames {
		x.tooMany = true
		return
	}
	x.noRole[path]++
}

// readObject reads an object from d; anything else reads as an empty one. A repeated key: the last
// one counts.
func (x *fieldIndex) readObject(d *jx.Decoder, path string, mute bool) (map[string]*node, error) {
	kids := map[string]*node{}
	_, err := jsonObject(d, func(key string) error {
		full := key
		if path != "" {
			full = path + "." + key
		}
		if !mute && x.covers(full) == uncovered {
			x.count(full)
			return d.Skip()
		}
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		kids[key] = &node{path: full, raw: bytes.Clone(raw), mute: mute}
		return nil
	})
	return kids, err
}

// open opens a value; JSON text in a string is opened once.
func (x *fieldIndex) open(n *node) error {
	if n.opened {
		return nil
	}
	n.opened = true
	d := jx.DecodeBytes(n.raw)
	if d.Next() == jx.String {
		s, err := d.Str()
		if err != nil {
			return fmt.Errorf("field %q: %w", n.path, err)
		}
		if s = strings.TrimSpace(s); s == "" || s[0] != '{' && s[0] != '[' {
			return nil
		}
		n.raw = []byte(s)
		d = jx.DecodeBytes(n.raw)
		if !json.Valid(n.raw) {
			return fmt.Errorf("field %q: its text begins like JSON and is broken", n.path)
		}
	}
	var err error
	switch d.Next() {
	case jx.Object:
		n.kids, err = x.readObject(d, n.path, n.mute)
	case jx.Array:
		n.array = true
		_, err = jsonArray(d, func() error {
			raw, err := d.Raw()
			n.list = append(n.list, &node{path: n.path + "[]", raw: bytes.Clone(raw), mute: n.mute})
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("field %q: %w", n.path, err)
	}
	return nil
}

// find follows a path; nil where there is nothing. A name with dots in it, as flattened tables have,
// is found too.
func (x *fieldIndex) find(n *node, path string) (*node, error) {
	if path == "" {
		return n, nil
	}
	if err := x.open(n); err != nil {
		return nil, err
	}
	if n.array {
		name, rest, _ := strings.Cut(path, ".")
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(n.list) {
			return nil, nil
		}
		n.list[i].mute = true
		return x.find(n.list[i], rest)
	}
	if kid := n.kids[path]; kid != nil {
		return kid, nil
	}
	for i := range path {
		if path[i] != '.' {
			continue
		}
		if kid := n.kids[path[:i]]; kid != nil {
			if got, err := x.find(kid, path[i+1:]); got != nil || err != nil {
				return got, err
			}
		}
	}
	return nil, nil
}

// lookup is find for a field with a role, relative to n; full is its path in the record.
func (x *fieldIndex) lookup(n *node, path, full string) (*node, error) {
	if path == "" {
		return nil, nil
	}
	got, err := x.find(n, path)
	if got != nil {
		x.roled[full] = true
	}
	return got, err
}

var errNotText = errors.New("want a text")

// text reads a value that is a text; numbers and booleans read as their JSON text, null as "".
func (n *node) text() (string, error) {
	if n == nil {
		return "", nil
	}
	d := jx.DecodeBytes(n.raw)
	switch t := d.Next(); t {
	case jx.Object, jx.Array:
		return "", fmt.Errorf("field %q: %w, not a JSON %s", n.path, errNotText, t)
	default:
		s, err := jsonText(d)
		if err != nil {
			return "", fmt.Errorf("field %q: %w", n.path, err)
		}
		return s, nil
	}
}

// shown is text for a value that methods see: an object or a list becomes JSON text, unless it holds
// a field named target.
func (n *node) shown() (string, error) {
	s, err := n.text()
	structured := errors.Is(err, errNotText)
	if err != nil && !structured {
		return "", err
	}
	inside := n.raw
	if !structured {
		if inside = []byte(strings.TrimSpace(s)); len(inside) == 0 || inside[0] != '{' && inside[0] != '[' {
			return s, nil
		}
	}
	if hasTarget(inside) {
		return "", fmt.Errorf("field %q holds a field named target, which may never be visible", n.path)
	}
	if !structured {
		return s, nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, n.raw); err != nil {
		return "", fmt.Errorf("field %q: %w", n.path, err)
	}
	return strings.ToValidUTF8(compact.String(), "\uFFFD"), nil
}

// texts reads a list of texts, also written as JSON text; a lone text is a list of one, and nulls
// and empty texts are left out.
func (x *fieldIndex) texts(n *node) ([]string, error) {
	if n == nil {
		return nil, nil
	}
	if err := x.open(n); err != nil {
		return nil, err
	}
	elements := n.list
	if !n.array {
		elements = []*node{n}
	}
	var out []string
	for _, e := range elements {
		s, err := e.text()
		if err != nil {
			return nil, err
		}
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out, nil
}
