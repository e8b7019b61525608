package trajectory

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/task"
)

func action(i int, op, element, value string) task.Step {
	s := actionStep(op, element, value)
	s.Index = i
	return s
}

func TestMind2WebJoinsActionsWithTheirRepresentations(t *testing.T) {
	episodes, skips := mustCollect(t, Source{Format: "mind2web", Path: "testdata/mind2web"})
	if d := cmp.Diff([]string{"fixture-1", "fixture-2", "fixture-3"}, ids(episodes)); d != "" {
		t.Fatalf("episodes (-want +got):\n%s", d)
	}
	const file = "test_domain/test_domain_0.json: record "
	if d := cmp.Diff([]string{"duplicate " + file + "4", "no_steps " + file + "3"}, skipText("testdata/mind2web", skips)); d != "" {
		t.Errorf("skips (-want +got):\n%s", d)
	}
	want := []task.Step{
		action(0, "click", "[svg] icon", ""), // the original target wins over the top-level one and the first
		action(1, "type", "[input] Where to", "Oslo"),
		action(2, "hover", "[span] Menu", ""),
		action(3, "click", "[a] £ deals", ""),
	}
	if d := cmp.Diff(want, episodes[0].Steps); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
	if want := "Book a flight to Oslo on Mar 30, 202\n3"; episodes[0].OpenIntent != want || episodes[0].ClosedIntent != "Travel" {
		t.Errorf("intents %q, %q", episodes[0].OpenIntent, episodes[0].ClosedIntent)
	}
	if d := cmp.Diff([]string{"test_domain"}, episodes[0].Lists); d != "" || episodes[0].ClusterID != "fixtureair" {
		t.Errorf("cluster %q, lists (-want +got):\n%s", episodes[0].ClusterID, d)
	}
	// Different numbers: action_reprs alone. A blank label is no label.
	if d := cmp.Diff([]task.Step{action(0, "click", "[a] One", ""), action(1, "select", "[b] Two", "x -> y")}, episodes[1].Steps); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"action_count_mismatch"}, episodes[1].Flags); d != "" || episodes[1].ClosedIntent != "" {
		t.Errorf("closed %q, flags (-want +got):\n%s", episodes[1].ClosedIntent, d)
	}
	// Without action_reprs the actions alone; without a website the episode is its own cluster.
	if d := cmp.Diff([]task.Step{action(0, "enter", "[button] Send", "")}, episodes[2].Steps); d != "" || episodes[2].ClusterID != "fixture-3" || episodes[2].Groups != nil {
		t.Errorf("cluster %q, steps (-want +got):\n%s", episodes[2].ClusterID, d)
	}
}

func TestActionReprForms(t *testing.T) {
	for in, want := range map[string]actionRepr{
		"[svg]   -> CLICK": {role: "svg", op: "click"},
		"[combobox]  Reservation type -> SELECT: Dine-in":  {"combobox", "  Reservation type", "select", "Dine-in"},
		"[searchbox]  Find a location -> TYPE: Boston, NY": {"searchbox", "  Find a location", "type", "Boston, NY"},
		"[a]  x -> y -> HOVER":                             {role: "a", text: "  x -> y", op: "hover"},
		"[textbox]  Note -> TYPE: a -> b\nc":               {"textbox", "  Note", "type", "a -> b\nc"},
		"text -> CLICK":                                    {text: "text", op: "click"},
	} {
		got, ok := parseRepr(in)
		if d := cmp.Diff(want, got, cmp.AllowUnexported(actionRepr{})); !ok || d != "" {
			t.Errorf("parseRepr(%q) (-want +got):\n%s", in, d)
		}
	}
	s := webStep("no known form", webAction{})
	if s.Op != "action" || !strings.Contains(s.Action, "no known form") {
		t.Errorf("an unknown form reads as %+v", s)
	}
}

