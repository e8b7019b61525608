package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"intentlab/ablations"
	"intentlab/ablations/task"
	"intentlab/judge"
	"intentlab/results/metrics"
	"intentlab/results/report"
	"intentlab/results/tables"
)

// evaluate builds the tables, one a dataset, and computes.
func (f *fileEvaluation) evaluate(ctx context.Context) (report.Evaluated, error) {
	samples, err := f.samples(ctx, f.answers)
	if err != nil {
		return report.Evaluated{}, err
	}
	var base *metrics.Baseline
	if f.baseline != nil {
		ref, err := f.samples(ctx, f.baseline)
		if err != nil {
			return report.Evaluated{}, err
		}
		by := map[string]metrics.Sample{}
		for _, s := range ref {
			by[s.Dataset] = s
		}
		base = &metrics.Baseline{Closed: f.cmd.Baseline, Open: f.cmd.Baseline, ClosedSamples: by, OpenSamples: by}
	}
	meta := metrics.Meta{Method: f.method, Ablation: f.cmd.Ablation, Seed: f.cmd.Seed, Split: f.gold[0].Split,
		Fingerprint: metrics.FingerprintRecord{Gold: f.sums[0], Predictions: f.sums[1], Version: versionOf()}}
	return report.Evaluated{Evaluation: metrics.EvaluateAll(meta, samples, base, metrics.Options{SkipMissing: f.cmd.SkipMissing})}, nil
}

func (f *fileEvaluation) samples(ctx context.Context, answers map[string]task.Answer) ([]metrics.Sample, error) {
	grid := f.grid()
	index := map[int]int{}
	for i, r := range grid {
		index[r] = i
	}
	var out []*metrics.Sample
	byName := map[string]*metrics.Sample{}
	episodes := map[string]int{}
	for _, g := range f.gold {
		names := []string{g.Dataset}
		if len(g.Lists) > 0 {
			names = names[:0]
			for _, l := range g.Lists {
				names = append(names, g.Dataset+"/"+l)
			}
		}
		o, err := f.observation(ctx, g, answers)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			s := byName[name]
			if s == nil {
				s = &metrics.Sample{Dataset: name, Ablation: f.cmd.Ablation, Method: f.method, Seed: f.cmd.Seed, Grid: grid,
					LabelSpace: g.IntentModes.Closed.LabelSpace, Labels: f.labels[g.IntentModes.Closed.LabelSpace], Judges: f.judges()}
				byName[name] = s
				out = append(out, s)
			}
			key := name + "\x00" + g.EpisodeID
			at, ok := episodes[key]
			if !ok {
				at = len(s.Episodes)
				episodes[key] = at
				s.Episodes = append(s.Episodes, metrics.Episode{ID: g.EpisodeID, Cluster: g.ClusterID, Total: g.TotalSteps, Tasks: make([]metrics.Observation, len(grid))})
				for i := range grid {
					s.Episodes[at].Tasks[i] = metrics.Observation{State: metrics.NotApplicable, Steps: metrics.Steps(g.TotalSteps, grid[i])}
				}
			}
			s.Episodes[at].Tasks[index[int(g.RequestedRatio)]] = o
		}
	}
	plain := make([]metrics.Sample, len(out))
	for i, s := range out {
		plain[i] = *s
	}
	return plain, nil
}

func (f *fileEvaluation) grid() []int {
	seen := map[int]bool{}
	var grid []int
	for _, g := range f.gold {
		if r := int(g.RequestedRatio); !seen[r] {
			seen[r] = true
			grid = append(grid, r)
		}
	}
	slices.Sort(grid)
	return grid
}

func (f *fileEvaluation) judges() []metrics.JudgeInfo {
	switch {
	case f.judge != nil:
		return []metrics.JudgeInfo{{Name: f.cmd.Judge, Fingerprint: f.judge.Fingerprint(), Theta: f.cmd.Threshold}}
	case f.cmd.AcceptSuppliedScores:
		return []metrics.JudgeInfo{{Name: "supplied scores", Fingerprint: "supplied", Theta: f.cmd.Threshold}}
	case f.cmd.Oracle:
		return []metrics.JudgeInfo{{Name: "oracle", Fingerprint: "oracle", Theta: f.cmd.Threshold}}
	}
	return nil
}

// observation joins one task (A2) and scores its open answer.
func (f *fileEvaluation) observation(ctx context.Context, g ablations.GoldRecord, answers map[string]task.Answer) (metrics.Observation, error) {
	a, ok := answers[g.TaskID]
	given := metrics.Given{Closed: a.ClosedIntent, Open: a.PredictedIntent, Confidence: a.ClosedConfidence}
	switch {
	case !ok:
		given.State = metrics.Missing
	case a.Error != "":
		given.State = metrics.MethodError
	}
	gold := metrics.Gold{Steps: g.PrefixStepCount, Duplicate: g.DuplicatePrefix, ClosedEligible: g.ClosedIntent != "", Closed: g.ClosedIntent, OpenEligible: g.OpenIntent != ""}
	o := metrics.Join(gold, given, metrics.NewLabelSet(f.labels[g.IntentModes.Closed.LabelSpace]), len(f.judges()))
	if len(o.Open) == 0 || g.OpenIntent == "" {
		return o, nil
	}
	s, err := f.score(ctx, g, a)
	if err != nil {
		return o, err
	}
	// What takes the task out for all methods outweighs what a method did.
	if o.Open[0].State != metrics.MethodFailure || s.State == metrics.GoldOut {
		o.Open[0] = s
	}
	return o, nil
}

