package trajectory

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"intentlab/ablations/task"
)

// rowGroup is an episode whose rows are being read.
type rowGroup struct {
	where string
	head  Episode
	texts map[string]string // by field, of the first row
	steps []stepRow
}

type stepRow struct {
	number int // 0 without fields.step.index
	step   task.Step
	where  string
}

// row adds a record that is one step. Rows of an episode stand together, so that one episode at a
// time is held.
func (r *roleReader) row(root *node, where string, head Episode, texts map[string]string) error {
	if r.rows != nil && r.rows.head.ID != head.ID {
		if err := r.flush(); err != nil {
			return err
		}
	}
	if r.rows == nil {
		if before, done := r.finished[head.ID]; done {
			return fmt.Errorf("%s: the rows of episode %s do not stand together: others begin at %s; sort the data by %q", where, head.ID, before, r.ID)
		}
		r.rows = &rowGroup{where: where, head: head, texts: texts}
	}
	if err := r.rows.agree(where, texts); err != nil {
		return err
	}
	row := stepRow{where: where}
	var err error
	if row.number, err = r.number(root); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if row.step, err = r.step(func(path string) (*node, error) { return r.index.lookup(root, path, path) }); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	r.rows.steps = append(r.rows.steps, row)
	return nil
}

// number reads a row's place in its episode.
func (r *roleReader) number(root *node) (int, error) {
	if r.Step.Index == "" {
		return 0, nil
	}
	n, err := r.index.lookup(root, r.Step.Index, r.Step.Index)
	if err != nil {
		return 0, err
	}
	text, err := n.text()
	if err != nil {
		return 0, err
	}
	number, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(text), ".0")) // tables write 6 as 6.0
	if err != nil {
		return 0, fmt.Errorf("field %q: want a whole number, not %q", r.Step.Index, capText(text, 40))
	}
	return number, nil
}

// agree refuses a row that says something else of its episode than the first one: were it shown, it
// would tell from the first step on what is known later. A row may leave a field out.
func (g *rowGroup) agree(where string, texts map[string]string) error {
	for _, field := range sortedNames(texts) {
		if first, ok := g.texts[field]; texts[field] != first {
			was := fmt.Sprintf("is %q here and %q at %s", capText(texts[field], 60), capText(first, 60), g.where)
			if !ok {
				was = "stands here and not in the first row, " + g.where
			}
			return fmt.Errorf("%s: field %q of episode %s %s; what changes from step to step belongs into the step block", where, field, g.head.ID, was)
		}
	}
	return nil
}

// flush emits the episode that is being read.
func (r *roleReader) flush() error {
	g := r.rows
	if g == nil {
		return nil
	}
	r.rows = nil
	r.finished[g.head.ID] = g.where
	sort.SliceStable(g.steps, func(i, j int) bool { return g.steps[i].number < g.steps[j].number })
	e := g.head
	for i, row := range g.steps {
		if i > 0 && r.Step.Index != "" && row.number == g.steps[i-1].number {
			return fmt.Errorf("episode %s has step %d twice: %s and %s", e.ID, row.number, g.steps[i-1].where, row.where)
		}
		e.Steps = append(e.Steps, row.step)
	}
	fillKinds(e.Steps)
	return r.out.emit(g.where, e)
}
