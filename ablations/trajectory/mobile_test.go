package trajectory

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/task"
)

func TestGUIOdysseyNormalisesBothSpellings(t *testing.T) {
	episodes, skips := mustCollect(t, Source{Format: "gui_odyssey", Path: "testdata/gui_odyssey"})
	if len(skips) != 0 {
		t.Errorf("skips %v", skips)
	}
	press := func(i int, op, key string) task.Step {
		return task.Step{Index: i, Kind: "action", Op: op, Action: "press " + key}
	}
	want := []task.Step{
		action(0, "click", "(10, 20)", ""), press(1, "press_home", "KEY_HOME"), press(2, "press_back", "KEY_BACK"),
		press(3, "press_recent", "KEY_APPSELECT"), press(4, "press_recent", "KEY_APPSELECT"), action(5, "long_press", "(3, 4)", ""),
		action(6, "scroll", "(500, 800) to (480, 300)", "up"), action(7, "scroll", "(100, 50) to (700, 60)", "right"),
		action(8, "type", "", "museum"), action(9, "type", "", "museum"), action(10, "incomplete", "", ""), action(11, "complete", "", ""),
	}
	if d := cmp.Diff(want, episodes[0].Steps); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
	if got := episodes[0].Steps[0].Action; got != "click (10, 20)" {
		t.Errorf("action %q", got)
	}
}

func TestGUIOdysseyFieldsListsAndFallbacks(t *testing.T) {
	episodes, _ := mustCollect(t, Source{Format: "gui_odyssey", Path: "testdata/gui_odyssey/annotations", Visibility: AsPublished})
	a, b := episodes[0], episodes[1]
	if d := cmp.Diff(map[string]string{"device": "Fixture Phone", "os_version": "14", "screen": "400x800"}, a.Metadata); d != "" {
		t.Errorf("metadata (-want +got):\n%s", d)
	}
	if a.OpenIntent != "Share the museum with Ann in Chat." || a.ClosedIntent != "Social_Sharing" || a.ClusterID != "Share {} with a friend" || len(a.Flags) != 0 {
		t.Errorf("%+v", a)
	}
	if d := cmp.Diff([]string{"Chat", "Maps"}, a.Apps); d != "" {
		t.Errorf("apps (-want +got):\n%s", d)
	}
	// episode_id as a number has lost its zeros: the file's name is the id. No instruction: the task.
	if b.ID != "0000000000000002" || b.OpenIntent != "Share a place with a friend" || b.ClosedIntent != "" || len(b.Metadata) != 0 {
		t.Errorf("%+v", b)
	}
	if d := cmp.Diff([][]string{{"app_test", "random_train"}, {"app_train", "random_test"}}, [][]string{a.Lists, b.Lists}); d != "" {
		t.Errorf("lists (-want +got):\n%s", d)
	}
}

func TestGUIOdysseyRealAnnotation(t *testing.T) {
	episodes, _ := mustCollect(t, Source{Format: "gui_odyssey", Path: filepath.Join(sharedData(t), "gui_odyssey")})
	e := episodes[0]
	if e.ID != "0011506778189106" || e.ClosedIntent != "Multi_Apps" || len(e.Apps) != 0 {
		t.Errorf("%+v", e)
	}
	if d := cmp.Diff([]string{"step_length_mismatch"}, e.Flags); d != "" {
		t.Errorf("flags (-want +got):\n%s", d)
	}
	if d := cmp.Diff(action(3, "long_press", "(376, 356)", ""), e.Steps[3]); d != "" {
		t.Errorf("step (-want +got):\n%s", d)
	}
}

