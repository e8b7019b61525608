package main

import (
	"fmt"
	"io"
	"strings"

	"intentlab/ablations/inspection"
	"intentlab/ablations/neardup"
	"intentlab/ablations/trajectory"
)

const (
	labelsShown  = 30
	countsShown  = 20
	missingShown = 20 // ids of a comparison
	lengthBins   = 12
	barWidth     = 20 // characters
)

// writeInspection prints one dataset for people.
func writeInspection(w io.Writer, r *inspection.Report) error {
	fmt.Fprintf(w, "%s (%s, %s) %s\n", r.Dataset, r.Format, r.Visibility, r.Path)
	fmt.Fprintf(w, "  %d episodes in %d clusters, %d steps (%d utterances), %d context steps\n", r.Episodes, r.Clusters, r.Steps, r.Utterances, r.ContextSteps)
	if r.Steps > 0 { // a broken dataset may have none
		fmt.Fprintf(w, "  evidence: %s of the steps (%d) show more than an operation and a position\n", percent(r.Evident, r.Steps), r.Evident)
	}
	writeRelease(w, r.Release)
	l := r.Lengths
	fmt.Fprintf(w, "  steps an episode: min %d, quartiles %d %d %d, max %d, mean %.1f\n", l.Min, l.Q1, l.Median, l.Q3, l.Max, l.Mean)
	bins := inspection.Bins(l, lengthBins)
	most := 0
	for _, b := range bins {
		most = max(most, b.Episodes)
	}
	for _, b := range bins {
		span := fmt.Sprintf("%d–%d", b.Low, b.High)
		if b.Low == b.High {
			span = fmt.Sprint(b.Low)
		}
		fmt.Fprintf(w, "    %6d  %-*s  %s steps\n", b.Episodes, barWidth, bar(b.Episodes, most), span)
	}
	var ratios []string
	for _, p := range r.Prefixes {
		if p.Duplicates > 0 {
			ratios = append(ratios, fmt.Sprintf("%s %.0f %%", p.Ratio, 100*float64(p.Duplicates)/float64(p.Prefixes)))
		}
	}
	if len(ratios) > 0 {
		fmt.Fprintf(w, "  prefixes that repeat the one before, by ratio: %s\n", strings.Join(ratios, ", "))
	}
	fmt.Fprintf(w, "  without a closed intent: %d; without an open intent: %d; open intents that stand in an earlier episode too: %d\n", r.NoClosed, r.NoOpen, r.Repeated)
	fmt.Fprintf(w, "  identical records left out: %d\n", r.Duplicates)
	writeLabels(w, r.Labels)
	writeCounts(w, "steps by kind and operation", r.Operations, nil)
	of := map[string]int{}
	for _, x := range r.Release.Lists {
		of[x.Name] = x.Of
	}
	writeCounts(w, "official lists", r.Lists, of)
	writeCounts(w, "fields to split by (distinct values)", r.Groups, nil)
	writeCounts(w, "flags", r.Flags, nil)
	if len(r.NoRole) > 0 {
		var names []string
		for _, c := range r.NoRole {
			names = append(names, fmt.Sprintf("%s (%d)", c.Name, c.Count))
		}
		fmt.Fprintf(w, "  no role, never shown: %s\n", strings.Join(names, ", "))
	}
	if len(r.Skips) > 0 {
		fmt.Fprintln(w, "  left out:")
		for _, k := range r.Skips {
			fmt.Fprintf(w, "    %6d  %s\n", k.Count, k.Reason)
			for _, x := range k.Examples {
				fmt.Fprintf(w, "            %s %s\n", x.Where, x.Detail)
			}
		}
	}
	if r.Experiment != nil {
		writeUse(w, r.Experiment)
	}
	fmt.Fprintln(w, "  examples:")
	for _, ep := range r.Examples {
		fmt.Fprintf(w, "    %s: %s (%d steps)\n      open:   %s\n      closed: %s\n", r.Dataset, ep.ID, len(ep.Steps), short(ep.OpenIntent), ep.ClosedIntent)
		for i, st := range ep.Steps {
			if i == 3 {
				break
			}
			fmt.Fprintf(w, "      step %d:  %s\n", i, stepText(st))
		}
	}
	_, err := fmt.Fprintf(w, "  fingerprint: %s\n", r.Fingerprint)
	if err == nil && r.Difference != nil {
		err = writeDifference(w, *r.Difference)
	}
	return err
}

// writeRelease says how much of a release is here.
func writeRelease(w io.Writer, c trajectory.Completeness) {
	if c.Release != "" {
		fmt.Fprintf(w, "  release: %d of the %d %s that %s has when complete (%s)\n", c.Here, c.Of, c.Unit, c.Release, c.Known)
	}
	if c.ListedIDs > 0 {
		fmt.Fprintf(w, "  the lists beside the data name %d episodes", c.ListedIDs)
		if n := len(c.MissingIDs); n > 0 {
			fmt.Fprintf(w, "; %d of them are not here: %s", n, some(c.MissingIDs, 5))
		}
		fmt.Fprintln(w)
	}
}

// some lists the first n of ids.
func some(ids []string, n int) string {
	if len(ids) <= n {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:n], ", ") + ", … (--json has all)"
}

func writeLabels(w io.Writer, labels []trajectory.Count) {
	if len(labels) == 0 {
		return
	}
	fmt.Fprintf(w, "  closed labels (%d):\n", len(labels))
	rest := 0
	for i, c := range labels {
		if i < labelsShown {
			fmt.Fprintf(w, "    %6d  %-*s  %s\n", c.Count, barWidth, bar(c.Count, labels[0].Count), short(c.Name))
		} else {
			rest += c.Count
		}
	}
	if n := len(labels) - labelsShown; n > 0 {
		fmt.Fprintf(w, "    %6d  %*s  in %d more\n", rest, barWidth, "", n)
	}
}

