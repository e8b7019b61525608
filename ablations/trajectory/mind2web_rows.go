package trajectory

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/go-faster/jx"

	"intentlab/ablations/task"
)

// webRows gathers the rows of Multimodal-Mind2Web, one an action (datasets.md, section 2). A task's rows
// may stand in any order and in several shards, so they are emitted when all files have been read; a
// row keeps some hundred bytes, its HTML, screenshot and negative candidates being passed over.
type webRows struct {
	tasks map[string]*rowTask
	order []string // in order of first appearance
}

type rowTask struct {
	about webTask // without actions
	lists []string
	where string
	rows  []webRow
}

type webRow struct {
	index int
	step  task.Step
	where string
}

// read reads JSON lines of rows.
func (w *webRows) read(in *input, lists []string, out output) error {
	d := jx.Decode(in.r, min(64<<10, in.r.Size()))
	n := 0
	err := jsonRecords(d, func() error {
		where := fmt.Sprintf("%s: record %d", in.path, n)
		t, row, ok, err := readWebRow(d)
		if err != nil {
			return err
		}
		if !ok {
			if n == 0 {
				return errOtherShape
			}
			return settled{fmt.Errorf("%s: not an action: it lacks annotation_id or a numeric target_action_index", where)}
		}
		n++
		row.where = where
		return out.do(func() error { return w.add(t, row, lists) })
	})
	if err == errOtherShape || err == nil && n == 0 {
		out.skip(Skip{Where: in.path, Reason: NotOfThisFormat, Detail: "its first record is no row with annotation_id and target_action_index"})
		return nil
	}
	if err != nil {
		return in.jsonError(err)
	}
	return nil
}

func readWebRow(d *jx.Decoder) (t webTask, row webRow, ok bool, err error) {
	var a webAction
	var repr, index string
	_, err = jsonObject(d, func(key string) (err error) {
		switch key {
		case "annotation_id":
			t.id, err = jsonText(d)
		case "website", "domain", "confirmed_task":
			err = t.member(d, key)
		case "target_action_index":
			index, err = jsonText(d)
		case "target_action_reprs":
			repr, err = jsonText(d)
		case "operation":
			err = a.readOperation(d)
		case "pos_candidates":
			a.tag, a.attrs, a.rank = "", nil, 0 // a repeated key: the last one counts
			_, err = jsonArray(d, func() error { return a.readPositiveText(d) })
		default:
			err = d.Skip()
		}
		return err
	})
	n, perr := strconv.Atoi(strings.TrimSpace(index))
	return t, webRow{index: n, step: webStep(repr, a)}, perr == nil && t.id != "", err
}

// readPositiveText is readPositive, also for a candidate that is JSON text in a string.
func (a *webAction) readPositiveText(d *jx.Decoder) error {
	if d.Next() != jx.String {
		return a.readPositive(d)
	}
	s, err := d.StrBytes()
	if err == nil {
		a.positiveText(s)
	}
	return err
}

// positiveText is readPositive of JSON text. Broken text is no error: the candidate doesn't count.
func (a *webAction) positiveText(s []byte) {
	before := *a
	if a.readPositive(jx.DecodeBytes(oneObject(s))) != nil {
		*a = before
	}
}

func (w *webRows) add(t webTask, row webRow, lists []string) error {
	known := w.tasks[t.id]
	if known == nil {
		known = &rowTask{about: t, lists: lists, where: row.where}
		w.tasks[t.id], w.order = known, append(w.order, t.id)
	}
	if b := known.about; b.goal != t.goal || b.domain != t.domain || b.website != t.website {
		return settled{fmt.Errorf("%s: task %s has another confirmed_task, domain or website than at %s", row.where, t.id, known.where)}
	}
	known.rows = append(known.rows, row)
	return nil
}

// emit hands out the tasks with their rows by index; indices may have gaps.
func (w *webRows) emit(v Visibility, out output) error {
	for _, id := range w.order {
		t := w.tasks[id]
		sort.SliceStable(t.rows, func(i, j int) bool { return t.rows[i].index < t.rows[j].index })
		e := t.about.episode(v, t.lists)
		for i, row := range t.rows {
			if i > 0 && row.index == t.rows[i-1].index {
				return fmt.Errorf("task %s has action %d twice: %s and %s", id, row.index, t.rows[i-1].where, row.where)
			}
			if row.index != i {
				e.Flags = []string{"action_gaps"}
			}
			e.Steps = append(e.Steps, row.step)
		}
		if err := out.emit(t.where, e); err != nil {
			return err
		}
	}
	return nil
}
