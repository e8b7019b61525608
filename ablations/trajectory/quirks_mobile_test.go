package trajectory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// odyssey lays out one GUI-Odyssey annotation; steps is a JSON list.
func odyssey(t *testing.T, stepLength int, steps string) Source {
	t.Helper()
	return Source{Format: "gui_odyssey", Path: laid(t, map[string]string{"annotations/0011506778189106.json": fmt.Sprintf(
		`{"episode_id":"0011506778189106","device_info":{"product":"p","release_version":"14","sdk_version":"34","h":2400,"w":1080,"device_name":"Pixel 8"},
		"task_info":{"category":"Multi_Apps","app":["secretapp1","secretapp2"],"meta_task":"secretmeta","task":"secrettask","instruction":"Pay Ann's “bill”"},"step_length":%d,"steps":%s}`, stepLength, steps)})}
}

func TestQuirksOfGUIOdyssey(t *testing.T) {
	t.Run("1 the category is the label", func(t *testing.T) {
		if e := one(t, odyssey(t, 1, `[{"step":0,"action":"CLICK","info":[[1,2],[1,2]]}]`)); e.ClosedIntent != "Multi_Apps" || e.LabelSpace != "gui_odyssey.category" {
			t.Errorf("%q in %q", e.ClosedIntent, e.LabelSpace)
		}
	})
	t.Run("2 and 3 both spellings of actions and both kinds of info are read", func(t *testing.T) {
		e := one(t, odyssey(t, 8, `[{"action":"CLICK","info":"KEY_HOME"},{"action":"HOME","info":""},{"action":"TYPE","info":"pizza"},{"action":"TEXT","info":"pizza"},
			{"action":"IMPOSSIBLE","info":""},{"action":"INCOMPLETE","info":""},{"action":"SCROLL","info":[[500,800],[500,200]],"ps":"[(1, 2)]"},{"action":"CLICK","info":"KEY_APPSELECT"}]`))
		var got []string
		for _, s := range e.Steps {
			got = append(got, s.Op+" "+s.Value)
		}
		if got[0] != got[1] || got[2] != got[3] || got[4] != got[5] || !strings.Contains(got[0], "press_home") || !strings.Contains(got[2], "pizza") || !strings.Contains(strings.ToUpper(fmt.Sprint(e.Steps[6])), "UP") || !strings.Contains(got[7], "press_recent") {
			t.Errorf("%q, %+v", got, e.Steps[6])
		}
	})
	t.Run("4 leading zeros of ids stay", func(t *testing.T) {
		if e := one(t, odyssey(t, 1, `[{"action":"CLICK","info":[[1,2],[1,2]]}]`)); e.ID != "0011506778189106" {
			t.Errorf("id %q", e.ID)
		}
	})
	t.Run("5 versions are texts and sizes numbers", func(t *testing.T) {
		if e := one(t, odyssey(t, 1, `[{"action":"CLICK","info":[[1,2],[1,2]]}]`)); e.Metadata["os_version"] == "" || !strings.Contains(e.Metadata["screen"], "1080") {
			t.Errorf("%v", e.Metadata)
		}
	})
	t.Run("6 the steps are counted, not believed", func(t *testing.T) {
		if e := one(t, odyssey(t, 22, `[{"action":"CLICK","info":[[1,2],[1,2]]}]`)); len(e.Steps) != 1 || !slices.Contains(e.Flags, "step_length_mismatch") {
			t.Errorf("%+v, %q", e.Steps, e.Flags)
		}
	})
	t.Run("7 the app list, the task's texts and version 2's step texts are hidden", func(t *testing.T) {
		src := odyssey(t, 2, `[{"action":"CLICK","info":[[1,2],[1,2]],"description":"secretd","intention":"secreti","context":"secretc","low_level_instruction":"secretl","sam2_bbox":[1,2,3,4]},{"action":"COMPLETE","info":"secretremark?"}]`)
		e := one(t, src)
		for _, word := range []string{"secretapp", "secretmeta", "secrettask", "Ann", "secretd", "secreti", "secretc", "secretl"} {
			if strings.Contains(shows(e), word) {
				t.Errorf("safe shows %s: %s", word, shows(e))
			}
		}
		src.Visibility = AsPublished
		if e := one(t, src); !slices.Equal(e.Apps, []string{"secretapp1", "secretapp2"}) || strings.Contains(shows(e), "secretmeta") {
			t.Errorf("as published: %s", shows(e))
		}
	})
	t.Run("8 instructions are kept as they were written", func(t *testing.T) {
		if e := one(t, odyssey(t, 1, `[{"action":"CLICK","info":[[1,2],[1,2]]}]`)); e.OpenIntent != "Pay Ann's “bill”" {
			t.Errorf("open intent %q", e.OpenIntent)
		}
	})
	t.Run("9 a click without a screenshot carries no evidence", func(t *testing.T) {
		e := one(t, odyssey(t, 3, `[{"action":"CLICK","info":[[1,2],[1,2]]},{"action":"SCROLL","info":[[500,800],[500,200]]},{"action":"TEXT","info":"pizza"}]`))
		if Evidence(e.Steps[0]) || Evidence(e.Steps[1]) || !Evidence(e.Steps[2]) {
			t.Errorf("%+v", e.Steps)
		}
	})
	t.Run("split lists name files with their ending", func(t *testing.T) {
		src := odyssey(t, 1, `[{"action":"CLICK","info":[[1,2],[1,2]]}]`)
		root := src.Path
		src.Path = laid(t, map[string]string{"splits/random_split.json": `{"train":["0011506778189106.json"],"test":[]}`, "annotations/0011506778189106.json": read(t, root+"/annotations/0011506778189106.json")})
		if e := one(t, src); !slices.Equal(e.Lists, []string{"random_train"}) {
			t.Errorf("lists %q", e.Lists)
		}
	})
}