func TestFingerTipJoinsTablesFoldersAndProfiles(t *testing.T) {
	episodes, skips := mustCollect(t, Source{Format: "fingertip", Path: "testdata/fingertip"})
	if d := cmp.Diff([]string{"1_20250309_133115", "3_20250310_080500", "3_20250310_080500%232", "4_20250311_120500", "9_20250401_070000"}, ids(episodes)); d != "" {
		t.Fatalf("episodes (-want +got):\n%s", d)
	}
	want := []string{"bad_length total.csv:8", "duplicate test_suggestion.csv:3", "duplicate user_profile.csv:4", "no_intent Raw/9/20250401_080000", "no_steps total.csv:6"}
	if d := cmp.Diff(want, skipText("testdata/fingertip", skips)); d != "" {
		t.Errorf("skips (-want +got):\n%s", d)
	}
	real, two, second, blank, folder := episodes[0], episodes[1], episodes[2], episodes[3], episodes[4]
	steps := []task.Step{
		action(0, "click", `蓝色"加号"按钮 (336, 1267)`, ""), action(1, "type", "", "it's 10 minutes, ok"), action(2, "scroll", "(5, 6)", "up"),
		action(3, "press_back", "", ""), action(4, "action", `{"5.jpg": "click(coord`, ""), action(5, "finished", "", ""),
	}
	if d := cmp.Diff(steps, real.Steps); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
	if real.OpenIntent != "打开时钟，设置一个十分钟后的提醒" || real.ClosedIntent != "闹钟/计时" || real.ClusterID != "1" || len(real.Flags) != 0 || len(real.Apps) != 0 {
		t.Errorf("%+v", real)
	}
	if d := cmp.Diff(map[string]string{"scenario": "学校", "weekday": "Sunday", "hour": "13"}, real.Metadata); d != "" {
		t.Errorf("metadata (-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string]string{"sex": "女", "age": "21", "occupation": "学生", "address": "北京", "family": "独居", "phone": "Fixture 10"}, real.Profile); d != "" {
		t.Errorf("profile (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"total", "test_execution", "test_suggestion"}, real.Lists); d != "" {
		t.Errorf("lists (-want +got):\n%s", d)
	}
	if two.OpenIntent != "查看今天的天气，\n然后决定穿什么" || len(two.Steps) != 3 || strings.Join(two.Lists, " ") != "total train_set" {
		t.Errorf("%+v", two)
	}
	if d := cmp.Diff([]string{"placeholder_steps"}, two.Flags); d != "" {
		t.Errorf("flags (-want +got):\n%s", d)
	}
	if d := cmp.Diff(task.Step{Index: 2, Kind: "action", Op: "action", Action: "action"}, two.Steps[2]); d != "" {
		t.Errorf("placeholder (-want +got):\n%s", d)
	}
	if second.ClosedIntent != "新闻" || len(second.Steps) != 2 || strings.Join(second.Lists, " ") != "total test_suggestion" {
		t.Errorf("%+v", second)
	}
	if blank.ClosedIntent != "" || blank.Profile != nil {
		t.Errorf("%+v", blank)
	}
	if folder.OpenIntent != "听音乐" || folder.ClosedIntent != "" || len(folder.Lists) != 0 || folder.Steps[0].Action != "long_click x (1, 2)" {
		t.Errorf("%+v", folder)
	}
	published, _ := mustCollect(t, Source{Format: "fingertip", Path: "testdata/fingertip", Visibility: AsPublished})
	if d := cmp.Diff([]string{"com.fixture.clock"}, published[0].Apps); d != "" {
		t.Errorf("apps (-want +got):\n%s", d)
	}
}

func TestFingerTipActionLengthColumn(t *testing.T) {
	const head, row = "user_id,time,intentDescription,intentClass", "1,20250309_133115,x,y"
	for _, name := range append([]string{"Action_Length"}, lengthColumns...) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "total.csv"), head+","+name+"\n"+row+",6.0\n")
		episodes, _, err := collect(Source{Format: "fingertip", Path: dir})
		if err != nil || len(episodes) != 1 || len(episodes[0].Steps) != 6 {
			t.Errorf("column %q: %d episodes, error %v", name, len(episodes), err)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "total.csv"), head+",动作数\n"+row+",4\n")
	if _, _, err := collect(Source{Format: "fingertip", Path: dir}); err == nil || !strings.Contains(err.Error(), "no action-length column among user_id, time, intentDescription, intentClass, 动作数 (set length_column)") {
		t.Errorf("without a known column: %v", err)
	}
	if episodes, _, err := collect(Source{Format: "fingertip", Path: dir, Options: &FingerTipOptions{LengthColumn: "动作数"}}); err != nil || countSteps(episodes) != 4 {
		t.Errorf("with length_column: %d steps, error %v", countSteps(episodes), err)
	}
	if _, _, err := collect(Source{Format: "fingertip", Path: dir, Options: &FingerTipOptions{LengthColumn: "nope"}}); err == nil || !strings.Contains(err.Error(), `total.csv:1: there is no column "nope"`) {
		t.Errorf("with a wrong length_column: %v", err)
	}
}

func TestFingerTipNamesTheLineOfDamage(t *testing.T) {
	const head = "user_id,time,intentDescription,intentClass,length\n"
	for text, want := range map[string]string{
		head + "1,2,x,y,3\n1,2,x\n": "total.csv:3: broken CSV: wrong number of fields",
		head + "1,2,\"x,y,3\n":      "total.csv:2: broken CSV: extraneous or missing",
		head + "1,2,x\"y\",y,3\n":   "total.csv:2: broken CSV",
		head + ",2,x,y,3\n":         "total.csv:2: the row has no user_id",
		"a,b\n1,2\n":                "1 skipped as not_of_this_format",
		"":                          "the file is empty",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "total.csv"), text)
		_, _, err := collect(Source{Format: "fingertip", Path: dir})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "total.csv"), head+"1,2,x,y,3\n")
	write(t, filepath.Join(dir, "user_profile.csv"), "user_id,age\n1,20\n1,30\n")
	if _, _, err := collect(Source{Format: "fingertip", Path: dir}); err == nil || !strings.Contains(err.Error(), "user_profile.csv:3: user 1 has a second, different profile") {
		t.Errorf("two profiles: %v", err)
	}
}

