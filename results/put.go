package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"
)

const (
	putPrediction = `insert into prediction (key, generation, identity, visible, state, for_good, closed_intent, confidence,
		predicted_intent, topk, error, detail, input_tokens, output_tokens, cost_usd, attempts)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (key, generation) do update set state = excluded.state, for_good = excluded.for_good,
		closed_intent = excluded.closed_intent, confidence = excluded.confidence, predicted_intent = excluded.predicted_intent,
		topk = excluded.topk, error = excluded.error, detail = excluded.detail, input_tokens = excluded.input_tokens,
		output_tokens = excluded.output_tokens, cost_usd = excluded.cost_usd, attempts = prediction.attempts + excluded.attempts
		where prediction.state = 'failed'`
	putTask     = `insert or replace into task (cell, task, prediction, state) values (?, ?, (select id from prediction where key = ? and generation = ?), ?)`
	putTaskBare = `insert or replace into task (cell, task, prediction, state) values (?, ?, null, ?)`
	putVerdict  = `insert into verdict (key, judge, gold, predicted, state, score, level, reason, raw, flags) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (key) do update set judge = excluded.judge, state = excluded.state, score = excluded.score, level = excluded.level,
		reason = excluded.reason, raw = excluded.raw, flags = excluded.flags where verdict.state <> 'scored'`
	putScore = `insert or replace into score (cell, task, judge, verdict, score, state) values (?, ?, ?, (select id from verdict where key = ?), ?, ?)`
)

var hot = []string{holdsLease, putPrediction, putTask, putTaskBare, putVerdict, putScore, putRatioScore}

// finite refuses numbers that no table can show: SQLite would turn NaN into null without a word.
func finite(xs ...*float64) error {
	for _, x := range xs {
		if x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0)) {
			return fmt.Errorf("the number %v can't be stored", *x)
		}
	}
	return nil
}

// Put stores one batch in one transaction; nil means committed. A prediction that was answered is
// never overwritten; a failed one is, and its attempts add up. A verdict with a score is never
// overwritten either, one without is. A number that is not finite is an error.
func (s *Store) Put(ctx context.Context, generation int, b Batch) error {
	for _, p := range b.Predictions {
		if err := finite(p.Confidence, &p.CostUSD); err != nil {
			return fmt.Errorf("prediction %s: %w", p.Key, err)
		}
	}
	for _, v := range b.Verdicts {
		if err := finite(v.Score); err != nil {
			return fmt.Errorf("verdict %s: %w", v.Key, err)
		}
	}
	for _, r := range b.Scores {
		if err := finite(r.Score); err != nil {
			return fmt.Errorf("score of %s: %w", r.Task, err)
		}
	}
	return s.put(ctx, b.Paid, func(t *tx) error {
		for _, p := range b.Predictions {
			attempts := max(p.Attempts, 1)
			if err := t.exec(putPrediction, p.Key, generation, p.Identity, p.Visible, p.State, p.ForGood, p.ClosedIntent, p.Confidence,
				p.PredictedIntent, p.TopK, p.Error, p.Detail, p.InputTokens, p.OutputTokens, p.CostUSD, attempts); err != nil {
				return fmt.Errorf("prediction %s: %w", p.Key, err)
			}
		}
		for _, r := range b.Tasks {
			var err error
			if r.Key == "" {
				err = t.exec(putTaskBare, b.Cell, r.Task, r.State)
			} else {
				err = t.exec(putTask, b.Cell, r.Task, r.Key, generation, r.State)
			}
			if err != nil {
				return fmt.Errorf("task %s: %w", r.Task, err)
			}
		}
		for _, v := range b.Verdicts {
			if err := t.exec(putVerdict, v.Key, v.Judge, v.Gold, v.Predicted, v.State, v.Score, v.Level, v.Reason, v.Raw, v.Flags); err != nil {
				return fmt.Errorf("verdict %s: %w", v.Key, err)
			}
		}
		for _, r := range b.Scores {
			if err := t.exec(putScore, b.Cell, r.Task, r.Judge, r.VerdictKey, r.Score, r.State); err != nil {
				return fmt.Errorf("score of %s: %w", r.Task, err)
			}
		}
		return nil
	})
}