func TestMind2WebYieldsTheTasksBeforeTheDamageAndThenTheError(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "train_0.json"), `[{"annotation_id":"a","action_reprs":["[a]  x -> CLICK"]},{"annotation_id":"b","action_reprs":["[a]  x -> CLICK"],"actions":[{"raw_html":"<a`)
	episodes, _, err := collect(Source{Format: "mind2web", Path: dir})
	if len(episodes) != 1 || err == nil || !strings.Contains(err.Error(), "train_0.json: byte 140: broken JSON: the file ends in the middle of a value") {
		t.Errorf("%d episodes, error %v", len(episodes), err)
	}
	for text, want := range map[string]string{
		`[{"annotation_id":"a","action_reprs":["x"]}] [`:         "broken JSON",
		`[{"annotation_id":"a","action_reprs":["x"]}, {"a":1}]`:  "record 1: not a task",
		`[{"annotation_id":"a","action_reprs":["x"], "q":"\z"}]`: "byte 50: broken JSON",
		"<!DOCTYPE html>": "byte 0: broken JSON: unexpected '<'",
		`[{"annotation_id":"a","action_reprs":["x"], "q":` + strings.Repeat("[", 20000) + `}]`:                         "broken JSON",
		`[{"annotation_id":"a","action_reprs":["x"]},{"annotation_id":"a","action_reprs":["y"]}]`:                      `episode id "a" stands for two different records`,
		`[{"annotation_id":"a","action_reprs":["x"]},{"annotation_id":"a","confirmed_task":"z","action_reprs":["x"]}]`: "record 0 and",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "f.json"), text)
		_, _, err := collect(Source{Format: "mind2web", Path: dir})
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 500 {
			t.Errorf("%.60q: error %.600v, want %q", text, err, want)
		}
	}
}

func TestMind2WebSurvivesOddText(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "test_website_0.json"), "\xef\xbb\xbf"+`[ {"confirmed_task":"a`+"\xff"+`b\ud800 c","action_reprs":["[a]  first -> CLICK"], "new":{"x":[null]},
		"domain":null,"website":{},"action_reprs":["[a]  last -> CLICK"],"annotation_id":"00042","actions":null} ]`)
	episodes, _ := mustCollect(t, Source{Format: "mind2web", Path: dir})
	e := episodes[0]
	if e.ID != "00042" || e.OpenIntent != "a\uFFFDb\uFFFD c" || e.Steps[0].Element != "[a] last" || e.ClosedIntent != "" {
		t.Errorf("%+v", e)
	}
	if d := cmp.Diff([]string{"test_website"}, e.Lists); d != "" {
		t.Errorf("lists (-want +got):\n%s", d)
	}
}

func TestFilesAreReadInNaturalOrder(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{10, 2, 0, 1} {
		write(t, filepath.Join(dir, "train", fmt.Sprintf("train_%d.json", n)), fmt.Sprintf(`[{"annotation_id":"t%d","action_reprs":["x"]}]`, n))
	}
	write(t, filepath.Join(dir, "truth.jsonl"), "{}")
	write(t, filepath.Join(dir, "empty.json"), "[]")
	episodes, skips := mustCollect(t, Source{Format: "mind2web", Path: dir})
	if d := cmp.Diff([]string{"t0", "t1", "t2", "t10"}, ids(episodes)); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"not_of_this_format truth.jsonl"}, skipText(dir, skips)); d != "" {
		t.Errorf("skips (-want +got):\n%s", d)
	}
}

