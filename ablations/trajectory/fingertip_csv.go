package trajectory

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"strconv"
	"strings"
)

// fingerTipRow is a row of an episode CSV, merged over the files that hold it.
type fingerTipRow struct {
	key                               userTime
	scenario, app, description, class string
	length                            int
	badLength                         string          // the text of an unusable length
	hasLength                         bool            // some file has a length for this row
	has                               map[string]bool // columns that the row's files have
	columns                           string          // the header of its first file
	lists                             []string
	nth                               int // among the differing rows with this key, from 1
	where                             string
}

// fingerTipTable collects the rows of all CSV files: an episode's lists are known only at the end.
type fingerTipTable struct {
	opt      FingerTipOptions
	skip     func(Skip)
	rows     []*fingerTipRow // in order of first appearance
	byKey    map[userTime][]*fingerTipRow
	profiles map[string]map[string]string
}

// lengthColumns are the names under which the action length has been seen or guessed (datasets.md,
// section 4), in order of preference.
var lengthColumns = []string{"action_length", "actionLength", "action_len", "num_actions", "steps", "length"}

// profileColumns are the fields of user_profile.csv that may be shown; others are dropped.
var profileColumns = []string{"sex", "age", "occupation", "address", "family", "phone_brand", "phone"}

func (t *fingerTipTable) readFile(ctx context.Context, path string) error {
	return readInput(ctx, path, t.read)
}

// read reads one CSV file, an episode list or the profiles, told apart by the header.
func (t *fingerTipTable) read(in *input) error {
	r := csv.NewReader(in.r)
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		t.skip(Skip{Where: in.path, Reason: NotOfThisFormat, Detail: "the file is empty"})
		return nil
	}
	if err != nil {
		return csvError(in, err)
	}
	column := map[string]int{}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		if _, ok := column[name]; !ok {
			column[name] = i
		}
	}
	_, hasUser := column["user_id"]
	_, hasTime := column["time"]
	var row func(fields []string, where string) error
	switch {
	case hasUser && hasTime:
		length, err := t.lengthColumn(column, in.path, header)
		if err != nil {
			return err
		}
		f := episodeFile{table: t, column: column, length: length, list: stem(in.path), header: strings.Join(header, ", "), seen: map[*fingerTipRow]bool{}}
		row = f.row
	case hasUser && strings.Contains(strings.ToLower(stem(in.path)), "profile"):
		row = func(fields []string, where string) error { return t.profile(column, fields, where) }
	default:
		t.skip(Skip{Where: in.path, Reason: NotOfThisFormat, Detail: "its header lacks user_id or time"})
		return nil
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
		for i, s := range fields {
			fields[i] = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
		}
		if err := row(fields, fmt.Sprintf("%s:%d", in.path, line)); err != nil {
			return err
		}
	}
}

func csvError(in *input, err error) error {
	if cerr := in.read.ctx.Err(); cerr != nil {
		return fmt.Errorf("read %s: %w", in.path, cerr)
	}
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("%s:%d: broken CSV: %w", in.path, p.Line, p.Err)
	}
	return fmt.Errorf("%s: before byte %d: read CSV: %w", in.path, in.read.n, err)
}

// lengthColumn finds the action-length column; -1 when the file has none.
func (t *fingerTipTable) lengthColumn(column map[string]int, path string, header []string) (int, error) {
	if want := t.opt.LengthColumn; want != "" {
		if i, ok := column[strings.ToLower(strings.TrimSpace(want))]; ok {
			return i, nil
		}
		return 0, fmt.Errorf("%s:1: there is no column %q (length_column); the columns are %s", path, want, strings.Join(header, ", "))
	}
	for _, name := range lengthColumns {
		if i, ok := column[strings.ToLower(name)]; ok {
			return i, nil
		}
	}
	return -1, nil
}

// episodeFile is one episode CSV while it is read.
type episodeFile struct {
	table        *fingerTipTable
	column       map[string]int
	length       int // column index, or -1
	list, header string
	seen         map[*fingerTipRow]bool // rows that this file has named already
}

func (f episodeFile) row(fields []string, where string) error {
	t, has := f.table, map[string]bool{}
	get := func(name string) string {
		i, ok := f.column[strings.ToLower(name)]
		has[name] = ok
		if !ok {
			return ""
		}
		return fields[i]
	}
	row := &fingerTipRow{
		key:      userTime{get("user_id"), get("time")},
		scenario: get("scenario"), app: get("app"), description: get("intentDescription"), class: get("intentClass"),
		has: has, columns: f.header, lists: []string{f.list}, where: where,
	}
	if row.key.user == "" || row.key.time == "" {
		return fmt.Errorf("%s: the row has no user_id or no time", where)
	}
	if f.length >= 0 && fields[f.length] != "" {
		row.hasLength, has["length"] = true, true
		n, err := strconv.ParseFloat(fields[f.length], 64) // spreadsheets write 6 as 6.0
		if err != nil || n != math.Trunc(n) || n < 0 || n > MaxPlaceholders {
			row.badLength = fields[f.length]
		} else {
			row.length = int(n)
		}
	}
	for _, before := range t.byKey[row.key] {
		if !before.agrees(row) {
			continue
		}
		if f.seen[before] {
			t.skip(Skip{Where: where, Reason: Duplicate, Detail: "identical to " + before.where})
			return nil
		}
		before.merge(row)
		f.seen[before] = true
		return nil
	}
	f.seen[row] = true
	row.nth = len(t.byKey[row.key]) + 1
	t.byKey[row.key] = append(t.byKey[row.key], row)
	t.rows = append(t.rows, row)
	return nil
}

// agrees reports whether two rows are the same in every column that both of their files have.
func (row *fingerTipRow) agrees(other *fingerTipRow) bool {
	same := func(column, a, b string) bool { return !row.has[column] || !other.has[column] || a == b }
	return same("scenario", row.scenario, other.scenario) && same("app", row.app, other.app) &&
		same("intentDescription", row.description, other.description) && same("intentClass", row.class, other.class) &&
		same("length", strconv.Itoa(row.length)+row.badLength, strconv.Itoa(other.length)+other.badLength)
}

// merge adds the list of the same row in another file, and the columns that were missing.
func (row *fingerTipRow) merge(other *fingerTipRow) {
	take := func(column string, to *string, from string) {
		if !row.has[column] {
			*to = from
		}
	}
	take("scenario", &row.scenario, other.scenario)
	take("app", &row.app, other.app)
	take("intentDescription", &row.description, other.description)
	take("intentClass", &row.class, other.class)
	if !row.hasLength {
		row.length, row.badLength, row.hasLength = other.length, other.badLength, other.hasLength
	}
	for column, ok := range other.has {
		row.has[column] = row.has[column] || ok
	}
	row.lists = append(row.lists, other.lists...)
}

func (t *fingerTipTable) profile(column map[string]int, fields []string, where string) error {
	user := fields[column["user_id"]]
	p := map[string]string{}
	for _, name := range profileColumns {
		if i, ok := column[name]; ok && fields[i] != "" {
			p[name] = fields[i]
		}
	}
	if user == "" {
		return fmt.Errorf("%s: the profile has no user_id", where)
	}
	if before, ok := t.profiles[user]; ok {
		if !maps.Equal(before, p) {
			return fmt.Errorf("%s: user %s has a second, different profile", where, user)
		}
		t.skip(Skip{Where: where, Reason: Duplicate, Detail: "the profile of user " + user + " stands twice"})
		return nil
	}
	t.profiles[user] = p
	return nil
}
