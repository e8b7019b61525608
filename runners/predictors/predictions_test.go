package predictors

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/task"
)

func readAll(t *testing.T, text string, several bool) ([]string, PredictionStats, error) {
	t.Helper()
	var stats PredictionStats
	var got []string
	for p, err := range ReadPredictions(t.Context(), strings.NewReader(text), "p.jsonl", several, &stats) {
		if err != nil {
			return got, stats, err
		}
		got = append(got, p.TaskID+"="+p.Answer.ClosedIntent)
	}
	return got, stats, nil
}

func TestPredictionsReaderKeepsTheJoinRules(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		several bool
		want    []string
		stats   PredictionStats
		err     string
	}{
		"identical duplicate is counted": {"{\"task_id\":\"a\",\"closed_intent\":\"x\",\"closed_confidence\":2}\n\n {\"closed_intent\": \"x\", \"task_id\":\"a\",\"closed_confidence\":2}\n{\"task_id\":\"b\"}",
			false, []string{"a=x", "b="}, PredictionStats{Records: 2, Duplicates: 1, Dropped: 1}, ""},
		"different content names both lines": {"{\"task_id\":\"a\",\"closed_intent\":\"x\"}\n{\"task_id\":\"b\"}\n{\"task_id\":\"a\",\"closed_intent\":\"y\"}",
			false, []string{"a=x", "b="}, PredictionStats{Records: 2}, `p.jsonl, line 3: a second, different prediction for task "a"; the first is on line 1`},
		"second method": {"{\"task_id\":\"a\",\"method\":\"m\"}\n{\"task_id\":\"b\",\"method\":\"n\"}",
			false, []string{"a="}, PredictionStats{Records: 1}, `line 2: method "n", but line 1 says "m"`},
		"several methods on purpose": {"{\"task_id\":\"a\",\"method\":\"m\"}\n{\"task_id\":\"a\",\"method\":\"n\",\"closed_intent\":\"x\"}",
			true, []string{"a=", "a=x"}, PredictionStats{Records: 2}, ""},
		"seeds are keys": {"{\"task_id\":\"a\",\"seed\":0}\n{\"task_id\":\"a\",\"seed\":1,\"closed_intent\":\"x\"}\n{\"task_id\":\"a\",\"closed_intent\":\"y\"}",
			false, []string{"a=", "a=x", "a=y"}, PredictionStats{Records: 3}, ""},
		"no record":     {"{\"task_id\":\"a\"}\n[]", false, []string{"a="}, PredictionStats{Records: 1}, "p.jsonl, line 2: not a JSON object with a task_id"},
		"wrong type":    {"{\"task_id\":\"a\",\"closed_intent\":1}", false, nil, PredictionStats{}, "line 1: closed_intent must be a string"},
		"invalid UTF-8": {"{\"task_id\":\"a\",\"predicted_intent\":\"\xff\"}", false, []string{"a="}, PredictionStats{Records: 1, InvalidUTF8: 1}, ""},
		"too long":      {"{\"task_id\":\"a\"}\n" + strings.Repeat("x", 8<<20+1), false, []string{"a="}, PredictionStats{Records: 1}, "line 2: a line is longer"},
	} {
		t.Run(name, func(t *testing.T) {
			got, stats, err := readAll(t, c.text, c.several)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.stats, stats); d != "" {
				t.Error(d)
			}
		})
	}
}

