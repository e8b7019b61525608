package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
)

func TestAStoreOfTheFirstSchemaIsBroughtUpToDateWithItsRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	first, err := migrations.ReadFile("migrations/0001_store.sql")
	must(t, err)
	db, err := sql.Open("sqlite3", path)
	must(t, err)
	_, err = db.Exec(string(first) + fmt.Sprintf("; pragma application_id = %d; pragma user_version = 1; insert into run values (1, 'old', 'identity', 1, '{}');", applicationID))
	must(t, err)
	must(t, db.Close())
	if _, err := View(context.Background(), path); err == nil {
		t.Error("a viewer reads another schema without a word")
	}
	s, err := Open(context.Background(), path)
	must(t, err)
	defer s.Close()
	var name string
	must(t, s.read.QueryRow("select experiment from run where id = 1").Scan(&name))
	if name != "old" {
		t.Errorf("the run is now %q", name)
	}
}

func TestStatusShowsTheProgressOfTheProcessThatHoldsTheStore(t *testing.T) {
	s := fresh(t)
	ctx := context.Background()
	run, err := s.OpenRun(ctx, "e", "identity", []byte("{}"), false)
	must(t, err)
	_, err = s.Begin(ctx, run.ID, Invocation{})
	must(t, err)
	st, err := s.Status(ctx, run.ID)
	must(t, err)
	if st.Live != nil {
		t.Errorf("before the first heartbeat: %s", st.Live)
	}
	s.Live(func() ([]byte, error) { return []byte(`{"done":3}`), nil })
	must(t, s.put(ctx, false, func(t *tx) error { return s.lease.beat(t.exec) }))
	st, err = s.Status(ctx, run.ID)
	must(t, err)
	var got struct{ Done int }
	if json.Unmarshal(st.Live, &got) != nil || got.Done != 3 {
		t.Errorf("live: %s", st.Live)
	}
}
