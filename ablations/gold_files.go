package ablations

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"intentlab/ablations/task"
)

// writeGold writes the evaluator's files and returns the number of gold lines.
func (g *generation) writeGold(ctx context.Context, specs []Spec) (int, error) {
	if err := os.MkdirAll(g.goldDir, 0o755); err != nil {
		return 0, fmt.Errorf("make the gold folder: %w", err)
	}
	files := &fileSet{}
	defer files.abandon()
	gold, err := files.create(filepath.Join(g.goldDir, "gold.jsonl"))
	if err != nil {
		return 0, err
	}
	hides := func(at place) bool { // in some variant
		return slices.ContainsFunc(specs, func(s Spec) bool { return s.HidesID(g.datasets[at.dataset].Episodes[at.episode]) })
	}
	neutral := slices.ContainsFunc(g.evaluated, hides)
	idsPath := filepath.Join(g.goldDir, "task_ids.jsonl")
	ids := gold
	if neutral {
		if ids, err = files.create(idsPath); err != nil {
			return 0, err
		}
	}
	n := 0
	for _, at := range g.evaluated {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		lines, names, err := g.goldLines(at, hides(at))
		if err != nil {
			return 0, err
		}
		n += len(g.opts.Grid)
		if _, err := gold.Write(lines); err != nil {
			return 0, fmt.Errorf("write gold.jsonl: %w", err)
		}
		if _, err := ids.Write(names); err != nil {
			return 0, fmt.Errorf("write task_ids.jsonl: %w", err)
		}
	}
	if err := writeJSON(files, filepath.Join(g.goldDir, "evaluation_spec.json"), g.evaluationSpec(specs)); err != nil {
		return 0, err
	}
	if !neutral {
		if err := os.Remove(idsPath); err != nil && !os.IsNotExist(err) {
			return 0, fmt.Errorf("remove task_ids.jsonl of an earlier run: %w", err)
		}
	}
	return n, files.commit()
}

func (g *generation) goldLines(at place, neutral bool) (gold, ids []byte, err error) {
	d := g.datasets[at.dataset]
	ep := d.Episodes[at.episode]
	for _, p := range Prefixes(len(ep.Steps), g.opts.Grid) {
		record := BuildGoldRecord(ep, p, g.split[at], g.spaceName(d.Name, ep.LabelSpace), g.lists[at]...)
		if gold, err = appendLine(gold, record); err != nil {
			return nil, nil, err
		}
		if neutral {
			id, err := NeutralID(ep, p.Ratio)
			if err != nil {
				return nil, nil, err
			}
			if ids, err = appendLine(ids, TaskIDRecord{NeutralID: id, TaskID: record.TaskID}); err != nil {
				return nil, nil, err
			}
		}
	}
	return gold, ids, nil
}

func (g *generation) evaluationSpec(specs []Spec) EvaluationSpec {
	s := newEvaluationSpec(g.opts.Evaluate, g.opts.Fold, g.opts.Grid)
	for i, d := range g.datasets {
		e := EvaluatedDataset{Name: d.Name, Format: d.Format, Fingerprint: d.Fingerprint, LabelSpaces: []string{},
			TrainEpisodes: len(d.Fold.Train), DevEpisodes: len(d.Fold.Dev)}
		for _, space := range spacesOf(d) {
			e.LabelSpaces = append(e.LabelSpaces, g.spaceName(d.Name, space))
		}
		slices.Sort(e.LabelSpaces)
		for _, at := range g.evaluated {
			if at.dataset == i {
				e.Episodes++
			}
		}
		e.Tasks = e.Episodes * len(g.opts.Grid)
		s.Datasets = append(s.Datasets, e)
	}
	for _, spec := range specs {
		s.Ablations = append(s.Ablations, EvaluatedSpec{Name: spec.Name, Spec: spec})
	}
	return s
}

func appendLine(to []byte, v any) ([]byte, error) {
	b, err := task.Canonical(v)
	if err != nil {
		return nil, fmt.Errorf("encode a record: %w", err)
	}
	return append(append(to, b...), '\n'), nil
}
