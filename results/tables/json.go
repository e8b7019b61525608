package tables

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes the table as one object: name, title, caption, columns, rows with their cells (text
// as printed, value unrounded or null, notes, best, second) and footnotes.
func (t *Table) JSON(w io.Writer) error {
	type column struct {
		Name      string `json:"name"`
		Title     string `json:"title"`
		Group     string `json:"group,omitempty"`
		Direction string `json:"direction,omitempty"`
	}
	type cell struct {
		Text   string   `json:"text"`
		Value  *float64 `json:"value"`
		Notes  []string `json:"notes,omitempty"`
		Best   bool     `json:"best,omitempty"`
		Second bool     `json:"second,omitempty"`
	}
	type row struct {
		Group string `json:"group,omitempty"`
		Cells []cell `json:"cells"`
	}
	out := struct {
		Name      string   `json:"name"`
		Title     string   `json:"title"`
		Caption   string   `json:"caption,omitempty"`
		Columns   []column `json:"columns"`
		Rows      []row    `json:"rows"`
		Footnotes []string `json:"footnotes,omitempty"`
	}{Name: t.Name, Title: t.Title, Caption: t.Caption, Columns: []column{}, Rows: []row{}, Footnotes: t.Footnotes}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, column{c.name(), c.Title, c.Group, string(c.Direction)})
	}
	for _, r := range t.Rows {
		line := row{Group: r.Group, Cells: []cell{}}
		for c := range t.Columns {
			x := r.cell(c)
			line.Cells = append(line.Cells, cell{t.text(r, c), x.Value, x.Notes, x.Best, x.Second})
		}
		out.Rows = append(out.Rows, line)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("writing table %s as json: %w", t.Name, err)
	}
	return nil
}
