package trajectory

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-faster/jx"
)

// The functions below read one JSON value of a wanted type. Real files hold null or another type
// where their documentation promises an object (datasets.md, section 6): such a value is passed
// over and reads as empty. Only broken JSON is an error.

// jsonText reads a string; numbers and booleans read as their JSON text. Bytes that are not UTF-8
// become U+FFFD.
func jsonText(d *jx.Decoder) (string, error) {
	switch d.Next() {
	case jx.String:
		s, err := d.Str()
		return strings.ToValidUTF8(s, "\uFFFD"), err
	case jx.Number:
		n, err := d.Num()
		return strings.Trim(string(n), `"`), err
	case jx.Bool:
		b, err := d.Bool()
		return strconv.FormatBool(b), err
	}
	return "", d.Skip()
}

// jsonTexts reads a list of strings; a lone string reads as a list of one.
func jsonTexts(d *jx.Decoder) ([]string, error) {
	if d.Next() == jx.String {
		s, err := jsonText(d)
		return []string{s}, err
	}
	var list []string
	_, err := jsonArray(d, func() error {
		s, err := jsonText(d)
		list = append(list, s)
		return err
	})
	return list, err
}

// jsonTrue reads a boolean, also written as text.
func jsonTrue(d *jx.Decoder) (bool, error) {
	s, err := jsonText(d)
	return strings.EqualFold(s, "true"), err
}

// jsonObject calls each for every member of an object; each must consume the value. It reports
// whether there was an object.
func jsonObject(d *jx.Decoder, each func(key string) error) (bool, error) {
	if d.Next() != jx.Object {
		return false, d.Skip()
	}
	it, err := d.ObjIter()
	if err != nil {
		return true, err
	}
	for it.Next() {
		if err := each(string(it.Key())); err != nil {
			return true, err
		}
	}
	return true, it.Err()
}

// jsonArray calls each for every element of an array; each must consume it. It reports whether
// there was an array.
func jsonArray(d *jx.Decoder, each func() error) (bool, error) {
	if d.Next() != jx.Array {
		return false, d.Skip()
	}
	it, err := d.ArrIter()
	if err != nil {
		return true, err
	}
	for it.Next() {
		if err := each(); err != nil {
			return true, err
		}
	}
	return true, it.Err()
}

// jsonAttributes reads the attributes of an element, an object or JSON text in a string, and keeps
// those of the given names ('-' in names counts as '_'). Early revisions have broken text there:
// that reads as no attributes.
func jsonAttributes(d *jx.Decoder, keep map[string]bool) (map[string]string, error) {
	if d.Next() == jx.String {
		s, err := d.StrBytes()
		if err != nil {
			return nil, err
		}
		attrs, err := jsonAttributes(jx.DecodeBytes(oneObject(s)), keep)
		if err != nil {
			attrs = nil // broken text inside a sound string
		}
		return attrs, nil
	}
	attrs := map[string]string{}
	_, err := jsonObject(d, func(key string) error {
		if key = strings.ReplaceAll(key, "-", "_"); !keep[key] {
			return d.Skip()
		}
		s, err := jsonText(d)
		attrs[key] = s
		return err
	})
	return attrs, err
}

// oneObject keeps an attribute string from being unwrapped more than once.
func oneObject(s []byte) []byte {
	if len(s) > 0 && s[0] == '{' {
		return s
	}
	return []byte("{}")
}

// jsonEnd makes sure that nothing follows the top-level value.
func jsonEnd(d *jx.Decoder) error {
	if err := d.Skip(); !errors.Is(err, io.EOF) {
		if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errTrailing
		}
		return err
	}
	return nil
}

var errTrailing = errors.New("more data after the end of the JSON value")

// settled marks an error that already says where it happened, or that came from the consumer: it
// passes through jsonError unchanged.
type settled struct{ error }

func (s settled) Unwrap() error { return s.error }

var atOffset = regexp.MustCompile(`^unexpected byte \d+ (.*) at (\d+)$`)

// jsonError says where in the file broken JSON was met. The decoder's own messages have a word for
// every level of nesting, so only the innermost is used.
func (in *input) jsonError(err error) error {
	var own settled
	if errors.As(err, &own) {
		return own.error
	}
	if cerr := in.read.ctx.Err(); cerr != nil {
		return fmt.Errorf("read %s: %w", in.path, cerr)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: byte %d: broken JSON: the file ends in the middle of a value", in.path, in.read.n)
	}
	cause := err
	for next := errors.Unwrap(cause); next != nil; next = errors.Unwrap(cause) {
		cause = next
	}
	if m := atOffset.FindStringSubmatch(cause.Error()); m != nil {
		if n, perr := strconv.ParseInt(m[2], 10, 64); perr == nil {
			return fmt.Errorf("%s: byte %d: broken JSON: unexpected %s", in.path, n+in.bom, m[1])
		}
	}
	if strings.HasPrefix(cause.Error(), "depth") {
		return fmt.Errorf("%s: before byte %d: broken JSON: nested too deeply", in.path, in.read.n)
	}
	return fmt.Errorf("%s: before byte %d: broken JSON: %s", in.path, in.read.n, capText(cause.Error(), 200))
}
