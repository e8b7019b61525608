package main

import (
	"fmt"
	"io"

	"intentlab/ablations/neardup"
	"intentlab/results/metrics"
	"intentlab/results/tables"
	"intentlab/runners"
)

// writeAudit prints an audit for people: the leaks of each variant, then the fields they stand in.
func writeAudit(w io.Writer, style tables.TextStyle, a *runners.Audit) error {
	if len(a.Variants) == 0 {
		_, err := fmt.Fprintln(w, "The matrix asks for none of these variants.")
		return err
	}
	ratios := a.Variants[0].Closed.Ratios
	first, last := 0, len(ratios)-1
	at := []int{first}
	if last > first {
		at = append(at, last)
	}
	sums := &tables.Table{Name: "audit", Title: "Answers that stand in the input", Merge: 1,
		Columns: []tables.Column{tables.Label("dataset"), tables.Label("ablation"), {Title: "tasks", Align: tables.Right}},
		Footnotes: []string{"Shares of the tasks that show their own answer verbatim. From: the smallest ratio at which any does.",
			"Ceiling: the best accuracy that any function of the visible input could reach on these tasks."}}
	column := func(group, title string, r int) {
		name := ""
		if r >= 0 {
			title, name = "r "+ratios[r].Ratio, ratios[r].Ratio
		} else {
			name = title
		}
		sums.Columns = append(sums.Columns, tables.Column{Name: group + "_" + name, Title: title, Group: group, Align: tables.Right, Decimals: 3})
	}
	for _, group := range []string{"closed label or host", "open intent"} {
		column(group, "all", -1)
		for _, r := range at {
			column(group, "", r)
		}
		column(group, "from", -1)
	}
	for _, r := range at {
		column("ceiling", "", r)
	}
	sums.Columns = append(sums.Columns, tables.Column{Title: "structural", Align: tables.Right})
	for _, v := range a.Variants {
		cells := []tables.Cell{tables.Text(v.Dataset + " (" + v.Visibility + ")"), tables.Text(v.Ablation), tables.Int(v.Tasks)}
		for _, l := range []runners.AuditLeak{v.Closed, v.Open} {
			why := "no intent to search for: absent, or too short"
			cells = append(cells, tables.Maybe(l.Share, why))
			for _, r := range at {
				cells = append(cells, tables.Maybe(l.Ratios[r].Share, why))
			}
			from := tables.Text(l.First())
			if l.First() == "" {
				from = tables.Text("never")
			}
			cells = append(cells, from)
		}
		for _, r := range at {
			cells = append(cells, valueCell(v.Ceiling.Acc.Values[r]))
		}
		faults := 0
		for _, f := range v.Faults {
			faults += f.Tasks
		}
		sums.Add(v.Dataset, append(cells, tables.Int(faults))...)
	}
	if err := sums.Text(w, style); err != nil {
		return err
	}
	if err := writeAuditFields(w, style, a); err != nil {
		return err
	}
	if err := writeAuditSplits(w, style, a); err != nil {
		return err
	}
	return writeAuditProbes(w, style, a)
}

// writeAuditSplits lists the open intents that stand in two parts of a split.
func writeAuditSplits(w io.Writer, style tables.TextStyle, a *runners.Audit) error {
	t := &tables.Table{Name: "audit_splits", Title: "Open intents that stand in two parts", Merge: 1,
		Columns: []tables.Column{tables.Label("dataset"), tables.Label("in"), tables.Label("and in"), {Title: "episodes", Align: tables.Right}, {Title: "equal", Align: tables.Right},
			{Title: "nearly", Align: tables.Right}, {Name: "same_cluster", Title: "own cluster", Align: tables.Right}, tables.Label("example")},
		Footnotes: []string{fmt.Sprintf("Equal: after case, punctuation and blanks. Nearly: token sets with a Jaccard similarity of at least %.1f.", neardup.Threshold),
			"Own cluster: those whose match is of the same cluster, which a split by cluster keeps together."}}
	for _, s := range a.Splits {
		for _, c := range s.Crossings {
			if c.Equal+c.Near == 0 {
				continue
			}
			x := c.Examples[0]
			t.Add(s.Dataset, tables.Text(s.Dataset), tables.Text(c.In), tables.Text(c.From), tables.Int(c.Texts), tables.Int(c.Equal), tables.Int(c.Near), tables.Int(c.SameCluster),
				tables.Text(fmt.Sprintf("%s: %s | %s: %s", x.Episode, short(x.Text), x.Other, short(x.OtherText))))
		}
	}
	if len(t.Rows) == 0 {
		_, err := fmt.Fprintln(w, "\nNo open intent of dev or test stands in a part before it.")
		return err
	}
	fmt.Fprintln(w)
	return t.Text(w, style)
}

