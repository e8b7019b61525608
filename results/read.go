package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// prepared returns the statement of a query, prepared once; q comes from a small set of texts.
func (s *Store) prepared(ctx context.Context, q string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st, ok := s.statements[q]; ok {
		return st, nil
	}
	st, err := s.read.PrepareContext(ctx, q)
	if err != nil {
		return nil, err
	}
	s.statements[q] = st
	return st, nil
}

// query runs q and calls scan for each row; it closes the rows and wraps errors with the store.
func (s *Store) query(ctx context.Context, scan func(*sql.Rows) error, q string, args ...any) error {
	st, err := s.prepared(ctx, q)
	if err != nil {
		return fmt.Errorf("reading store %s: %w", s.path, err)
	}
	rows, err := st.QueryContext(ctx, args...)
	return s.scan(rows, err, scan)
}

// scan reads rows to their end and closes them.
func (s *Store) scan(rows *sql.Rows, err error, scan func(*sql.Rows) error) error {
	if err != nil {
		return fmt.Errorf("reading store %s: %w", s.path, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return fmt.Errorf("reading store %s: %w", s.path, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading store %s: %w", s.path, err)
	}
	return nil
}

// Runs lists the runs, oldest first.
func (s *Store) Runs(ctx context.Context) ([]Run, error) {
	var out []Run
	err := s.query(ctx, func(r *sql.Rows) error {
		var x Run
		var d string
		err := r.Scan(&x.ID, &x.Experiment, &x.Identity, &x.Generation, &d)
		x.Declaration = []byte(d)
		out = append(out, x)
		return err
	}, "select id, experiment, identity, generation, declaration from run order by id")
	return out, err
}

// ErrNoRun is a store in which nothing was run yet.
var ErrNoRun = errors.New("nothing was run in this store yet")

// Latest returns the run that was worked on last.
func (s *Store) Latest(ctx context.Context) (Run, error) {
	runs, err := s.Runs(ctx)
	if err != nil {
		return Run{}, err
	}
	var id int64
	err = s.read.QueryRowContext(ctx, "select run from invocation order by id desc limit 1").Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, fmt.Errorf("%s: %w", s.path, ErrNoRun)
	}
	if err != nil {
		return Run{}, fmt.Errorf("reading store %s: %w", s.path, err)
	}
	for _, r := range runs {
		if r.ID == id {
			return r, nil
		}
	}
	return Run{}, fmt.Errorf("%s: %w", s.path, ErrNoRun)
}

const cellColumns = `id, run, position, dataset, ablation, method, seed, fold, data, split, state, reason, for_good, tasks, fit, coalesce(identity, 0), duplicate_of`

func scanCell(r *sql.Rows) (c Cell, err error) {
	err = r.Scan(&c.ID, &c.Run, &c.Position, &c.Dataset, &c.Ablation, &c.Method, &c.Seed, &c.Fold, &c.Data, &c.Split, &c.State, &c.Reason,
		&c.ForGood, &c.Tasks, &c.Fit, &c.Identity, &c.DuplicateOf)
	return c, err
}

// Cells lists a run's cells in declared order.
func (s *Store) Cells(ctx context.Context, run int64) ([]Cell, error) {
	var out []Cell
	err := s.query(ctx, func(r *sql.Rows) error {
		c, err := scanCell(r)
		out = append(out, c)
		return err
	}, "select "+cellColumns+" from cell where run = ? order by position, id", run)
	return out, err
}

const predictionColumns = `p.id, p.key, p.generation, p.identity, p.visible, p.state, p.for_good, p.closed_intent, p.confidence, p.predicted_intent,
	p.topk, p.error, p.detail, p.input_tokens, p.output_tokens, p.cost_usd, p.attempts`

func predictionFields(p *Prediction) []any {
	return []any{&p.ID, &p.Key, &p.Generation, &p.Identity, &p.Visible, &p.State, &p.ForGood, &p.ClosedIntent, &p.Confidence, &p.PredictedIntent,
		&p.TopK, &p.Error, &p.Detail, &p.InputTokens, &p.OutputTokens, &p.CostUSD, &p.Attempts}
}

// Predictions looks up answers by key within a generation.
func (s *Store) Predictions(ctx context.Context, generation int, keys []string) (map[string]Prediction, error) {
	out := make(map[string]Prediction, len(keys))
	if len(keys) == 0 {
		return out, nil
	}
	args := make([]any, 0, len(keys)+1)
	args = append(args, generation)
	for _, k := range keys {
		args = append(args, k)
	}
	err := s.query(ctx, func(r *sql.Rows) error {
		var p Prediction
		err := r.Scan(predictionFields(&p)...)
		out[p.Key] = p
		return err
	}, "select "+predictionColumns+" from prediction p where p.generation = ? and p.key in ("+marks(len(keys))+")", args...)
	return out, err
}

// Verdicts looks up verdicts by key.
func (s *Store) Verdicts(ctx context.Context, keys []string) (map[string]Verdict, error) {
	out := make(map[string]Verdict, len(keys))
	if len(keys) == 0 {
		return out, nil
	}
	args := make([]any, 0, len(keys))
	for _, k := range keys {
		args = append(args, k)
	}
	err := s.query(ctx, func(r *sql.Rows) error {
		var v Verdict
		err := r.Scan(&v.Key, &v.Gold, &v.Predicted, &v.State, &v.Score, &v.Level, &v.Reason, &v.Raw, &v.Flags)
		out[v.Key] = v
		return err
	}, "select key, gold, predicted, state, score, level, reason, raw, flags from verdict where key in ("+marks(len(keys))+")", args...)
	return out, err
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// TaskCounts counts a cell's tasks by state.
func (s *Store) TaskCounts(ctx context.Context, cell int64) (map[string]int, error) {
	out := map[string]int{}
	err := s.query(ctx, func(r *sql.Rows) error {
		var state string
		var n int
		err := r.Scan(&state, &n)
		out[state] = n
		return err
	}, "select state, count(*) from task where cell = ? group by state", cell)
	return out, err
}

// final is what a task of a cell is when a run has nothing to do for it: it has a row, and no failure
// that the run would try again.
const final = `(p.id is null or p.state <> 'failed' or p.for_good and not ?)`

// Final counts the tasks of each cell of a run that need nothing more; retry says that failures for
// good are tried again, too.
func (s *Store) Final(ctx context.Context, run int64, retry bool) (map[int64]int, error) {
	out := map[int64]int{}
	err := s.query(ctx, func(r *sql.Rows) error {
		var cell int64
		var n int
		err := r.Scan(&cell, &n)
		out[cell] = n
		return err
	}, `select c.id, count(*) from cell c join task t on t.cell = c.id left join prediction p on p.id = t.prediction
		where c.run = ? and `+final+` group by c.id`, run, retry)
	return out, err
}

// FinalTasks lists those of one cell.
func (s *Store) FinalTasks(ctx context.Context, cell int64, retry bool) (map[string]bool, error) {
	out := map[string]bool{}
	err := s.query(ctx, func(r *sql.Rows) error {
		var id string
		err := r.Scan(&id)
		out[id] = true
		return err
	}, `select t.task from task t left join prediction p on p.id = t.prediction where t.cell = ? and `+final, cell, retry)
	return out, err
}

// Failures says how many tasks of a cell failed, how many of them for good, and what the first in
// task order said. It reads the rows, so that it is the same however often the cell was resumed.
func (s *Store) Failures(ctx context.Context, cell int64) (n, forGood int, first string, err error) {
	err = s.query(ctx, func(r *sql.Rows) error {
		var good bool
		var reason, detail string
		if err := r.Scan(&good, &reason, &detail); err != nil {
			return err
		}
		n++
		if good {
			forGood++
		}
		if n == 1 {
			first = reason
			if detail != "" {
				first += ": " + detail
			}
		}
		return nil
	}, `select p.for_good, p.error, p.detail from task t join prediction p on p.id = t.prediction
		where t.cell = ? and t.state = 'method_error' order by t.task`, cell)
	return n, forGood, first, err
}

// RatioScore is one per-ratio record.
type RatioScore struct {
	Part, Measure string
	Ratio, N      int
	Sum           float64
	Value         *float64
	MetricVersion int
}

func (r RatioScore) String() string {
	value := "none"
	if r.Value != nil {
		value = fmt.Sprint(*r.Value)
	}
	return fmt.Sprintf("%s/%s/%d: %d %v %s v%d", r.Part, r.Measure, r.Ratio, r.N, r.Sum, value, r.MetricVersion)
}

// RatioScores lists the per-ratio records of a cell.
func (s *Store) RatioScores(ctx context.Context, cell int64) ([]RatioScore, error) {
	var out []RatioScore
	err := s.query(ctx, func(r *sql.Rows) error {
		var x RatioScore
		err := r.Scan(&x.Part, &x.Measure, &x.Ratio, &x.N, &x.Sum, &x.Value, &x.MetricVersion)
		out = append(out, x)
		return err
	}, "select part, measure, ratio, n, sum, value, metric_version from ratio_score where cell = ? order by part, measure, ratio", cell)
	return out, err
}

// GoldOf streams the gold of a dataset fingerprint in task order.
func (s *Store) GoldOf(ctx context.Context, data string, each func(Gold) error) error {
	return s.query(ctx, func(r *sql.Rows) error {
		var g Gold
		if err := r.Scan(&g.Task, &g.Episode, &g.Cluster, &g.Ratio, &g.Steps, &g.TotalSteps, &g.Duplicate, &g.OpenIntent, &g.ClosedIntent, &g.LabelSpace); err != nil {
			return err
		}
		return each(g)
	}, "select task, episode, cluster, ratio, steps, total_steps, duplicate, open_intent, closed_intent, label_space from gold where data = ? order by task", data)
}

// PartsOf lists the parts of one fold of a split.
func (s *Store) PartsOf(ctx context.Context, split string, fold int) (map[string][]string, error) {
	out := map[string][]string{}
	err := s.query(ctx, func(r *sql.Rows) error {
		var episode, part string
		err := r.Scan(&episode, &part)
		out[episode] = append(out[episode], part)
		return err
	}, "select episode, part from part where split = ? and fold = ? order by episode, part", split, fold)
	return out, err
}

// Answered is one task of a cell with what was said about it and how it was judged.
type Answered struct {
	Task       string
	State      string
	Prediction Prediction // zero for states without one
}

// Tasks streams the tasks of a cell in task order.
func (s *Store) Tasks(ctx context.Context, cell int64, each func(Answered) error) error {
	return s.query(ctx, func(r *sql.Rows) error {
		var a Answered
		var visible, closed, open, errText, detail sql.NullString
		p := &a.Prediction
		if err := r.Scan(&a.Task, &a.State, &visible, &closed, &p.Confidence, &open, &errText, &detail); err != nil {
			return err
		}
		p.Visible, p.ClosedIntent, p.PredictedIntent, p.Error, p.Detail = visible.String, closed.String, open.String, errText.String, detail.String
		return each(a)
	}, `select t.task, t.state, p.visible, p.closed_intent, p.confidence, p.predicted_intent, p.error, p.detail
		from task t left join prediction p on p.id = t.prediction where t.cell = ? order by t.task`, cell)
}

// TaskScore is one judge's score of one task.
type TaskScore struct {
	Task, Judge, State string
	Score              *float64
}

// Scores streams the scores of a cell in task order.
func (s *Store) Scores(ctx context.Context, cell int64, each func(TaskScore) error) error {
	return s.query(ctx, func(r *sql.Rows) error {
		var x TaskScore
		if err := r.Scan(&x.Task, &x.Judge, &x.State, &x.Score); err != nil {
			return err
		}
		return each(x)
	}, `select s.task, j.fingerprint, s.state, s.score from score s join judge j on j.id = s.judge where s.cell = ? order by s.task, j.fingerprint`, cell)
}

// NewestCell returns the cell of a name in the run that was worked on last among those of the
// experiment in which it was started, with the canonical inputs of its answers; a zero cell when
// there is none.
func (s *Store) NewestCell(ctx context.Context, experiment, dataset, ablation, method string, seed int64, fold int) (Cell, string, error) {
	var cell Cell
	var inputs string
	err := s.query(ctx, func(r *sql.Rows) (err error) {
		cell, err = scanCell(r)
		return err
	}, "select "+prefixed("c", cellColumns)+` from cell c join run r on r.id = c.run
		where r.experiment = ? and c.dataset = ? and c.ablation = ? and c.method = ? and c.seed = ? and c.fold = ? and c.identity is not null
		order by (select max(i.id) from invocation i where i.run = r.id) desc, c.id desc limit 1`, experiment, dataset, ablation, method, seed, fold)
	if err != nil || cell.ID == 0 {
		return Cell{}, "", err
	}
	if inputs, err = s.IdentityInputs(ctx, cell.Identity); err != nil {
		return Cell{}, "", err
	}
	return cell, inputs, nil
}

// IdentityInputs returns the canonical inputs behind a cell's identity.
func (s *Store) IdentityInputs(ctx context.Context, identity int64) (inputs string, err error) {
	if err = s.read.QueryRowContext(ctx, "select inputs from identity where id = ?", identity).Scan(&inputs); err != nil {
		return "", fmt.Errorf("reading store %s: %w", s.path, err)
	}
	return inputs, nil
}

// Scored reports whether the store holds any score by a judge.
func (s *Store) Scored(ctx context.Context, judge string) (yes bool, err error) {
	if err = s.read.QueryRowContext(ctx, "select exists (select 1 from score where judge = (select id from judge where fingerprint = ?))", judge).Scan(&yes); err != nil {
		return false, fmt.Errorf("reading store %s: %w", s.path, err)
	}
	return yes, nil
}
