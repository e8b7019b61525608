package tables

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

func init() {
	// The width of "±" and "—" must not depend on the locale (libraries.md B5).
	twwidth.SetEastAsian(false)
}

// TextStyle says how the best values are shown in text.
type TextStyle int

// The styles of text.
const (
	// Plain marks the best with an asterisk and the second best not at all.
	Plain TextStyle = iota
	// ANSI prints the best in bold and underlines the second best: for terminals only.
	ANSI
)

// Text writes the table for a terminal: three rules and no bars, numbers aligned, footnotes below.
func (t *Table) Text(w io.Writer, style TextStyle) error {
	if len(t.Columns) == 0 {
		return nil
	}
	// tablewriter swallows write errors, so it never sees w.
	var b bytes.Buffer
	if t.Title != "" {
		b.WriteString(t.Title + "\n\n")
	}
	notes := t.notes()
	if err := t.grid(&b, notes, style); err != nil {
		return fmt.Errorf("laying out table %s: %w", t.Name, err)
	}
	if t.Caption != "" {
		b.WriteString(t.Caption + "\n")
	}
	for i, n := range notes.texts {
		fmt.Fprintf(&b, "%s %s\n", superscript(i+1), n)
	}
	for _, n := range distinct(t.Footnotes) {
		b.WriteString(n + "\n")
	}
	if legend := t.legend(map[TextStyle][2]string{Plain: {"*", ""}, ANSI: {"bold:", "underlined:"}}[style]); legend != "" {
		b.WriteString(legend + "\n")
	}
	if _, err := io.WriteString(w, trimLines(b.String())); err != nil {
		return fmt.Errorf("writing table %s: %w", t.Name, err)
	}
	return nil
}

// legend explains the marks that a rendering uses for the best and the second best; "" where nothing
// is marked.
func (t *Table) legend(marks [2]string) string {
	best, second := false, false
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			best, second = best || c.Best, second || c.Second
		}
	}
	among := t.Ranked
	if among == "" {
		among = "its column"
	}
	switch {
	case !best:
		return ""
	case second && marks[1] != "":
		return fmt.Sprintf("%s best of %s, %s second", marks[0], among, marks[1])
	}
	return fmt.Sprintf("%s best of %s", marks[0], among)
}

// grid lays out head and rows.
func (t *Table) grid(b *bytes.Buffer, notes *notes, style TextStyle) error {
	align := make([]tw.Align, len(t.Columns))
	for c, col := range t.Columns {
		align[c] = [...]tw.Align{Left: tw.AlignLeft, Right: tw.AlignRight, Center: tw.AlignCenter}[col.Align]
	}
	alignment := tw.CellAlignment{PerColumn: align}
	grid := tablewriter.NewTable(b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.On, Bottom: tw.On},
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines: tw.Lines{ShowHeaderLine: tw.On}}})),
		tablewriter.WithConfig(tablewriter.Config{
			Header: tw.CellConfig{Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone}, Alignment: alignment},
			Row:    tw.CellConfig{Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone}, Alignment: alignment}}),
		tablewriter.WithTrimSpace(tw.Off))
	grid.Header(t.head())
	suffix := t.suffixes(notes, style)
	for i, r := range t.Rows {
		if i > 0 && r.Group != t.Rows[i-1].Group {
			if err := grid.Append(make([]string, len(t.Columns))); err != nil {
				return err
			}
		}
		line := make([]string, len(t.Columns))
		for c := range t.Columns {
			if t.repeats(i, c) {
				continue
			}
			line[c] = oneLine(t.text(r, c))
			if style == ANSI {
				line[c] = ansi(line[c], r.cell(c))
			}
			line[c] += suffix[i][c]
		}
		if err := grid.Append(line); err != nil {
			return err
		}
	}
	return grid.Render()
}

// head is the titles, below their groups where there are any.
func (t *Table) head() []string {
	grouped := false
	for _, c := range t.Columns {
		grouped = grouped || c.Group != ""
	}
	head := make([]string, len(t.Columns))
	for c, col := range t.Columns {
		head[c] = oneLine(col.head())
		if !grouped {
			continue
		}
		group := oneLine(col.Group)
		if c > 0 && t.Columns[c-1].Group == col.Group {
			group = ""
		}
		// A head line must not be empty, or tablewriter drops it.
		if group == "" {
			group = " "
		}
		head[c] = group + "\n" + head[c]
	}
	return head
}

// suffixes are the marks behind the cells, padded to one width a column so that numbers stay
// aligned.
func (t *Table) suffixes(notes *notes, style TextStyle) [][]string {
	out := make([][]string, len(t.Rows))
	width := make([]int, len(t.Columns))
	for i, r := range t.Rows {
		out[i] = make([]string, len(t.Columns))
		for c := range t.Columns {
			if t.repeats(i, c) {
				continue
			}
			if cell := r.cell(c); style == Plain && cell.Best {
				out[i][c] = "*"
			}
			out[i][c] += notes.marks(r.cell(c))
			width[c] = max(width[c], twwidth.Width(out[i][c]))
		}
	}
	for i := range out {
		for c := range out[i] {
			if t.Columns[c].Align == Right {
				out[i][c] += strings.Repeat(" ", width[c]-twwidth.Width(out[i][c]))
			}
		}
	}
	return out
}

func ansi(s string, c Cell) string {
	switch {
	case c.Best:
		return "\x1b[1m" + s + "\x1b[0m"
	case c.Second:
		return "\x1b[4m" + s + "\x1b[0m"
	}
	return s
}

// oneLine keeps a text within its line and free of control characters, escape sequences included.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0:
			return -1
		}
		return r
	}, s)
}

// trimLines removes blanks at the ends of lines.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
