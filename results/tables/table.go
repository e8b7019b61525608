// Package tables holds a table as data and prints it: for a terminal, as Markdown, CSV or JSON. It
// knows no metric and computes nothing but ranks.
//
// The one rule: a number that isn't there is a dash with a footnote that says why, never a 0.
//
// Warnings are values: notes on cells become footnotes with superscript marks, each printed once
// (the way of benchstat).
package tables

import (
	"math"
	"slices"
	"strconv"
)

// Dash is printed for a number that isn't there.
const Dash = "—"

// Align is the alignment of a column.
type Align int

// The alignments.
const (
	Left Align = iota
	Right
	Center
)

// Direction says which values of a column are better; "" ranks nothing.
type Direction string

// The directions.
const (
	Higher Direction = "higher"
	Lower  Direction = "lower"
)

// Column describes one column.
type Column struct {
	Name      string // for CSV and JSON, such as a metric's name; "" takes the title
	Title     string
	Group     string // a head that spans neighbouring columns of the same group
	Align     Align
	Direction Direction // adds an arrow to the head
	Decimals  int       // of values without a text of their own
}

// Label is a left-aligned column of text.
func Label(title string) Column { return Column{Title: title} }

// Number is a right-aligned column of values with three decimals.
func Number(name, title string, d Direction) Column {
	return Column{Name: name, Title: title, Align: Right, Direction: d, Decimals: 3}
}

// Cell is one entry. Text wins over Value when printing; CSV prints Value unrounded.
type Cell struct {
	Text         string
	Value        *float64
	Notes        []string
	Best, Second bool
	Unranked     bool // a value that must not win: a reference compared with itself
}

// Text is a cell of text.
func Text(s string, notes ...string) Cell { return Cell{Text: s, Notes: notes} }

// Value is a cell with a number, printed with its column's decimals. A number that isn't finite is
// a dash.
func Value(x float64, notes ...string) Cell {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return None("not a finite number")
	}
	return Cell{Value: &x, Notes: notes}
}

// Int is a cell with a whole number.
func Int(n int, notes ...string) Cell {
	c := Value(float64(n), notes...)
	c.Text = strconv.Itoa(n)
	return c
}

// None is a dash with a footnote that says why.
func None(why string) Cell { return Cell{Text: Dash, Notes: []string{why}} }

// Maybe is Value for a number, None for nil.
func Maybe(x *float64, why string) Cell {
	if x == nil {
		return None(why)
	}
	return Value(*x)
}

// Row is one line. A change of Group from one row to the next is printed as a gap.
type Row struct {
	Group    string
	Cells    []Cell
	Extra    []string // of Table.Extra
	Unranked bool     // a ceiling or reference that must not win
}

// Named is a text under a name.
type Named struct{ Name, Text string }

// Table is a table as data. The zero Table prints as nothing.
type Table struct {
	Name    string // file name stem: "main", "per_ratio"
	Title   string
	Caption string // n, clusters, test, judge: what a reader must know
	Columns []Column
	// Merge is how many leading columns leave out a text that repeats the row above.
	Merge     int
	Rows      []Row
	Footnotes []string // about the whole table; printed behind the cells' notes
	// Constant and Extra are for CSV alone, which has no caption: columns before the table's own that
	// say the same in every row, and columns behind them.
	Constant []Named
	Extra    []string
	// Ranked says among what the best is the best, for the legend; "" is the column.
	Ranked string
}

// Add appends a row.
func (t *Table) Add(group string, cells ...Cell) {
	t.Rows = append(t.Rows, Row{Group: group, Cells: cells})
}

// FormatValue prints a number with a number of decimals and a true minus sign; "-0.000" loses its
// sign.
func FormatValue(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if s[0] != '-' {
		return s
	}
	for _, c := range s[1:] {
		if c != '0' && c != '.' {
			return "−" + s[1:]
		}
	}
	return s[1:]
}

// cell returns the cell at a column; a missing one is empty.
func (r Row) cell(c int) Cell {
	if c < len(r.Cells) {
		return r.Cells[c]
	}
	return Cell{}
}

