package matrix

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExampleOfTheSpecificationLoadsWithoutAnyDiagnostic(t *testing.T) {
	e, src, diags := Load([]string{"testdata/example.hcl"}, testInputs())
	if len(diags) > 0 {
		t.Fatalf("diagnostics:\n%s", rendered(t, diags, src))
	}
	var ids []string
	for _, m := range e.Methods {
		ids = append(ids, m.Name+" "+m.ID)
	}
	want := []string{"majority majority", `knn["k1"] knn-k1`, `knn["k5"] knn-k5`, "wl_graph wl_graph", "mine mine", "gnn_elsewhere gnn_elsewhere", "zero_shot zero_shot"}
	if d := cmp.Diff(want, ids); d != "" {
		t.Errorf("methods (-want +got):\n%s", d)
	}
	if d := cmp.Diff(Baseline{Closed: "majority", Open: "knn-k1"}, e.Baseline); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"semantic", "rubric"}, e.MatrixJudges); d != "" {
		t.Error(d)
	}
	wantNot := []string{
		`method zero_shot: the kind "chat" is not built yet`,
		`judge rubric: the kind "rubric" is not built yet`,
		`budget: the limits of a run are not built yet`,
		`report paper: the format "latex" is not built yet`,
		`report paper: the format "html" is not built yet`,
	}
	if d := cmp.Diff(wantNot, e.NotBuilt); d != "" {
		t.Errorf("not built (-want +got):\n%s", d)
	}
	counts := map[CellState]int{}
	reasons := map[string]bool{}
	for _, c := range e.Cells() {
		counts[c.State]++
		if c.Reason != "" {
			reasons[c.Reason] = true
		}
	}
	t.Log(counts, sortedKeys(reasons))
	if strings.Contains(strings.Join(sortedKeys(reasons), "|"), "cost") == false {
		t.Error("the exclude's reason is missing")
	}
}
