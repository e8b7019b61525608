package tables

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// example has everything that bites: CJK, combining marks, emoji, pipes, repeated leading cells,
// groups, notes, ties at the printed precision, a ceiling, a missing number.
func example() *Table {
	t := &Table{Name: "main", Title: "Main results", Caption: "n = 120 tasks of 12 episodes in 7 clusters; seed 1",
		Columns: []Column{Label("Dataset"), Label("Method"), Number("closed.nauc", "nAUC", Higher), Number("closed.ttc.restricted_mean", "TTC", Lower),
			Number("open.nauc", "nAUC", Higher), {Name: "n", Title: "n", Align: Right}},
		Merge: 1, Footnotes: []string{"judge: semantic (uncalibrated)", "judge: semantic (uncalibrated)"}}
	for c, g := range []string{"", "", "closed", "closed", "open", ""} {
		t.Columns[c].Group = g
	}
	const withheld = "the judge scored 3 of 5 answers, 0.98 needed"
	t.Add("prior", Text("GUI_odyssey"), Text("majority"), Value(0.21249), Value(1.1), None(withheld), Int(120))
	t.Add("prior", Text("GUI_odyssey"), Text("次数最多 | 标签"), Value(0.21251), Value(1.05, "2 of 12 episodes pending", "mixed seeds"), Value(0.3), Int(120))
	t.Add("learned", Text("GUI_odyssey"), Text("naïve Bayes"), Value(0.5121), Value(0.71), Value(0.41, "mixed seeds"), Int(120))
	t.Add("learned", Text("GUI_odyssey"), Text("wl_kernel 🙂"), Value(0.5124), Value(0.705), None(withheld), Int(90))
	t.Add("learned", Text("weblinx"), Text("line\nbreak"), Value(-0.0001), Value(-0.25), Value(math.NaN()), Int(7))
	t.Rows = append(t.Rows, Row{Group: "oracle", Unranked: true, Cells: []Cell{Text("GUI_odyssey"), Text("oracle"), Value(1), Value(0.1), Value(1), Int(120)}})
	t.Mark()
	return t
}

func render(t *testing.T, f func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRenderersKeepTheirForm(t *testing.T) {
	x := example()
	for name, f := range map[string]func(io.Writer) error{
		"main.txt":  func(w io.Writer) error { return x.Text(w, Plain) },
		"main.ansi": func(w io.Writer) error { return x.Text(w, ANSI) },
		"main.md":   x.Markdown, "main.csv": x.CSV, "main.json": x.JSON,
	} {
		got := render(t, f)
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs; run with -update and look at the difference:\n%s", path, got)
		}
	}
}

func TestTextColumnsLineUp(t *testing.T) {
	lines := strings.Split(render(t, func(w io.Writer) error { return example().Text(w, Plain) }), "\n")
	rules := 0
	for _, l := range lines {
		if strings.HasPrefix(l, "─") {
			rules++
		}
	}
	if rules != 3 {
		t.Errorf("%d rules, want three", rules)
	}
	// The decimal points of the first number column stand below each other, whatever stands left.
	at := map[int]bool{}
	for _, l := range lines {
		if i := strings.IndexByte(l, '.'); i > 0 && strings.Contains(l, "120") && !strings.HasPrefix(l, "n =") {
			at[twwidth.Width(l[:i])] = true
		}
	}
	if len(at) != 1 {
		t.Errorf("decimal points at %v", at)
	}
}

func TestTextDoesNotDependOnTheEnvironment(t *testing.T) {
	if twwidth.Width("±—") != 2 {
		t.Error("signs of ambiguous width count as two cells")
	}
}