func fingerTipCSV(t *testing.T, text string) Source {
	t.Helper()
	return Source{Format: "fingertip", Path: laid(t, map[string]string{"total.csv": text})}
}

func TestQuirksOfFingerTip(t *testing.T) {
	const head = "user_id,time,scenario,app,intentDescription,intentClass,action_length\n"
	const row = `1,20250309_133115,学校,com.huawei.deskclock,"打开闹钟，设置一个二十分钟后的闹铃",闹钟/计时,3` + "\n"
	t.Run("a byte-order mark, CRLF and fields of several lines are read", func(t *testing.T) {
		e := one(t, fingerTipCSV(t, "\ufeff"+strings.ReplaceAll(head+`1,20250309_133115,学校,app,"打开`+"\n"+`闹钟",闹钟/计时,3`+"\n", "\n", "\r\n")))
		if e.ID != "1_20250309_133115" || !strings.HasPrefix(e.OpenIntent, "打开") || e.ClosedIntent != "闹钟/计时" {
			t.Errorf("%+v", e)
		}
	})
	t.Run("the action length goes by any of its names, or a configured one", func(t *testing.T) {
		for _, name := range []string{"action_length", "actionLength", "action_len", "num_actions", "steps", "length"} {
			if e := one(t, fingerTipCSV(t, strings.Replace(head, "action_length", name, 1)+row)); len(e.Steps) != 3 {
				t.Errorf("%s: %d steps", name, len(e.Steps))
			}
		}
		_, _, err := collect(fingerTipCSV(t, strings.Replace(head, "action_length", "n_acts", 1)+row))
		if err == nil || !strings.Contains(err.Error(), "no action-length column among") || !strings.Contains(err.Error(), "length_column") {
			t.Errorf("an unknown name: %v", err)
		}
	})
	t.Run("rows without actions become placeholders that say so and carry no evidence", func(t *testing.T) {
		e := one(t, fingerTipCSV(t, head+row))
		if !slices.Contains(e.Flags, "placeholder_steps") || Evidence(e.Steps[0]) {
			t.Errorf("%q, %+v", e.Flags, e.Steps)
		}
	})
	t.Run("user and time are no key: the second row is #2", func(t *testing.T) {
		eps, _ := mustCollect(t, fingerTipCSV(t, head+row+strings.Replace(row, "闹铃", "提醒", 1)))
		if !slices.Equal(ids(eps), []string{"1_20250309_133115", "1_20250309_133115%232"}) {
			t.Errorf("%v", ids(eps))
		}
	})
	t.Run("the app is hidden under safe", func(t *testing.T) {
		src := fingerTipCSV(t, head+row)
		if e := one(t, src); strings.Contains(shows(e), "deskclock") || strings.Contains(shows(e), "闹铃") {
			t.Errorf("safe shows %s", shows(e))
		}
		src.Visibility = AsPublished
		if e := one(t, src); !slices.Equal(e.Apps, []string{"com.huawei.deskclock"}) {
			t.Errorf("as published: %s", shows(e))
		}
	})
	t.Run("local time gives weekday and hour", func(t *testing.T) {
		if e := one(t, fingerTipCSV(t, head+row)); e.Metadata["weekday"] != "Sunday" || e.Metadata["hour"] != "13" || e.Metadata["scenario"] != "学校" {
			t.Errorf("%v", e.Metadata)
		}
	})
	t.Run("raw folders may be doubled or flat, and are joined on user and time", func(t *testing.T) {
		for _, dir := range []string{"Raw/1/1/20250309_133115/", "Raw/1/20250309_133115/"} {
			root := laid(t, map[string]string{"total.csv": head + row, dir + "survey_result.json": `{"user_id":"1","time":"20250309_133115","intentDescription":"打开闹钟，设置一个二十分钟后的闹铃"}`,
				dir + "action.jsonl": `{"1741498279844.jpg": "click(coordinates=(336, 1267), content='蓝色加号按钮')"}` + "\n" + `{broken` + "\n" + `{"image":"x.jpg","action":"press_back()"}`})
			e := one(t, Source{Format: "fingertip", Path: root})
			if len(e.Steps) != 3 || e.Steps[0].Op != "click" || !strings.Contains(e.Steps[1].Action, "{broken") || e.Steps[2].Op != "press_back" || e.ClosedIntent != "闹钟/计时" {
				t.Errorf("%s: %+v", dir, e.Steps)
			}
		}
	})
}