// text is what a cell prints without marks.
func (t *Table) text(r Row, c int) string {
	switch cell := r.cell(c); {
	case cell.Text != "":
		return cell.Text
	case cell.Value != nil:
		return FormatValue(*cell.Value, t.Columns[c].Decimals)
	}
	return ""
}

// Mark sets Best and Second in every column with a direction, separately for each combination of
// the texts in the given columns (none: over all rows). Ranks go by the unrounded values; all
// values that print like the best are best, and so for the second. A column where everything
// prints alike, or with a single value, has no mark.
func (t *Table) Mark(by ...int) {
	groups := map[string][]int{}
	var order []string
	for i, r := range t.Rows {
		key := ""
		for _, c := range by {
			key += t.text(r, c) + "\x00"
		}
		if _, ok := groups[key]; !ok {
			order = append(order, key)
		}
		groups[key] = append(groups[key], i)
	}
	for _, key := range order {
		for c, col := range t.Columns {
			if col.Direction != "" {
				t.markColumn(groups[key], c)
			}
		}
	}
}

func (t *Table) markColumn(rows []int, c int) {
	var ranked []int
	for _, i := range rows {
		if r := t.Rows[i]; c < len(r.Cells) && r.Cells[c].Value != nil {
			t.Rows[i].Cells[c].Best, t.Rows[i].Cells[c].Second = false, false
			if !r.Unranked && !r.Cells[c].Unranked {
				ranked = append(ranked, i)
			}
		}
	}
	sign := 1.0
	if t.Columns[c].Direction == Higher {
		sign = -1
	}
	slices.SortStableFunc(ranked, func(a, b int) int {
		switch x, y := sign**t.Rows[a].Cells[c].Value, sign**t.Rows[b].Cells[c].Value; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	var printed []string // distinct, from best to worst
	for _, i := range ranked {
		if s := t.text(t.Rows[i], c); !slices.Contains(printed, s) {
			printed = append(printed, s)
		}
	}
	if len(printed) < 2 {
		return
	}
	for _, i := range ranked {
		s := t.text(t.Rows[i], c)
		t.Rows[i].Cells[c].Best = s == printed[0]
		t.Rows[i].Cells[c].Second = s == printed[1] && len(printed) > 2
	}
}

// repeats reports whether a cell only repeats the row above, together with all cells left of it.
func (t *Table) repeats(row, col int) bool {
	if row == 0 || col >= t.Merge {
		return false
	}
	for c := range col + 1 {
		if t.text(t.Rows[row], c) != t.text(t.Rows[row-1], c) {
			return false
		}
	}
	return t.text(t.Rows[row], col) != ""
}

// head is a column's title with its arrow.
func (c Column) head() string {
	switch c.Direction {
	case Higher:
		return c.Title + " ↑"
	case Lower:
		return c.Title + " ↓"
	}
	return c.Title
}

func (c Column) name() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Title
}

// notes numbers the distinct notes in reading order.
type notes struct {
	texts []string
	index map[string]int
}

func (t *Table) notes() *notes {
	n := &notes{index: map[string]int{}}
	for i, r := range t.Rows {
		for c := range t.Columns {
			if t.repeats(i, c) {
				continue
			}
			for _, s := range r.cell(c).Notes {
				if _, ok := n.index[s]; !ok {
					n.texts = append(n.texts, s)
					n.index[s] = len(n.texts)
				}
			}
		}
	}
	return n
}

// marks are the superscripts of a cell, ascending.
func (n *notes) marks(c Cell) string {
	var is []int
	for _, s := range c.Notes {
		if i := n.index[s]; !slices.Contains(is, i) {
			is = append(is, i)
		}
	}
	slices.Sort(is)
	out := ""
	for k, i := range is {
		if k > 0 {
			out += " "
		}
		out += superscript(i)
	}
	return out
}

// superscript writes a number in superscript digits.
func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	out := ""
	for _, c := range strconv.Itoa(n) {
		out += string(digits[c-'0'])
	}
	return out
}