func TestZeroTablePrintsNothing(t *testing.T) {
	var x Table
	for name, f := range map[string]func(io.Writer) error{"text": func(w io.Writer) error { return x.Text(w, Plain) }, "markdown": x.Markdown, "csv": x.CSV} {
		if got := render(t, f); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	var out struct{ Columns, Rows []any }
	if err := json.Unmarshal([]byte(render(t, x.JSON)), &out); err != nil || out.Columns == nil || out.Rows == nil {
		t.Errorf("json: %v %+v", err, out)
	}
	heads := Table{Columns: []Column{Label("Method")}}
	if got := render(t, func(w io.Writer) error { return heads.Text(w, Plain) }); !strings.Contains(got, "Method") {
		t.Errorf("a table without rows lost its head: %q", got)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorsAreReturned(t *testing.T) {
	x := example()
	for name, f := range map[string]func(io.Writer) error{"text": func(w io.Writer) error { return x.Text(w, Plain) }, "markdown": x.Markdown, "csv": x.CSV, "json": x.JSON} {
		if err := f(broken{}); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMarksGoByValueAndIncludePrintedTies(t *testing.T) {
	x := &Table{Columns: []Column{Number("a", "a", Higher), Number("b", "b", Lower), Number("c", "c", "")}}
	for _, v := range []float64{0.5121, 0.5124, 0.4, 0.4004, 0.1} {
		x.Add("", Value(v), Value(v), Value(v))
	}
	x.Rows = append(x.Rows, Row{Unranked: true, Cells: []Cell{Value(1), Value(0), Value(1)}})
	x.Mark()
	marks := func(c int) string {
		s := ""
		for _, r := range x.Rows {
			s += map[[2]bool]string{{true, false}: "1", {false, true}: "2", {}: "."}[[2]bool{r.Cells[c].Best, r.Cells[c].Second}]
		}
		return s
	}
	if a, b, c := marks(0), marks(1), marks(2); a != "1122.." || b != "..221." || c != "......" {
		t.Errorf("marks %s %s %s", a, b, c)
	}
}

func TestMarksAreSetWithinTheGivenColumns(t *testing.T) {
	x := &Table{Columns: []Column{Label("d"), Number("a", "a", Higher)}}
	x.Add("", Text("x"), Value(0.2))
	x.Add("", Text("y"), Value(0.9))
	x.Add("", Text("x"), Value(0.3))
	x.Add("", Text("y"), None("pending"))
	x.Mark(0)
	if !x.Rows[2].Cells[1].Best || x.Rows[1].Cells[1].Best || x.Rows[0].Cells[1].Second {
		t.Error("wrong marks: a single value has no rank, the lower of two is no second best")
	}
}

func TestNotesArePrintedOnceInReadingOrder(t *testing.T) {
	text := render(t, func(w io.Writer) error { return example().Text(w, Plain) })
	for _, s := range []string{"¹ the judge scored 3 of 5", "² 2 of 12 episodes pending", "³ mixed seeds", "⁴ not a finite number", "judge: semantic"} {
		if strings.Count(text, s) != 1 {
			t.Errorf("%q stands %d times", s, strings.Count(text, s))
		}
	}
	if !strings.Contains(text, "1.050² ³") || strings.Contains(text, "NaN") {
		t.Errorf("marks are wrong:\n%s", text)
	}
}

func TestMarkdownKeepsEveryCellInItsPlace(t *testing.T) {
	bars := strings.NewReplacer("\\|", "")
	n := 0
	for _, l := range strings.Split(render(t, example().Markdown), "\n") {
		if strings.HasPrefix(l, "|") {
			n++
			if got := strings.Count(bars.Replace(l), "|"); got != 7 {
				t.Errorf("%d bars in %q", got, l)
			}
		}
	}
	if n != 8 {
		t.Errorf("%d lines, want head, rule and six rows", n)
	}
}

func TestCSVReadsBackUnrounded(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(render(t, example().CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if rows[0][2] != "closed/closed.nauc" || rows[1][2] != "0.21249" || rows[1][4] != "" || rows[2][1] != "次数最多 | 标签" {
		t.Errorf("rows: %q", rows)
	}
	if want := "open.nauc: the judge scored 3 of 5 answers, 0.98 needed"; rows[1][6] != want {
		t.Errorf("notes %q, want %q", rows[1][6], want)
	}
	if rows[4][0] != "GUI_odyssey" {
		t.Error("a repeated cell was left out of the csv")
	}
}

func TestFormatValue(t *testing.T) {
	for _, c := range []struct {
		x    float64
		d    int
		want string
	}{{0.12345, 3, "0.123"}, {-0.5, 2, "−0.50"}, {-0.0001, 3, "0.000"}, {1, 0, "1"}, {-3, 0, "−3"}} {
		if got := FormatValue(c.x, c.d); got != c.want {
			t.Errorf("FormatValue(%v, %d) = %q, want %q", c.x, c.d, got, c.want)
		}
	}
}

func TestControlCharactersNeverReachTheTerminal(t *testing.T) {
	x := &Table{Columns: []Column{Label("a")}}
	x.Add("", Text("evil\x1b[2Jtext\u009b"))
	if got := render(t, func(w io.Writer) error { return x.Text(w, ANSI) }); strings.ContainsAny(got, "\x1b\u009b") {
		t.Errorf("%q", got)
	}
}

func BenchmarkText10000Rows(b *testing.B) {
	x := &Table{Columns: []Column{Label("m"), Number("a", "a", Higher)}}
	for i := range 10000 {
		x.Add("", Text("method"), Value(float64(i)/10000))
	}
	for b.Loop() {
		if err := x.Text(io.Discard, Plain); err != nil {
			b.Fatal(err)
		}
	}
}
