package matrix

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCellsStandInDeclaredOrderWithTheirReasons(t *testing.T) {
	e := mustLoad(t, testInputs(), `experiment "e" { seeds = [7, 3] }
dataset "a" {
  format = "episodes"
  path   = "a"
  split { folds = 3 }
}
dataset "b" {
  format = "episodes"
  path   = "b"
  split {
    train = 0
    dev   = 0
    test  = 1
  }
}
ablation "full_context" {}
ablation "visible_graph_only" {}
method "prior" { uses = "stratified_prior" }
method "wl" { uses = "wl_kernel" }
method "mine" {
  uses    = "command"
  command = ["prog"]
  seeds   = [9]
}
matrix {
  exclude {
    datasets = [dataset.a]
    methods  = [method.prior]
    seeds    = [3]
    reason   = "cost"
  }
  exclude { ablations = [ablation.visible_graph_only] }
}
`)
	var got []string
	for _, c := range e.Cells() {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %d %d %s %s", e.Datasets[c.Dataset].ID, e.Ablations[c.Ablation].ID, e.Methods[c.Method].ID, c.Seed, c.Fold, c.State, c.Reason)))
	}
	want := strings.Split(strings.TrimSpace(`
a full_context prior 7 1 run
a full_context prior 7 2 run
a full_context prior 7 3 run
a full_context prior 3 1 excluded cost
a full_context prior 3 2 excluded cost
a full_context prior 3 3 excluded cost
a full_context wl 7 1 n/a needs a graph; full_context has none
a full_context wl 7 2 n/a needs a graph; full_context has none
a full_context wl 7 3 n/a needs a graph; full_context has none
a full_context mine 9 1 run
a full_context mine 9 2 run
a full_context mine 9 3 run
a visible_graph_only prior 7 1 excluded excluded
a visible_graph_only prior 7 2 excluded excluded
a visible_graph_only prior 7 3 excluded excluded
a visible_graph_only prior 3 1 excluded cost
a visible_graph_only prior 3 2 excluded cost
a visible_graph_only prior 3 3 excluded cost
a visible_graph_only wl 7 1 excluded excluded
a visible_graph_only wl 7 2 excluded excluded
a visible_graph_only wl 7 3 excluded excluded
a visible_graph_only mine 9 1 excluded excluded
a visible_graph_only mine 9 2 excluded excluded
a visible_graph_only mine 9 3 excluded excluded
b full_context prior 7 0 n/a needs training data; b has none
b full_context prior 3 0 n/a needs training data; b has none
b full_context wl 7 0 n/a needs a graph; full_context has none
b full_context mine 9 0 run
b visible_graph_only prior 7 0 n/a needs training data; b has none
b visible_graph_only prior 3 0 n/a needs training data; b has none
b visible_graph_only wl 7 0 n/a needs training data; b has none
b visible_graph_only mine 9 0 excluded excluded
`), "\n")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestMethodThatDeclaresItselfDeterministicHasOneSeed(t *testing.T) {
	in := testInputs()
	k := in.Kinds.Methods["command"]
	k.Declares = func(any) (bool, bool, bool) { return true, true, false }
	in.Kinds.Methods["command"] = k
	e := mustLoad(t, in, strings.Replace(head, `"e" {}`, `"e" { seeds = [4, 5] }`, 1)+"method \"m\" {\n  uses    = \"command\"\n  command = [\"p\"]\n}\n")
	m := method(t, e, "m")
	if d := cmp.Diff([]int64{4}, m.Seeds); d != "" || !m.Kind.Deterministic || !m.Kind.UsesRatio || m.Kind.UsesLabels {
		t.Errorf("%s %+v", d, m.Kind)
	}
}

// declaration writes a random experiment of plain blocks, and how many points it has.
func declaration(t *rapid.T) (string, int) {
	var b strings.Builder
	nd, na := rapid.IntRange(1, 4).Draw(t, "datasets"), rapid.IntRange(1, 4).Draw(t, "ablations")
	nm, ns := rapid.IntRange(1, 4).Draw(t, "methods"), rapid.IntRange(1, 4).Draw(t, "seeds")
	seeds := make([]string, ns)
	for i := range seeds {
		seeds[i] = fmt.Sprint(i * 3)
	}
	fmt.Fprintf(&b, "experiment \"e\" { seeds = [%s] }\n", strings.Join(seeds, ", "))
	points := 0
	folds := 0
	for i := range nd {
		k := rapid.SampledFrom([]int{0, 3, 5}).Draw(t, "folds")
		folds += max(k, 1)
		fmt.Fprintf(&b, "dataset \"d%d\" {\n  format = \"episodes\"\n  path = \"d\"\n  split { folds = %d }\n}\n", i, k)
	}
	for i := range na {
		fmt.Fprintf(&b, "ablation \"a%d\" { text = [\"action\"] }\n", i)
	}
	runs := 0
	for i := range nm {
		kind := rapid.SampledFrom([]string{"majority", "stratified_prior"}).Draw(t, "kind")
		if kind == "majority" {
			runs++
		} else {
			runs += ns
		}
		fmt.Fprintf(&b, "method \"m%d\" { uses = %q }\n", i, kind)
	}
	points = folds * na * runs
	return b.String(), points
}

func TestExpansionIsAFunctionOfTheDeclarationAndCoversTheProduct(t *testing.T) {
	f := filepath.Join(t.TempDir(), "exp.hcl")
	rapid.Check(t, func(rt *rapid.T) {
		text, points := declaration(rt)
		if err := os.WriteFile(f, []byte(text), 0o600); err != nil {
			rt.Fatal(err)
		}
		a, src, diags := Load([]string{f}, testInputs())
		if len(diags) > 0 {
			rt.Fatal(rendered(t, diags, src))
		}
		b, _, _ := Load([]string{f}, testInputs())
		cells := a.Cells()
		if len(cells) != points {
			rt.Fatalf("%d cells, want %d", len(cells), points)
		}
		if !cmp.Equal(cells, b.Cells()) || a.ConfigHash() != b.ConfigHash() {
			rt.Fatal("two readings of one file differ")
		}
		seen := map[Cell]bool{}
		for _, c := range cells {
			c.State, c.Reason = "", ""
			if seen[c] {
				rt.Fatalf("the cell %+v stands twice", c)
			}
			seen[c] = true
		}
	})
}

// BenchmarkLoad500Cells parses, validates and expands 500 cells; the promise is 100 ms.
func BenchmarkLoad500Cells(b *testing.B) {
	var text strings.Builder
	text.WriteString("experiment \"e\" { seeds = [1, 2, 3, 4, 5] }\n")
	for i := range 5 {
		fmt.Fprintf(&text, "dataset \"d%d\" {\n  format = \"episodes\"\n  path   = \"d%d\"\n}\n", i, i)
	}
	for _, a := range []string{"full_context", "no_utterance", "actions_only", "visible_graph_only", "graph_text_hybrid"} {
		fmt.Fprintf(&text, "ablation %q {}\n", a)
	}
	for i := range 4 {
		fmt.Fprintf(&text, "method \"m%d\" {\n  uses    = \"command\"\n  command = [\"p\", \"%d\"]\n}\n", i, i)
	}
	f := filepath.Join(b.TempDir(), "exp.hcl")
	if err := os.WriteFile(f, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		e, _, diags := Load([]string{f}, testInputs())
		if len(diags) > 0 {
			b.Fatal(diags)
		}
		if n := len(e.Cells()); n != 500 {
			b.Fatalf("%d cells", n)
		}
	}
}
