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
	d := jx.Decode(in.r, 4<<10)
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

// readActions reads action.jsonl; a folder without it has no steps.
func readActions(ctx context.Context, path string) ([]task.Step, error) {
	if _, err := stat(ctx, path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	in, err := openInput(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // opened for reading
	var steps []task.Step
	err = in.lines(func(_ int, line []byte) error {
		for _, call := range actionCalls(line) {
			steps = append(steps, callStep(call))
		}
		return nil
	})
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
func actionCalls(line []byte) []string {
	d := jx.DecodeBytes(line)
	var calls []string
	var action string
	sound := true
	ok, err := jsonObject(d, func(key string) error {
		if d.Next() != jx.String {
			sound = false
			return d.Skip()
		}
		s, err := jsonText(d)
		if key == "action" {
			action = s
		}
		calls = append(calls, s)
		return err
	})
	if err == nil {
		err = jsonEnd(d)
	}
	switch {
	case ok && err == nil && action != "":
		return []string{action}
	case ok && err == nil && sound && len(calls) > 0:
		return calls
	}
	return []string{strings.ToValidUTF8(string(line), "\uFFFD")}
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

// callStep reads a call of the action grammar; any other text becomes an action of that text.
func callStep(call string) task.Step {
	m := callForm.FindStringSubmatch(call)
	if m == nil {
		return actionStep("action", strings.TrimSpace(call), "")
	}
	op, args := m[1], m[2]
	element := oneLine(argument(args, "content"), MaxElement)
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
