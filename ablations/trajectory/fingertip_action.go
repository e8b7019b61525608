package trajectory

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-faster/jx"

	"intentlab/ablations/task"
)

// rawFolder is a raw episode folder; the survey's answers stand beside the actions and are targets.
type rawFolder struct {
	dir                        string
	key                        userTime
	scenario, app, description string
	hasSurvey                  bool
}

// readSurvey reads survey_result.json; what it lacks of user and time comes from the folder names.
func readSurvey(ctx context.Context, dir string) (rawFolder, error) {
	f := rawFolder{dir: dir}
	path := filepath.Join(dir, "survey_result.json")
	if _, err := stat(ctx, path); err == nil {
		in, err := openInput(ctx, path)
		if err != nil {
			return f, err
		}
		defer in.Close() //nolint:errcheck // opened for reading
		if err := f.readSurvey(in); err != nil {
			return f, err
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return f, fmt.Errorf("look at %s: %w", path, err)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return f, fmt.Errorf("name of episode folder %s: %w", dir, err)
	}
	if f.key.time == "" {
		f.key.time = filepath.Base(abs)
	}
	if f.key.user == "" {
		f.key.user = filepath.Base(filepath.Dir(abs))
	}
	return f, nil
}

func (f *rawFolder) readSurvey(in *input) error {
	d := jx.Decode(in.r, min(4<<10, in.r.Size()))
	ok, err := jsonObject(d, func(key string) error {
		to := map[string]*string{"user_id": &f.key.user, "time": &f.key.time, "scenario": &f.scenario, "app": &f.app, "intentDescription": &f.description}[key]
		if to == nil {
			return d.Skip()
		}
		s, err := jsonText(d)
		*to = strings.TrimSpace(s)
		return err
	})
	if err == nil {
		err = jsonEnd(d)
	}
	if err != nil {
		return in.jsonError(err)
	}
	f.hasSurvey = ok
	return nil
}

// maxActionLine bounds a line of action.jsonl and of an episodes file, in bytes.
const maxActionLine = 64 << 20

// readActions reads action.jsonl of an episode folder; a folder without it has no steps. Where the UI
// tree of an action's screenshot is there, the node that was touched tells more of the element. A tree
// that does not parse is skipped as broken_tree, and the step stays as it was logged. With screenshots,
// the pictures that the actions name are hashed.
func readActions(ctx context.Context, dir string, screenshots bool, skip func(Skip)) ([]task.Step, error) {
	path := filepath.Join(dir, "action.jsonl")
	if _, err := stat(ctx, path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	in, err := openInput(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // opened for reading
	beside, err := findCaptured(ctx, dir)
	if err != nil {
		return nil, err
	}
	var steps []task.Step
	var pictures []string
	err = in.lines(func(_ int, line []byte) error {
		for _, call := range actionCalls(line) {
			touched := ""
			if tree, x, y, ok := beside.tree(call); ok {
				var err error
				if touched, err = touchedNode(ctx, tree, x, y); ctx.Err() != nil {
					return fmt.Errorf("read %s: %w", tree, context.Cause(ctx))
				} else if err != nil {
					skip(Skip{Where: tree, Reason: BrokenTree, Detail: err.Error()})
				}
			}
			steps, pictures = append(steps, callStep(call.text, touched)), append(pictures, call.image)
		}
		return nil
	})
	if err != nil || !screenshots {
		return steps, err
	}
	absent, err := beside.put(ctx, steps, pictures, path)
	if absent != nil {
		skip(*absent)
	}
	return steps, err
}

// lines calls each for every line that is not blank, with its number from 1. The line is valid
// during the call only.
func (in *input) lines(each func(n int, line []byte) error) error {
	var long []byte
	for n := 1; ; n++ {
		long = long[:0]
		var err error
		for {
			var part []byte
			part, err = in.r.ReadSlice('\n')
			long = append(long, part...)
			if err == nil || errors.Is(err, io.EOF) {
				break
			}
			if len(long) > maxActionLine {
				return fmt.Errorf("%s:%d: the line is longer than %d bytes", in.path, n, maxActionLine)
			}
			if cerr := in.read.ctx.Err(); cerr != nil {
				return fmt.Errorf("read %s: %w", in.path, cerr)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return fmt.Errorf("%s:%d: read the line: %w", in.path, n, err)
			}
		}
		if text := strings.TrimSpace(string(long)); text != "" {
			if eachErr := each(n, []byte(text)); eachErr != nil {
				return eachErr
			}
		}
		if err != nil {
			return nil
		}
	}
}

// actionCalls takes the call texts out of a line: {"<ms>.jpg": "click(…)"}, or the "action" of
// {"image","action"}. Broken JSON and other shapes give the whole line as it stands (datasets.md,
// section 4).
func actionCalls(line []byte) []actionCall {
	d := jx.DecodeBytes(line)
	var calls []actionCall
	var action, image string
	sound := true
	ok, err := jsonObject(d, func(key string) error {
		if d.Next() != jx.String {
			sound = false
			return d.Skip()
		}
		s, err := jsonText(d)
		switch key {
		case "action":
			action = s
		case "image":
			image = s
		}
		calls = append(calls, actionCall{image: key, text: s})
		return err
	})
	if err == nil {
		err = jsonEnd(d)
	}
	switch {
	case ok && err == nil && action != "":
		return []actionCall{{image: image, text: action}}
	case ok && err == nil && sound && len(calls) > 0:
		return calls
	}
	return []actionCall{{text: strings.ToValidUTF8(string(line), "\uFFFD")}}
}

// actionCall is one logged action and the name of its screenshot.
type actionCall struct{ image, text string }

// at is where the action touched the screen, in pixels; ok is false where it says nothing of it.
func (c actionCall) at() (x, y int, ok bool) {
	m := coordinates.FindStringSubmatch(c.text)
	if m == nil {
		return 0, 0, false
	}
	fx, xerr := strconv.ParseFloat(m[1], 64)
	fy, yerr := strconv.ParseFloat(m[2], 64)
	return int(fx), int(fy), xerr == nil && yerr == nil
}

var (
	callForm    = regexp.MustCompile(`(?s)^\s*([a-z_]+)\s*\((.*)\)\s*$`)
	coordinates = regexp.MustCompile(`coordinates\s*=\s*[(\[]\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)\s*[)\]]`)
	// A quoted argument ends at the quote before the next argument or the end: quotes inside are not
	// escaped in every file.
	quotedArgs = map[string][2]*regexp.Regexp{
		"content": quoted("content"), "text": quoted("text"), "direction": quoted("direction"),
	}
)

func quoted(name string) [2]*regexp.Regexp {
	const end = `\s*(?:,\s*(?:coordinates|content|text|direction)\s*=.*)?$`
	return [2]*regexp.Regexp{
		regexp.MustCompile(`(?s)(?:^|[,\s])` + name + `\s*=\s*'(.*?)'` + end),
		regexp.MustCompile(`(?s)(?:^|[,\s])` + name + `\s*=\s*"(.*?)"` + end),
	}
}

func argument(args, name string) string {
	for i, re := range quotedArgs[name] {
		if m := re.FindStringSubmatch(args); m != nil {
			return strings.ReplaceAll(m[1], []string{`\'`, `\"`}[i], []string{`'`, `"`}[i])
		}
	}
	return ""
}

// callStep reads a call of the action grammar; any other text becomes an action of that text. touched
// describes the node of the UI tree that was touched, or is "".
func callStep(call, touched string) task.Step {
	m := callForm.FindStringSubmatch(call)
	if m == nil {
		return actionStep("action", strings.TrimSpace(call), "")
	}
	op, args := m[1], m[2]
	element := oneLine(argument(args, "content"), MaxElement)
	if touched != "" {
		element = strings.TrimSpace(touched + " " + element)
	}
	if at := coordinates.FindStringSubmatch(args); at != nil {
		element = strings.TrimSpace(element + " (" + at[1] + ", " + at[2] + ")")
	}
	value := argument(args, "text")
	if value == "" {
		value = argument(args, "direction")
	}
	if element == "" && value == "" {
		value = strings.TrimSpace(args) // an argument that the grammar does not know
	}
	return actionStep(op, element, value)
}
