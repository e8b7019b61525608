package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamesOfAForEachAreUnderstoodInEverySpelling(t *testing.T) {
	known := []named{{"knn-k1", `knn["k1"]`}, {"knn-k5", `knn["k5"]`}, {"majority", ""}}
	for given, want := range map[string][]string{
		"knn-k1": {"knn-k1"}, `knn["k5"]`: {"knn-k5"}, "knn[k5]": {"knn-k5"}, "knn": {"knn-k1", "knn-k5"}, "majority": {"majority"}, "knn-k2": nil, "knnn": nil,
	} {
		got, err := resolve("method", []string{given}, known)
		if d := cmp.Diff(want, got); d != "" || (err != nil) != (want == nil) {
			t.Errorf("%s gives %v, %v", given, got, err)
		}
	}
}

func TestListIsHeadedAndAlignedOnATerminal(t *testing.T) {
	var log bytes.Buffer
	dir := t.TempDir()
	e := processEnv()
	e.err = &log
	at := func(terminal bool, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		e.args, e.out, e.outTerminal = args, &out, terminal
		if status := run(t.Context(), e); status != 0 {
			t.Fatalf("%v: status %d: %s", args, status, log.String())
		}
		return out.String()
	}
	at(false, "init", dir)
	t.Chdir(dir)
	at(false, "run", "--no-tables", "--only", "method=majority,dataset=mind2web,ablation=full_context,fold=1")
	lines := strings.SplitN(at(true, "list", "--limit", "3"), "\n", 3)
	if !strings.HasPrefix(lines[0], "task ") || strings.Contains(lines[1], "\t") || strings.Index(lines[0], "wanted") < 1 {
		t.Errorf("%q", lines)
	}
	if plain := at(false, "list", "--limit", "3"); strings.HasPrefix(plain, "task") || strings.Count(plain, "\t") != 27 {
		t.Errorf("%q", plain)
	}
}
