package results

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// TaskDetail is everything stored about one task in one cell.
type TaskDetail struct {
	Cell       Cell           `json:"cell"`
	Task       string         `json:"task_id"`
	State      string         `json:"state"`
	Parts      string         `json:"parts"` // where the episode stands in the cell's fold: dev, test, an official list
	Gold       Gold           `json:"gold"`
	Prediction Prediction     `json:"prediction"`
	Verdicts   []JudgedDetail `json:"verdicts"`
}

// JudgedDetail is what one judge said about a task.
type JudgedDetail struct {
	Judge  string   `json:"judge"` // fingerprint
	State  string   `json:"state"`
	Score  *float64 `json:"score"`
	Level  *int     `json:"level,omitempty"`
	Reason string   `json:"reason,omitempty"`
	Raw    string   `json:"raw,omitempty"`
	Flags  string   `json:"flags,omitempty"`
}

// Where narrows a listing of tasks down; empty fields match everything. Names of one field are
// alternatives.
type Where struct {
	Task                                string
	Datasets, Ablations, Methods, State []string
	Seeds, Folds, Ratios                []string
	// Wrong keeps tasks whose closed answer is not the gold label.
	Wrong bool
	// MinScore and MaxScore bound the score of the first judge.
	MinScore, MaxScore *float64
	Limit              int
}

// Find lists the tasks of a run that match, in the order of cells and tasks, all as they stood at
// one moment.
func (s *Store) Find(ctx context.Context, run int64, w Where, each func(TaskDetail) error) error {
	q := "select " + prefixed("c", cellColumns) + `, t.task, t.state, g.episode, g.cluster, g.ratio, g.steps, g.total_steps, g.duplicate, g.open_intent, g.closed_intent,
		g.label_space, coalesce(p.closed_intent, ''), p.confidence, coalesce(p.predicted_intent, ''), coalesce(p.topk, ''), coalesce(p.error, ''), coalesce(p.detail, ''),
		coalesce(p.attempts, 0), coalesce(p.key, ''), coalesce(p.visible, ''),
		coalesce((select group_concat(part, ' ') from part x where x.split = c.split and x.fold = c.fold and x.episode = g.episode), '')
		from cell c join task t on t.cell = c.id join gold g on g.data = c.data and g.task = t.task left join prediction p on p.id = t.prediction
		where c.run = ?`
	args := []any{run}
	in := func(column string, names []string) {
		if len(names) == 0 {
			return
		}
		q += " and " + column + " in (" + marks(len(names)) + ")"
		for _, n := range names {
			args = append(args, n)
		}
	}
	if w.Task != "" {
		in("t.task", []string{w.Task})
	}
	in("c.dataset", w.Datasets)
	in("c.ablation", w.Ablations)
	in("c.method", w.Methods)
	in("t.state", w.State)
	in("cast(c.seed as text)", w.Seeds)
	in("cast(c.fold as text)", w.Folds)
	in("cast(g.ratio as text)", w.Ratios)
	if w.Wrong {
		q += " and g.closed_intent <> '' and (t.state <> 'answered' or trim(p.closed_intent) <> trim(g.closed_intent))"
	}
	first := "(select score from score x where x.cell = c.id and x.task = t.task order by x.judge limit 1)"
	if w.MinScore != nil {
		q += " and " + first + " >= ?"
		args = append(args, *w.MinScore)
	}
	if w.MaxScore != nil {
		q += " and " + first + " <= ?"
		args = append(args, *w.MaxScore)
	}
	q += " order by c.position, t.task"
	if w.Limit > 0 {
		q += " limit ?"
		args = append(args, w.Limit)
	}
	// One connection for both queries: with one each, a few callers at once would wait for each other.
	t, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("reading store %s: %w", s.path, err)
	}
	defer t.Rollback()
	verdicts, err := t.PrepareContext(ctx, verdictsOfTask)
	if err != nil {
		return fmt.Errorf("reading store %s: %w", s.path, err)
	}
	rows, err := t.QueryContext(ctx, q, args...)
	return s.scan(rows, err, func(r *sql.Rows) error {
		var d TaskDetail
		c, g, p := &d.Cell, &d.Gold, &d.Prediction
		if err := r.Scan(&c.ID, &c.Run, &c.Position, &c.Dataset, &c.Ablation, &c.Method, &c.Seed, &c.Fold, &c.Data, &c.Split, &c.State, &c.Reason,
			&c.ForGood, &c.Tasks, &c.Fit, &c.Identity, &c.DuplicateOf, &d.Task, &d.State, &g.Episode, &g.Cluster, &g.Ratio, &g.Steps, &g.TotalSteps,
			&g.Duplicate, &g.OpenIntent, &g.ClosedIntent, &g.LabelSpace, &p.ClosedIntent, &p.Confidence, &p.PredictedIntent, &p.TopK, &p.Error, &p.Detail,
			&p.Attempts, &p.Key, &p.Visible, &d.Parts); err != nil {
			return err
		}
		g.Task = d.Task
		rows, err := verdicts.QueryContext(ctx, d.Cell.ID, d.Task)
		if err := s.scan(rows, err, func(r *sql.Rows) error {
			var j JudgedDetail
			err := r.Scan(&j.Judge, &j.State, &j.Score, &j.Level, &j.Reason, &j.Raw, &j.Flags)
			d.Verdicts = append(d.Verdicts, j)
			return err
		}); err != nil {
			return err
		}
		return each(d)
	})
}

const verdictsOfTask = `select j.fingerprint, s.state, s.score, v.level, coalesce(v.reason, ''), coalesce(v.raw, ''), coalesce(v.flags, '') from score s join judge j on j.id = s.judge
		left join verdict v on v.id = s.verdict where s.cell = ? and s.task = ? order by j.id`

// prefixed puts a table's alias before each bare column of a list.
func prefixed(alias, columns string) string {
	out := strings.Split(columns, ", ")
	for i, c := range out {
		if rest, ok := strings.CutPrefix(c, "coalesce("); ok {
			out[i] = "coalesce(" + alias + "." + rest
			continue
		}
		if !strings.HasSuffix(c, ")") {
			out[i] = alias + "." + c
		}
	}
	return strings.Join(out, ", ")
}
