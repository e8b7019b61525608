package tables

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// CSV writes the table for machines: one line of column names, then every row in full, numbers
// unrounded, a number that isn't there empty. Constant columns come first, extra ones behind. The last column, "notes", holds the cells' notes as
// "column: note", separated by "; ". Title, caption and footnotes are left out.
func (t *Table) CSV(w io.Writer) error {
	if len(t.Columns) == 0 {
		return nil
	}
	cw := csv.NewWriter(w)
	var head []string
	for _, c := range t.Constant {
		head = append(head, c.Name)
	}
	seen := map[string]int{}
	for _, c := range t.Columns {
		name := c.name()
		if c.Group != "" {
			name = c.Group + "/" + name
		}
		// A repeated name would lose a column in most readers.
		if seen[name]++; seen[name] > 1 {
			name += "#" + strconv.Itoa(seen[name])
		}
		head = append(head, name)
	}
	head = append(head, t.Extra...)
	if err := cw.Write(append(head, "notes")); err != nil {
		return fmt.Errorf("writing the head of table %s as csv: %w", t.Name, err)
	}
	for i, r := range t.Rows {
		var line, remarks []string
		said := map[string]bool{} // a reason that holds for the whole row is given once
		for _, c := range t.Constant {
			line = append(line, c.Text)
		}
		for c, col := range t.Columns {
			cell := r.cell(c)
			switch {
			case cell.Value != nil:
				line = append(line, strconv.FormatFloat(*cell.Value, 'g', -1, 64))
			case cell.Text == Dash:
				line = append(line, "")
			default:
				line = append(line, cell.Text)
			}
			for _, n := range cell.Notes {
				if !said[n] {
					said[n] = true
					remarks = append(remarks, col.name()+": "+n)
				}
			}
		}
		for c := range t.Extra {
			text := ""
			if c < len(r.Extra) {
				text = r.Extra[c]
			}
			line = append(line, text)
		}
		if err := cw.Write(append(line, strings.Join(remarks, "; "))); err != nil {
			return fmt.Errorf("writing row %d of table %s as csv: %w", i+1, t.Name, err)
		}
	}
	cw.Flush()
	if err := cw.Error(); err != nil {
		return fmt.Errorf("writing table %s as csv: %w", t.Name, err)
	}
	return nil
}
