package tables

import (
	"fmt"
	"io"
	"strings"
)

// markdownEscape keeps a text inside its cell and free of markup.
var markdownEscape = strings.NewReplacer(
	"\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", ">", "&gt;",
	"[", "\\[", "]", "\\]", "\r\n", "<br>", "\n", "<br>", "\r", "<br>")

// Markdown writes a pipe table: best in bold, second underlined, footnotes as a list below.
func (t *Table) Markdown(w io.Writer) error {
	if len(t.Columns) == 0 {
		return nil
	}
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "**%s**\n\n", markdownEscape.Replace(t.Title))
	}
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	head, rule := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for c, col := range t.Columns {
		head[c] = markdownEscape.Replace(col.head())
		if col.Group != "" {
			head[c] = markdownEscape.Replace(col.Group) + "<br>" + head[c]
		}
		rule[c] = [...]string{Left: ":---", Right: "---:", Center: ":---:"}[col.Align]
	}
	line(head)
	line(rule)
	notes := t.notes()
	for i, r := range t.Rows {
		cells := make([]string, len(t.Columns))
		for c := range t.Columns {
			if t.repeats(i, c) {
				continue
			}
			s := markdownEscape.Replace(t.text(r, c))
			switch cell := r.cell(c); {
			case cell.Best:
				s = "**" + s + "**"
			case cell.Second:
				s = "<u>" + s + "</u>"
			}
			cells[c] = s + notes.marks(r.cell(c))
		}
		line(cells)
	}
	if t.Caption != "" {
		fmt.Fprintf(&b, "\n%s\n", markdownEscape.Replace(t.Caption))
	}
	if len(notes.texts)+len(t.Footnotes) > 0 {
		b.WriteByte('\n')
	}
	for i, n := range notes.texts {
		fmt.Fprintf(&b, "- %s %s\n", superscript(i+1), markdownEscape.Replace(n))
	}
	for _, n := range distinct(t.Footnotes) {
		fmt.Fprintf(&b, "- %s\n", markdownEscape.Replace(n))
	}
	if legend := t.legend([2]string{"bold:", "underlined:"}); legend != "" {
		fmt.Fprintf(&b, "- %s\n", legend)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing table %s as markdown: %w", t.Name, err)
	}
	return nil
}

// distinct drops repeated texts, keeping the order.
func distinct(texts []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range texts {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
