// Package inspection looks at a whole dataset: what is in it, how much of a release that is, what
// differs from another copy, and a page that shows it.
package inspection

import (
	"context"

	"intentlab/ablations"
	"intentlab/ablations/neardup"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// Report is what is in a dataset.
type Report struct {
	trajectory.Summary
	Fingerprint string                  `json:"fingerprint"` // see ManifestHead
	Release     trajectory.Completeness `json:"release"`
	Prefixes    []RatioShare            `json:"prefixes"` // of the default grid, in its order
	// Repeated are the episodes whose open intent stands in an earlier one as well, equal after
	// normalisation ([neardup.Normalise]).
	Repeated   int         `json:"repeated_open_intents"`
	Experiment *Use        `json:"experiment,omitempty"`
	Difference *Difference `json:"difference,omitempty"`
}

// RatioShare says how many prefixes at a ratio are the same as at the ratio before.
type RatioShare struct {
	Ratio      task.Ratio `json:"ratio"`
	Prefixes   int        `json:"prefixes"`
	Duplicates int        `json:"duplicates"`
}

// Inspect reads a source to its end and holds hashes and counts of it, no episode but three examples.
func Inspect(ctx context.Context, src trajectory.Source) (*Report, *Manifest, error) {
	m, err := NewManifest(src)
	if err != nil {
		return nil, nil, err
	}
	r := &Report{}
	var tally trajectory.Tally
	var intents neardup.Set
	known := 0 // forms
	r.Summary, err = trajectory.Summarise(ctx, src, func(e trajectory.Episode) error {
		tally.Add(e)
		switch form := intents.Add(e.OpenIntent); {
		case form == known:
			known++
		case form != neardup.None:
			r.Repeated++
		}
		return m.Add(e)
	})
	if err != nil {
		return nil, nil, err
	}
	if r.Release, err = tally.Complete(ctx, src); err != nil {
		return nil, nil, err
	}
	if err := m.Close(r.Lists); err != nil {
		return nil, nil, err
	}
	r.Fingerprint = m.Fingerprint
	r.Prefixes = prefixes(r.Lengths)
	return r, m, nil
}

// prefixes counts the duplicates on the default grid.
func prefixes(l trajectory.Lengths) []RatioShare {
	grid := task.Grid()
	out := make([]RatioShare, len(grid))
	for i, ratio := range grid {
		out[i].Ratio = ratio
	}
	for _, n := range l.Counts {
		for i, p := range ablations.Prefixes(n.Steps, grid) {
			out[i].Prefixes += n.Episodes
			if p.Duplicate {
				out[i].Duplicates += n.Episodes
			}
		}
	}
	return out
}