// OpenRun finds or makes the run of an experiment with this identity. fresh starts a generation in
// which no earlier answer is reused; nothing is deleted. Other experiments of the store stay in
// theirs.
func (s *Store) OpenRun(ctx context.Context, experiment, identity string, declaration []byte, fresh bool) (Run, error) {
	r := Run{Experiment: experiment, Identity: identity, Declaration: declaration}
	err := s.put(ctx, false, func(t *tx) error {
		own, newest, err := generations(t.ctx, t.tx, experiment)
		if err != nil {
			return err
		}
		r.Generation = own
		if fresh && newest >= 0 {
			r.Generation = newest + 1
		}
		if err := t.exec(`insert into run (experiment, identity, generation, declaration) values (?, ?, ?, ?)
			on conflict do update set declaration = excluded.declaration`, experiment, identity, r.Generation, string(declaration)); err != nil {
			return err
		}
		r.ID, err = t.id("select id from run where experiment = ? and identity = ? and generation = ?", experiment, identity, r.Generation)
		return err
	})
	return r, err
}

// generations returns the generation that an experiment works in, and the newest of all, -1 when
// there is none. An experiment that is new to the store joins the newest.
func generations(ctx context.Context, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, experiment string) (own, newest int, err error) {
	var mine, all sql.NullInt64
	if err := q.QueryRowContext(ctx, "select max(generation) filter (where experiment = ?), max(generation) from run", experiment).Scan(&mine, &all); err != nil {
		return 0, 0, err
	}
	switch {
	case mine.Valid:
		return int(mine.Int64), int(all.Int64), nil
	case all.Valid:
		return int(all.Int64), int(all.Int64), nil
	}
	return 0, -1, nil
}

// Generation is the generation whose answers a plain run of the experiment reuses.
func (s *Store) Generation(ctx context.Context, experiment string) (int, error) {
	own, _, err := generations(ctx, s.read, experiment)
	if err != nil {
		return 0, fmt.Errorf("reading store %s: %w", s.path, err)
	}
	return own, nil
}

// Begin records that a program starts to work on a run.
func (s *Store) Begin(ctx context.Context, run int64, p Invocation) (int64, error) {
	var id int64
	err := s.put(ctx, false, func(t *tx) (err error) {
		id, err = t.id("insert into invocation (run, started_ms, version, git_commit, tool) values (?, ?, ?, ?, ?) returning id",
			run, time.Now().UnixMilli(), p.Version, p.GitCommit, p.Tool)
		return err
	})
	return id, err
}

// End records how an invocation ended.
func (s *Store) End(ctx context.Context, invocation int64, outcome string) error {
	return s.put(ctx, false, func(t *tx) error {
		return t.exec("update invocation set ended_ms = ?, outcome = ? where id = ?", time.Now().UnixMilli(), outcome, invocation)
	})
}

// Event notes something that a reader of the run may want to know. cell is 0 for none.
func (s *Store) Event(ctx context.Context, invocation int64, kind string, cell int64, text string) error {
	return s.put(ctx, false, func(t *tx) error {
		var c any
		if cell != 0 {
			c = cell
		}
		return t.exec("insert into event (invocation, at_ms, kind, cell, text) values (?, ?, ?, ?, ?)",
			invocation, time.Now().UnixMilli(), kind, c, text)
	})
}

// PutData stores the episodes and gold of a dataset fingerprint and the parts of a split, once each.
func (s *Store) PutData(ctx context.Context, data, split string, episodes []Episode, gold []Gold, parts []Part) error {
	return s.put(ctx, false, func(t *tx) error {
		known, err := hasGold(t, data, gold)
		if err != nil {
			return err
		}
		if !known {
			// A new ratio on known data adds its tasks to the old ones.
			g, err := t.tx.PrepareContext(ctx, `insert into gold (data, task, episode, cluster, ratio, steps, total_steps, duplicate,
				open_intent, closed_intent, label_space) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`)
			if err != nil {
				return err
			}
			for _, r := range gold {
				if _, err := g.ExecContext(ctx, data, r.Task, r.Episode, r.Cluster, r.Ratio, r.Steps, r.TotalSteps, r.Duplicate,
					r.OpenIntent, r.ClosedIntent, r.LabelSpace); err != nil {
					return fmt.Errorf("gold of %s: %w", r.Task, err)
				}
			}
			e, err := t.tx.PrepareContext(ctx, "insert into episode (data, episode, hash) values (?, ?, ?) on conflict do nothing")
			if err != nil {
				return err
			}
			for _, r := range episodes {
				if _, err := e.ExecContext(ctx, data, r.ID, r.Hash); err != nil {
					return fmt.Errorf("episode %s: %w", r.ID, err)
				}
			}
		}
		have, err := t.id("select exists (select 1 from part where split = ?)", split)
		if err != nil || have == 1 {
			return err
		}
		p, err := t.tx.PrepareContext(ctx, "insert into part (split, fold, episode, part) values (?, ?, ?, ?)")
		if err != nil {
			return err
		}
		for _, r := range parts {
			if _, err := p.ExecContext(ctx, split, r.Fold, r.Episode, r.Name); err != nil {
				return fmt.Errorf("part of episode %s: %w", r.Episode, err)
			}
		}
		return nil
	})
}

