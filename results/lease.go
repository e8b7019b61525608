package results

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// heartbeat is how often a holder shows that it lives. A lease that is silent for stale is taken
// over where its process can't be looked at (another host, another process namespace); where it can,
// the process itself is asked, by its pid and the moment it started.
const (
	heartbeat = 5 * time.Second
	stale     = 60 * time.Second
)

// BusyError says that another process writes to the store.
type BusyError struct {
	Path string
	PID  int
	Host string
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("store %s is in use by process %d on %s: wait for it, stop it, or look at it with `intentlab status %s`", e.Path, e.PID, e.Host, e.Path)
}

type lease struct {
	token  string
	notice string
	live   atomic.Pointer[func() ([]byte, error)]
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// holdsLease asks whether a token still holds the lease.
const holdsLease = "select exists (select 1 from lease where id = 1 and token = ?)"

func acquire(ctx context.Context, db *sql.DB, path string) (*lease, error) {
	host, me := thisHost(), thisProcess()
	l := &lease{token: rand.Text()}
	t, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, explainOpen(path, err)
	}
	defer t.Rollback()
	var pid int
	var h, other string
	var beat int64
	err = t.QueryRowContext(ctx, "select pid, host, boot, heartbeat_ms from lease where id = 1").Scan(&pid, &h, &other, &beat)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return nil, explainOpen(path, err)
	default:
		if !abandoned(host, me, h, parseMark(other), pid, time.Since(time.UnixMilli(beat))) {
			return nil, &BusyError{Path: path, PID: pid, Host: h}
		}
		l.notice = fmt.Sprintf("took over the store from process %d on %s, which ended without closing it", pid, h)
	}
	if _, err := t.ExecContext(ctx, "insert or replace into lease (id, pid, host, boot, token, heartbeat_ms) values (1, ?, ?, ?, ?, ?)",
		os.Getpid(), host, me.String(), l.token, time.Now().UnixMilli()); err != nil {
		return nil, explainOpen(path, err)
	}
	if err := t.Commit(); err != nil {
		return nil, explainOpen(path, err)
	}
	return l, nil
}

// start keeps the lease alive through the store's writer until stop.
func (l *lease) start(put func(ctx context.Context, q string, args ...any) error) {
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	l.done.Add(1)
	go func() {
		defer l.done.Done()
		tick := time.NewTicker(heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				// A heartbeat that fails is seen by the next Put of an answer, which fails the same way.
				_ = l.beat(func(q string, args ...any) error { return put(ctx, q, args...) })
			}
		}
	}()
}

// beat shows that the holder lives, and how far it is.
func (l *lease) beat(exec func(q string, args ...any) error) error {
	var live []byte
	if show := l.live.Load(); show != nil {
		var err error
		if live, err = (*show)(); err != nil {
			live = nil // figures for onlookers: without them, status counts the rows
		}
	}
	return exec("update lease set heartbeat_ms = ?, live = ? where token = ?", time.Now().UnixMilli(), string(live), l.token)
}

func (l *lease) stop() {
	l.cancel()
	l.done.Wait()
}

func (l *lease) release(db *sql.DB) error {
	if _, err := db.Exec("delete from lease where token = ?", l.token); err != nil {
		return fmt.Errorf("giving the store's lease back: %w", err)
	}
	return nil
}