// writeCounts lists counts; of, which may be nil, is what a complete release has.
func writeCounts(w io.Writer, title string, list []trajectory.Count, of map[string]int) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "  %s:\n", title)
	for i, c := range list {
		if i == countsShown {
			fmt.Fprintf(w, "    … and %d more\n", len(list)-i)
			break
		}
		complete := ""
		if n := of[c.Name]; n > c.Count {
			complete = fmt.Sprintf(" (of %d)", n)
		}
		fmt.Fprintf(w, "    %6d  %s%s\n", c.Count, short(c.Name), complete)
	}
}

// bar is n of most as a bar of block characters, in eighths of a character; whatever is not 0 is seen.
func bar(n, most int) string {
	if n == 0 || most == 0 {
		return ""
	}
	eighths := max(1, n*barWidth*8/most)
	full := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		full += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return full
}

// writeUse says what an experiment makes of the data.
func writeUse(w io.Writer, u *inspection.Use) {
	if u.Refused != "" {
		fmt.Fprintf(w, "  the experiment can't use it: %s\n", u.Refused)
		return
	}
	fmt.Fprintf(w, "  in the experiment: %d read", u.Read)
	for _, d := range u.Dropped {
		fmt.Fprintf(w, ", %d dropped (%s)", d.Count, d.Reason)
	}
	if u.Limit > 0 {
		fmt.Fprintf(w, ", limit %d", u.Limit)
	}
	fmt.Fprintf(w, ", %d kept, split by %s\n", u.Kept, u.Unit)
	for _, f := range u.Folds {
		name := "parts"
		if f.Fold > 0 {
			name = fmt.Sprintf("fold %d", f.Fold)
		}
		var tests []string
		for _, t := range f.Tests {
			tests = append(tests, fmt.Sprintf("%s %d", t.Name, t.Episodes))
		}
		if tests == nil {
			tests = []string{"no test part"}
		}
		fmt.Fprintf(w, "    %s: train %d, dev %d, %s\n", name, f.Train, f.Dev, strings.Join(tests, ", "))
	}
	if u.Unassigned > 0 {
		fmt.Fprintf(w, "    in no part: %d\n", u.Unassigned)
	}
	if len(u.Unknown) > 0 {
		fmt.Fprintf(w, "    ids that the split names and that are no episode: %d (%s)\n", len(u.Unknown), some(u.Unknown, 5))
	}
	for _, c := range u.Coverage {
		name := c.Part
		if c.Fold > 0 {
			name = fmt.Sprintf("fold %d, %s", c.Fold, c.Part)
		}
		if c.Episodes == 0 {
			continue
		}
		fmt.Fprintf(w, "    %s: the label of %d of %d occurs in train", name, c.Seen, c.Episodes)
		if len(c.UnseenLabels) > 0 {
			fmt.Fprintf(w, "; not so %s", short(some(c.UnseenLabels, 5)))
		}
		fmt.Fprintln(w)
	}
	if u.LabelSpace != "" {
		fmt.Fprintf(w, "    label space %s: %d labels, %d of them seen in train", u.LabelSpace, u.Labels, u.Seen)
		if len(u.Folds) > 1 {
			fmt.Fprint(w, " of fold 1")
		}
		fmt.Fprintln(w)
	}
	writeCrossings(w, u.Crossings)
}

// writeCrossings lists the open intents that stand in two parts.
func writeCrossings(w io.Writer, list []neardup.Crossing) {
	found := false
	for _, c := range list {
		if c.Equal+c.Near == 0 {
			continue
		}
		found = true
		fmt.Fprintf(w, "    open intents of %s that stand in %s too: %d of %d (%d equal, %d nearly; %d of them in their own cluster)\n",
			c.In, c.From, c.Equal+c.Near, c.Texts, c.Equal, c.Near, c.SameCluster)
		x := c.Examples[0]
		fmt.Fprintf(w, "      %s: %s\n      %s: %s (similarity %.2f)\n", x.Episode, short(x.Text), x.Other, short(x.OtherText), x.Similarity)
	}
	if !found {
		fmt.Fprintln(w, "    no open intent of dev or test stands in a part before it, equal or nearly so")
	}
}

// writeDifference says what another copy has and lacks.
func writeDifference(w io.Writer, d inspection.Difference) error {
	if d.None() {
		_, err := fmt.Fprintf(w, "  equal to %s: %d episodes\n", d.With, d.Equal)
		return err
	}
	fmt.Fprintf(w, "  compared with %s: %d of %d episodes are equal\n", d.With, d.Equal, d.Others)
	ids := func(title string, of int, list []string) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(w, "    %s %d of %d: %s\n", title, len(list), of, some(list, missingShown))
	}
	ids("this copy lacks", d.Others, d.MissingHere)
	ids("the other copy lacks", d.Episodes, d.MissingThere)
	if len(d.Changed) == 0 {
		return nil
	}
	fmt.Fprintf(w, "    %d differ:\n", len(d.Changed))
	for i, c := range d.Changed {
		if i == missingShown {
			fmt.Fprintf(w, "      … and %d more (--json has all)\n", len(d.Changed)-i)
			break
		}
		fmt.Fprintf(w, "      %s: %s\n", c.ID, strings.Join(c.Parts, ", "))
	}
	return nil
}

// short cuts a text to one line of people's length.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}

// percent is a share of steps; "<1 %" where there are some, since 0 % means none.
func percent(n, of int) string {
	if n > 0 && 200*n < of {
		return "<1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(of))
}
