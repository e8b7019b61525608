package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"intentlab/results/metrics"
)

// support is what the numbers of one row rest on, in prefix tasks of one seed.
type support struct {
	episodes, closed, open, unreadable int
}

// supportOf counts a row at a level; at Macro the open side counts the datasets that the primary
// judge scores.
func (t *Tables) supportOf(e Evaluated, level string) support {
	var n support
	for _, d := range e.Datasets {
		if level != Macro && d.Dataset != level {
			continue
		}
		n.episodes += d.NEpisodes
		if d.Closed != nil {
			n.closed += d.Closed.NTasks
		}
		open := d.Open
		if level == Macro {
			open = nil
			for _, o := range d.OpenByJudge {
				if o.Judge == t.judgeOf(Macro) {
					open = o
				}
			}
		}
		if open != nil {
			n.open += open.NTasks
			n.unreadable += open.NGoldOut
		}
	}
	return n
}

// usual is the support of the first row that has numbers; rows that differ say so themselves.
func (t *Tables) usual(level string) (support, bool) {
	for _, e := range t.All {
		if n := t.supportOf(e, level); n.episodes > 0 && len(e.Blanks) == 0 {
			return n, true
		}
	}
	return support{}, false
}

// notes are what a row must be read with: the method's stamps, tasks that failed, abstained or left
// the label space, support that differs from the other rows', and datasets that its macro average
// lacks while others have them.
func (t *Tables) notes(method string, es []Evaluated, level string) []string {
	out := t.stamps(method)
	usual, known := t.usual(level)
	for _, e := range es {
		counts := map[string]float64{}
		tasks := 0
		for _, d := range e.Datasets {
			if level != Macro && level != d.Dataset {
				continue
			}
			tasks += d.NTasks
			for _, c := range []struct {
				what  string
				share metrics.Value
			}{{"failed", d.Coverage.MethodError}, {"are missing", d.Coverage.Missing}, {"abstained", d.Coverage.Abstain},
				{"gave a label outside the label space", d.Coverage.InvalidLabel}} {
				share, _ := c.share.Get()
				counts[c.what] += share * float64(d.NTasks)
			}
		}
		for _, what := range []string{"failed", "are missing", "abstained", "gave a label outside the label space"} {
			if n := int(math.Round(counts[what])); n > 0 {
				out = append(out, fmt.Sprintf("%d of %d tasks %s and count as wrong", n, tasks, what))
			}
		}
		if n := t.supportOf(e, level); known && n.episodes > 0 && n != usual {
			out = append(out, fmt.Sprintf("rests on %d closed and %d open prefix tasks of %d episodes", n.closed, n.open, n.episodes))
		}
		if level != Macro || len(e.Datasets) == 0 {
			continue
		}
		for _, b := range e.Blanks {
			out = append(out, fmt.Sprintf("macro without %s (%s)", b.Level, b.Why))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// footnotes say what the shown numbers rest on: counts, datasets, grid, judges, baseline, and that no
// difference was tested.
func (t *Tables) footnotes(level string, shown []metrics.Metric) []string {
	return t.footnotesOf(level, level, shown)
}

// footnotesOf is footnotes where the columns show the judges of another level.
func (t *Tables) footnotesOf(level, judges string, shown []metrics.Metric) []string {
	kinds, gains, ttc := map[metrics.Kind]bool{}, map[metrics.Kind]bool{}, false
	for _, m := range shown {
		kinds[m.Kind] = true
		gains[m.Kind] = gains[m.Kind] || m.GainOf != ""
		ttc = ttc || strings.Contains(m.Name, ".ttc.")
	}
	out := t.counted(level, kinds)
	if level == Macro && len(t.Levels()) > 1 {
		out = append(out, t.averaged(kinds)...)
	}
	if ttc {
		never := metrics.RatioKey(metrics.Never(t.Decl.Grid))
		out = append(out, "TTC is the mean requested ratio from which on every answer is right; never costs "+never)
	}
	if kinds[metrics.Open] {
		out = append(out, t.judged(judges)...)
	}
	for _, kind := range []metrics.Kind{metrics.Closed, metrics.Open} {
		if !gains[kind] {
			continue
		}
		name := t.baseline(kind)
		if name == "" {
			out = append(out, fmt.Sprintf("no %s gain: no baseline is declared", kind))
			continue
		}
		out = append(out, fmt.Sprintf("%s gain: nAUC minus that of %s under the same ablation, on the tasks that both have", kind, name))
	}
	return append(out, "no difference here was tested: it may be noise")
}

func (t *Tables) baseline(kind metrics.Kind) string {
	if kind == metrics.Open {
		return t.Decl.Baseline.Open
	}
	return t.Decl.Baseline.Closed
}

// counted gives the n of the usual row, the grid, folds and seeds.
func (t *Tables) counted(level string, kinds map[metrics.Kind]bool) []string {
	n, ok := t.usual(level)
	if !ok {
		return nil
	}
	line := fmt.Sprintf("n: %d episodes", n.episodes)
	if kinds[metrics.Closed] {
		line += fmt.Sprintf(", %d closed", n.closed)
	}
	if kinds[metrics.Open] {
		line += fmt.Sprintf(", %d open", n.open)
	}
	line += " prefix tasks a row and seed"
	out := []string{line}
	if kinds[metrics.Open] && n.unreadable > 0 {
		out = append(out, fmt.Sprintf("%d more prefix tasks are out of the open numbers for all methods: the judge can't read their gold text", n.unreadable))
	}
	grid := make([]string, len(t.Decl.Grid))
	for i, r := range t.Decl.Grid {
		grid[i] = metrics.RatioKey(r)
	}
	line = "ratios " + strings.Join(grid, " ")
	return append(out, line+t.folds(level), t.seeds())
}

// folds names the folds of the datasets of a level, once where all have as many.
func (t *Tables) folds(level string) string {
	var parts []string
	same, first := true, -1
	for _, d := range t.Decl.Datasets {
		if level != Macro && level != d.ID && !strings.HasPrefix(level, d.ID+"/") {
			continue
		}
		if first < 0 {
			first = d.Folds
		}
		same = same && d.Folds == first
		if d.Folds > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d folds", d.ID, d.Folds))
		}
	}
	switch {
	case len(parts) == 0:
		return ""
	case same:
		return fmt.Sprintf("; %d folds", first)
	}
	return "; " + strings.Join(parts, ", ")
}

// extra is what CSV says of a row behind its numbers: seeds and support.
func (t *Tables) extra(es []Evaluated, level string) []string {
	n := t.supportOf(es[0], level)
	return []string{strconv.Itoa(len(es)), strconv.Itoa(n.episodes), strconv.Itoa(n.closed), strconv.Itoa(n.open)}
}

// seeds says how many seeds stand behind the rows.
func (t *Tables) seeds() string {
	by := map[int][]string{}
	var order []int
	for _, m := range t.Decl.Methods {
		n := len(m.Seeds)
		if by[n] == nil {
			order = append(order, n)
		}
		by[n] = append(by[n], m.ID)
	}
	if len(order) == 1 {
		return fmt.Sprintf("seeds a method: %d", order[0])
	}
	var parts []string
	for _, n := range order {
		parts = append(parts, fmt.Sprintf("%d for %s", n, strings.Join(by[n], ", ")))
	}
	return "mean over seeds: " + strings.Join(parts, "; ")
}

// averaged names the datasets of the macro average and those that it leaves out.
func (t *Tables) averaged(kinds map[metrics.Kind]bool) []string {
	var example *Evaluated
	for i := range t.All {
		if example == nil || len(t.All[i].Datasets) > len(example.Datasets) {
			example = &t.All[i]
		}
	}
	if example == nil {
		return nil
	}
	var out []string
	for _, kind := range []metrics.Kind{metrics.Closed, metrics.Open} {
		if !kinds[kind] {
			continue
		}
		block := example.Macro.Closed
		if kind == metrics.Open {
			block = example.Macro.Open
		}
		line := fmt.Sprintf("%s macro over %s", kind, strings.Join(block.Datasets, ", "))
		for _, x := range block.Excluded {
			line += fmt.Sprintf("; without %s (%s)", x.Dataset, x.Why)
		}
		out = append(out, line)
	}
	return out
}

// judged describes the judges whose scores a table of this level shows.
func (t *Tables) judged(level string) []string {
	names := []string{t.judgeOf(level)}
	if level == allLevels {
		names = nil
		for _, l := range append(t.Levels(), Macro) {
			if j := t.judgeOf(l); !slices.Contains(names, j) {
				names = append(names, j)
			}
		}
	}
	var out []string
	for _, j := range t.Decl.Judges {
		if !slices.Contains(names, j.ID) {
			continue
		}
		line := fmt.Sprintf("open judge %s (%s), fingerprint %.12s, pass above %v", j.ID, j.Uses, j.Fingerprint, j.Theta)
		if j.Uncalibrated {
			line += ", uncalibrated"
		}
		out = append(out, line+"; judge not validated against people")
	}
	return out
}
