package results

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestASecondWriterIsToldWhoHasTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	open(t, path)
	_, err := Open(context.Background(), path)
	busy, ok := errors.AsType[*BusyError](err)
	if !ok || busy.PID != os.Getpid() || busy.Path != path {
		t.Fatalf("got %v, want a *BusyError of this process", err)
	}
}

// changeLease edits the row of a closed store's lease, as a process would have left it that died.
func leaveLease(t *testing.T, path, host string, m mark, pid int, silent time.Duration) {
	t.Helper()
	must(t, open(t, path).Close())
	db, err := sql.Open("sqlite3", "file:"+path)
	must(t, err)
	_, err = db.Exec("insert into lease (id, pid, host, boot, token, heartbeat_ms) values (1, ?, ?, ?, 'theirs', ?)", pid, host, m.String(), time.Now().Add(-silent).UnixMilli())
	must(t, err)
	must(t, db.Close())
}

// ended is the pid of a process that is no more.
func ended(t *testing.T) int {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^$")
	must(t, c.Run())
	return c.Process.Pid
}

func TestALeaseIsTakenOverOnlyFromAProcessThatIsGone(t *testing.T) {
	host, err := os.Hostname()
	must(t, err)
	me := thisProcess()
	if me.boot == "" || me.started == "" || me.namespace == "" {
		t.Skip("this system doesn't tell when a process started")
	}
	change := func(f func(*mark)) mark { m := me; f(&m); return m }
	for _, c := range []struct {
		name   string
		host   string
		mark   mark
		pid    int
		silent time.Duration
		busy   bool
	}{
		{"alive", host, me, os.Getpid(), 0, true},
		{"alive and silent, as one that is stopped", host, me, os.Getpid(), time.Hour, true},
		{"dead", host, me, ended(t), 0, false},
		{"another process with its pid", host, change(func(m *mark) { m.started = "1" }), os.Getpid(), 0, false},
		{"before the machine was started again", host, change(func(m *mark) { m.boot = "earlier" }), os.Getpid(), 0, false},
		{"in another container, beating", host, change(func(m *mark) { m.namespace = "pid:[1]" }), ended(t), 0, true},
		{"in another container, silent", host, change(func(m *mark) { m.namespace = "pid:[1]" }), os.Getpid(), stale + time.Second, false},
		{"on another host, beating", "elsewhere", me, ended(t), stale - 5*time.Second, true},
		{"on another host, silent", "elsewhere", me, os.Getpid(), stale + time.Second, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.db")
			leaveLease(t, path, c.host, c.mark, c.pid, c.silent)
			s, err := Open(context.Background(), path)
			if c.busy {
				if _, ok := errors.AsType[*BusyError](err); !ok {
					t.Fatalf("got %v, want a *BusyError", err)
				}
				return
			}
			must(t, err)
			defer s.Close()
			if !strings.Contains(s.Notice(), "took over the store from process") {
				t.Errorf("notice %q", s.Notice())
			}
		})
	}
}

func TestMarksSurviveTheirStoredForm(t *testing.T) {
	for _, m := range []mark{{}, {boot: "b"}, {"b", "pid:[4]", "77"}, {started: "1"}} {
		if got := parseMark(m.String()); got != m {
			t.Errorf("parseMark(%q) = %+v, want %+v", m.String(), got, m)
		}
	}
	if got := parseMark("only-a-boot-id"); got != (mark{boot: "only-a-boot-id"}) {
		t.Errorf("a lease of an earlier form: %+v", got)
	}
}

func TestAZombieIsNotAlive(t *testing.T) {
	c := exec.Command(os.Args[0], "-test.run=^$")
	must(t, c.Start())
	deadline := time.Now().Add(10 * time.Second)
	for {
		if _, running := processStart(c.Process.Pid); !running {
			break
		}
		if time.Now().After(deadline) {
			t.Error("a process that has ended and was not waited for counts as alive")
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	must(t, c.Wait())
}

// TestAWriterThatLostItsLeaseWritesNothing: a process that was stopped for a while must not mix its
// rows with those of the one that took over.
func TestAWriterThatLostItsLeaseWritesNothing(t *testing.T) {
	s := fresh(t)
	r, _, id := aRun(t, s)
	must(t, s.put(context.Background(), false, func(t *tx) error { return t.exec("update lease set token = 'another'") }))
	err := s.Put(context.Background(), r.Generation, Batch{Predictions: []Prediction{{Key: "k", Identity: id, State: PredictionAnswered}}})
	if !errors.Is(err, ErrLeaseLost) {
		t.Errorf("got %v, want ErrLeaseLost", err)
	}
	if n := count(t, s, "select count(*) from prediction"); n != 0 {
		t.Errorf("%d rows written after the lease was lost", n)
	}
	must(t, s.Close())
	db, err := sql.Open("sqlite3", "file:"+s.Path())
	must(t, err)
	defer db.Close()
	var n int
	must(t, db.QueryRow("select count(*) from lease where token = 'another'").Scan(&n))
	if n != 1 {
		t.Error("Close gave another's lease back")
	}
}
