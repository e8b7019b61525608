package predictors

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"intentlab/runners/process"
)

// Prediction is one record of a predictions file.
type Prediction = process.Prediction

// PredictionStats counts what a predictions file holds.
type PredictionStats struct {
	Records     int // different records taken
	Duplicates  int // identical records for a key that was there
	Dropped     int // confidences and other numbers out of their range, which the answers lack
	InvalidUTF8 int // lines with bytes that are no UTF-8, read as U+FFFD
}

// ReadPredictions streams the records of a predictions file (benchmark.md, "predictions.jsonl") in
// file order; name is used in errors, which give the line. The join rules of metrics-and-judge.md A2
// that need no gold hold: a record that repeats one of the same key (method, ablation, seed, task) is
// counted and not yielded; one with other content is an error that names both lines; so is a second
// method name, unless severalMethods. stats may be nil. Memory: about 100 bytes a record.
func ReadPredictions(ctx context.Context, r io.Reader, name string, severalMethods bool, stats *PredictionStats) iter.Seq2[Prediction, error] {
	return newPredictionsReader(name, severalMethods, stats).read(ctx, r)
}

// predictionsReader also tells where the record last yielded stands.
type predictionsReader struct {
	name           string
	severalMethods bool
	stats          *PredictionStats
	wanted         func(Prediction) bool // nil: all
	offset         int64
	length         int
}

func newPredictionsReader(name string, severalMethods bool, stats *PredictionStats) *predictionsReader {
	if stats == nil {
		stats = &PredictionStats{}
	}
	return &predictionsReader{name: name, severalMethods: severalMethods, stats: stats}
}

type predictionKey struct {
	method, ablation, task string
	seed                   int64
	seeded                 bool
}

type predictionSeen struct {
	sum  [sha256.Size]byte
	line int
}

func (p *predictionsReader) read(ctx context.Context, r io.Reader) iter.Seq2[Prediction, error] {
	return func(yield func(Prediction, error) bool) {
		lines := process.NewLineReader(r)
		seen := map[predictionKey]predictionSeen{}
		method, methodLine := "", 0
		for {
			line, err := lines.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = ctx.Err()
			}
			var record Prediction
			if err == nil {
				if len(bytes.TrimSpace(line)) == 0 {
					continue
				}
				if !utf8.Valid(line) {
					p.stats.InvalidUTF8++ // JSON decoding reads such bytes as U+FFFD
				}
				record, err = process.ParsePrediction(line)
				record.Line = lines.Number()
			}
			if err == nil && p.wanted != nil && !p.wanted(record) {
				continue
			}
			if err == nil && !p.severalMethods && record.Method != "" && record.Method != method {
				if methodLine > 0 {
					err = fmt.Errorf("method %q, but line %d says %q; a file holds one method", record.Method, methodLine, method)
				}
				method, methodLine = record.Method, record.Line
			}
			fresh := false
			if err == nil {
				fresh, err = p.remember(seen, record)
			}
			if err != nil {
				yield(Prediction{}, fmt.Errorf("%s, line %d: %w", p.name, lines.Number(), err))
				return
			}
			if !fresh {
				continue
			}
			p.offset, p.length = lines.Offset(), len(line)
			if !yield(record, nil) {
				return
			}
		}
	}
}

// remember reports whether the record is the first of its key.
func (p *predictionsReader) remember(seen map[predictionKey]predictionSeen, r Prediction) (bool, error) {
	key := predictionKey{task: r.TaskID}
	if p.severalMethods {
		key.method = r.Method
	}
	if p.wanted == nil { // else all records are of one cell, whether they say so or not
		key.ablation = r.Ablation
		if r.Seed != nil {
			key.seed, key.seeded = *r.Seed, true
		}
	}
	sum, err := r.Sum()
	if err != nil {
		return false, err
	}
	if first, ok := seen[key]; ok {
		if first.sum != sum {
			return false, fmt.Errorf("a second, different prediction for task %q; the first is on line %d", r.TaskID, first.line)
		}
		p.stats.Duplicates++
		return false, nil
	}
	seen[key] = predictionSeen{sum: sum, line: r.Line}
	p.stats.Records++
	p.stats.Dropped += r.Dropped
	return true, nil
}
