package trajectory

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/task"
)

func TestWebLINXSkipsWhatTheOfficialRuleCallsInvalid(t *testing.T) {
	episodes, skips := mustCollect(t, Source{Format: "weblinx", Path: "testdata/weblinx"})
	if d := cmp.Diff([]string{"aaaaaaa", "bbbbbbb"}, ids(episodes)); d != "" {
		t.Errorf("episodes (-want +got):\n%s", d)
	}
	want := []string{
		"invalid_demonstration demonstrations/fffffff", "no_form demonstrations/ddddddd", "no_metadata demonstrations/eeeeeee",
		"no_replay demonstrations/ggggggg", "no_steps demonstrations/ccccccc/replay.json", "unknown_turn demonstrations/aaaaaaa/replay.json: turn 12",
	}
	if d := cmp.Diff(want, skipText("testdata/weblinx", skips)); d != "" {
		t.Errorf("skips (-want +got):\n%s", d)
	}
}

func TestWebLINXMasksHostsInEveryChannelUnderSafe(t *testing.T) {
	episodes, _ := mustCollect(t, Source{Format: "weblinx", Path: "testdata/weblinx"})
	long := strings.Repeat("x", 499) + "…"
	want := []task.Step{
		{Index: 0, Kind: "utterance", Speaker: "instructor", Utterance: "Hello!"},
		{Index: 1, Kind: "utterance", Speaker: "navigator", Utterance: "Hi"},
		{Index: 2, Kind: "action", Op: "tabcreate", Action: "tabcreate"},
		{Index: 3, Kind: "action", Op: "load", Action: "load [url]", URL: "[url]"},
		{Index: 4, Kind: "utterance", Speaker: "instructor", Utterance: "Open [url] and buy a lamp, see [url]."},
		{Index: 5, Kind: "action", Op: "click", Action: "click [a] Lamps at [url]", Element: "[a] Lamps at [url]", URL: "[url]"},
		{Index: 6, Kind: "action", Op: "textinput", Action: "textinput [input] Search: red lamp", Element: "[input] Search", URL: "[url]", Value: "red lamp"},
		{Index: 7, Kind: "action", Op: "textinput", Action: "textinput [div] whole page", Element: "[div] whole page", URL: "[url]"},
		{Index: 8, Kind: "action", Op: "change", Action: "change [select] Size: L", Element: "[select] Size", URL: "[url]", Value: "L"},
		{Index: 9, Kind: "action", Op: "scroll", Action: "scroll x=0, y=-25", URL: "[url]", Value: "x=0, y=-25"},
		{Index: 10, Kind: "action", Op: "copy", Element: "[p] " + long[4:], URL: "[url]", Value: strings.Repeat("y", 3999) + "…"},
		{Index: 11, Kind: "action", Op: "paste", Action: "paste from [url]", URL: "[url]", Value: "from [url]"},
		{Index: 12, Kind: "utterance", Speaker: "instructor", Utterance: "Now check out please."},
		{Index: 13, Kind: "utterance", Speaker: "instructor", Utterance: "Okay, thanks so much!"},
	}
	want[10].Action = "copy " + want[10].Element + ": " + want[10].Value
	if d := cmp.Diff(want, episodes[0].Steps); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
}

