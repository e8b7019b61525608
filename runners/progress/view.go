package progress

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
)

// Line is a snapshot on one line, for logs. final is the last word on a run, which promises nothing
// more.
func (s Snapshot) Line(final bool) string {
	out := fmt.Sprintf("%d of %d tasks, %d asked, %s/s", s.Done, s.Total, s.Asked, number(s.Rate))
	if final && s.Seconds > 0 {
		out = fmt.Sprintf("%d of %d tasks, %d asked, %s/s", s.Done, s.Total, s.Asked, number(float64(s.Done)/max(s.Seconds, 0.001)))
	}
	if s.Failed > 0 {
		out += fmt.Sprintf(", %d failed", s.Failed)
	}
	if s.Before > 0 {
		out += fmt.Sprintf(", %d more were stored before", s.Before)
	}
	for _, e := range s.Endpoints {
		out += ", " + e.text()
	}
	for _, p := range s.Spend {
		if p.Scope == "run" {
			out += ", " + p.text()
		}
	}
	if s.Left != nil && s.Done < s.Total && s.Done > 0 && !final {
		out += ", about " + duration(*s.Left) + " left"
	}
	return out
}

// mostMethods is how many methods a terminal shows at once: those at work, or the newest of them.
const mostMethods = 8

// Block is a snapshot as lines for a terminal of the given width in columns.
func (s Snapshot) Block(width int) []string {
	head := fmt.Sprintf("%d of %d tasks", s.Done, s.Total)
	if s.Total > 0 {
		head += fmt.Sprintf("  %3d %%  %s", 100*s.Done/s.Total, bar(s.Done, s.Total, 20))
	}
	head += fmt.Sprintf("  %s/s", number(s.Rate))
	if s.Left != nil && s.Done < s.Total && s.Done > 0 {
		head += "  about " + duration(*s.Left) + " left"
	}
	if s.Before > 0 {
		head += fmt.Sprintf("  (%d stored before)", s.Before)
	}
	lines := []string{head}
	lines = append(lines, s.methodLines()...)
	for _, e := range s.Endpoints {
		lines = append(lines, "  "+e.text())
	}
	for _, p := range s.Spend {
		lines = append(lines, "  "+p.text())
	}
	if len(s.Failures) > 0 {
		var parts []string
		for i, f := range s.Failures {
			if i == 5 {
				parts = append(parts, fmt.Sprintf("%d other kinds", len(s.Failures)-i))
				break
			}
			parts = append(parts, fmt.Sprintf("%d %s", f.Count, f.Reason))
		}
		lines = append(lines, "  failed: "+strings.Join(parts, ", "))
	}
	for i := range lines {
		lines[i] = clip(lines[i], width)
	}
	return lines
}

// methodLines shows the methods that are at work; those that are done or have not begun are counted.
func (s Snapshot) methodLines() []string {
	var active []Method
	done, waiting, label := 0, 0, 0
	for _, m := range s.Methods {
		switch {
		case m.Done >= m.Total:
			done++
		case m.Done == 0:
			waiting++
		default:
			active = append(active, m)
		}
	}
	more := 0
	if len(active) > mostMethods {
		more = len(active) - mostMethods
		active = active[:mostMethods]
	}
	for _, m := range active {
		label = max(label, displaywidth.String(m.Name))
	}
	var out []string
	for _, m := range active {
		line := fmt.Sprintf("  %s%s  %3d %%  %d of %d", m.Name, strings.Repeat(" ", label-displaywidth.String(m.Name)), 100*m.Done/m.Total, m.Done, m.Total)
		if m.Failed > 0 {
			line += fmt.Sprintf(", %d failed", m.Failed)
		}
		out = append(out, line)
	}
	if done+waiting+more > 0 && len(s.Methods) > 1 {
		rest := fmt.Sprintf("  methods: %d done, %d at work, %d waiting", done, len(active)+more, waiting)
		out = append(out, rest)
	}
	return out
}

func (e Endpoint) text() string {
	out := fmt.Sprintf("%s: %d in flight (limit %d of %d)", e.Name, e.InFlight, e.Limit, e.Ceiling)
	if e.Waiting > 0 {
		out += fmt.Sprintf(", %d waiting", e.Waiting)
	}
	if e.RequestsPerMinute > 0 {
		out += fmt.Sprintf(", %d requests/min", e.RequestsPerMinute)
	}
	if e.TokensPerMinute > 0 {
		out += fmt.Sprintf(", %d tokens/min", e.TokensPerMinute)
	}
	if e.Cached > 0 {
		out += fmt.Sprintf(", %d from the cache", e.Cached)
	}
	if len(e.Retries) > 0 {
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(e.Retries)) {
			parts = append(parts, fmt.Sprintf("%s %d", k, e.Retries[k]))
		}
		out += ", retries: " + strings.Join(parts, ", ")
	}
	if e.Parked != "" {
		out += ", parked: " + e.Parked
	}
	return out
}

func (p Spend) text() string {
	var parts []string
	of := func(text, limit string, limited bool) string {
		if !limited {
			return text
		}
		return text + " of " + limit
	}
	if p.USD > 0 || p.LimitUSD > 0 {
		parts = append(parts, of(fmt.Sprintf("%.2f", p.USD), fmt.Sprintf("%.2f", p.LimitUSD), p.LimitUSD > 0)+" USD")
	}
	if p.Requests > 0 || p.LimitRequest > 0 {
		parts = append(parts, of(fmt.Sprint(p.Requests), fmt.Sprint(p.LimitRequest), p.LimitRequest > 0)+" requests")
	}
	if p.Tokens > 0 || p.LimitTokens > 0 {
		parts = append(parts, of(fmt.Sprint(p.Tokens), fmt.Sprint(p.LimitTokens), p.LimitTokens > 0)+" tokens")
	}
	if p.Unpriced > 0 {
		parts = append(parts, fmt.Sprintf("price unknown for %d requests", p.Unpriced))
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing")
	}
	return "spent (" + p.Scope + "): " + strings.Join(parts, ", ")
}

// bar is a bar of width cells.
func bar(done, total, width int) string {
	n := 0
	if total > 0 {
		n = min(width*done/total, width)
	}
	return strings.Repeat("━", n) + strings.Repeat("─", width-n)
}

// number prints a rate with as many digits as it is known to.
func number(x float64) string {
	switch {
	case x >= 10 || x == 0:
		return fmt.Sprintf("%.0f", x)
	case x >= 1:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

func duration(seconds float64) string {
	const most = 1000 * 3600
	d := time.Duration(min(seconds, most)) * time.Second
	switch {
	case seconds > most:
		return "more than 1,000 h"
	case d >= time.Hour:
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d s", int(d.Seconds()))
}

// clip cuts a line to the terminal's width, so that a block keeps its number of rows.
func clip(s string, width int) string {
	if width <= 1 || displaywidth.String(s) < width {
		return s
	}
	used := 0
	for i, r := range s {
		w := displaywidth.Rune(r)
		if used+w > width-2 {
			return s[:i] + "…"
		}
		used += w
	}
	return s
}
