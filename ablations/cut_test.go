package ablations

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"intentlab/ablations/task"
)

func TestCutIsAnExactCeiling(t *testing.T) {
	for _, c := range []struct {
		total int
		ratio string
		want  int
	}{
		{1, "0.1", 1}, {1, "1", 1}, {10, "0.3", 3}, {10, "0.7", 7}, {5, "0.6", 3}, {100, "0.55", 55},
		{11, "0.1", 2}, {13, "0.4", 6}, {30, "0.1", 3}, {7, "0.001", 1}, {1000, "0.001", 1}, {1001, "0.001", 2}, {0, "0.5", 0},
	} {
		r, err := task.ParseRatio(c.ratio)
		if err != nil {
			t.Fatal(err)
		}
		if got := Cut(c.total, r); got != c.want {
			t.Errorf("Cut(%d, %s) = %d, want %d", c.total, c.ratio, got, c.want)
		}
	}
}

func TestPrefixesMarkRepeatedLengths(t *testing.T) {
	for total, want := range map[int]struct {
		k   []int
		dup int
	}{
		3: {[]int{1, 1, 1, 2, 2, 2, 3, 3, 3, 3}, 7},
		7: {[]int{1, 2, 3, 3, 4, 5, 5, 6, 7, 7}, 3},
	} {
		var k []int
		dup := 0
		for _, p := range Prefixes(total, task.Grid()) {
			k = append(k, p.K)
			if p.Duplicate {
				dup++
			}
		}
		if !slices.Equal(k, want.k) || dup != want.dup {
			t.Errorf("T = %d: k %v with %d duplicates, want %v with %d", total, k, dup, want.k, want.dup)
		}
		if n := len(Distinct(Prefixes(total, task.Grid()))); n != 10-want.dup {
			t.Errorf("T = %d: %d distinct prefixes, want %d", total, n, 10-want.dup)
		}
	}
}

func TestCutIsMonotoneAndWithinTheEpisode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 100_000).Draw(t, "total")
		r := task.Ratio(rapid.IntRange(1, 1000).Draw(t, "ratio"))
		k := Cut(total, r)
		// Exact: k is the least whole number with 1000·k ≥ r·total.
		if k < 1 || k > total || 1000*k < int(r)*total || 1000*(k-1) >= int(r)*total {
			t.Fatalf("Cut(%d, %s) = %d", total, r, k)
		}
		if r < 1000 && Cut(total, r+1) < k || Cut(total+1, r) < k {
			t.Fatalf("Cut(%d, %s) is not monotone", total, r)
		}
		if Cut(total, 1000) != total {
			t.Fatalf("the whole of %d steps is %d", total, Cut(total, 1000))
		}
	})
}

func TestCheckGridRefusesWhatDoesNotIncrease(t *testing.T) {
	if err := CheckGrid(task.Grid()); err != nil {
		t.Error(err)
	}
	for _, grid := range [][]task.Ratio{nil, {0}, {1001}, {100, 100}, {200, 100}} {
		if CheckGrid(grid) == nil {
			t.Errorf("grid %v was accepted", grid)
		}
	}
}

// shared finds the folder that holds specification and data, beside the module root.
func shared(t testing.TB) string {
	if dir := os.Getenv("INTENTLAB_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join(moduleRoot(t), "..", "shared")
}

func moduleRoot(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = up
	}
}

func vector(t *testing.T, id string, input, expect any) {
	t.Helper()
	file := filepath.Join(shared(t), "spec", "metrics-vectors.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("the specification's vectors are not here: %v", err)
	}
	var all struct {
		Vectors []struct {
			ID            string
			Input, Expect json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, v := range all.Vectors {
		if v.ID == id {
			if err := json.Unmarshal(v.Input, input); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(v.Expect, expect); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no vector %s in %s", id, file)
}

func TestVectorV01PrefixCounts(t *testing.T) {
	var in struct{ T []int }
	var want map[string]struct {
		K       []int
		Dup     []int
		NDup    int `json:"n_dup"`
		NUnique int `json:"n_unique"`
	}
	vector(t, "V01", &in, &want)
	if len(in.T) == 0 {
		t.Fatal("V01 is empty")
	}
	for _, total := range in.T {
		w := want[strconv.Itoa(total)]
		ps := Prefixes(total, task.Grid())
		for i, p := range ps {
			if p.K != w.K[i] || p.Duplicate != (w.Dup[i] == 1) {
				t.Errorf("T = %d, ratio %s: k %d, duplicate %v; want %d, %d", total, p.Ratio, p.K, p.Duplicate, w.K[i], w.Dup[i])
			}
		}
		if n := len(Distinct(ps)); n != w.NUnique || len(ps)-n != w.NDup {
			t.Errorf("T = %d: %d distinct prefixes, want %d", total, n, w.NUnique)
		}
	}
}

func TestVectorV02CeilingTrap(t *testing.T) {
	var in struct {
		Cases []struct {
			T     int
			I     int
			Ratio string
		}
	}
	var want struct {
		K []int `json:"integer_k"`
	}
	vector(t, "V02", &in, &want)
	if len(in.Cases) == 0 {
		t.Fatal("V02 is empty")
	}
	for i, c := range in.Cases {
		r := task.Ratio(100 * c.I)
		if c.Ratio != "" {
			var err error
			if r, err = task.ParseRatio(c.Ratio); err != nil {
				t.Fatal(err)
			}
		}
		if got := Cut(c.T, r); got != want.K[i] {
			t.Errorf("Cut(%d, %s) = %d, want %d", c.T, r, got, want.K[i])
		}
	}
}
