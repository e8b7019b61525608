package prompt

import (
	"fmt"
	"sort"
	"strings"

	"intentlab/ablations/task"
)

// Limits bound the text of one recording, in tokens as [Tokens] estimates them. Zero is no bound.
type Limits struct {
	// Total bounds metadata, steps and graph together.
	Total int
	// Step bounds the text of a single step, so that a pasted page does not push out the others.
	Step int
}

// Recording writes what a task shows as text for a model: metadata, apps and profile, earlier turns,
// the observed steps one a line, and the graph in the given form ("" for none). Neither the task's id
// nor its ratio is in it: both tell how far the recording goes.
//
// The budget is kept by this rule: each step is clipped to limits.Step first; where the whole is still
// larger than limits.Total, the oldest earlier turns go first, then the oldest observed steps, one by
// one, the newest never, and a line says how many are left out; a graph that alone is too large is cut
// at the end of a line. The newest steps say most about what comes.
func Recording(t *task.Task, graph string, limits Limits) (string, error) {
	head := description(t.Metadata, limits.Step)
	before, now := lines(t.ContextSteps, limits.Step), lines(t.ObservedSteps, limits.Step)
	drawn, err := Graph(t.Graph, graph)
	if err != nil {
		return "", fmt.Errorf("task %s: %w", t.ID, err)
	}
	if drawn != "" {
		drawn = "Graph of the recording:\n" + drawn
	}
	if limits.Total > 0 {
		left := limits.Total - Tokens(head)
		if drawn != "" {
			share := left
			if len(now) > 0 {
				share = left / 2 // text and graph share what there is, where the ablation shows both
			}
			drawn = clipLines(drawn, max(share, 1))
			left -= Tokens(drawn)
		}
		now, left = newest(now, left, "steps", 1)
		before, _ = newest(before, left, "earlier steps", 0)
	}
	var parts []string
	if head != "" {
		parts = append(parts, head)
	}
	if len(before) > 0 {
		parts = append(parts, "Earlier in this session:\n"+strings.Join(before, "\n"))
	}
	if len(now) > 0 {
		title := "Steps so far:\n"
		if len(before) > 0 {
			title = "Steps of the task at hand so far:\n"
		}
		parts = append(parts, title+strings.Join(now, "\n"))
	}
	if drawn != "" {
		parts = append(parts, drawn)
	}
	if len(parts) == 0 {
		return "(nothing is visible yet)", nil
	}
	return fences.Replace(strings.Join(parts, "\n\n")), nil
}

// fences keeps a text that was typed or shown on the screen from ending the block it is shown in.
var fences = strings.NewReplacer("<recording>", "<recording >", "</recording>", "</recording >", "<summary>", "<summary >", "</summary>", "</summary >")

// description lists metadata, apps and profile in byte order of their names.
func description(m task.Metadata, step int) string {
	var out []string
	for _, k := range m.Keys() {
		out = append(out, k+": "+Clip(oneLine(m.Fields[k]), step))
	}
	if len(m.Apps) > 0 {
		out = append(out, "apps: "+strings.Join(m.Apps, ", "))
	}
	names := make([]string, 0, len(m.Profile))
	for k := range m.Profile {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		out = append(out, "person's "+k+": "+Clip(oneLine(m.Profile[k]), step))
	}
	return strings.Join(out, "\n")
}

// lines writes steps one a line, numbered from 1 by their place in what is visible.
func lines(steps []task.Step, limit int) []string {
	out := make([]string, len(steps))
	for i := range steps {
		out[i] = fmt.Sprintf("%d. %s", i+1, Clip(oneLine(step(&steps[i])), limit))
	}
	return out
}

// step says everything that a step shows once: the action's text quotes most of the parts already.
func step(s *task.Step) string {
	var out []string
	if s.Utterance != "" {
		who := s.Speaker
		if who == "" {
			who = "somebody"
		}
		out = append(out, who+` says: "`+s.Utterance+`"`)
	}
	action := s.Action
	if action == "" {
		action = s.Op
	}
	if action != "" {
		out = append(out, action)
	}
	for _, part := range []struct{ name, text string }{{"element", s.Element}, {"value", s.Value}, {"url", s.URL}, {"app", s.App}, {"on the screen", s.Observation}} {
		if part.text != "" && !strings.Contains(action, part.text) {
			out = append(out, part.name+": "+part.text)
		}
	}
	return strings.Join(out, " | ")
}

// newest drops items from the front until the rest fits into limit tokens, but keeps the last `keep`.
// A line in front tells how many went. It returns the tokens that are left.
func newest(items []string, limit int, what string, keep int) (kept []string, left int) {
	sizes, total := make([]int, len(items)), 0
	for i, s := range items {
		sizes[i] = Tokens(s) + 1
		total += sizes[i]
	}
	if total <= limit {
		return items, limit - total
	}
	note := func(n int) string { return fmt.Sprintf("(%d older %s left out)", n, what) }
	const noteTokens = 10
	drop := 0
	for drop < len(items)-keep && total+noteTokens > limit {
		total -= sizes[drop]
		drop++
	}
	return append([]string{note(drop)}, items[drop:]...), max(limit-total-noteTokens, 0)
}

// clipLines cuts a text of lines to n tokens at the end of a line.
func clipLines(s string, n int) string {
	if Tokens(s) <= n {
		return s
	}
	var kept []string
	used := 0
	all := strings.Split(s, "\n")
	for i, l := range all {
		if used += Tokens(l) + 1; used > n && i > 0 {
			return strings.Join(append(kept, fmt.Sprintf("(%d more lines left out)", len(all)-i)), "\n")
		}
		kept = append(kept, l)
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
