package results

import (
	"context"
	"fmt"

	"intentlab/results/metrics"
)

// MetricVersion is stored with every per-ratio record; it rises whenever a stored value of the same
// rows would come out differently.
const MetricVersion = 1

const putRatioScore = `insert into ratio_score (cell, part, measure, ratio, n, sum, value, metric_version) values (?, ?, ?, ?, ?, ?, ?, ?)`

// ratioKey is one per-ratio record of a cell.
type ratioKey struct {
	part, measure string
	ratio         int
}

type ratioSum struct {
	n   int
	sum float64
}

// FinishCell sets a cell's final state and records its per-ratio scores in the same transaction,
// computed from the rows (decisions.md, "Store": ratio_score). A failed cell gets none.
func (s *Store) FinishCell(ctx context.Context, cell Cell) error {
	return s.put(ctx, false, func(t *tx) error {
		if err := t.exec("update cell set state = ?, reason = ?, for_good = ? where id = ?", cell.State, cell.Reason, cell.ForGood, cell.ID); err != nil {
			return err
		}
		if err := t.exec("delete from ratio_score where cell = ?", cell.ID); err != nil {
			return err
		}
		if cell.State != CellDone {
			return nil
		}
		return recordRatios(t, cell)
	})
}

// recordRatios sums closed correctness and each judge's scores by part and ratio. Rows come in task
// order, so float sums are the same on every machine.
func recordRatios(t *tx, cell Cell) error {
	sums := map[ratioKey]*ratioSum{}
	var order []ratioKey
	add := func(k ratioKey, x float64) {
		r := sums[k]
		if r == nil {
			r = &ratioSum{}
			sums[k] = r
			order = append(order, k)
		}
		r.n++
		r.sum += x
	}
	rows, err := t.tx.QueryContext(t.ctx, `select p.part, g.ratio, g.closed_intent, t.state, coalesce(q.closed_intent, '')
		from task t join gold g on g.data = ? and g.task = t.task
		join part p on p.split = ? and p.fold = ? and p.episode = g.episode and p.part <> 'train'
		left join prediction q on q.id = t.prediction
		where t.cell = ? order by p.part, t.task`, cell.Data, cell.Split, cell.Fold, cell.ID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var part, gold, state, given string
		var ratio int
		if err := rows.Scan(&part, &ratio, &gold, &state, &given); err != nil {
			return err
		}
		if gold == "" || state == TaskNotAsked || state == TaskNotApplicable {
			continue
		}
		x := 0.0
		if state == TaskAnswered && metrics.NormalizeLabel(gold) == metrics.NormalizeLabel(given) {
			x = 1
		}
		add(ratioKey{part, "closed", ratio}, x)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	scores, err := t.tx.QueryContext(t.ctx, `select p.part, j.fingerprint, g.ratio, s.score
		from score s join gold g on g.data = ? and g.task = s.task
		join part p on p.split = ? and p.fold = ? and p.episode = g.episode and p.part <> 'train'
		join judge j on j.id = s.judge
		where s.cell = ? and s.score is not null order by p.part, j.fingerprint, s.task`, cell.Data, cell.Split, cell.Fold, cell.ID)
	if err != nil {
		return err
	}
	defer scores.Close()
	for scores.Next() {
		var part, judge string
		var ratio int
		var x float64
		if err := scores.Scan(&part, &judge, &ratio, &x); err != nil {
			return err
		}
		add(ratioKey{part, judge, ratio}, x)
	}
	if err := scores.Err(); err != nil {
		return err
	}
	for _, k := range order {
		r := sums[k]
		if err := t.exec(putRatioScore, cell.ID, k.part, k.measure, k.ratio, r.n, r.sum, r.sum/float64(r.n), MetricVersion); err != nil {
			return fmt.Errorf("per-ratio score: %w", err)
		}
	}
	return nil
}

// Recount rebuilds the per-ratio scores of all finished cells of a run from the rows and returns how
// many cells changed by it: 0 when the record was right.
func (s *Store) Recount(ctx context.Context, run int64) (cells, changed int, err error) {
	list, err := s.Cells(ctx, run)
	if err != nil {
		return 0, 0, err
	}
	for _, c := range list {
		if c.State != CellDone {
			continue
		}
		before, err := s.RatioScores(ctx, c.ID)
		if err != nil {
			return cells, changed, err
		}
		if err := s.FinishCell(ctx, c); err != nil {
			return cells, changed, err
		}
		after, err := s.RatioScores(ctx, c.ID)
		if err != nil {
			return cells, changed, err
		}
		cells++
		if fmt.Sprint(before) != fmt.Sprint(after) {
			changed++
		}
	}
	return cells, changed, nil
}
