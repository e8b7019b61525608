package trajectory

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const flatRowA = `{"episode_id":"0000000000000007","h":800,"w":400,"device_name":"Fixture Phone","category":"Social_Sharing","app":"['Chat', \"Ann's Maps\"]","meta_task":"Share {}","task":"Share LEAK","instruction":"Share the LEAK.","step_length":3,"steps":"[{'step': 0, 'screenshot': 'x_0.png', 'action': 'CLICK', 'info': [[10, 20], [10, 20]], 'ps': '[(10, 20)]'}, {'step': 1, 'action': 'TYPE', 'info': \"Ann's\", 'ps': ''}, {'step': 2, 'action': 'COMPLETE', 'info': '', 'ps': None}]"}`

func TestGUIOdysseyFlatRowsHoldPythonNotation(t *testing.T) {
	dir := t.TempDir()
	rowB := strings.Replace(flatRowA, `"0000000000000007"`, `8`, 1)
	write(t, filepath.Join(dir, "all_anno.json"), "["+flatRowA+",\n"+rowB+"]")
	write(t, filepath.Join(dir, "splits/random_split.json"), `{"train":["0000000000000007.json"],"test":["0000000000000008.json"]}`)
	episodes, skips := mustCollect(t, Source{Format: "gui_odyssey", Path: dir, Visibility: AsPublished})
	if len(skips) != 0 {
		t.Errorf("skips %v", skips)
	}
	a, b := episodes[0], episodes[1]
	if a.ClosedIntent != "Social_Sharing" || a.OpenIntent != "Share the LEAK." || a.ClusterID != "Share {}" || len(a.Flags) != 0 {
		t.Errorf("%+v", a)
	}
	if d := cmp.Diff(map[string]string{"device": "Fixture Phone", "screen": "400x800"}, a.Metadata); d != "" {
		t.Errorf("metadata (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"Chat", "Ann's Maps"}, a.Apps); d != "" {
		t.Errorf("apps (-want +got):\n%s", d)
	}
	steps := append(a.Steps[:0:0], action(0, "click", "(10, 20)", ""), action(1, "type", "", "Ann's"), action(2, "complete", "", ""))
	if d := cmp.Diff(steps, a.Steps); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
	if d := cmp.Diff([][]string{{"random_train"}, {"random_test"}}, [][]string{a.Lists, b.Lists}); d != "" {
		t.Errorf("lists (-want +got):\n%s", d)
	}
	// A number lost its leading zeros; the id has 16 digits.
	if b.ID != "0000000000000008" {
		t.Errorf("id %q", b.ID)
	}
}

func TestGUIOdysseyFlatRowsAsJSONLines(t *testing.T) {
	rowB := strings.Replace(flatRowA, "0000000000000007", "0000000000000008", 1)
	for name, text := range map[string]string{
		"rows.jsonl":       flatRowA + "\n" + rowB + "\n",
		"all_anno.json":    flatRowA + "\n\n" + rowB,
		"train-00000.json": "[" + flatRowA + "," + rowB + "]",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, name), text)
		episodes, _ := mustCollect(t, Source{Format: "gui_odyssey", Path: dir})
		if len(episodes) != 2 || countSteps(episodes) != 6 {
			t.Errorf("%s: %d episodes", name, len(episodes))
		}
	}
}

func TestGUIOdysseyAnnotationsWinOverFlatRows(t *testing.T) {
	for _, where := range []string{"annotations", "data/annotations"} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "all_anno.json"), "["+flatRowA+"]")
		write(t, filepath.Join(dir, where, "0000000000000009.json"), `{"task_info":{"category":"c","instruction":"i"},"steps":[{"action":"COMPLETE"}]}`)
		write(t, filepath.Join(dir, filepath.Dir(where), "splits/task_split.json"), `{"test":["0000000000000009.json"]}`)
		episodes, skips := mustCollect(t, Source{Format: "gui_odyssey", Path: dir})
		if d := cmp.Diff([]string{"superseded all_anno.json"}, skipText(dir, skips)); d != "" || len(episodes) != 1 || episodes[0].ID != "0000000000000009" {
			t.Errorf("%s: episodes %v; skips (-want +got):\n%s", where, ids(episodes), d)
		} else if d := cmp.Diff([]string{"task_test"}, episodes[0].Lists); d != "" {
			t.Errorf("%s: lists (-want +got):\n%s", where, d)
		}
		if episodes, _ = mustCollect(t, Source{Format: "gui_odyssey", Path: filepath.Join(dir, "all_anno.json")}); len(episodes) != 1 || episodes[0].ID != "0000000000000007" {
			t.Errorf("%s: a file asked for by name gives %v", where, ids(episodes))
		}
	}
}

func TestGUIOdysseyVersion2StepTextsAreNeverVisible(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "annotations/0000000000000001.json"), `{"episode_id":"0000000000000001","task_info":{"category":"c","instruction":"i"},"step_length":1,"steps":[
		{"step":0,"action":"CLICK","info":[[1,2],[1,2]],"ps":"[(1, 2)]","sam2_bbox":[1,2,3,4],"description":"LEAK1","intention":"LEAK2","context":"LEAK3","low_level_instruction":"LEAK4"}]}`)
	row := strings.Replace(flatRowA, `'ps': ''`, `'sam2_bbox': [], 'description': 'LEAK1', 'intention': 'LEAK2', 'context': \"LEAK3's\", 'low_level_instruction': 'LEAK4', 'ps': ''`, 1)
	write(t, filepath.Join(dir, "flat/rows.jsonl"), row)
	episodes, _ := mustCollect(t, Source{Format: "gui_odyssey", Path: dir, Visibility: AsPublished})
	if len(episodes) != 2 {
		t.Fatalf("episodes %v", ids(episodes))
	}
	for _, e := range episodes {
		b, err := json.Marshal([]any{e.Metadata, e.Steps, e.Apps})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "LEAK") {
			t.Errorf("%s: %s", e.ID, b)
		}
	}
}

func TestGUIOdysseyBrokenPythonNamesFileRecordAndByte(t *testing.T) {
	for from, to := range map[string]string{
		`'ps': None}]"`: `'ps': None}"`, `['Chat', `: `['Chat `,
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "all_anno.json"), "["+flatRowA+","+strings.Replace(flatRowA, from, to, 1)+"]")
		episodes, _, err := collect(Source{Format: "gui_odyssey", Path: dir})
		if err == nil || !strings.Contains(err.Error(), "all_anno.json: record 1: ") || !strings.Contains(err.Error(), "broken Python literal at byte ") || len(episodes) != 1 {
			t.Errorf("%s: %d episodes, error %v", to, len(episodes), err)
		}
	}
}

func TestGUIOdysseyRealFlatRow(t *testing.T) {
	episodes, _ := mustCollect(t, Source{Format: "gui_odyssey", Path: filepath.Join(sharedData(t), "gui_odyssey", "all_anno.json"), Visibility: AsPublished})
	e := episodes[0]
	if e.ID != "5342205429089853" || e.ClosedIntent != "General_Tool" || len(e.Flags) != 0 || strings.Join(e.Apps, "|") != "Todoist|Setting" {
		t.Errorf("%+v", e)
	}
	if d := cmp.Diff(action(4, "type", "", "Todoist"), e.Steps[4]); d != "" {
		t.Errorf("step (-want +got):\n%s", d)
	}
}
