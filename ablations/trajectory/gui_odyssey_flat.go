package trajectory

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-faster/jx"
)

// guiOdysseyIDDigits is the length of a GUI-Odyssey id.
const guiOdysseyIDDigits = 16

// isFlatFile reports whether a file's name promises flat rows, so that objects may follow each other.
func isFlatFile(path string) bool {
	return hasExt(path, ".jsonl") || stem(path) == "all_anno"
}

func isFolder(ctx context.Context, path string) bool {
	info, err := stat(ctx, path)
	return err == nil && info.IsDir()
}

// supersedes names the folder of annotations that stands beside a file of flat rows, or "".
func supersedes(ctx context.Context, path string) string {
	for _, dir := range []string{"annotations", filepath.Join("data", "annotations")} {
		if full := filepath.Join(filepath.Dir(path), dir); isFolder(ctx, full) {
			return full
		}
	}
	return ""
}

// flatRows reads flat rows, an array of them or one after the other (datasets.md, section 3).
func (r guiOdysseyReader) flatRows(d *jx.Decoder, in *input, out output) error {
	n := 0
	err := jsonRecords(d, func() error {
		err := r.flatRow(d, in, n, out)
		n++
		return err
	})
	if err == errOtherShape || err == nil && n == 0 {
		out.skip(Skip{Where: in.path, Reason: NotOfThisFormat, Detail: "its first record is no row with steps and category or instruction"})
		return nil
	}
	if err != nil {
		return in.jsonError(err)
	}
	return nil
}

func (r guiOdysseyReader) flatRow(d *jx.Decoder, in *input, n int, out output) error {
	where := fmt.Sprintf("%s: record %d", in.path, n)
	var a annotation
	_, err := jsonObject(d, func(key string) (err error) {
		switch key {
		case "episode_id":
			isNumber := d.Next() == jx.Number
			a.id, err = jsonText(d)
			if isNumber && len(a.id) < guiOdysseyIDDigits {
				a.id = strings.Repeat("0", guiOdysseyIDDigits-len(a.id)) + a.id
			}
		case "h":
			a.h, err = jsonText(d)
		case "w":
			a.w, err = jsonText(d)
		case "device_name":
			a.device, err = jsonText(d)
		case "release_version":
			a.os, err = jsonText(d)
		case "category", "meta_task", "task", "instruction":
			a.hasInfo = true
			err = a.info(d, key)
		case "app":
			err = pythonMember(d, where+": app", func(d *jx.Decoder) (err error) {
				a.apps, err = jsonTexts(d)
				return err
			})
		case "steps":
			a.steps = nil // a repeated key: the last one counts
			err = pythonMember(d, where+": steps", a.readSteps)
		default:
			err = a.member(d, key)
		}
		return err
	})
	if err != nil {
		return err
	}
	a.id = strings.TrimSuffix(a.id, ".json")
	if a.id == "" || !a.hasSteps || !a.hasInfo {
		if n == 0 {
			return errOtherShape
		}
		return settled{fmt.Errorf("%s: not an episode: it lacks episode_id, steps, or category and instruction", where)}
	}
	return r.emit(in.read.ctx, where, a, out)
}

// pythonMember reads a member that is a list, or a list in Python notation inside a string. A text
// that is no list (an app's name) is read as a string.
func pythonMember(d *jx.Decoder, where string, read func(*jx.Decoder) error) error {
	if d.Next() != jx.String {
		return read(d)
	}
	s, err := jsonText(d)
	if err != nil {
		return err
	}
	if t := strings.TrimSpace(s); !strings.HasPrefix(t, "[") && !strings.HasPrefix(t, "(") {
		var e jx.Encoder
		e.Str(s)
		return read(jx.DecodeBytes(e.Bytes()))
	}
	list, err := pythonJSON(s)
	if err != nil {
		return settled{fmt.Errorf("%s: %w", where, err)}
	}
	if err := read(jx.DecodeBytes(list)); err != nil {
		return settled{fmt.Errorf("%s: %s", where, capText(err.Error(), 200))}
	}
	return nil
}
