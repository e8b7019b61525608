package inspection

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"golang.org/x/text/width"
)

// row is one bar: n of of, where of is 0 for counts that are parts of nothing.
type row struct {
	name  string
	n, of int
}

const (
	chartWidth  = 640 // px, of the drawing's own scale
	nameColumn  = 230
	valueColumn = 90
	rowHeight   = 20
	nameCells   = 31 // of the name column; a Latin letter takes one, a Chinese character two
)

// barChart draws one horizontal bar a row, scaled to the largest value (of included).
func barChart(title string, rows []row) template.HTML {
	most := 1
	for _, r := range rows {
		most = max(most, r.n, r.of)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, chartWidth, len(rows)*rowHeight+4, html.EscapeString(title))
	scale := float64(chartWidth-nameColumn-valueColumn) / float64(most)
	for i, r := range rows {
		y := i*rowHeight + 2
		value := fmt.Sprint(r.n)
		if r.of > 0 {
			value = fmt.Sprintf("%d of %d", r.n, r.of)
		}
		fmt.Fprintf(&b, `<g><title>%s: %s</title>`, html.EscapeString(r.name), value)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, nameColumn-8, y+14, html.EscapeString(cutName(r.name)))
		if r.of > 0 {
			fmt.Fprintf(&b, `<rect class="of" x="%d" y="%d" width="%.1f" height="%d"/>`, nameColumn, y+2, float64(r.of)*scale, rowHeight-6)
		}
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d"/>`, nameColumn, y+2, float64(r.n)*scale, rowHeight-6)
		fmt.Fprintf(&b, `<text class="value" x="%.1f" y="%d">%s</text></g>`, nameColumn+float64(max(r.n, r.of))*scale+5, y+14, value)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // every text in it was escaped above
}

// histogram draws one column a bin.
func histogram(title string, bins []Bin) template.HTML {
	const height, foot, head = 180, 34, 16
	most := 1
	for _, b := range bins {
		most = max(most, b.Episodes)
	}
	var s strings.Builder
	fmt.Fprintf(&s, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, chartWidth, height+foot+head, html.EscapeString(title))
	step := float64(chartWidth) / float64(max(len(bins), 1))
	every := max(1, (len(bins)*46+chartWidth-1)/chartWidth) // labels need some 46 px each
	for i, b := range bins {
		span := fmt.Sprintf("%d–%d", b.Low, b.High)
		if b.Low == b.High {
			span = fmt.Sprint(b.Low)
		}
		h := float64(height) * float64(b.Episodes) / float64(most)
		x := float64(i) * step
		fmt.Fprintf(&s, `<g><title>%s steps: %d episodes</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, span, b.Episodes, x+1, head+height-h, max(step-2, 1), h)
		if step >= 24 && b.Episodes > 0 {
			fmt.Fprintf(&s, `<text class="value" x="%.1f" y="%.1f" text-anchor="middle">%d</text>`, x+step/2, head+height-h-4, b.Episodes)
		}
		if i%every == 0 {
			fmt.Fprintf(&s, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x+step/2, head+height+14, span)
		}
		s.WriteString("</g>")
	}
	fmt.Fprintf(&s, `<path d="M0 %d.5H%d"/><text class="value" x="%d" y="%d" text-anchor="middle">steps of an episode</text></svg>`, head+height, chartWidth, chartWidth/2, head+height+30)
	return template.HTML(s.String()) //nolint:gosec // it holds numbers and our own words
}

// cutName shortens a name to what the name column holds.
func cutName(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	cells, end := 0, 0 // end: where the name is cut if it is too long, with room for the dots
	for i, r := range name {
		if cells < nameCells {
			end = i
		}
		cells++
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			cells++
		}
		if cells > nameCells {
			return name[:end] + "…"
		}
	}
	return name
}
