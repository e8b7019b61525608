// Package results is the store: one SQLite file that holds every answer, verdict and score of the
// runs of an experiment, and the queries over it. It is the evaluator's: it knows gold.
//
// The one rule: whatever a Put returns nil for is committed and survives SIGKILL, and every number
// can be recomputed from the rows.
package results

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"sync"

	sqlite3 "github.com/mattn/go-sqlite3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks our files for `file` and for ourselves: "intl".
const applicationID = 0x696e746c

// Store is an open store. Reading methods are safe for concurrent use; writing goes through one
// goroutine that commits in groups.
type Store struct {
	path   string
	write  *sql.DB
	read   *sql.DB
	writer *writer
	lease  *lease
	notice string

	mu         sync.Mutex
	identities map[string]int64
	judges     map[string]int64
	statements map[string]*sql.Stmt // of the readers, by text

	closing sync.Once
	closed  error // what Close returned
}

// Open opens a store for writing, creating it and its folder where needed, and takes the lease: a
// second process gets a *BusyError. Notice then says what the user should know (a stale lease taken
// over, a network file system).
func Open(ctx context.Context, path string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("creating the folder of store %s: %w", path, err)
	}
	// Looked at before it is opened for writing: setting the journal mode changes the file, and it may
	// be another program's.
	if err := inspect(ctx, path); err != nil {
		return nil, err
	}
	// The file is made here so that its mode is 0600 whatever the umask: it holds gold.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening store %s for writing: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("opening store %s: %w", path, err)
	}
	journal, notice := journalFor(path, onNetwork(path))
	// The busy time-out comes first: eight processes may open one file at once.
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_busy_timeout=5000&_journal_mode=" + journal +
		"&_synchronous=NORMAL&_txlock=immediate&_foreign_keys=on"
	write, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return nil, fmt.Errorf("opening store %s: %w", path, err)
	}
	write.SetMaxOpenConns(1)
	s := &Store{path: path, write: write, notice: notice, identities: map[string]int64{}, judges: map[string]int64{}, statements: map[string]*sql.Stmt{}}
	if err := s.start(ctx); err != nil {
		write.Close()
		return nil, err
	}
	return s, nil
}

// journalFor picks the journal mode and says why it is not the usual one.
func journalFor(path string, network bool) (mode, notice string) {
	if network {
		return "DELETE", fmt.Sprintf("%s lies on a network file system: using a rollback journal, which is slower; a local store is safer", path)
	}
	return "WAL", ""
}

func (s *Store) start(ctx context.Context) error {
	if err := migrate(ctx, s.write, s.path); err != nil {
		return err
	}
	l, err := acquire(ctx, s.write, s.path)
	if err != nil {
		return err
	}
	s.lease = l
	if l.notice != "" {
		if s.notice != "" {
			s.notice += "; "
		}
		s.notice += l.notice
	}
	read, err := openReader(s.path)
	if err != nil {
		return errors.Join(err, l.release(s.write))
	}
	s.read = read
	w, err := startWriter(s.write, l.token)
	if err != nil {
		return errors.Join(err, read.Close(), l.release(s.write))
	}
	s.writer = w
	l.start(func(ctx context.Context, q string, args ...any) error {
		return s.put(ctx, false, func(tx *tx) error { return tx.exec(q, args...) })
	})
	return nil
}

// View opens an existing store for reading only; it works while another process writes.
func View(ctx context.Context, path string) (*Store, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("opening store %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening store %s: it is not a file", path)
	}
	names, err := migrationNames()
	if err != nil {
		return nil, err
	}
	read, err := openReader(path)
	if err != nil {
		return nil, err
	}
	h, err := readHeader(ctx, read)
	switch {
	case err != nil:
		return nil, errors.Join(explainOpen(path, err), read.Close())
	case h.application != applicationID || h.version == 0:
		return nil, errors.Join(fmt.Errorf("%s is not a store of intentlab", path), read.Close())
	case h.version != len(names):
		return nil, errors.Join(fmt.Errorf("store %s has schema %d, this program reads %d: run the experiment once with this program, or read it with the one that wrote it", path, h.version, len(names)), read.Close())
	}
	return &Store{path: path, read: read, identities: map[string]int64{}, judges: map[string]int64{}, statements: map[string]*sql.Stmt{}}, nil
}

func openReader(path string) (*sql.DB, error) {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_busy_timeout=5000&_query_only=on"
	db, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return nil, fmt.Errorf("opening store %s: %w", path, err)
	}
	db.SetMaxOpenConns(4)
	return db, nil
}

