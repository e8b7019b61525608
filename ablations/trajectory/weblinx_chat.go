package trajectory

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/go-faster/jx"
)

// chatRow is what is kept of a row of the chat form: one evaluated turn. The columns clean_html and
// viewport are never read; candidates only to name the element.
type chatRow struct {
	demo    string
	number  int
	turn    turn
	said    []string // by the instructor before this turn, as far as the row tells
	loaded  []string // URLs among the previous turns
	unknown string   // an action outside of the grammar
}

// chatColumns are the columns that are read.
var chatColumns = []string{"demo", "turn", "action", "action_history", "utterances", "candidates"}

func newChatRow(get func(column string) string) (chatRow, error) {
	row := chatRow{demo: strings.TrimSpace(get("demo"))}
	number := strings.TrimSuffix(strings.TrimSpace(get("turn")), ".0") // spreadsheets write 6 as 6.0
	n, err := strconv.Atoi(number)
	if err != nil || row.demo == "" {
		return row, fmt.Errorf("not an evaluated turn: demo %q, turn %q", capText(row.demo, 40), capText(number, 40))
	}
	row.number = n
	history := get("action_history")
	row.said = saidBefore(get("utterances"), history)
	for _, m := range loadedBefore.FindAllStringSubmatch(history, -1) {
		row.loaded = append(row.loaded, m[1])
	}
	action := get("action")
	t, uid, ok := parseChatAction(action)
	if !ok {
		row.unknown = strings.TrimSpace(action)
		t = turn{kind: "browser", intent: "action", hasAction: true, content: oneLine(action, MaxElement)}
	}
	t.resolve(uid, get("candidates"))
	row.turn = t
	return row, nil
}

// chatReader gathers the rows of a demonstration, which stand together in a file.
type chatReader struct {
	v     Visibility
	lists []string
	out   output
	path  string
	rows  []chatRow
	done  map[string]bool
}

func (c *chatReader) add(row chatRow, where string) error {
	if row.unknown != "" {
		c.out.skip(Skip{Where: where, Reason: UnknownTurn, Detail: fmt.Sprintf("the action %q is outside of the grammar; its text is kept", capText(row.unknown, 80))})
	}
	if len(c.rows) > 0 && c.rows[0].demo != row.demo {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if c.done[row.demo] {
		return fmt.Errorf("%s: the rows of demonstration %s don't stand together: sort the file by demo", where, row.demo)
	}
	c.rows = append(c.rows, row)
	return nil
}

// flush emits the demonstration that has been gathered.
func (c *chatReader) flush() error {
	if len(c.rows) == 0 {
		return nil
	}
	demo := c.rows[0].demo
	c.done[demo] = true
	sort.SliceStable(c.rows, func(i, j int) bool { return c.rows[i].number < c.rows[j].number })
	var turns []turn
	var said []string
	first := ""
	for i, row := range c.rows {
		if i > 0 && row.number == c.rows[i-1].number {
			return fmt.Errorf("%s: demonstration %s has turn %d twice", c.path, demo, row.number)
		}
		for _, s := range newSayings(said, row.said) {
			said = append(said, s)
			turns = append(turns, turn{kind: "chat", speaker: "instructor", utterance: s, hasUtterance: true})
		}
		turns = append(turns, row.turn)
		for _, u := range append(slices.Clone(row.loaded), row.turn.propertiesURL) {
			if first == "" && hostOf(u) != "" {
				first = u
			}
		}
	}
	e := webLINXEpisode(turns, c.v, first)
	e.ID, e.Lists, e.Flags = demo, c.lists, []string{"evaluated_turns_only"}
	c.rows = nil
	return c.out.emit(c.path+": demonstration "+demo, e)
}

// chatListNames gives each official list under both of its spellings.
func chatListNames(lists []string) []string {
	var all []string
	for _, name := range lists {
		all = append(all, name)
		if other := otherSpelling[name]; other != "" && !slices.Contains(lists, other) {
			all = append(all, other)
		}
	}
	return all
}

// otherSpelling pairs the names that the hub, the Python package and splits.json give one list
// (datasets.md, section 1).
var otherSpelling = map[string]string{
	"valid": "validation", "validation": "valid", "test_iid": "test", "test": "test_iid", "iid_all": "dev", "dev": "iid_all",
}

var chatLists = []string{"train", "valid", "validation", "test", "test_iid", "test_vis", "test_geo", "test_cat", "test_web", "iid_all", "dev"}

// chatList is the official list that a file's name tells, or "".
func chatList(path string) string {
	if name := strings.TrimSuffix(stem(path), ".json"); slices.Contains(chatLists, name) {
		return name
	}
	return ""
}

// readChatFile reads a file of the chat form, CSV or JSON (lines or an array), told by its content. A
// file of another shape is skipped.
func readChatFile(in *input, v Visibility, out output) error {
	c := &chatReader{v: v, out: out, path: in.path, done: map[string]bool{}}
	if name := chatList(in.path); name != "" {
		c.lists = chatListNames([]string{name})
	}
	read := c.readJSON
	if hasExt(in.path, ".csv") {
		read = c.readCSV
	}
	err := read(in)
	if err == errOtherShape {
		out.skip(Skip{Where: in.path, Reason: NotOfThisFormat, Detail: "neither part of a demonstration folder nor rows with demo, turn and action"})
		return nil
	}
	if err != nil {
		return err
	}
	return c.flush()
}

func (c *chatReader) readCSV(in *input) error {
	r := csv.NewReader(in.r)
	r.ReuseRecord = true // a row holds a page: only what is kept of it is copied
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return errOtherShape
	}
	if err != nil {
		return csvError(in, err)
	}
	column := map[string]int{}
	for i, name := range header {
		column[strings.ToLower(strings.TrimSpace(name))] = i
	}
	for _, name := range chatColumns[:3] {
		if _, ok := column[name]; !ok {
			return errOtherShape
		}
	}
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return csvError(in, err)
		}
		line, _ := r.FieldPos(0)
		where := fmt.Sprintf("%s:%d", in.path, line)
		row, err := newChatRow(func(name string) string {
			if i, ok := column[name]; ok {
				// The fields of a record are parts of one string, a whole page long.
				return strings.Clone(strings.ToValidUTF8(fields[i], "\uFFFD"))
			}
			return ""
		})
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if err := c.add(row, where); err != nil {
			return err
		}
	}
}

