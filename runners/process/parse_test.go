package process

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestLineReaderSkipsTooLongLinesAndGoesOn(t *testing.T) {
	long := strings.Repeat("x", MaxLine+1)
	exact := strings.Repeat("y", MaxLine)
	r := NewLineReader(strings.NewReader("\xef\xbb\xbfone\r\n" + long + "\n\n" + exact + "\nlast"))
	var got []string
	var numbers []int
	for {
		line, err := r.Next()
		if err == io.EOF {
			break
		}
		if errors.Is(err, ErrLineTooLong) {
			line = []byte("too long")
		} else if err != nil {
			t.Fatal(err)
		}
		got, numbers = append(got, clip(string(line), 8)), append(numbers, r.Number())
	}
	want := []string{"one", "too long", "", "yyyyyyyy…", "last"}
	for i, w := range want {
		if i >= len(got) || got[i] != w || numbers[i] != i+1 {
			t.Fatalf("got %q with numbers %v, want %q", got, numbers, want)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %q", got)
	}
}

func TestLineReaderOffsetsPointAtTheLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.StringMatching(`[a-c]{0,3}\r?`)).Draw(t, "lines"), "\n")
		r := NewLineReader(strings.NewReader(text))
		for {
			line, err := r.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if at := text[r.Offset():]; !strings.HasPrefix(at, string(line)) {
				t.Fatalf("line %d %q is not at %d of %q", r.Number(), line, r.Offset(), text)
			}
		}
	})
}

func TestCaptureKeepsHeadAndTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := &logBuffer{}
		c := NewCapture(NewLog(log))
		var all strings.Builder
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 90<<10), 0, 8).Draw(t, "sizes") {
			p := strings.Repeat(string(rune('a'+i)), n)
			all.WriteString(p)
			if k, err := c.Write([]byte(p)); k != n || err != nil {
				t.Fatalf("write: %d, %v", k, err)
			}
		}
		c.Flush()
		text := all.String()
		for _, got := range []string{c.String(), log.String()} {
			if len(text) <= captureHead+captureTail {
				if got != text {
					t.Fatalf("kept %d of %d bytes", len(got), len(text))
				}
				continue
			}
			if !strings.HasPrefix(got, text[:captureHead]) || !strings.HasSuffix(got, text[len(text)-captureTail:]) || !strings.Contains(got, "left out") {
				t.Fatalf("head, tail or note missing from %d bytes", len(got))
			}
		}
	})
}

