package inspection

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

const (
	labelsDrawn = 30
	countsDrawn = 20
	binsDrawn   = 30
	stepsDrawn  = 8 // of an example
)

// section is one dataset on the page.
type section struct {
	*Report
	Labels, Lengths, Operations, Prefixes, Lists, Skips template.HTML
	OtherLabels, OtherOperations                        string
	MoreMissing                                         int
	Missing                                             []string
	Examples                                            []pageExample
}

type pageExample struct {
	trajectory.Episode
	Steps []task.Step
	More  int
}

// WritePage writes one self-contained HTML page with a section a dataset: no script, nothing from
// elsewhere, and no text of the data that is not escaped. It quotes three episodes of each dataset, so
// it falls under the dataset's licence.
func WritePage(w io.Writer, reports []*Report) error {
	var sections []section
	for _, r := range reports {
		sections = append(sections, draw(r))
	}
	if err := page.Execute(w, sections); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func draw(r *Report) section {
	s := section{Report: r, Lengths: histogram("steps of an episode", Bins(r.Summary.Lengths, binsDrawn))}
	s.Labels, s.OtherLabels = countChart("closed labels", r.Summary.Labels, labelsDrawn, nil)
	s.Operations, s.OtherOperations = countChart("steps by kind and operation", r.Summary.Operations, countsDrawn, nil)
	of := map[string]int{}
	for _, l := range r.Release.Lists {
		of[l.Name] = l.Of
	}
	s.Lists, _ = countChart("official lists", r.Summary.Lists, len(r.Summary.Lists), of)
	var skips []trajectory.Count
	for _, k := range r.Summary.Skips {
		skips = append(skips, trajectory.Count{Name: strings.ReplaceAll(k.Reason, "_", " "), Count: k.Count})
	}
	s.Skips, _ = countChart("left out", skips, len(skips), nil)
	var ratios []row
	for _, p := range r.Prefixes {
		ratios = append(ratios, row{p.Ratio.String(), p.Duplicates, p.Prefixes})
	}
	s.Prefixes = barChart("prefixes that repeat the one before", ratios)
	s.Missing = r.Release.MissingIDs[:min(len(r.Release.MissingIDs), countsDrawn)]
	s.MoreMissing = len(r.Release.MissingIDs) - len(s.Missing)
	for _, e := range r.Summary.Examples {
		n := min(len(e.Steps), stepsDrawn)
		s.Examples = append(s.Examples, pageExample{e, e.Steps[:n], len(e.Steps) - n})
	}
	return s
}

// countChart draws the first n of a list and says how many others there are, whose sum would dwarf the
// rest as a bar. It is empty for an empty list.
func countChart(title string, list []trajectory.Count, n int, of map[string]int) (drawn template.HTML, others string) {
	if len(list) == 0 {
		return "", ""
	}
	var rows []row
	sum := 0
	for i, c := range list {
		if i < n {
			rows = append(rows, row{c.Name, c.Count, of[c.Name]})
		} else {
			sum += c.Count
		}
	}
	if more := len(list) - n; more > 0 {
		others = fmt.Sprintf("and %d in %d more", sum, more)
	}
	return barChart(title, rows), others
}