// hasGold reports whether the tasks of the first episode are all stored; gold is stored whole, so
// then all are.
func hasGold(t *tx, data string, gold []Gold) (bool, error) {
	for _, r := range gold {
		if r.Episode != gold[0].Episode {
			break
		}
		n, err := t.id("select exists (select 1 from gold where data = ? and task = ?)", data, r.Task)
		if err != nil || n == 0 {
			return false, err
		}
	}
	return len(gold) > 0, nil
}

// PutCells declares the cells of a run in order; cells that exist keep their state, except that a
// declared "n/a" or "excluded" always takes effect, and that a cell which no longer is either
// becomes pending again. It returns all with their ids and states.
func (s *Store) PutCells(ctx context.Context, run int64, cells []Cell) ([]Cell, error) {
	out := make([]Cell, len(cells))
	err := s.put(ctx, false, func(t *tx) error {
		q, err := t.tx.PrepareContext(ctx, `insert into cell (run, position, dataset, ablation, method, seed, fold, data, split, state, reason, tasks)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			on conflict (run, dataset, ablation, method, seed, fold) do update set position = excluded.position, tasks = excluded.tasks,
			state = case when excluded.state <> 'pending' then excluded.state when cell.state in ('n/a', 'excluded') then 'pending' else cell.state end,
			reason = case when excluded.state <> 'pending' then excluded.reason when cell.state in ('n/a', 'excluded') then '' else cell.reason end
			returning id, state, reason, for_good, fit, coalesce(identity, 0), duplicate_of`)
		if err != nil {
			return err
		}
		for i, c := range cells {
			c.Run, c.Position = run, i
			if err := q.QueryRowContext(ctx, run, i, c.Dataset, c.Ablation, c.Method, c.Seed, c.Fold, c.Data, c.Split, c.State, c.Reason, c.Tasks).
				Scan(&c.ID, &c.State, &c.Reason, &c.ForGood, &c.Fit, &c.Identity, &c.DuplicateOf); err != nil {
				return fmt.Errorf("cell %s/%s/%s: %w", c.Dataset, c.Ablation, c.Method, err)
			}
			out[i] = c
		}
		// A cell that is taken out has no numbers.
		return t.exec("delete from ratio_score where cell in (select id from cell where run = ? and state in ('n/a', 'excluded'))", run)
	})
	return out, err
}

// IdentityID stores the canonical inputs of answer keys once and returns their id.
func (s *Store) IdentityID(ctx context.Context, hash, inputs string) (int64, error) {
	return s.once(ctx, s.identities, hash, "insert into identity (hash, inputs) values (?, ?) on conflict (hash) do nothing",
		"select id from identity where hash = ?", hash, inputs)
}

// JudgeID stores a judge's fingerprint and its canonical inputs once and returns their id.
func (s *Store) JudgeID(ctx context.Context, fingerprint, identity string) (int64, error) {
	return s.once(ctx, s.judges, fingerprint, "insert into judge (fingerprint, identity) values (?, ?) on conflict (fingerprint) do nothing",
		"select id from judge where fingerprint = ?", fingerprint, identity)
}

func (s *Store) once(ctx context.Context, known map[string]int64, key, insert, find, a, b string) (int64, error) {
	s.mu.Lock()
	id, ok := known[key]
	s.mu.Unlock()
	if ok {
		return id, nil
	}
	err := s.put(ctx, false, func(t *tx) (err error) {
		if err := t.exec(insert, a, b); err != nil {
			return err
		}
		id, err = t.id(find, a)
		return err
	})
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	known[key] = id
	s.mu.Unlock()
	return id, nil
}

// SetCell records what a cell works with before its first task: the hash of its fit, the identity
// of its answers and the ablation whose variant it equals. It takes back the cell's per-ratio
// scores, which would be stale as soon as a task changes.
func (s *Store) SetCell(ctx context.Context, c Cell) error {
	return s.put(ctx, false, func(t *tx) error {
		var identity any
		if c.Identity != 0 {
			identity = c.Identity
		}
		if err := t.exec("delete from ratio_score where cell = ?", c.ID); err != nil {
			return err
		}
		return t.exec("update cell set state = ?, reason = ?, for_good = ?, fit = ?, identity = ?, duplicate_of = ? where id = ?",
			c.State, c.Reason, c.ForGood, c.Fit, identity, c.DuplicateOf, c.ID)
	})
}

// errNoFit is the absence of a stored fit.
var errNoFit = errors.New("no such fit")
