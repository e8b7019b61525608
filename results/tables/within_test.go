package tables

import (
	"bytes"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"pgregory.net/rapid"
)

func wideTable(columns int) *Table {
	t := &Table{Name: "wide", Title: "Wide", Caption: "caption", Footnotes: []string{"foot"}, Columns: []Column{Label("ablation"), Label("method")}}
	row := []Cell{Text("full_context"), Text("次数最多")}
	for range columns {
		t.Columns = append(t.Columns, Number("", "Closed nAUC", Higher))
		row = append(row, Value(0.5))
	}
	t.Add("", row...)
	return t
}

func TestATableThatFitsIsLeftAlone(t *testing.T) {
	x := wideTable(3)
	if parts := x.Within(200); len(parts) != 1 || parts[0] != x {
		t.Errorf("%d parts", len(parts))
	}
	if parts := x.Within(0); len(parts) != 1 {
		t.Errorf("without a width: %d parts", len(parts))
	}
}

func TestPartsFitTheWidthAndKeepEveryColumnOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns, width := rapid.IntRange(1, 20).Draw(t, "columns"), rapid.IntRange(60, 200).Draw(t, "width")
		total := 0
		var all bytes.Buffer
		for _, p := range wideTable(columns).Within(width) {
			total += len(p.Columns) - 2
			if err := p.Text(&all, Plain); err != nil {
				t.Fatal(err)
			}
		}
		if total != columns {
			t.Fatalf("%d value columns, want %d", total, columns)
		}
		for _, line := range strings.Split(all.String(), "\n") {
			if twwidth.Width(line) > width {
				t.Fatalf("%d cells wide, limit %d: %q", twwidth.Width(line), width, line)
			}
		}
		if strings.Count(all.String(), "foot") != 1 || strings.Count(all.String(), "Wide") != 1 {
			t.Fatal("title or footnotes do not stand once")
		}
	})
}