func (c *chatReader) readJSON(in *input) error {
	d := jx.Decode(in.r, min(64<<10, in.r.Size()))
	n := 0
	one := func() error {
		if d.Next() != jx.Object {
			if n == 0 {
				return errOtherShape
			}
			return settled{fmt.Errorf("%s: record %d is no object", in.path, n)}
		}
		where := fmt.Sprintf("%s: record %d", in.path, n)
		fields, has := map[string]string{}, map[string]bool{}
		_, err := jsonObject(d, func(key string) (err error) {
			if !slices.Contains(chatColumns, key) {
				return d.Skip()
			}
			has[key] = true
			fields[key], err = jsonText(d)
			return err
		})
		if err != nil {
			return err
		}
		if !has["demo"] || !has["turn"] || !has["action"] {
			if n == 0 {
				return errOtherShape
			}
			return settled{fmt.Errorf("%s: not an evaluated turn: it lacks demo, turn or action", where)}
		}
		n++
		row, err := newChatRow(func(name string) string { return fields[name] })
		if err != nil {
			return settled{fmt.Errorf("%s: %w", where, err)}
		}
		if err := c.add(row, where); err != nil {
			return settled{err}
		}
		return nil
	}
	err := jsonRecords(d, one)
	if err == errOtherShape || err == nil && n == 0 {
		return errOtherShape
	}
	if err != nil {
		return in.jsonError(err)
	}
	return nil
}

// jsonRecords calls one for each element of a top-level array, or for each of the values that follow
// each other (JSON lines), to the end of the input.
func jsonRecords(d *jx.Decoder, one func() error) error {
	var err error
	if d.Next() == jx.Array {
		_, err = jsonArray(d, one)
	} else {
		for err == nil && d.Next() != jx.Invalid {
			err = one()
		}
	}
	if err != nil {
		return err
	}
	return jsonEnd(d)
}

// demonstrationsBeside names the folder of whole demonstrations that the file belongs to, or "".
func demonstrationsBeside(ctx context.Context, root, path string) string {
	root = filepath.Clean(root)
	for dir := filepath.Dir(filepath.Clean(path)); len(dir) >= len(root) && dir != path; path, dir = dir, filepath.Dir(dir) {
		if full := filepath.Join(dir, "demonstrations"); isFolder(ctx, full) {
			return full
		}
	}
	return ""
}