func TestWebLINXIntentsAreUnmaskedAndWithoutSmallTalk(t *testing.T) {
	episodes, _ := mustCollect(t, Source{Format: "weblinx", Path: "testdata/weblinx"})
	a, b := episodes[0], episodes[1]
	if want := "Open shop.fixture.com and buy a lamp, see https://shop.fixture.com/lamps. Now check out please."; a.OpenIntent != want {
		t.Errorf("open intent %q, want %q", a.OpenIntent, want)
	}
	if a.ClosedIntent != "www.shop.fixture.com" || a.ClusterID != "www.shop.fixture.com" || a.Groups["website"] != "www.shop.fixture.com" {
		t.Errorf("closed %q, cluster %q, groups %v", a.ClosedIntent, a.ClusterID, a.Groups)
	}
	if d := cmp.Diff([][]string{{"train"}, {"iid_all", "dev", "valid", "validation"}}, [][]string{a.Lists, b.Lists}); d != "" {
		t.Errorf("lists (-want +got):\n%s", d)
	}
	// Nothing but small talk: all of it; no URL: no closed intent, and the episode is its own cluster.
	if b.OpenIntent != "Hello" || b.ClosedIntent != "" || b.ClusterID != "bbbbbbb" || b.LabelSpace != "weblinx.derived_website" {
		t.Errorf("second episode: %+v", b)
	}
	described, _ := mustCollect(t, Source{Format: "weblinx", Path: "testdata/weblinx", Options: &WebLINXOptions{OpenIntent: "description"}})
	if described[0].OpenIntent != "Fixture goal SECRET" {
		t.Errorf("described open intent %q", described[0].OpenIntent)
	}
}

func TestWebLINXMasksBeforeItCuts(t *testing.T) {
	for n := MaxValue - 40; n <= MaxValue; n++ {
		pasted := strings.Repeat("y ", n/2) + strings.Repeat("z", n%2) + " www.shop.fixture.com again and again and again and again"
		e := webLINXEpisode([]turn{{kind: "browser", intent: "paste", pasted: pasted, metadataURL: "https://www.shop.fixture.com/"}}, Safe, "")
		if strings.Contains(e.Steps[0].Value, "www") || strings.Contains(e.Steps[0].Action, "www") {
			t.Fatalf("half a host remains: …%s", e.Steps[0].Value[len(e.Steps[0].Value)-40:])
		}
	}
}

func TestWebLINXShowsURLsAsPublished(t *testing.T) {
	episodes, _ := mustCollect(t, Source{Format: "weblinx", Path: "testdata/weblinx", Visibility: AsPublished})
	got := episodes[0].Steps[3]
	want := task.Step{Index: 3, Kind: "action", Op: "load", Action: "load https://WWW.Shop.Fixture.com:8443/start?q=1", URL: "https://WWW.Shop.Fixture.com:8443/start?q=1"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("step (-want +got):\n%s", d)
	}
}

func TestWebLINXRealDemonstrations(t *testing.T) {
	src := Source{Format: "weblinx", Path: filepath.Join(sharedData(t), "weblinx")}
	episodes, _ := mustCollect(t, src)
	ops := map[string]int{}
	for _, e := range episodes {
		for _, s := range e.Steps {
			ops[s.Kind+s.Op+s.Speaker]++
			for _, field := range []string{s.Action, s.Element, s.Utterance, s.Value, s.URL} {
				if strings.Contains(field, "http") || strings.Contains(field, "stackexchange.com") || strings.Contains(field, "google.com") {
					t.Errorf("%s step %d shows a host: %.80q", e.ID, s.Index, field)
				}
			}
			if utf8.RuneCountInString(s.Element) > MaxElement || utf8.RuneCountInString(s.Value) > MaxValue || utf8.RuneCountInString(s.Action) > MaxAction {
				t.Errorf("%s step %d exceeds a cap", e.ID, s.Index)
			}
		}
	}
	want := map[string]int{"utteranceinstructor": 12, "utterancenavigator": 15, "actionclick": 17, "actionload": 3, "actionscroll": 10,
		"actioncopy": 5, "actionhover": 2, "actionpaste": 1, "actiontabcreate": 1, "actiontabswitch": 2}
	if d := cmp.Diff(want, ops); d != "" {
		t.Errorf("kinds of steps (-want +got):\n%s", d)
	}
	got := map[string][2]string{}
	for _, e := range episodes {
		got[e.ID] = [2]string{e.ClosedIntent, strings.Join(e.Lists, " ")}
	}
	if d := cmp.Diff(map[string][2]string{"iqaazif": {"stackexchange.com", "iid_all dev valid validation"}, "saabwsg": {"www.google.com", "iid_all dev valid validation"}}, got); d != "" {
		t.Errorf("labels and lists (-want +got):\n%s", d)
	}
	if want := "Please open Plos Biology and show me some of the recently published articles in Plos one. Open the second one. Please provide me with the summary of the introduction."; episodes[1].OpenIntent != want {
		t.Errorf("open intent %q, want %q", episodes[1].OpenIntent, want)
	}
}

