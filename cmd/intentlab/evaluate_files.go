package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"intentlab/ablations"
	"intentlab/ablations/task"
	"intentlab/judge"
	"intentlab/results/metrics"
	"intentlab/runners/predictors"
)

// maxLine bounds a line of gold, as benchmark.md bounds those of the protocols.
const maxLine = 8 << 20

// fileEvaluation joins files made elsewhere.
type fileEvaluation struct {
	cmd *evaluateCmd
	env env

	gold     []ablations.GoldRecord
	at       map[string]int    // task id → gold
	neutral  map[string]string // neutral task id → task id, where an ablation hides them
	labels   map[string][]string
	answers  map[string]task.Answer
	baseline map[string]task.Answer
	method   string
	judge    judge.Judge
	sums     [2]string // gold, predictions
	verdicts map[string]metrics.OpenScore
}

// read reads every file whole; nothing is computed from a damaged one.
func (f *fileEvaluation) read(ctx context.Context) (err error) {
	if err := f.readGold(ctx); err != nil {
		return err
	}
	if err := f.readNeutralIDs(); err != nil {
		return err
	}
	if f.cmd.LabelSpaces != "" {
		if err := f.readLabels(); err != nil {
			return err
		}
	}
	if f.judge, err = f.cmd.scorer(); err != nil {
		return err
	}
	f.verdicts = map[string]metrics.OpenScore{}
	if f.cmd.Oracle {
		f.method, f.answers = "oracle", f.oracle()
	} else if f.answers, f.method, f.sums[1], err = f.readPredictions(ctx, f.cmd.Predictions); err != nil {
		return err
	}
	if f.cmd.Baseline != "" {
		f.baseline, _, _, err = f.readPredictions(ctx, f.cmd.Baseline)
	}
	return err
}

// openFile opens one of the files, what being what is read from it.
func openFile(what, path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("reading %s: there is no file %s", what, path)
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("reading %s: %s is a folder; name the file in it", what, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	return file, nil
}

func (f *fileEvaluation) readGold(ctx context.Context) error {
	file, err := openFile("gold", f.cmd.Gold)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(file, sum))
	lines.Buffer(nil, maxLine)
	f.at = map[string]int{}
	for n := 1; lines.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var g ablations.GoldRecord
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			return fmt.Errorf("%s, line %d: not a gold record: %w", f.cmd.Gold, n, err)
		}
		if g.TaskID == "" || g.PrefixStepCount < 1 || g.TotalSteps < g.PrefixStepCount || g.RequestedRatio < 1 {
			return fmt.Errorf("%s, line %d: not a gold record: it lacks a task_id, a ratio or its step counts", f.cmd.Gold, n)
		}
		if i, ok := f.at[g.TaskID]; ok {
			return fmt.Errorf("%s, line %d: task %q stands here and in line %d", f.cmd.Gold, n, g.TaskID, i+1)
		}
		if (g.ClosedIntent != "") != g.IntentModes.Closed.Available || (g.OpenIntent != "") != g.IntentModes.Open.Available {
			return fmt.Errorf("%s, line %d: task %q: intent_modes contradict the intents", f.cmd.Gold, n, g.TaskID)
		}
		f.at[g.TaskID] = len(f.gold)
		f.gold = append(f.gold, g)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading %s, line %d: %w", f.cmd.Gold, len(f.gold)+1, err)
	}
	if len(f.gold) == 0 {
		return fmt.Errorf("%s holds no gold record", f.cmd.Gold)
	}
	f.sums[0] = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// readNeutralIDs reads task_ids.jsonl, which `generate` writes beside the gold where an ablation hides
// task ids.
func (f *fileEvaluation) readNeutralIDs() error {
	path := filepath.Join(filepath.Dir(f.cmd.Gold), "task_ids.jsonl")
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading neutral ids: %w", err)
	}
	defer file.Close()
	f.neutral = map[string]string{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		var r ablations.TaskIDRecord
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("%s, line %d: not a pair of task ids: %w", path, n, err)
		}
		if _, ok := f.at[r.TaskID]; !ok {
			return fmt.Errorf("%s, line %d: task %q is not in %s", path, n, r.TaskID, f.cmd.Gold)
		}
		f.neutral[r.NeutralID] = r.TaskID
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}

func (f *fileEvaluation) readLabels() error {
	b, err := os.ReadFile(f.cmd.LabelSpaces)
	if err != nil {
		return fmt.Errorf("reading label spaces: %w", err)
	}
	var spaces map[string]task.LabelSpace
	if err := json.Unmarshal(b, &spaces); err != nil {
		return fmt.Errorf("%s is not a label_spaces.json: %w", f.cmd.LabelSpaces, err)
	}
	f.labels = map[string][]string{}
	for name, s := range spaces {
		f.labels[name] = s.Labels
	}
	var outside []string
	for _, g := range f.gold {
		space, known := f.labels[g.IntentModes.Closed.LabelSpace]
		if g.ClosedIntent != "" && !known {
			return fmt.Errorf("%s has no label space %q, which the gold of %s names", f.cmd.LabelSpaces, g.IntentModes.Closed.LabelSpace, g.TaskID)
		}
		if g.ClosedIntent != "" && !metrics.NewLabelSet(space)[metrics.NormalizeLabel(g.ClosedIntent)] && len(outside) < 5 {
			outside = append(outside, fmt.Sprintf("%q of %s", g.ClosedIntent, g.TaskID))
		}
	}
	if len(outside) > 0 {
		return fmt.Errorf("gold labels outside their label space: %v", outside)
	}
	return nil
}

// oracle copies the answers from gold.
func (f *fileEvaluation) oracle() map[string]task.Answer {
	out := map[string]task.Answer{}
	for _, g := range f.gold {
		out[g.TaskID] = task.Answer{ClosedIntent: g.ClosedIntent, PredictedIntent: g.OpenIntent}
	}
	return out
}

func (f *fileEvaluation) readPredictions(ctx context.Context, path string) (map[string]task.Answer, string, string, error) {
	file, err := openFile("predictions", path)
	if err != nil {
		return nil, "", "", err
	}
	defer file.Close()
	sum := sha256.New()
	var stats predictors.PredictionStats
	out := map[string]task.Answer{}
	method := ""
	for p, err := range predictors.ReadPredictions(ctx, io.TeeReader(file, sum), path, false, &stats) {
		if err != nil {
			return nil, "", "", err
		}
		if f.cmd.Ablation != "" && p.Ablation != "" && p.Ablation != f.cmd.Ablation || f.cmd.Seed != 0 && p.Seed != nil && *p.Seed != f.cmd.Seed {
			continue
		}
		if id, ok := f.neutral[p.TaskID]; ok {
			p.TaskID = id
		}
		if _, twice := out[p.TaskID]; twice {
			return nil, "", "", fmt.Errorf("%s, line %d: task %q has a prediction already, of another ablation or seed or under its neutral id; choose with --ablation and --seed", path, p.Line, p.TaskID)
		}
		if _, ok := f.at[p.TaskID]; !ok {
			return nil, "", "", fmt.Errorf("%s, line %d: task %q is not in %s: usually the predictions are for another split", path, p.Line, p.TaskID, f.cmd.Gold)
		}
		out[p.TaskID] = p.Answer
		method = p.Method
	}
	if stats.Duplicates > 0 || stats.Dropped > 0 {
		fmt.Fprintf(f.env.err, "%s: %d identical duplicate records, %d numbers out of range dropped\n", path, stats.Duplicates, stats.Dropped)
	}
	if method == "" {
		method = "predictions"
	}
	return out, method, hex.EncodeToString(sum.Sum(nil)), nil
}
