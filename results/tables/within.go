package tables

import "github.com/olekukonko/tablewriter/pkg/twwidth"

// Within divides a table that is wider than width into tables of fewer columns, each with the
// leading label columns, so that no line wraps on a terminal. Title, caption and footnotes of the
// whole stand once. A table that fits, and a width of 0, is left alone; a label column is never cut.
func (t *Table) Within(width int) []*Table {
	labels := 0
	for labels < len(t.Columns) && t.Columns[labels].Align == Left {
		labels++
	}
	wide := func(c int) int {
		w := twwidth.Width(t.Columns[c].head())
		for _, r := range t.Rows {
			w = max(w, twwidth.Width(oneLine(t.text(r, c)))+2*min(1, len(r.cell(c).Notes)))
		}
		return w + 3 // padding, and the mark of the best
	}
	fixed := 0
	for c := range labels {
		fixed += wide(c)
	}
	var parts [][]int
	used := width + 1
	for c := labels; c < len(t.Columns); c++ {
		w := wide(c)
		if len(parts) == 0 || used+w > width {
			parts = append(parts, nil)
			used = fixed
		}
		used += w
		parts[len(parts)-1] = append(parts[len(parts)-1], c)
	}
	if width <= 0 || len(parts) < 2 {
		return []*Table{t}
	}
	out := make([]*Table, len(parts))
	for i, columns := range parts {
		p := &Table{Name: t.Name, Merge: t.Merge, Ranked: t.Ranked}
		switch i {
		case 0:
			p.Title = t.Title
		case len(parts) - 1:
			p.Caption, p.Footnotes = t.Caption, t.Footnotes
		}
		all := make([]int, 0, labels+len(columns))
		for c := range labels {
			all = append(all, c)
		}
		all = append(all, columns...)
		for _, c := range all {
			p.Columns = append(p.Columns, t.Columns[c])
		}
		for _, r := range t.Rows {
			row := Row{Group: r.Group, Unranked: r.Unranked}
			for _, c := range all {
				row.Cells = append(row.Cells, r.cell(c))
			}
			p.Rows = append(p.Rows, row)
		}
		out[i] = p
	}
	return out
}
