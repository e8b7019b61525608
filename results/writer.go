package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// tx is a transaction with the writer's prepared statements.
type tx struct {
	ctx context.Context
	tx  *sql.Tx
	w   *writer
}

func (t *tx) stmt(q string) (*sql.Stmt, error) {
	s, ok := t.w.stmts[q]
	if !ok {
		// Prepared inside the transaction: the pool has one connection, which the transaction holds.
		p, err := t.tx.PrepareContext(t.ctx, q)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	return t.tx.StmtContext(t.ctx, s), nil
}

func (t *tx) exec(q string, args ...any) error {
	s, err := t.stmt(q)
	if err != nil {
		return err
	}
	_, err = s.ExecContext(t.ctx, args...)
	return err
}

// id runs a statement that returns one integer.
func (t *tx) id(q string, args ...any) (int64, error) {
	s, err := t.stmt(q)
	if err != nil {
		return 0, err
	}
	var id int64
	err = s.QueryRowContext(t.ctx, args...).Scan(&id)
	return id, err
}

type request struct {
	do   func(*tx) error
	full bool // survive a power cut: answers that were paid for
	ack  chan error
}

// writer is the only goroutine that writes. Idle it commits one request at once; loaded it batches
// by itself (libraries.md B3, "acknowledged group commit").
type writer struct {
	db    *sql.DB
	in    chan request
	done  chan struct{}
	stmts map[string]*sql.Stmt
	full  bool
}

const largestBatch = 256

func startWriter(db *sql.DB) (*writer, error) {
	w := &writer{db: db, in: make(chan request, largestBatch), done: make(chan struct{}), stmts: map[string]*sql.Stmt{}}
	for _, q := range hot {
		s, err := db.Prepare(q)
		if err != nil {
			return nil, fmt.Errorf("preparing %q: %w", q, err)
		}
		w.stmts[q] = s
	}
	go w.loop()
	return w, nil
}

func (w *writer) loop() {
	defer close(w.done)
	batch := make([]request, 0, largestBatch)
	for r := range w.in {
		batch = append(batch[:0], r)
	drain:
		for len(batch) < cap(batch) {
			select {
			case r, ok := <-w.in:
				if !ok {
					break drain
				}
				batch = append(batch, r)
			default:
				break drain
			}
		}
		if err := w.commit(batch); err == nil || len(batch) == 1 {
			for _, r := range batch {
				r.ack <- err
			}
			continue
		}
		// One bad request must not take the others down with it.
		for i := range batch {
			batch[i].ack <- w.commit(batch[i : i+1])
		}
	}
}

func (w *writer) commit(batch []request) error {
	full := false
	for _, r := range batch {
		full = full || r.full
	}
	if full != w.full {
		level := "normal"
		if full {
			level = "full"
		}
		if _, err := w.db.Exec("pragma synchronous = " + level); err != nil {
			return err
		}
		w.full = full
	}
	// Not the caller's context: a cancelled caller must not roll back the answers of others.
	ctx := context.Background()
	t, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	x := &tx{ctx: ctx, tx: t, w: w}
	for _, r := range batch {
		if err := r.do(x); err != nil {
			return errors.Join(err, t.Rollback())
		}
	}
	return t.Commit()
}

func (w *writer) close() error {
	close(w.in)
	<-w.done
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// put queues do and waits for its commit. Once queued it is carried out even if ctx ends.
func (s *Store) put(ctx context.Context, full bool, do func(*tx) error) error {
	if s.writer == nil {
		return fmt.Errorf("store %s is open for reading only", s.path)
	}
	r := request{do: do, full: full, ack: make(chan error, 1)}
	select {
	case s.writer.in <- r:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := <-r.ack; err != nil {
		return fmt.Errorf("writing to store %s: %w", s.path, err)
	}
	return nil
}