// Live sets what the holder of the store shows of its progress, as JSON; it is asked with every
// heartbeat, and [Status] carries the last of it while the process lives.
func (s *Store) Live(show func() ([]byte, error)) { s.lease.live.Store(&show) }

// Path is the file.
func (s *Store) Path() string { return s.path }

// Notice is what the user should be told about the opening; empty mostly.
func (s *Store) Notice() string { return s.notice }

// Close finishes what was put, gives the lease back, folds the write-ahead log into the one file
// and closes it. Closing again does nothing and returns the same.
func (s *Store) Close() error {
	s.closing.Do(func() { s.closed = s.close() })
	return s.closed
}

func (s *Store) close() error {
	var errs []error
	if s.writer != nil {
		s.lease.stop()
		errs = append(errs, s.writer.close())
		errs = append(errs, s.lease.release(s.write))
	}
	s.mu.Lock()
	for _, st := range s.statements {
		errs = append(errs, st.Close())
	}
	s.mu.Unlock()
	if s.read != nil {
		errs = append(errs, s.read.Close())
	}
	if s.write != nil {
		if _, err := s.write.Exec("pragma wal_checkpoint(truncate)"); err != nil {
			errs = append(errs, fmt.Errorf("checkpointing store %s: %w", s.path, err))
		}
		errs = append(errs, s.write.Close())
	}
	return errors.Join(errs...)
}

func migrationNames() ([]string, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("listing migrations: %w", err)
	}
	sort.Strings(names)
	return names, nil
}

// header is what tells a store from other databases and its schema from other schemas.
type header struct{ version, application, tables int }

func readHeader(ctx context.Context, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (h header, err error) {
	for query, to := range map[string]*int{"pragma user_version": &h.version, "pragma application_id": &h.application, "select count(*) from sqlite_schema": &h.tables} {
		if err := q.QueryRowContext(ctx, query).Scan(to); err != nil {
			return h, err
		}
	}
	return h, nil
}

// check refuses what this program must not write to; an empty database is welcome.
func (h header) check(path string, known int) error {
	if (h.tables > 0 || h.application != 0) && h.application != applicationID {
		return fmt.Errorf("%s is a database of another program, not a store of intentlab", path)
	}
	if h.version > known {
		return fmt.Errorf("store %s has schema %d, this program knows %d: use the program that wrote it", path, h.version, known)
	}
	return nil
}

// inspect looks at a file before it is opened for writing. One that isn't there, or is empty, is new.
func inspect(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening store %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("opening store %s: it is not a file", path)
	}
	if info.Size() == 0 {
		return nil
	}
	names, err := migrationNames()
	if err != nil {
		return err
	}
	db, err := openReader(path)
	if err != nil {
		return err
	}
	h, err := readHeader(ctx, db)
	if err != nil {
		return errors.Join(explainOpen(path, err), db.Close())
	}
	return errors.Join(h.check(path, len(names)), db.Close())
}

// migrate brings the schema up to date in one transaction.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	names, err := migrationNames()
	if err != nil {
		return err
	}
	t, err := db.BeginTx(ctx, nil)
	if err != nil {
		return explainOpen(path, err)
	}
	defer t.Rollback()
	h, err := readHeader(ctx, t)
	if err != nil {
		return explainOpen(path, err)
	}
	if err := h.check(path, len(names)); err != nil {
		return err
	}
	have := h.version
	if have == len(names) {
		return nil
	}
	for _, n := range names[have:] {
		b, err := migrations.ReadFile(n)
		if err != nil {
			return fmt.Errorf("reading migration %s: %w", n, err)
		}
		if _, err := t.ExecContext(ctx, string(b)); err != nil {
			return fmt.Errorf("migrating store %s with %s: %w", path, n, err)
		}
	}
	if _, err := t.ExecContext(ctx, fmt.Sprintf("pragma application_id = %d; pragma user_version = %d", applicationID, len(names))); err != nil {
		return fmt.Errorf("migrating store %s: %w", path, err)
	}
	if err := t.Commit(); err != nil {
		return fmt.Errorf("migrating store %s: %w", path, err)
	}
	return nil
}

// explainOpen turns SQLite's own words into a sentence about the file.
func explainOpen(path string, err error) error {
	if e, ok := errors.AsType[sqlite3.Error](err); ok {
		switch e.Code {
		case sqlite3.ErrNotADB:
			return fmt.Errorf("%s is not a store of intentlab (it is no SQLite database)", path)
		case sqlite3.ErrReadonly, sqlite3.ErrCantOpen, sqlite3.ErrPerm:
			return fmt.Errorf("store %s can't be written: %w", path, err)
		}
	}
	return fmt.Errorf("opening store %s: %w", path, err)
}
