package trajectory

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/task"
)

func multimodalRow(id, index, repr string) string {
	return fmt.Sprintf(`{"action_uid":"u","raw_html":"<html>","cleaned_html":"<html>","operation":"{\"original_op\": \"HOVER\", \"value\": \"\", \"op\": \"CLICK\"}","pos_candidates":["{\"tag\": \"button\", \"attributes\": \"{\\\"title\\\": \\\"Go\\\"}\", \"is_original_target\": true}","{broken"],"neg_candidates":["{}"],"website":"fixtureair","domain":"Travel","subdomain":"Airlines","annotation_id":%q,"confirmed_task":"Book it","screenshot":null,"action_reprs":["a","b"],"target_action_index":%q,"target_action_reprs":%q}`+"\n", id, index, repr)
}

func TestMultimodalMind2WebRowsAreGroupedAndOrderedByNumber(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "test_task/rows-0.jsonl"), multimodalRow("a", "10", "[button]  Ten -> CLICK")+multimodalRow("b", "1", "[svg]   -> CLICK")+multimodalRow("a", "9", "[button]  Nine -> CLICK"))
	write(t, filepath.Join(dir, "test_task/rows-1.jsonl"), multimodalRow("a", "0", "[button]  Zero -> CLICK"))
	episodes, skips := mustCollect(t, Source{Format: "mind2web", Path: dir})
	if d := cmp.Diff([]string{"a", "b"}, ids(episodes)); d != "" || len(skips) != 0 {
		t.Fatalf("skips %v; episodes (-want +got):\n%s", skips, d)
	}
	a := episodes[0]
	want := []task.Step{action(0, "hover", "[button] Zero", ""), action(1, "hover", "[button] Nine", ""), action(2, "hover", "[button] Ten", "")}
	if d := cmp.Diff(want, a.Steps); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
	if a.OpenIntent != "Book it" || a.ClosedIntent != "Travel" || a.ClusterID != "fixtureair" || strings.Join(a.Lists, " ") != "test_task" || strings.Join(a.Flags, " ") != "action_gaps" {
		t.Errorf("%+v", a)
	}
	if d := cmp.Diff(map[string]string{"platform": "web"}, a.Metadata); d != "" {
		t.Errorf("metadata (-want +got):\n%s", d)
	}
	if got := episodes[1].Steps[0].Element; got != "[button] Go" {
		t.Errorf("an action without text has element %q", got)
	}
}

func TestMultimodalMind2WebErrorsNameTheirRecords(t *testing.T) {
	row := multimodalRow("a", "0", "x -> CLICK")
	for text, want := range map[string]string{
		row + row: "task a has action 0 twice",
		row + strings.Replace(row, "Book it", "Else", 1):          "record 1: task a has another confirmed_task",
		row + strings.Replace(row, `index":"0"`, `index":"x"`, 1): "record 1: not an action",
		row + row[:40]: "broken JSON: the file ends",
		"{}":           "1 skipped as not_of_this_format",
		"":             "1 skipped as not_of_this_format",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "train/rows.jsonl"), text)
		if _, _, err := collect(Source{Format: "mind2web", Path: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func FuzzReadMultimodalRows(f *testing.F) {
	f.Add([]byte(multimodalRow("a", "1", "x -> TYPE: y") + multimodalRow("a", "0", "")))
	f.Add([]byte(`[{"annotation_id":"a","target_action_index":-3,"pos_candidates":[null,"",{}],"operation":{}}]`))
	fuzzFormat(f, func(in *input, out output) error {
		rows := webRows{tasks: map[string]*rowTask{}}
		if err := rows.read(in, nil, out); err != nil {
			return err
		}
		return rows.emit(AsPublished, out)
	})
}