func predictionsOf(t *testing.T, o *PredictionsOptions, dir string) (*Predictions, *commandLog) {
	t.Helper()
	log := &commandLog{}
	p, err := newPredictions(Setup{Options: o, Seed: 2, Fold: 1, Dataset: "d", Ablation: "full", Dir: dir, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p.(*Predictions), log
}

func writePredictions(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestPredictionsMethodAnswersByTaskID(t *testing.T) {
	dir := writePredictions(t, "preds/d/full/2-1.jsonl", "\xef\xbb\xbf{\"task_id\":\"d:e:r0.10\",\"closed_intent\":\"x\",\"closed_confidence\":NaN}\r\n"+
		"{\"task_id\":\"d:e:r0.20\",\"error\":\"too long\"}\n{\"task_id\":\"d:e:r0.10\",\"closed_intent\":\"x\",\"closed_confidence\":NaN}\n{\"task_id\":\"d:lost:r0.10\"}")
	p, log := predictionsOf(t, &PredictionsOptions{Path: "preds/{dataset}/{ablation}/{seed}-{fold}.jsonl"}, dir)
	unknown, err := p.Unknown(t.Context(), func(id string) bool { return strings.HasPrefix(id, "d:e:") })
	if err != nil || len(unknown) != 1 || !strings.Contains(unknown[0], `line 4: task "d:lost:r0.10"`) {
		t.Errorf("unknown %q, %v", unknown, err)
	}
	for id, want := range map[string]task.Answer{"d:e:r0.10": {ClosedIntent: "x"}, "d:e:r0.20": {Error: "too long"}} {
		if a, err := p.Predict(t.Context(), task.Task{ID: id}, nil); err != nil || cmp.Diff(want, a) != "" {
			t.Errorf("%s: %+v, %v", id, a, err)
		}
	}
	if _, err := p.Predict(t.Context(), task.Task{ID: "d:e:r0.30"}, nil); !errors.Is(err, ErrMissing) {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(PredictionStats{Records: 3, Duplicates: 1, Dropped: 1}, p.Stats()); d != "" || !strings.Contains(log.String(), "1 identical duplicates") {
		t.Errorf("%s, log %s", d, log)
	}
}

func TestPredictionsMethodTakesTheRecordsOfItsCell(t *testing.T) {
	dir := writePredictions(t, "all.jsonl", `{"task_id":"d:e:r0.10","method":"m","ablation":"full","seed":2,"closed_intent":"mine"}
{"task_id":"d:e:r0.10","method":"n","closed_intent":"other method"}
{"task_id":"d:e:r0.10","method":"m","ablation":"none","closed_intent":"other ablation"}
{"task_id":"d:e:r0.10","method":"m","seed":3,"closed_intent":"other seed"}
{"task_id":"f:e:r0.10","method":"m","closed_intent":"other dataset"}
`)
	p, log := predictionsOf(t, &PredictionsOptions{Path: "all.jsonl", Method: "m"}, dir)
	if a, err := p.Predict(t.Context(), task.Task{ID: "d:e:r0.10"}, nil); err != nil || a.ClosedIntent != "mine" {
		t.Errorf("%+v, %v", a, err)
	}
	if unknown, err := p.Unknown(t.Context(), func(string) bool { return true }); err != nil || len(unknown) != 0 || p.Stats().Records != 1 {
		t.Errorf("%v, %v, %+v", unknown, err, p.Stats())
	}
	if !strings.Contains(log.String(), "4 records of other cells passed over") {
		t.Errorf("log %s", log)
	}
}

func TestPredictionsMethodFaultsEndTheCell(t *testing.T) {
	dir := writePredictions(t, "p.jsonl", "{\"task_id\":\"d:a\",\"closed_intent\":\"x\"}\n{\"task_id\":\"d:a\",\"closed_intent\":\"y\",\"ablation\":\"full\"}\n")
	p, _ := predictionsOf(t, &PredictionsOptions{Path: "p.jsonl"}, dir)
	_, err := p.Predict(t.Context(), task.Task{ID: "d:a"}, nil)
	wantFailure(t, err, Failure{Reason: "bad_predictions", ForGood: true, Cell: true}, "p.jsonl, line 2", "line 1")
	p, _ = predictionsOf(t, &PredictionsOptions{Path: "none.jsonl"}, dir)
	_, err = p.Predict(t.Context(), task.Task{ID: "d:a"}, nil)
	wantFailure(t, err, Failure{Reason: "no_file", Cell: true}, "none.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, _ = predictionsOf(t, &PredictionsOptions{Path: "p.jsonl"}, dir)
	if _, err := p.Predict(ctx, task.Task{ID: "d:a"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestPredictionsPathIsATemplate(t *testing.T) {
	o := &PredictionsOptions{Path: "p/{dataset}/{ablation}/{seed}/{fold}.jsonl"}
	if got := o.File("/x", "d", "a", -3, 2); got != "/x/p/d/a/-3/2.jsonl" {
		t.Errorf("got %s", got)
	}
	if wrong := (&PredictionsOptions{Path: "p/{method}"}).Check(); !strings.Contains(wrong["path"], "{method} is not one of") {
		t.Errorf("%v", wrong)
	}
	if (&PredictionsOptions{Path: "p"}).Declared() != (Declared{Deterministic: true, UsesRatio: true, PerTask: true}) || o.Declared().Deterministic {
		t.Error("only a path without {seed} serves every seed")
	}
}

func FuzzReadPredictions(f *testing.F) {
	f.Add([]byte("{\"task_id\":\"a\",\"closed_confidence\":NaN}\n{\"task_id\":\"a\",\"closed_confidence\":NaN}\n"), false)
	f.Add([]byte("\xef\xbb\xbf{\"task_id\":\"a\",\"method\":\"m\"}\r\n\n{\"task_id\":\"b\",\"method\":\"n\"}"), true)
	f.Fuzz(func(t *testing.T, text []byte, several bool) {
		var stats PredictionStats
		records := 0
		for p, err := range ReadPredictions(context.Background(), bytes.NewReader(text), "f", several, &stats) {
			if err != nil {
				if !strings.HasPrefix(err.Error(), "f, line ") {
					t.Errorf("error without a line: %v", err)
				}
				break
			}
			records++
			if p.TaskID == "" || p.Line < 1 {
				t.Errorf("%+v", p)
			}
		}
		if records != stats.Records {
			t.Errorf("%d records yielded, %d counted", records, stats.Records)
		}
	})
}
