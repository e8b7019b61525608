package predictors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"intentlab/ablations/task"
	"intentlab/runners/process"
)

// predictionsFile is an open predictions file of which is known where each record stands; the answers
// stay in the file. It is safe for concurrent reading.
type predictionsFile struct {
	path  string
	file  *os.File
	index map[string]place
	order []string // task ids in file order
	stats PredictionStats
	other int // records that were not wanted
}

// place is where a record stands in the file.
type place struct {
	offset int64
	length int32
	line   int32
}

// openPredictions reads the file once. Fails with a *Failure that ends the cell: for good and with file
// and line where the data is wrong.
func openPredictions(ctx context.Context, path string, severalMethods bool, wanted func(Prediction) bool) (*predictionsFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &Failure{Reason: "no_file", Detail: fmt.Sprintf("open the predictions file: %v", err), Cell: true}
	}
	f := &predictionsFile{path: path, file: file, index: map[string]place{}, order: []string{}}
	reader := newPredictionsReader(path, severalMethods, &f.stats)
	reader.wanted = func(r Prediction) bool {
		if !wanted(r) {
			f.other++
			return false
		}
		return true
	}
	for r, err := range reader.read(ctx, file) {
		if err != nil {
			err = errors.Join(err, file.Close())
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, &Failure{Reason: "bad_predictions", Detail: err.Error(), Cell: true, ForGood: true}
		}
		f.index[r.TaskID] = place{offset: reader.offset, length: int32(reader.length), line: int32(r.Line)}
		f.order = append(f.order, r.TaskID)
	}
	return f, nil
}

// report logs what was odd in the file, under the name that its user knows it by.
func (f *predictionsFile) report(log *process.Log, name string) {
	if f.stats.Duplicates+f.stats.Dropped+f.stats.InvalidUTF8+f.other > 0 {
		log.Printf("%s: %d records, %d identical duplicates, %d numbers out of range dropped, %d lines with invalid UTF-8, "+
			"%d records of other cells passed over", name, f.stats.Records, f.stats.Duplicates, f.stats.Dropped, f.stats.InvalidUTF8, f.other)
	}
}

// answer reads the record of a task; ok is false where there is none.
func (f *predictionsFile) answer(id string) (a task.Answer, ok bool, err error) {
	at, ok := f.index[id] // never changed once it is there
	if !ok {
		return a, false, nil
	}
	line := make([]byte, at.length)
	_, err = f.file.ReadAt(line, at.offset)
	var r Prediction
	if err == nil || errors.Is(err, io.EOF) {
		r, err = process.ParsePrediction(line)
	}
	if err == nil && r.TaskID != id {
		err = errors.New("the file was changed while it was read")
	}
	if err != nil {
		return a, false, &Failure{Reason: "bad_predictions", Cell: true, Detail: fmt.Sprintf("%s, line %d: %v", f.path, at.line, err)}
	}
	return r.Answer, true, nil
}

func (f *predictionsFile) close() error { return f.file.Close() }