// Section 6: what a loader must survive, whatever the dataset. Each item has its test here or is named.
func TestQuirksOfAllDatasets(t *testing.T) {
	episodes := func(t *testing.T, text string) Source {
		t.Helper()
		return Source{Format: "episodes", Path: laid(t, map[string]string{"e.jsonl": text})}
	}
	t.Run("6.1 one line of any size is streamed", func(t *testing.T) { TestALongTokenThatIsSkippedTakesNoMemory(t) })
	t.Run("6.2 keys may be missing, new or null, and values of another kind", func(t *testing.T) {
		e := one(t, Source{Format: "gui_odyssey", Path: laid(t, map[string]string{"annotations/0011506778189106.json": `{"episode_id":"0011506778189106","new":{"a":[1]},"device_info":null,
			"task_info":{"category":"c","app":"one app","instruction":"g","task":null},"steps":[{"action":"CLICK","info":"KEY_BACK","ps":null},{"action":"CLICK","info":[[1,2],[1,2]]}]}`})})
		if len(e.Steps) != 2 || e.Steps[0].Op != "press_back" || e.OpenIntent != "g" || e.ClosedIntent != "c" {
			t.Errorf("%+v", e)
		}
	})
	t.Run("6.3 JSON and Python literals in strings are opened", func(t *testing.T) {
		e := one(t, Source{Format: "gui_odyssey", Path: laid(t, map[string]string{"all_anno.json": `[{"episode_id":"0011506778189106","category":"c","app":"['Amazon', \"Ann's\"]","instruction":"g","step_length":1,
			"steps":"[{'step': 0, 'action': 'TEXT', 'info': \"it's\", 'ps': None}]"}]`}), Visibility: AsPublished})
		if len(e.Steps) != 1 || e.Steps[0].Value != "it's" || !slices.Equal(e.Apps, []string{"Amazon", "Ann's"}) {
			t.Errorf("%+v", e)
		}
	})
	t.Run("6.4 what is incomplete is skipped or kept by rule and counted", func(t *testing.T) {
		eps, skips := mustCollect(t, m2w(t, quirkTask("a", "Travel", "x", "", ""), quirkTask("b", "Travel", "x", clickRepr, `,"actions":[]`)))
		if len(eps) != 1 || len(skips) != 1 || len(eps[0].Steps) != 1 {
			t.Errorf("%v, %+v", ids(eps), skips)
		}
	})
	t.Run("6.7 byte-order marks, CRLF and no-break spaces are read over", func(t *testing.T) {
		e := one(t, episodes(t, "\ufeff"+`{"episode_id":"a","open_intent":"`+"\u00a0"+`buy，now`+"\u00a0"+`","steps":[{"op":"a"}]}`+"\r\n"))
		if e.ID != "a" || e.OpenIntent != "buy，now" {
			t.Errorf("%q %q", e.ID, e.OpenIntent)
		}
	})
	t.Run("6.6 ids with leading zeros and specials stay apart", func(t *testing.T) {
		eps, _ := mustCollect(t, episodes(t, `{"episode_id":"007","steps":[{"op":"a"}]}`+"\n"+`{"episode_id":"7","steps":[{"op":"a"}]}`+"\n"+`{"episode_id":"a:b/c","steps":[{"op":"a"}]}`))
		if !slices.Equal(ids(eps), []string{"007", "7", "a%3Ab%2Fc"}) {
			t.Errorf("%v", ids(eps))
		}
	})
	t.Run("6.8 Git LFS pointers are an error that says what to do", func(t *testing.T) {
		_, _, err := collect(episodes(t, "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 5\n"))
		if err == nil || !strings.Contains(err.Error(), "git lfs pull") {
			t.Errorf("%v", err)
		}
	})
	t.Run("6.9 gzip is told by its bytes", func(t *testing.T) {
		if e := one(t, episodes(t, zipped(t, []byte(`{"episode_id":"a","steps":[{"op":"a"}]}`+"\n")))); e.ID != "a" {
			t.Errorf("%+v", e)
		}
	})
	t.Run("6.10 the order is the file's", func(t *testing.T) {
		eps, _ := mustCollect(t, episodes(t, `{"episode_id":"z","steps":[{"op":"a"}]}`+"\n"+`{"episode_id":"a","steps":[{"op":"a"}]}`))
		if !slices.Equal(ids(eps), []string{"z", "a"}) {
			t.Errorf("%v", ids(eps))
		}
	})
	t.Run("6.11 no steps are counted and one step is an episode", func(t *testing.T) {
		eps, skips := mustCollect(t, episodes(t, `{"episode_id":"z","steps":[]}`+"\n"+`{"episode_id":"a","steps":[{"op":"a"}]}`))
		if len(eps) != 1 || len(skips) != 1 || skips[0].Reason != NoSteps {
			t.Errorf("%v, %+v", ids(eps), skips)
		}
	})
	t.Run("6.12 a blank label is none", func(t *testing.T) {
		if e := one(t, episodes(t, `{"episode_id":"a","closed_intent":" \t","open_intent":" ","steps":[{"op":"a"}]}`)); e.ClosedIntent != "" || e.OpenIntent != "" {
			t.Errorf("%q, %q", e.ClosedIntent, e.OpenIntent)
		}
	})
	t.Run("6.5 a copy is counted and a contradiction under one id is an error", func(t *testing.T) {
		eps, skips := mustCollect(t, episodes(t, strings.Repeat(`{"episode_id":"a","steps":[{"op":"a"}]}`+"\n", 2)))
		if len(eps) != 1 || len(skips) != 1 || skips[0].Reason != Duplicate {
			t.Errorf("%v, %+v", ids(eps), skips)
		}
		if _, _, err := collect(episodes(t, `{"episode_id":"a","steps":[{"op":"a"}]}`+"\n"+`{"episode_id":"a","steps":[{"op":"b"}]}`)); err == nil || !strings.Contains(err.Error(), "two different records") {
			t.Errorf("%v", err)
		}
	})
}