func TestMTMind2WebMakesTurnsIntoEpisodesWithContext(t *testing.T) {
	episodes, skips := mustCollect(t, Source{Format: "mt_mind2web", Path: "testdata/mt_mind2web", Visibility: AsPublished})
	if d := cmp.Diff([]string{"fixture%2Fconv%3A1%230", "fixture%2Fconv%3A1%232", "fixture-conv-2%230"}, ids(episodes)); d != "" {
		t.Fatalf("episodes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"no_steps train/train_0.json: record 0, turn 1"}, skipText("testdata/mt_mind2web", skips)); d != "" {
		t.Errorf("skips (-want +got):\n%s", d)
	}
	wantContext := []task.Step{
		{Index: 0, Kind: "utterance", Speaker: "instructor", Utterance: "Find flights to Oslo"},
		action(1, "type", "[searchbox] Where to", "Oslo"), action(2, "click", "[button] Search", ""),
		{Index: 3, Kind: "utterance", Speaker: "instructor", Utterance: "Never mind, say nothing"},
	}
	e := episodes[1]
	if d := cmp.Diff(wantContext, e.ContextSteps); d != "" {
		t.Errorf("context (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]task.Step{action(0, "click", "[a] Cheapest", "")}, e.Steps); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
	if e.OpenIntent != "Pick the cheapest one" || e.ClosedIntent != "Travel" || e.ClusterID != "fixture/conv:1" || e.Metadata["website"] != "fixtureair" {
		t.Errorf("%+v", e)
	}
	if d := cmp.Diff(map[string]string{"conversation": "fixture/conv:1", "website": "fixtureair"}, e.Groups); d != "" {
		t.Errorf("groups (-want +got):\n%s", d)
	}
	if len(episodes[0].ContextSteps) != 0 || len(episodes[0].Steps) != 2 || episodes[0].Lists[0] != "train" {
		t.Errorf("first turn: %+v", episodes[0])
	}
}

func fuzzFormat(f *testing.F, read func(in *input, out output) error) {
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := newInput(context.Background(), "f", strings.NewReader(string(b)), maxBuffer)
		if err != nil {
			return
		}
		g := gate{src: Source{Name: "d", Format: "x"}, seen: map[string]record{}, reasons: map[string]int{}, yield: func(e Episode, err error) bool {
			if e.ID == "" || strings.ContainsAny(e.ID, ":/#") || len(e.Steps) == 0 || e.ClusterID == "" {
				t.Errorf("bad episode %+v", e)
			}
			for i, s := range e.Steps {
				if s.Index != i || !utf8.ValidString(s.Action+s.Element+s.Value+s.Utterance) || utf8.RuneCountInString(s.Action) > MaxAction {
					t.Errorf("bad step %+v", s)
				}
			}
			if !utf8.ValidString(e.OpenIntent + e.ClosedIntent) {
				t.Errorf("invalid UTF-8 in the intents of %+v", e)
			}
			return true
		}}
		err = read(in, g.output(context.Background()))
		if err != nil && len(err.Error()) > 10_000+len(b) {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	})
}

func FuzzReadMind2Web(f *testing.F) {
	for _, path := range []string{"testdata/mind2web/test_domain/test_domain_0.json", "testdata/mt_mind2web/train/train_0.json"} {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`[{"annotation_id":"a","actions":[{"operation":"{\"op\":\"CLICK\"}","pos_candidates":[null,{"attributes":"\""}]}]}]`))
	fuzzFormat(f, func(in *input, out output) error { return readMind2Web(in, Safe, nil, out) })
}

func FuzzReadMTMind2Web(f *testing.F) {
	b, err := os.ReadFile("testdata/mt_mind2web/train/train_0.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`[{"task_id":"a","turns":[{},null,{"confirmed_task":1,"action_reprs":["x"]}]}]`))
	fuzzFormat(f, func(in *input, out output) error { return readMTMind2Web(in, AsPublished, nil, out) })
}

func TestMind2WebHoldsNeitherHTMLNorCandidates(t *testing.T) {
	dir := t.TempDir()
	size := writeBigMind2Web(t, filepath.Join(dir, "train_0.json"), 1, 30)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	episodes, _ := mustCollect(t, Source{Format: "mind2web", Path: dir})
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; countSteps(episodes) != 30 || size < 10<<20 || n > 2<<20 {
		t.Errorf("reading %d steps in %d bytes allocated %d bytes", countSteps(episodes), size, n)
	}
}

// BenchmarkMind2WebStreaming reads a file of the real proportions: nearly all of it HTML and negative
// candidates. Memory must not grow with the file.
func BenchmarkMind2WebStreaming(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "train_0.json")
	size := writeBigMind2Web(b, path, 8, 7)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for e, err := range Read(context.Background(), Source{Name: "d", Format: "mind2web", Path: dir}, nil) {
			if err != nil {
				b.Fatal(err)
			}
			n += len(e.Steps)
		}
		if n != 8*7 {
			b.Fatalf("%d steps", n)
		}
	}
}

// writeBigMind2Web writes tasks of about 4 MB each and returns the size of the file.
func writeBigMind2Web(b testing.TB, path string, tasks, actions int) int64 {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	html := strings.Repeat(`<div class=\"a-b\" id=\"x1\">some text \u00e9\n<\/div>`, 8000)
	negative := strings.Repeat(`{"tag":"div","attributes":"{\"backend_node_id\": \"36870\", \"class\": \"c\"}","backend_node_id":"36870"},`, 600)
	fmt.Fprint(w, "[")
	for i := range tasks {
		if i > 0 {
			fmt.Fprint(w, ", ")
		}
		reprs := strings.TrimSuffix(strings.Repeat(`"[button]  Search -> CLICK",`, actions), ",")
		fmt.Fprintf(w, `{"annotation_id":"task-%d","website":"w","domain":"Travel","confirmed_task":"Do it","action_reprs":[%s],"actions":[`, i, reprs)
		for a := range actions {
			if a > 0 {
				fmt.Fprint(w, ", ")
			}
			fmt.Fprintf(w, `{"raw_html":"%s","cleaned_html":"%s","operation":{"op":"CLICK","value":""},"pos_candidates":[{"tag":"button","attributes":"{\"title\": \"t\"}","is_original_target":true}],"neg_candidates":[%s{}]}`, html, html[:len(html)/2/54*54], negative)
		}
		fmt.Fprint(w, "]}")
	}
	fmt.Fprint(w, "]")
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return info.Size()
}