func valueCell(v metrics.Value) tables.Cell { return tables.Maybe(v.Ptr(), v.Why()) }

// writeAuditFields lists where matches stand, with one excerpt each.
func writeAuditFields(w io.Writer, style tables.TextStyle, a *runners.Audit) error {
	fields := &tables.Table{Name: "audit_fields", Title: "Where they stand", Merge: 3,
		Columns: []tables.Column{tables.Label("dataset"), tables.Label("ablation"), tables.Label("match"), tables.Label("field"),
			{Title: "tasks", Align: tables.Right}, {Name: "share", Title: "of those with the field", Align: tables.Right, Decimals: 3}, tables.Label("first example")},
		Footnotes: []string{"The part in ‹ › is the match. --json has more examples, with their task ids."}}
	for _, v := range a.Variants {
		for _, f := range v.Fields {
			fields.Add(v.Dataset, tables.Text(v.Dataset), tables.Text(v.Ablation), tables.Text(string(f.Match)), tables.Text(f.Field),
				tables.Int(f.Found), tables.Value(f.Share), tables.Text(f.Examples[0].Excerpt))
		}
	}
	if len(fields.Rows) == 0 {
		_, err := fmt.Fprintln(w, "\nNo label, host or long piece of an intent stands in any input.")
		return err
	}
	fmt.Fprintln(w)
	return fields.Text(w, style)
}

// writeAuditProbes prints what the probes reach, where they were asked.
func writeAuditProbes(w io.Writer, style tables.TextStyle, a *runners.Audit) error {
	ratios := a.Variants[0].Closed.Ratios
	at := []int{0}
	if last := len(ratios) - 1; last > 0 {
		at = append(at, last)
	}
	t := &tables.Table{Name: "audit_probes", Title: "What probes reach", Merge: 2,
		Columns: []tables.Column{tables.Label("dataset"), tables.Label("ablation"), tables.Label("probe")},
		Footnotes: []string{"Accuracy of the closed label, fitted on the training split. A difference without an interval may be noise: declare the",
			"probe as a method to test it."}}
	for _, r := range at {
		t.Columns = append(t.Columns, tables.Column{Name: "acc_" + ratios[r].Ratio, Title: "r " + ratios[r].Ratio, Group: "accuracy", Align: tables.Right, Decimals: 3})
	}
	t.Columns = append(t.Columns, tables.Column{Name: "nauc", Title: "nAUC", Align: tables.Right, Decimals: 3},
		tables.Column{Name: "over_prior", Title: "over the prior", Align: tables.Right, Decimals: 3})
	const why = "no evaluated task has a closed label"
	for _, v := range a.Variants {
		for _, p := range v.Probes {
			cells := []tables.Cell{tables.Text(v.Dataset), tables.Text(v.Ablation), tables.Text(p.Probe)}
			for _, r := range at {
				cells = append(cells, tables.Maybe(p.Accuracy[r].Share, why))
			}
			over := tables.None(why)
			if prior := v.Probes[0].NAUC; prior != nil && p.NAUC != nil {
				over = tables.Value(*p.NAUC - *prior)
			}
			t.Add(v.Dataset, append(cells, tables.Maybe(p.NAUC, why), over)...)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return t.Text(w, style)
}