func (f *fileEvaluation) score(ctx context.Context, g ablations.GoldRecord, a task.Answer) (metrics.OpenScore, error) {
	switch {
	case f.cmd.Oracle && f.judge == nil:
		return metrics.OpenScore{State: metrics.Scored, Score: 1}, nil
	case f.judge == nil && a.OpenJudgeScore == nil:
		return metrics.OpenScore{State: metrics.JudgeFailure}, nil
	case f.judge == nil:
		return metrics.OpenScore{State: metrics.Scored, Score: *a.OpenJudgeScore}, nil
	}
	q := judge.Question{Gold: judge.Normalise(g.OpenIntent), Predicted: judge.Normalise(a.PredictedIntent)}
	key := q.Gold + "\x00" + q.Predicted
	if s, ok := f.verdicts[key]; ok {
		return s, nil
	}
	v, err := f.judge.Judge(ctx, q)
	if err != nil {
		return metrics.OpenScore{}, fmt.Errorf("judging %s: %w", g.TaskID, err)
	}
	var score *float64
	if v.State == judge.Scored {
		score = &v.Score
	}
	s := report.OpenScore(string(v.State), score)
	f.verdicts[key] = s
	return s, nil
}

// caption says what was evaluated and how: the first line, then footnotes.
func (f *fileEvaluation) caption() []string {
	grid := make([]string, 0, len(f.grid()))
	for _, r := range f.grid() {
		grid = append(grid, metrics.RatioKey(r))
	}
	out := []string{fmt.Sprintf("%s against %s, split %s, %d prefix tasks at ratios %s", f.source(), f.cmd.Gold, f.gold[0].Split, len(f.gold), strings.Join(grid, " "))}
	for _, j := range f.judges() {
		out = append(out, fmt.Sprintf("open judge %s, fingerprint %.12s, pass above %v; judge not validated against people", j.Name, j.Fingerprint, j.Theta))
	}
	if f.cmd.Baseline != "" {
		out = append(out, "gain: nAUC minus that of "+f.cmd.Baseline+", on the tasks that both have")
	}
	never := metrics.RatioKey(metrics.Never(f.grid()))
	return append(out, "TTC is the mean requested ratio from which on every answer is right; never costs "+never, "no difference here was tested: it may be noise")
}

func (f *fileEvaluation) source() string {
	if f.cmd.Oracle {
		return "answers copied from gold"
	}
	return f.cmd.Predictions
}

// warn says on stderr what an incomplete file does to the numbers.
func (f *fileEvaluation) warn() {
	missing, tasks := 0, 0
	for _, g := range f.gold {
		tasks++
		if _, ok := f.answers[g.TaskID]; !ok {
			missing++
		}
	}
	if missing == 0 {
		return
	}
	what := "count as wrong"
	if f.cmd.SkipMissing {
		what = "are left out"
	}
	fmt.Fprintf(f.env.err, "%s has no prediction for %d of the %d gold tasks; they %s\n", f.source(), missing, tasks, what)
}

// evaluationTable is the headline of every dataset.
func evaluationTable(ev report.Evaluated) *tables.Table {
	t := &tables.Table{Name: "evaluation", Title: "Evaluation of " + ev.Method, Columns: []tables.Column{tables.Label("dataset"),
		{Title: "episodes", Align: tables.Right}, {Title: "answered", Align: tables.Right, Decimals: 3}}}
	var names []string
	for _, n := range []string{"closed.nauc", "closed.macro_f1", "closed.area_gain_norm", "closed.ttc.solve_rate", "closed.ttc.restricted_mean", "open.nauc", "open.area_gain_norm"} {
		if m, ok := metrics.Find(n); ok {
			names = append(names, n)
			t.Columns = append(t.Columns, tables.Column{Name: n, Title: m.Title, Align: tables.Right, Direction: tables.Direction(m.Direction), Decimals: m.Decimals})
		}
	}
	line := func(level string, head ...tables.Cell) {
		for _, n := range names {
			v := ev.Value(level, n, "")
			head = append(head, tables.Maybe(v.Ptr(), v.Why()))
		}
		t.Add("", head...)
	}
	for _, d := range ev.Datasets {
		answered := tables.None("no task")
		if d.NTasks > 0 {
			answered = tables.Maybe(d.Coverage.Answered.Ptr(), d.Coverage.Answered.Why())
		}
		line(d.Dataset, tables.Text(d.Dataset), tables.Int(d.NEpisodes), answered)
	}
	line("macro", tables.Text("macro"), tables.Text(""), tables.Text(""))
	return t
}