// The leak table of section 6: what gives a target away is never metadata under safe, and what names it
// is under neither visibility. The conformance suite plants a word in every field; these are the rows.
func TestQuirksOfTheLeakTable(t *testing.T) {
	for name, c := range map[string]struct {
		src   Source
		words string // hidden under safe
		never string // hidden under both
	}{
		"WebLINX":     {Source{Format: "weblinx", Path: demonstration(t, loaded("https://leak.example.org/"))}, "example.org", "secret"},
		"Mind2Web":    {m2w(t, quirkTask("a", "Travel", "the goal text", clickRepr, "")), "secretsite", "secretsub|the goal text"},
		"GUI-Odyssey": {odyssey(t, 1, `[{"action":"CLICK","info":[[1,2],[1,2]],"intention":"secreti"}]`), "secretapp", "secretmeta|secrettask|Pay Ann|secreti"},
		"FingerTip":   {fingerTipCSV(t, "user_id,time,app,intentDescription,intentClass,length\n1,20250309_133115,com.leak,the goal text,leaklabel,3\n"), "com.leak", "the goal text|leaklabel"},
	} {
		t.Run(name, func(t *testing.T) {
			published := c.src
			published.Visibility = AsPublished
			safe, shown := shows(one(t, c.src)), shows(one(t, published))
			if strings.Contains(safe, c.words) || !strings.Contains(shown, c.words) {
				t.Errorf("%q: safe %s, as published %s", c.words, safe, shown)
			}
			for _, w := range strings.Split(c.never, "|") {
				if strings.Contains(safe+shown, w) {
					t.Errorf("%q stands in %s %s", w, safe, shown)
				}
			}
		})
	}
}
