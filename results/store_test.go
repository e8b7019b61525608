package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenCreatesFolderAndFileForTheOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "s.db")
	open(t, path)
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600: the store holds gold", info.Mode().Perm())
	}
}

func TestOpenTakesAnyFileName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a#b?c%20 d.db")
	must(t, open(t, path).Close())
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	v, err := View(context.Background(), path)
	must(t, err)
	must(t, v.Close())
}

func TestReopenKeepsRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	aRun(t, s)
	must(t, s.Close())
	s = open(t, path)
	runs, err := s.Runs(context.Background())
	must(t, err)
	if len(runs) != 1 || s.Notice() != "" {
		t.Errorf("%d runs, notice %q; want 1 run and no notice", len(runs), s.Notice())
	}
}

func TestEveryConnectionHasThePragmas(t *testing.T) {
	s := fresh(t)
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "1", "foreign_keys": "1", "busy_timeout": "5000", "query_only": "0",
		"application_id": fmt.Sprint(applicationID), "user_version": "2"} {
		var got string
		must(t, s.write.QueryRow("pragma "+pragma).Scan(&got))
		if got != want {
			t.Errorf("writer: %s = %s, want %s", pragma, got, want)
		}
	}
	// Several at once, so that they are different connections.
	for range 3 {
		c, err := s.read.Conn(context.Background())
		must(t, err)
		defer c.Close()
		for pragma, want := range map[string]string{"journal_mode": "wal", "busy_timeout": "5000", "query_only": "1"} {
			var got string
			must(t, c.QueryRowContext(context.Background(), "pragma "+pragma).Scan(&got))
			if got != want {
				t.Errorf("reader: %s = %s, want %s", pragma, got, want)
			}
		}
	}
}

func TestPaidAnswersCommitWithSynchronousFull(t *testing.T) {
	s := fresh(t)
	r, _, id := aRun(t, s)
	level := func() (n int) {
		must(t, s.put(context.Background(), s.writer.full, func(t *tx) error { return t.tx.QueryRow("pragma synchronous").Scan(&n) }))
		return n
	}
	p := []Prediction{{Key: "k", Identity: id, State: PredictionAnswered}}
	must(t, s.Put(context.Background(), r.Generation, Batch{Predictions: p, Paid: true}))
	if got := level(); got != 2 {
		t.Errorf("synchronous = %d after a paid answer, want 2 (full)", got)
	}
	must(t, s.Put(context.Background(), r.Generation, Batch{Predictions: p}))
	if got := level(); got != 1 {
		t.Errorf("synchronous = %d after a free answer, want 1 (normal)", got)
	}
}

func TestANetworkFileSystemGetsARollbackJournal(t *testing.T) {
	if mode, notice := journalFor("/x/s.db", true); mode != "DELETE" || !strings.Contains(notice, "/x/s.db lies on a network file system") {
		t.Errorf("mode %q, notice %q", mode, notice)
	}
	if mode, notice := journalFor("/x/s.db", false); mode != "WAL" || notice != "" {
		t.Errorf("mode %q, notice %q", mode, notice)
	}
}

func TestOtherFilesAreRefusedAndLeftAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.db")
	makeOther := func(path, statements string) {
		db, err := sql.Open("sqlite3", "file:"+path)
		must(t, err)
		_, err = db.Exec(statements)
		must(t, err)
		must(t, db.Close())
	}
	makeOther(other, "create table t (x); insert into t values (1)")
	versioned := filepath.Join(dir, "versioned.db")
	makeOther(versioned, "create table t (x); pragma user_version = 1")
	empty := filepath.Join(dir, "empty.db")
	makeOther(empty, "pragma application_id = 77")
	text := filepath.Join(dir, "text.db")
	must(t, os.WriteFile(text, []byte(strings.Repeat("not a database\n", 100)), 0o644))
	newer := filepath.Join(dir, "newer.db")
	must(t, open(t, newer).Close())
	makeOther(newer, "pragma user_version = 99")
	for path, want := range map[string]string{
		other: "database of another program", versioned: "database of another program", empty: "database of another program",
		text: "it is no SQLite database", newer: "schema 99, this program knows 2", dir: "is not a file",
	} {
		before, _ := os.ReadFile(path)
		s, err := Open(context.Background(), path)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s): %v, want an error with %q", filepath.Base(path), err, want)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("Open(%s) changed the file", filepath.Base(path))
		}
		if path == dir {
			continue
		}
		v, err := View(context.Background(), path)
		if err == nil {
			v.Close()
			t.Errorf("View(%s) took it for a store", filepath.Base(path))
		}
	}
	if _, err := View(context.Background(), filepath.Join(dir, "none.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("View of nothing: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); err == nil {
		t.Error("View made a file")
	}
}

func TestAFailedMigrationLeavesNothingBehind(t *testing.T) {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "s.db"))
	must(t, err)
	defer db.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := migrate(ctx, db, "s.db"); err == nil {
		t.Fatal("migrated under a dead context")
	}
	h, err := readHeader(context.Background(), db)
	must(t, err)
	if h != (header{}) {
		t.Errorf("header %+v, want an empty database", h)
	}
}

func TestViewReadsWhileAnotherWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	r, cells, id := aRun(t, s)
	v, err := View(context.Background(), path)
	must(t, err)
	defer v.Close()
	for i := range 50 {
		key := fmt.Sprintf("k%d", i)
		must(t, s.Put(context.Background(), r.Generation, Batch{Cell: cells[0].ID, Predictions: []Prediction{{Key: key, Identity: id, State: PredictionAnswered}},
			Tasks: []TaskRow{{Task: key, State: TaskAnswered, Key: key}}}))
		counts, err := v.TaskCounts(context.Background(), cells[0].ID)
		must(t, err)
		if counts[TaskAnswered] != i+1 {
			t.Fatalf("the viewer counts %d tasks after %d were acknowledged", counts[TaskAnswered], i+1)
		}
	}
	if err := v.Put(context.Background(), 0, Batch{}); err == nil || !strings.Contains(err.Error(), "reading only") {
		t.Errorf("writing through a viewer: %v", err)
	}
}

func TestCloseLeavesOneFileAndCanBeRepeated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	aRun(t, s)
	must(t, s.Close())
	must(t, s.Close())
	left, err := filepath.Glob(path + "*")
	must(t, err)
	if len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if err := s.Put(context.Background(), 0, Batch{}); !errors.Is(err, ErrClosed) {
		t.Errorf("Put after Close: %v, want ErrClosed", err)
	}
	db, err := sql.Open("sqlite3", "file:"+path)
	must(t, err)
	defer db.Close()
	var n int
	must(t, db.QueryRow("select count(*) from lease").Scan(&n))
	if n != 0 {
		t.Error("Close kept the lease")
	}
	var ok string
	must(t, db.QueryRow("pragma integrity_check").Scan(&ok))
	if ok != "ok" {
		t.Error(ok)
	}
}
