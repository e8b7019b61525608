package predictors

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"intentlab/ablations/task"
	"intentlab/runners/process"
)

var predictionsKind = Kind{
	Name:    "predictions",
	Summary: "predictions that were written elsewhere, one file of JSON lines",
	Doc: "Reads prediction records (benchmark.md) and answers by task id. Identical duplicate records are counted,\n" +
		"different ones for one task are an error that names both lines. A task without a record is missing.\n" +
		"Stamped \"saw all prefixes\", since nothing shows that the file was written causally.\n" +
		"Memory: about 150 bytes a record; answers stay in the file.",
	Options: func() any { return &PredictionsOptions{} },
	// Answers belong to task ids, which hold the ratio.
	UsesRatio: true, Causal: false, CodeVersion: 1, New: newPredictions,
}

// ErrMissing means that a predictions file has no record for a task: the state `missing`.
var ErrMissing = errors.New("no prediction for this task")

// PredictionsOptions are the settings of the kind `predictions`.
type PredictionsOptions struct {
	Path   string `hcl:"path" key:"-" doc:"the file, relative to the experiment; {dataset}, {ablation}, {seed} and {fold} are filled in"`
	Method string `hcl:"method,optional" doc:"takes this method's records from a file that holds several methods; default: the file holds one"`
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// Check says what is wrong with the settings: attribute to sentence.
func (o *PredictionsOptions) Check() map[string]string {
	if o.Path == "" {
		return map[string]string{"path": "want the path of a predictions file"}
	}
	for _, p := range placeholder.FindAllString(o.Path, -1) {
		switch p {
		case "{dataset}", "{ablation}", "{seed}", "{fold}":
		default:
			return map[string]string{"path": fmt.Sprintf("%s is not one of {dataset}, {ablation}, {seed}, {fold}", p)}
		}
	}
	return nil
}

// Declared implements [Declarer]: without {seed} in the path one file serves every seed.
func (o *PredictionsOptions) Declared() Declared {
	return Declared{Deterministic: !strings.Contains(o.Path, "{seed}"), UsesRatio: true, PerTask: true}
}

// File is the absolute path of a cell's predictions file. Its content, not its path, identifies it.
func (o *PredictionsOptions) File(dir, dataset, ablation string, seed int64, fold int) string {
	path := strings.NewReplacer("{dataset}", dataset, "{ablation}", ablation,
		"{seed}", strconv.FormatInt(seed, 10), "{fold}", strconv.Itoa(fold)).Replace(o.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return path
}

// Predictions is the predictor of the kind predictions.
type Predictions struct {
	path     string
	dataset  string // only records of this dataset count, where the path does not say which
	ablation string
	seed     int64
	method   string
	log      *process.Log
	turn     chan struct{} // one token; who has it may index

	mu   sync.Mutex
	file *predictionsFile // nil until it is read
}

func newPredictions(s Setup) (Predictor, error) {
	o, err := settings(s, &PredictionsOptions{})
	if err != nil {
		return nil, err
	}
	p := &Predictions{path: o.File(s.Dir, s.Dataset, s.Ablation, s.Seed, s.Fold), ablation: s.Ablation, seed: s.Seed,
		method: o.Method, log: process.NewLog(s.Log), turn: make(chan struct{}, 1)}
	if !strings.Contains(o.Path, "{dataset}") {
		p.dataset = s.Dataset
	}
	return p, nil
}

// Index reads the file once and remembers where each record stands; later calls do nothing. An error
// of the file's data is a *Failure that ends the cell for good and names file and line.
func (p *Predictions) Index(ctx context.Context) error {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.turn }()
	p.mu.Lock()
	indexed := p.file != nil
	p.mu.Unlock()
	if indexed {
		return nil
	}
	file, err := openPredictions(ctx, p.path, p.method != "", func(r Prediction) bool {
		return (p.method == "" || r.Method == p.method) && (r.Ablation == "" || r.Ablation == p.ablation) &&
			(r.Seed == nil || *r.Seed == p.seed) && (p.dataset == "" || strings.HasPrefix(r.TaskID, p.dataset+":"))
	})
	if err != nil {
		return err
	}
	file.report(p.log, p.path)
	p.mu.Lock()
	p.file = file
	p.mu.Unlock()
	return nil
}

// Unknown lists, in file order and as "FILE, line N: task ID", the records whose task is not known.
// The engine asks it before the first Predict: unknown tasks are a hard error (the wrong split,
// mostly). known must cover every task that the file may rightly hold, those of all folds too.
func (p *Predictions) Unknown(ctx context.Context, known func(taskID string) bool) ([]string, error) {
	if err := p.Index(ctx); err != nil {
		return nil, err
	}
	var unknown []string
	for _, id := range p.file.order {
		if !known(id) {
			unknown = append(unknown, fmt.Sprintf("%s, line %d: task %q", p.path, p.file.index[id].line, id))
		}
	}
	return unknown, nil
}

// Stats counts what the file holds. Call it after Index.
func (p *Predictions) Stats() PredictionStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.file.stats
}

// Predict returns the file's record for the task. A task without one is ErrMissing.
func (p *Predictions) Predict(ctx context.Context, t task.Task, _ []task.Task) (task.Answer, error) {
	if err := p.Index(ctx); err != nil {
		return task.Answer{}, err
	}
	answer, ok, err := p.file.answer(t.ID)
	if err == nil && !ok {
		err = fmt.Errorf("%s: task %q: %w", p.path, t.ID, ErrMissing)
	}
	return answer, err
}

// Close closes the file.
func (p *Predictions) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	if p.file != nil {
		err = p.file.close()
		p.file = nil
	}
	if lerr := p.log.Err(); lerr != nil {
		err = errors.Join(err, lerr)
	}
	if err != nil {
		return fmt.Errorf("close the predictions file: %w", err)
	}
	return nil
}