func TestFingerTipCallGrammar(t *testing.T) {
	for in, want := range map[string]task.Step{
		`click(coordinates=(336, 1267), content='蓝色加号按钮')`: action(0, "click", "蓝色加号按钮 (336, 1267)", ""),
		`click(content="it's", coordinates=(1,2))`:         action(0, "click", "it's (1, 2)", ""),
		`type(text='say "hi", ok')`:                        action(0, "type", "", `say "hi", ok`),
		`type(text='don't')`:                               action(0, "type", "", "don't"),
		`scroll(coordinates=(1,2), direction="left")`:      action(0, "scroll", "(1, 2)", "left"),
		`press_home()`:   action(0, "press_home", "", ""),
		`open(app=x)`:    action(0, "open", "", "app=x"),
		`something else`: action(0, "action", "something else", ""),
	} {
		if d := cmp.Diff(want, callStep(in, "")); d != "" {
			t.Errorf("callStep(%q) (-want +got):\n%s", in, d)
		}
	}
}

func TestFingerTipFoldersWithOneKey(t *testing.T) {
	dir := t.TempDir()
	for sub, call := range map[string]string{"a/7/7/t1": "wait()", "b/7/t1": "wait()", "c/7/t1": "press_home()", "d/8/t1": "wait()", "e/8/t1": "wait()"} {
		write(t, filepath.Join(dir, sub, "survey_result.json"), `{"intentDescription":"x"}`)
		write(t, filepath.Join(dir, sub, "action.jsonl"), `{"1.jpg":"`+call+`"}`)
	}
	write(t, filepath.Join(dir, "total.csv"), "user_id,time,intentDescription,intentClass\n8,t1,x,y\n")
	episodes, skips := mustCollect(t, Source{Format: "fingertip", Path: dir})
	if d := cmp.Diff([]string{"8_t1", "7_t1", "7_t1%232"}, ids(episodes)); d != "" {
		t.Errorf("episodes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"duplicate b/7/t1", "unused_folder e/8/t1"}, skipText(dir, skips)); d != "" {
		t.Errorf("skips (-want +got):\n%s", d)
	}
}

func TestFingerTipActionLineShapes(t *testing.T) {
	for in, want := range map[string][]string{
		`{"1.jpg":"wait()"}`:                               {"wait()"},
		`{"1.jpg":"wait()","2.jpg":"press_back()"}`:        {"wait()", "press_back()"},
		`{"image":"1.jpg","action":"wait()","note":"why"}`: {"wait()"},
		`{"1.jpg":3}`: {`{"1.jpg":3}`},
		`["wait()"]`:  {`["wait()"]`},
		`{"1.jpg":"w`: {`{"1.jpg":"w`},
		`{}`:          {`{}`},
		"\xff":        {"\uFFFD"},
	} {
		var got []string
		for _, c := range actionCalls([]byte(in)) {
			got = append(got, c.text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", in, d)
		}
	}
}

func FuzzReadGUIOdyssey(f *testing.F) {
	for _, name := range []string{"0000000000000001", "0000000000000002"} {
		b, err := os.ReadFile("testdata/gui_odyssey/annotations/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`[{"episode_id":1,"category":"A","app":"['B', \"C's\"]","steps":"[{'action': 'CLICK', 'info': [[1, 2], (3, 4)]}, {'action': 'TEXT', 'info': 'x'}]"}]`))
	f.Add([]byte(`{"task_info":{},"steps":[null,{"action":"SCROLL","info":[1,2]},{"action":"CLICK","info":[[1],[1e999,2]]},{"action":5,"info":true}]}`))
	fuzzFormat(f, func(in *input, out output) error { return guiOdysseyReader{v: AsPublished}.read(in, "", out) })
}

func FuzzReadFingerTipCSV(f *testing.F) {
	for _, name := range []string{"total", "test_execution", "user_profile"} {
		b, err := os.ReadFile("testdata/fingertip/" + name + ".csv")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	fuzzFormat(f, func(in *input, out output) error {
		in.path = "total.csv"
		t := fingerTipTable{skip: out.skip, byKey: map[userTime][]*fingerTipRow{}, profiles: map[string]map[string]string{}}
		if err := t.read(in); err != nil {
			return err
		}
		for _, row := range t.rows {
			row.length = min(row.length, 100)
			e, ok, err := t.episode(context.Background(), row, "", AsPublished)
			if err != nil {
				return err
			}
			if ok {
				if err := out.emit(row.where, e); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func FuzzActionLines(f *testing.F) {
	b, err := os.ReadFile("testdata/fingertip/Raw/1/1/20250309_133115/action.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b))
	f.Add(`{"a":"click(coordinates=(1,2), content='a', b='c')","b":3}` + "\n\n" + `{"image":[],"action":"x("}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, call := range actionCalls([]byte(text)) {
			s := callStep(call.text, "")
			if s.Op == "" || !utf8.ValidString(call.text) || utf8.RuneCountInString(s.Element) > MaxElement {
				t.Errorf("%q gives %+v", text, s)
			}
		}
	})
}
