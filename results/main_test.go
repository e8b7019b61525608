package results

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// actAs names the part that the test binary plays when a test starts it again as another process.
const actAs = "INTENTLAB_TEST_ACT_AS"

func TestMain(m *testing.M) {
	if part := os.Getenv(actAs); part != "" {
		os.Exit(act(part, os.Args[len(os.Args)-1]))
	}
	goleak.VerifyTestMain(m)
}

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fresh(t testing.TB) *Store { return open(t, filepath.Join(t.TempDir(), "s.db")) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// aRun is a store with one run of one cell and an identity, ready for Put.
func aRun(t testing.TB, s *Store, cells ...Cell) (Run, []Cell, int64) {
	t.Helper()
	ctx := context.Background()
	r, err := s.OpenRun(ctx, "e", "id", []byte(`{}`), false)
	must(t, err)
	if len(cells) == 0 {
		cells = []Cell{{Dataset: "d", Ablation: "a", Method: "m", Data: "data", Split: "split", State: CellPending, Tasks: 2}}
	}
	rows, err := s.PutCells(ctx, r.ID, cells)
	must(t, err)
	id, err := s.IdentityID(ctx, "hash", "{}")
	must(t, err)
	return r, rows, id
}

func count(t testing.TB, s *Store, query string, args ...any) int {
	t.Helper()
	var n int
	must(t, s.read.QueryRow(query, args...).Scan(&n))
	return n
}

func ptr[T any](x T) *T { return &x }