func TestWebLINXNamesTheByteOfDamage(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"data":[{"type":"chat","utterance":"x"}`, "replay.json: byte 40: broken JSON: the file ends in the middle of a value"},
		{`{"data":[{"type":chat}]}`, "replay.json: byte 17: broken JSON: unexpected 'c'"},
		{"\xef\xbb\xbf" + `{"data":[{"type":chat}]}`, "replay.json: byte 20: broken JSON: unexpected 'c'"},
		{`[]`, `replay.json: want an object with a list "data"`},
		{``, "replay.json: byte 0: broken JSON"},
		{`{"data":[]} x`, "broken JSON"},
	} {
		dir := t.TempDir()
		for _, f := range []string{"form.json", "metadata.json"} {
			write(t, filepath.Join(dir, "abcdefg", f), "{}")
		}
		write(t, filepath.Join(dir, "abcdefg", "replay.json"), c.text)
		_, _, err := collect(Source{Format: "weblinx", Path: dir})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

func TestSmallTalkNeedsEveryToken(t *testing.T) {
	for text, want := range map[string]bool{
		"Hello": true, "That’s all for now.": true, "Okay, thanks for the information.": true, "": true, "!!": true,
		"See all": false, "Open the last option": false, "How many votes does this answer have?": false, "Thank you, now close the tab": false,
	} {
		if got := IsSmallTalk(text); got != want {
			t.Errorf("IsSmallTalk(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestHostOf(t *testing.T) {
	for url, want := range map[string]string{
		"https://Stackexchange.com/": "stackexchange.com", "http://a:b@www.x.com:80?q": "www.x.com", "HTTPS://[::1]:80/": "[::1]",
		"": "", "chrome://newtab": "", "about:blank": "", "https://": "", "https://a.com\\b": "a.com", "https://x.com#f": "x.com",
	} {
		if got := hostOf(url); got != want {
			t.Errorf("hostOf(%q) = %q, want %q", url, got, want)
		}
	}
}

func FuzzReadReplay(f *testing.F) {
	f.Add([]byte(`{"data":[{"type":"chat","speaker":"instructor","utterance":"Open a.com"},{"type":"browser","action":{"intent":"click","arguments":{"metadata":{"url":"https://a.com"},"element":{"tagName":"A","attributes":{"title":"t"},"textContent":"x"}}}}],"status":"checked"}`))
	f.Add([]byte(`{"data":[null,1,{"action":null},{"type":"browser","action":{"arguments":{"element":[],"properties":3}}}]}`))
	f.Add([]byte("\xef\xbb\xbf{\"data\":[{\"utterance\":\"\xff\\ud800\"}]}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := newInput(context.Background(), "f", strings.NewReader(string(b)), maxBuffer)
		if err != nil {
			return
		}
		turns, err := readReplay(in, func(Skip) {})
		if err != nil {
			return
		}
		e := webLINXEpisode(turns, Safe, "")
		if len(e.Steps) != len(turns) {
			t.Fatalf("%d turns, %d steps", len(turns), len(e.Steps))
		}
		for _, s := range e.Steps {
			if !utf8.ValidString(s.Utterance + s.Element + s.Value + s.Action) {
				t.Fatalf("invalid UTF-8 in %+v", s)
			}
			if strings.Contains(strings.ToLower(s.URL), "http://") {
				t.Fatalf("unmasked URL %q", s.URL)
			}
		}
	})
}
