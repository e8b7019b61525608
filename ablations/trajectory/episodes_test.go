package trajectory

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/task"
)

func TestEpisodesAreTakenAsGiven(t *testing.T) {
	episodes, skips := mustCollect(t, Source{Name: "mine", Format: "episodes", Path: "testdata/episodes", Visibility: AsPublished})
	want := []Episode{{
		Dataset: "mine", ID: "a%3A1%2Fx", ClusterID: "c", OpenIntent: "Do it", ClosedIntent: "L1", LabelSpace: "my.labels",
		Metadata: map[string]string{"platform": "web", "n": "3"}, Apps: []string{"A"}, Profile: map[string]string{"age": "20"},
		Steps: []task.Step{{Index: 0, Kind: "utterance", Speaker: "instructor", Utterance: "Please"}, {Index: 1, Kind: "action", Op: "click", Action: "click [a] Go", Element: "[a] Go"}},
	}, {
		Dataset: "mine", ID: "b%3A2", ClusterID: "b%3A2", OpenIntent: "Do that", LabelSpace: "episodes.closed_intent",
		Steps: []task.Step{{Index: 0, Kind: "action", Action: "x"}},
	}}
	if d := cmp.Diff(want, episodes); d != "" {
		t.Errorf("episodes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"no_steps part.jsonl:3", "not_of_this_format truth.jsonl"}, skipText("testdata/episodes", skips)); d != "" {
		t.Errorf("skips (-want +got):\n%s", d)
	}
}

// TestEpisodesOfEveryFormatSurviveARoundTrip: what any reader gives can be written as JSON lines and
// read again unchanged, ids included.
func TestEpisodesOfEveryFormatSurviveARoundTrip(t *testing.T) {
	for _, format := range FormatNames() {
		want, _ := mustCollect(t, Source{Format: format, Path: "testdata/" + format, Visibility: AsPublished})
		path := filepath.Join(t.TempDir(), "e.jsonl.gz")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(f)
		enc := json.NewEncoder(z)
		for _, e := range want {
			if err := enc.Encode(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		got, skips := mustCollect(t, Source{Format: "episodes", Path: path, Visibility: AsPublished})
		if len(skips) != 0 {
			t.Errorf("%s: skips %v", format, skips)
		}
		for i := range want {
			a, aerr := want[i].Hash()
			b, berr := got[i].Hash()
			if a != b || aerr != nil || berr != nil {
				t.Errorf("%s: %s comes back changed (-written +read):\n%s", format, want[i].ID, cmp.Diff(want[i], got[i]))
			}
		}
	}
}

func TestEpisodesNameTheLineOfDamage(t *testing.T) {
	const good = `{"episode_id":"a","steps":[{"op":"click"}]}` + "\n"
	for text, want := range map[string]string{
		good + "{":                              "e.jsonl:2: broken episode",
		good + "\n" + `{"episode_id":"b"}`:      "e.jsonl:3: not an episode",
		good + `{"episode_id":"","steps":[{}]}`: "e.jsonl:2: the record has no id",
		good + `{"episode_id":"b","steps":[{}],"metadata":{"Target":"x"}}`:       "may never be visible",
		good + `{"episode_id":"b","steps":[{}],"metadata":{"a":[{"target":1}]}}`: "may never be visible",
		good + `{"episode_id":"a","steps":[{"op":"type"}]}`:                      "e.jsonl:1 and ",
		good + `{"episode_id":"b","steps":"x"}`:                                  `e.jsonl:2: broken episode: field "steps": want a list, not a JSON string`,
		good + `{"episode_id":"b","steps":[{"index":"1"}]}`:                      `want a whole number, not a JSON string`,
		good + `{"episode_id":"b","steps":[{}],"metadata":[]}`:                   `want an object, not a JSON array`,
		good + `{"episode_id":"b","steps":[{}],"open_intnt":"x"}`:                `e.jsonl:2: there is no field "open_intnt"; did you mean "open_intent"?`,
		`{"episode_id":"b","steps":[{}],"gruops":{}}`:                            `e.jsonl:1: there is no field "gruops"; did you mean "groups"?`,
		`{"x":1}`: "1 skipped as not_of_this_format",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "e.jsonl"), text)
		_, _, err := collect(Source{Format: "episodes", Path: dir})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestTextOfStepsIsCappedButIntentsAreNot(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("学", 100_000)
	write(t, filepath.Join(dir, "e.jsonl"), `{"episode_id":"a","open_intent":"`+long+`","steps":[{"utterance":"`+long+`"},{"op":"click","element":"`+long+`","value":"`+long+`","url":"`+long+`"}]}`)
	episodes, _ := mustCollect(t, Source{Format: "episodes", Path: dir})
	e := episodes[0]
	got := []int{len([]rune(e.OpenIntent)), len([]rune(e.Steps[0].Utterance)), len([]rune(e.Steps[1].Element)), len([]rune(e.Steps[1].Value)), len([]rune(e.Steps[1].URL)), len([]rune(e.Steps[1].Action))}
	if d := cmp.Diff([]int{100_000, MaxUtterance, MaxElement, MaxValue, MaxURL, 5 + 1 + MaxElement + 2 + MaxValue}, got); d != "" {
		t.Errorf("runes of intent, utterance, element, value, url, action (-want +got):\n%s", d)
	}
}

func TestSummaryCountsAndOrders(t *testing.T) {
	s, err := Summarise(context.Background(), Source{Name: "ft", Format: "fingertip", Path: "testdata/fingertip"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Examples = nil
	for i := range s.Skips {
		s.Skips[i].Examples = nil
	}
	want := Summary{
		Dataset: "ft", Format: "fingertip", Path: "testdata/fingertip", Visibility: Safe,
		LabelSpaces: []Count{{"fingertip_csv.intentClass", 5}}, Episodes: 5, Steps: 16, Evident: 4, Clusters: 4,
		Labels: []Count{{"天气", 1}, {"新闻", 1}, {"闹钟/计时", 1}}, NoClosed: 2,
		Lengths: Lengths{Min: 1, Q1: 2, Median: 3, Q3: 4, Max: 6, Mean: 3.2, Counts: []LengthCount{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {6, 1}}},
		Operations: []Count{{"action action", 10}, {"action click", 1}, {"action finished", 1}, {"action long_click", 1}, {"action press_back", 1},
			{"action scroll", 1}, {"action type", 1}},
		Duplicates: 2,
		Skips:      []SkipCount{{Reason: Duplicate, Count: 2}, {Reason: BadLength, Count: 1}, {Reason: NoIntent, Count: 1}, {Reason: NoSteps, Count: 1}},
		NoRole:     []Count{}, Flags: []Count{{"placeholder_steps", 3}}, Groups: []Count{{"user", 4}},
		Lists: []Count{{"total", 4}, {"test_suggestion", 2}, {"train_set", 2}, {"test_execution", 1}},
	}
	if d := cmp.Diff(want, s); d != "" {
		t.Errorf("summary (-want +got):\n%s", d)
	}
	broken := filepath.Join(t.TempDir(), "e.jsonl")
	write(t, broken, `{"episode_id":"a","steps":[{"op":"click"}]}`+"\n{")
	if s, err := Summarise(context.Background(), Source{Format: "episodes", Path: broken}, nil); err == nil || s.Episodes != 1 {
		t.Errorf("a damaged source gives %d episodes and error %v", s.Episodes, err)
	}
}

func FuzzReadEpisodeLines(f *testing.F) {
	b, err := os.ReadFile("testdata/episodes/part.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"episode_id":"a","steps":[{"index":-1}],"metadata":{"a":{"b":[1]}}}`))
	fuzzFormat(f, func(in *input, out output) error { return readEpisodeLines(in, AsPublished, out) })
}

func TestUnknownFieldsOfAnEpisodeThatResembleNoneAreIgnored(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "e.jsonl"), `{"dataset":"d","Episode_ID":"a","steps":[{}],"step":1,"tests":[],"note":"x","open_intent":"o","open_intents":["o"]}`)
	episodes, _ := mustCollect(t, Source{Format: "episodes", Path: dir})
	if len(episodes) != 1 || episodes[0].OpenIntent != "o" {
		t.Errorf("read %+v", episodes)
	}
}
