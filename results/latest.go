package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// LatestOf returns the run of an experiment that was worked on last; several experiments may share a
// store. An experiment without a run gives an error that wraps [ErrNoRun].
func (s *Store) LatestOf(ctx context.Context, experiment string) (Run, error) {
	var r Run
	var declaration string
	err := s.read.QueryRowContext(ctx, `select r.id, r.experiment, r.identity, r.generation, r.declaration
		from invocation i join run r on r.id = i.run where r.experiment = ? order by i.id desc limit 1`, experiment).
		Scan(&r.ID, &r.Experiment, &r.Identity, &r.Generation, &declaration)
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, fmt.Errorf("%s holds no run of experiment %s: %w", s.path, experiment, ErrNoRun)
	}
	if err != nil {
		return Run{}, fmt.Errorf("reading store %s: %w", s.path, err)
	}
	r.Declaration = []byte(declaration)
	return r, nil
}
