package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// ErrClosed is a write to a store that was closed.
var ErrClosed = errors.New("the store is closed")

// ErrLeaseLost is a write by a process that was silent for so long that another took the store over.
// Nothing is written, so that the two can't mix their rows.
var ErrLeaseLost = errors.New("another process has taken the store over")

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
	token string // of the lease, looked at in every transaction
	in    chan request
	done  chan struct{}
	stmts map[string]*sql.Stmt
	full  bool

	mu     sync.RWMutex // held for reading while a request is queued
	closed bool
}

const largestBatch = 256

func startWriter(db *sql.DB, token string) (*writer, error) {
	w := &writer{db: db, token: token, in: make(chan request, largestBatch), done: make(chan struct{}), stmts: map[string]*sql.Stmt{}}
	for _, q := range hot {
		s, err := db.Prepare(q)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("preparing %q: %w", q, err), w.closeStatements())
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
	err = w.fenced(x)
	for i := 0; err == nil && i < len(batch); i++ {
		err = batch[i].do(x)
	}
	if err != nil {
		// A full disk or an I/O error has rolled back by itself; then there is nothing left to undo,
		// and the first error is the one that says why.
		_ = t.Rollback()
		return err
	}
	return t.Commit()
}

// fenced refuses to write once another process holds the lease.
func (w *writer) fenced(x *tx) error {
	mine, err := x.id(holdsLease, w.token)
	if err == nil && mine == 0 {
		err = ErrLeaseLost
	}
	return err
}

// send queues a request unless the writer is closed or ctx ends first.
func (w *writer) send(ctx context.Context, r request) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return ErrClosed
	}
	select {
	case w.in <- r:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close carries out what is queued and ends the writer.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	close(w.in)
	<-w.done
	return w.closeStatements()
}

func (w *writer) closeStatements() error {
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
	if err := s.writer.send(ctx, r); err != nil {
		if errors.Is(err, ErrClosed) {
			return fmt.Errorf("writing to store %s: %w", s.path, err)
		}
		return err
	}
	if err := <-r.ack; err != nil {
		return fmt.Errorf("writing to store %s: %w", s.path, err)
	}
	return nil
}