func TestPredictionRecordFields(t *testing.T) {
	full := `{"task_id":"d:e:r0.10","method":"m","ablation":"a","seed":3,"closed_intent":"x","closed_confidence":0.74,"predicted_intent":"do it",
		"open_judge_score":0.82,"closed_topk":[{"label":"x","p":0.7},{"label":"y","p":1.5},{"label":"z"}],"error":null,
		"usage":{"input_tokens":10.0,"output_tokens":-1,"cost_usd":0.5},"latency":3}`
	p, err := ParsePrediction([]byte(full))
	if err != nil {
		t.Fatal(err)
	}
	a := p.Answer
	if p.TaskID != "d:e:r0.10" || p.Method != "m" || p.Ablation != "a" || *p.Seed != 3 || a.ClosedIntent != "x" || *a.ClosedConfidence != 0.74 ||
		a.PredictedIntent != "do it" || *a.OpenJudgeScore != 0.82 || len(a.ClosedTopK) != 1 || a.Error != "" ||
		a.Usage.InputTokens != 10 || a.Usage.OutputTokens != 0 || a.Usage.CostUSD != 0.5 || p.Dropped != 2 {
		t.Errorf("got %+v", p)
	}
	for line, want := range map[string]string{
		``: ErrNoRecord.Error(), `null`: ErrNoRecord.Error(), `[]`: ErrNoRecord.Error(), `{}`: ErrNoRecord.Error(), `{"task_id":""}`: ErrNoRecord.Error(),
		`{"task_id":3}`: ErrNoRecord.Error(), `{"task_id":"a"`: ErrNoRecord.Error(), `{"task_id":"a"} x`: ErrNoRecord.Error(),
		`{"task_id":"a","closed_intent":7}`:      "closed_intent must be a string or null, not 7",
		`{"task_id":"a","predicted_intent":{}}`:  "predicted_intent must be a string",
		`{"task_id":"a","closed_topk":"x"}`:      "closed_topk must be a list",
		`{"task_id":"a","usage":3}`:              "usage must be an object",
		`{"task_id":"a","seed":"one"}`:           "seed must be an integer",
		`{"task_id":"a","closed_topk":[["x"]]} `: "closed_topk must be a list",
	} {
		if _, err := ParsePrediction([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", line, err, want)
		}
	}
	for line, dropped := range map[string]int{
		`{"task_id":"a","closed_confidence":"high"}`: 1, `{"task_id":"a","closed_confidence":null}`: 0, `{"task_id":"a","closed_confidence":-0.1}`: 1,
		`{"task_id":"a","closed_confidence":NaN,"open_judge_score":Infinity}`: 2, `{"task_id":"NaN","closed_intent":"\"NaN"}`: 0,
		`{"task_id":"a","closed_confidence":1e999}`: 1, `{"task_id":"a","error":false}`: 0,
	} {
		if p, err := ParsePrediction([]byte(line)); err != nil || p.Dropped != dropped || p.Answer.Error != "" {
			t.Errorf("%s: %+v, %v; want %d dropped", line, p, err, dropped)
		}
	}
	if p, err := ParsePrediction([]byte(`{"task_id":"a","error":{"code":3}}`)); err != nil || p.Answer.Error != `{"code":3}` {
		t.Errorf("%+v, %v", p, err)
	}
}

func FuzzParsePrediction(f *testing.F) {
	f.Add([]byte(`{"task_id":"a","closed_intent":"x","closed_confidence":0.5,"closed_topk":[{"label":"x","p":0.7}],"usage":{"cost_usd":1}}`))
	f.Add([]byte(`{"task_id":"a","closed_confidence":NaN,"open_judge_score":-Infinity,"error":"\\"}`))
	f.Add([]byte("{\"task_id\":\"\xff\"}"))
	f.Add([]byte(`<html>`))
	f.Fuzz(func(t *testing.T, line []byte) {
		p, err := ParsePrediction(line)
		if errors.Is(err, ErrNoRecord) {
			if p.TaskID != "" {
				t.Errorf("no record, but task %q", p.TaskID)
			}
			return
		}
		if p.TaskID == "" || !utf8.ValidString(p.TaskID) {
			t.Errorf("task id %q", p.TaskID)
		}
		var shares []*float64
		shares = append(shares, p.Answer.ClosedConfidence, p.Answer.OpenJudgeScore)
		for _, e := range p.Answer.ClosedTopK {
			shares = append(shares, &e.P)
		}
		for _, v := range shares {
			if v != nil && !(*v >= 0 && *v <= 1) {
				t.Errorf("share %v", *v)
			}
		}
		u := p.Answer.Usage
		if u.InputTokens < 0 || u.OutputTokens < 0 || !(u.CostUSD >= 0) || math.IsInf(u.CostUSD, 0) {
			t.Errorf("usage %+v", u)
		}
		if _, err := p.Sum(); err != nil {
			t.Error(err)
		}
	})
}

func FuzzLineReader(f *testing.F) {
	f.Add("a\nb\r\n\nc")
	f.Add("\xef\xbb\xbf\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := NewLineReader(strings.NewReader(text))
		var lines []string
		for {
			line, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(line))
		}
		var want []string
		for l := range strings.Lines(text) {
			l = strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
			if len(want) == 0 {
				l = strings.TrimPrefix(l, "\xef\xbb\xbf")
			}
			want = append(want, l)
		}
		if strings.Join(lines, "\n") != strings.Join(want, "\n") || len(lines) != len(want) {
			t.Errorf("got %q, want %q", lines, want)
		}
	})
}
