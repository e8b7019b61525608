package main

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"intentlab/results/tables"
	"intentlab/runners"
)

// writePlan prints a plan for people: data, one line per dataset × ablation × method, totals.
func writePlan(w io.Writer, p *runners.Plan) error {
	data := &tables.Table{Title: "Data", Columns: []tables.Column{tables.Label("dataset"), {Title: "episodes", Align: tables.Right},
		{Title: "labels", Align: tables.Right}, {Title: "test label seen in train", Align: tables.Right}, {Title: "steps with evidence", Align: tables.Right}, tables.Label("left out")}}
	for _, d := range p.Datasets {
		seen, all := 0, 0
		for _, c := range d.Coverage {
			seen += c.Seen
			all += c.Episodes
		}
		share := tables.None("no test episode has a closed label")
		if all > 0 {
			share = tables.Text(fmt.Sprintf("%d of %d", seen, all))
		}
		data.Add("", tables.Text(d.Dataset), tables.Int(d.Episodes), tables.Int(d.Labels), share,
			tables.Text(percent(d.Evident, d.Steps)), tables.Text(leftOut(d)))
	}
	if err := data.Text(w, tables.Plain); err != nil {
		return err
	}
	fmt.Fprintln(w)
	cells := &tables.Table{Title: "Cells", Merge: 2, Columns: []tables.Column{tables.Label("dataset"), tables.Label("ablation"), tables.Label("method"),
		tables.Label("plan"), {Title: "cells", Align: tables.Right}, {Title: "tasks", Align: tables.Right}, {Title: "stored", Align: tables.Right}, {Title: "questions", Align: tables.Right}}}
	type row struct {
		dataset, ablation, method, state, reason string
		cells, tasks, stored, requests           int
	}
	var rows []*row
	for _, c := range p.Cells {
		var r *row
		if n := len(rows); n > 0 {
			r = rows[n-1]
		}
		if r == nil || r.dataset != c.Dataset || r.ablation != c.Ablation || r.method != c.Method || r.state != c.State || r.reason != c.Reason {
			r = &row{dataset: c.Dataset, ablation: c.Ablation, method: c.Method, state: c.State, reason: c.Reason}
			rows = append(rows, r)
		}
		r.cells++
		r.tasks += c.Tasks
		r.stored += c.Stored
		r.requests += c.Requests
	}
	for _, r := range rows {
		var notes []string
		if r.reason != "" {
			notes = []string{r.reason}
		}
		cells.Add(r.dataset, tables.Text(r.dataset), tables.Text(r.ablation), tables.Text(r.method), tables.Text(r.state, notes...),
			tables.Int(r.cells), tables.Int(r.tasks), tables.Int(r.stored), tables.Int(r.requests))
	}
	if err := cells.Text(w, tables.Plain); err != nil {
		return err
	}
	return writeTotals(w, p)
}

func writeTotals(w io.Writer, p *runners.Plan) error {
	var states []string
	for s, n := range p.Totals.Cells {
		states = append(states, fmt.Sprintf("%d %s", n, s))
	}
	sort.Strings(states)
	fmt.Fprintf(w, "\n%s: %s\n%d prefix tasks, %d stored; %d distinct questions to ask\n", count(len(p.Cells), "cell"), strings.Join(states, ", "),
		p.Totals.Tasks, p.Totals.Stored, p.Totals.Requests)
	for _, j := range p.Totals.Judged {
		fmt.Fprintf(w, "%s will be judged anew by judge %s: the store has no score by it with these settings\n", count(j.Tasks, "task"), j.Judge)
	}
	if p.Totals.InputTokens > 0 {
		fmt.Fprintf(w, "about %d input tokens to endpoints (4 bytes of visible input a token, prompts not counted), %.2f USD\n", p.Totals.InputTokens, p.Totals.CostUSD)
	}
	if len(p.Totals.Unpriced) > 0 {
		fmt.Fprintf(w, "no price is declared for endpoint %s: its cost is unknown\n", strings.Join(p.Totals.Unpriced, ", "))
	}
	for _, n := range p.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	for _, s := range p.Refused {
		fmt.Fprintf(w, "run will refuse this file: %s\n", s)
	}
	_, err := fmt.Fprintf(w, "store: %s\n", p.Store)
	return err
}

// leftOut lists skips and drops with their reasons, in byte order.
func leftOut(d runners.PlanDataset) string {
	var parts []string
	for reason, n := range d.Skipped {
		parts = append(parts, fmt.Sprintf("%d %s", n, reason))
	}
	sort.Strings(parts)
	for _, x := range d.Dropped {
		parts = append(parts, fmt.Sprintf("%d filtered: %s", x.Count, x.Reason))
	}
	return strings.Join(parts, ", ")
}
