package trajectory

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/task"
)

// TestWebLINXRealActionColumnParsesCompletely holds the counts of datasets.md, section 1.
func TestWebLINXRealActionColumnParsesCompletely(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(sharedData(t), "weblinx", "chat_action_column", "llama1_3_valid_correct.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	if err := json.Unmarshal(b, &cells); err != nil {
		t.Fatal(err)
	}
	counts, without := map[string]int{}, 0
	for i, cell := range cells {
		turn, uid, ok := parseChatAction(cell)
		if !ok {
			t.Errorf("cell %d is outside of the grammar: %q", i, cell)
			continue
		}
		name := turn.intent
		switch {
		case turn.kind == "chat":
			name = "say"
			if turn.speaker != "navigator" || turn.utterance == "" {
				t.Errorf("cell %d: %+v", i, turn)
			}
		case name == "load" && hostOf(turn.propertiesURL) == "":
			t.Errorf("cell %d has no host: %q", i, cell)
		case uid == "" && name != "scroll" && name != "load":
			without++
		}
		counts[name]++
	}
	want := map[string]int{"click": 1177, "say": 588, "scroll": 170, "textinput": 129, "load": 34, "submit": 22, "change": 6}
	if d := cmp.Diff(want, counts); d != "" || len(cells) != 2126 || without != 21 {
		t.Errorf("%d cells, %d without uid; counts (-want +got):\n%s", len(cells), without, d)
	}
}

func TestWebLINXChatActionGrammarQuirks(t *testing.T) {
	for cell, want := range map[string]turn{
		`text_input(text="Use code "SUMMER20" at ", uid="a", uid="b-1")`:   {kind: "browser", intent: "textinput", text: `Use code "SUMMER20" at ", uid="a`},
		`text_input(text=""quoted...", uid=None)`:                          {kind: "browser", intent: "textinput", text: `"quoted...`},
		`change(value="14:00:00", uid="x")`:                                {kind: "browser", intent: "change", text: "14:00:00"},
		"say(speaker=\"navigator\", utterance=\"He said \"no\".\n\t- a\")": {kind: "chat", speaker: "navigator", utterance: "He said \"no\".\n\t- a"},
		`say(speaker="navigator", utterance="One:\n\t- two")`:              {kind: "chat", speaker: "navigator", utterance: "One:\n\t- two"},
		`scroll(x=0, y=-900)`:                                              {kind: "browser", intent: "scroll", scrollX: "0", scrollY: "-900", scroll: true},
		`click(uid=None)`:                                                  {kind: "browser", intent: "click"},
		`load(url="https://a.com/?q="x"")`:                                 {kind: "browser", intent: "load", propertiesURL: `https://a.com/?q="x"`},
		`load(url="https://a.com/b...")`:                                   {kind: "browser", intent: "load", propertiesURL: "https://a.com/b..."},
		`tabswitch(target=12, origin=None)`:                                {kind: "browser", intent: "tabswitch"},
		`paste(text="a "b" c")`:                                            {kind: "browser", intent: "paste", text: `a "b" c`},
		`tabcreate()`:                                                      {kind: "browser", intent: "tabcreate"},
	} {
		got, _, ok := parseChatAction(cell)
		want.hasUtterance, want.hasAction = want.kind == "chat", want.kind == "browser"
		want.value, want.selected, want.pasted = want.text, want.text, want.text
		if d := cmp.Diff(want, got, cmp.AllowUnexported(turn{})); d != "" || !ok {
			t.Errorf("%s: ok %v (-want +got):\n%s", cell, ok, d)
		}
	}
	for _, cell := range []string{"", "click", `click(uid="a"`, `click(uid="a", x=3)`, `scroll(x=a, y=b)`, `fly(uid="a")`, `text_input(text="a)`, `text_input(text="a")`, `paste()`} {
		if _, _, ok := parseChatAction(cell); ok {
			t.Errorf("%q is no action of the grammar", cell)
		}
	}
}

func TestWebLINXChatInstructorTurnsAreRebuilt(t *testing.T) {
	said := saidBefore(`[00:07] Hello ; [01:10:13] Open the "best" [site]. ;`,
		`say(speaker="instructor", utterance="Go "there" now", timestamp="00:13") ; say(speaker="navigator", utterance="Yes") </s><s>[INST] say(speaker="instructor", utterance="Then stop.") [/INST] click(uid="a")`)
	if d := cmp.Diff([]string{"Hello", `Open the "best" [site].`, `Go "there" now`, "Then stop."}, said); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, c := range []struct{ before, now, want []string }{
		{nil, []string{"a", "b"}, []string{"a", "b"}},
		{[]string{"a", "b"}, []string{"a", "b"}, []string{}},
		{[]string{"hi", "yes"}, []string{"hi", "yes", "yes"}, []string{"yes"}},
		{[]string{"a", "b", "c", "d"}, []string{"a", "d", "e"}, []string{"e"}}, // the middle is left out
		{[]string{"a long text"}, []string{"a lo...", "next"}, []string{"next"}},
		{[]string{"a"}, []string{"x", "y"}, []string{"x", "y"}},
	} {
		if d := cmp.Diff(c.want, append([]string{}, newSayings(c.before, c.now)...)); d != "" {
			t.Errorf("%v then %v (-want +got):\n%s", c.before, c.now, d)
		}
	}
}

const chatCandidates = "(uid = 11-a) [[tag]] input [[xpath]] /html/input [[text]] Search shop.fixture.com [[bbox]] x=1 [[attributes]] data-webtasks-id='11-a' aria-label='Find' [[children]] \n(uid = 22-b) [[tag]] button\n[[xpath]] /html\n[[text]] Go\n[[bbox]] x=2"

// chatRows are two demonstrations; the first one's turns stand in the wrong order, with gaps.
var chatRows = [][]string{
	{"demo", "turn", "action", "action_history", "utterances", "candidates", "clean_html", "viewport"},
	{"aaaaaaa", "9", `say(speaker="navigator", utterance="Found it:` + "\n\t" + `- a "lamp" at shop.fixture.com")`, `click(uid="22-b")</s><s>[INST] say(speaker="instructor", utterance="Is there a lamp?") [/INST]`, "[00:01] Hello [00:09] Open shop.fixture.com ;", "", "(html)", "7h x 9w"},
	{"aaaaaaa", "4", `text_input(text="red "lamp"", uid="11-a")`, `load(url="https://www.shop.fixture.com/", type="typed") ; say(speaker="instructor", utterance="Open shop.fixture.com")`, "[00:01] Hello", chatCandidates, "(html)", ""},
	{"aaaaaaa", "5", `click(uid="22-b")`, `say(speaker="instructor", utterance="Open shop.fixture.com")`, "[00:01] Hello", chatCandidates, "", ""},
	{"bbbbbbb", "2", `load(url="https://other.fixture.org/x")`, "", "[00:03] Search it", "", "", ""},
	{"bbbbbbb", "3", `click(uid=None)`, "", "[00:03] Search it", "", "", ""},
}

func chatJSON(t testing.TB) []byte {
	var b bytes.Buffer
	for _, r := range chatRows[1:] {
		row := map[string]any{}
		for i, name := range chatRows[0] {
			row[name] = r[i]
		}
		row["turn"] = json.Number(r[1])
		line, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes()
}

func chatCSV(t testing.TB) []byte {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(chatRows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t testing.TB, b []byte) string {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return z.String()
}

func TestWebLINXChatFilesGiveEvaluatedTurnsInOrder(t *testing.T) {
	files := map[string]string{
		"data/chat/valid.json.gz": zipped(t, chatJSON(t)), "data/validation.csv": string(chatCSV(t)),
		"chat/valid.csv": "\ufeff" + string(chatCSV(t)), "data/validation.jsonl": string(chatJSON(t)),
	}
	for name, text := range files {
		dir := t.TempDir()
		write(t, filepath.Join(dir, name), text)
		episodes, skips := mustCollect(t, Source{Format: "weblinx", Path: dir})
		if len(skips) != 0 || len(episodes) != 2 {
			t.Fatalf("%s: %d episodes, skips %v", name, len(episodes), skips)
		}
		e := episodes[0]
		want := []task.Step{
			{Index: 0, Kind: "utterance", Speaker: "instructor", Utterance: "Hello"},
			{Index: 1, Kind: "utterance", Speaker: "instructor", Utterance: "Open [url]"},
			{Index: 2, Kind: "action", Op: "textinput", Action: `textinput [input] Search [url]: red "lamp"`, Element: "[input] Search [url]", Value: `red "lamp"`},
			{Index: 3, Kind: "action", Op: "click", Action: "click [button] Go", Element: "[button] Go"},
			{Index: 4, Kind: "utterance", Speaker: "instructor", Utterance: "Is there a lamp?"},
			{Index: 5, Kind: "utterance", Speaker: "navigator", Utterance: "Found it:\n\t- a \"lamp\" at [url]"},
		}
		if d := cmp.Diff(want, e.Steps); d != "" {
			t.Errorf("%s: steps (-want +got):\n%s", name, d)
		}
		if e.ID != "aaaaaaa" || e.OpenIntent != "Open shop.fixture.com Is there a lamp?" || e.ClosedIntent != "www.shop.fixture.com" || episodes[1].ClosedIntent != "other.fixture.org" {
			t.Errorf("%s: %+v", name, e)
		}
		lists := strings.Fields(strings.Join(e.Lists, " "))
		if len(lists) != 2 || !strings.Contains(strings.Join(lists, " "), "valid") || strings.Join(e.Flags, " ") != "evaluated_turns_only" {
			t.Errorf("%s: lists %v, flags %v", name, lists, e.Flags)
		}
	}
}

func TestWebLINXListsCarryBothSpellings(t *testing.T) {
	for in, want := range map[string]string{"valid": "valid validation", "validation": "validation valid", "test": "test test_iid", "test_iid dev": "test_iid test dev iid_all", "iid_all": "iid_all dev", "train": "train", "valid validation": "valid validation"} {
		if got := strings.Join(chatListNames(strings.Fields(in)), " "); got != want {
			t.Errorf("%s gives %s, want %s", in, got, want)
		}
	}
}

func TestWebLINXDemonstrationsWinOverChatFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "demonstrations"), os.DirFS("testdata/weblinx/demonstrations")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "chat/valid.csv"), string(chatCSV(t)))
	write(t, filepath.Join(dir, "data/chat/train.json.gz"), "version https://git-lfs.github.com/spec/v1\n")
	episodes, skips := mustCollect(t, Source{Format: "weblinx", Path: dir})
	text := strings.Join(skipText(dir, skips), "\n")
	if len(episodes) != 2 || !strings.Contains(text, "superseded chat/valid.csv") || !strings.Contains(text, "superseded data/chat/train.json.gz") {
		t.Errorf("%d episodes; skips\n%s", len(episodes), text)
	}
	if episodes, _ = mustCollect(t, Source{Format: "weblinx", Path: filepath.Join(dir, "chat")}); len(episodes) != 2 || episodes[1].ID != "bbbbbbb" {
		t.Errorf("the chat folder by name gives %v", ids(episodes))
	}
}

func TestWebLINXChatFileErrorsNameTheirPlace(t *testing.T) {
	head := `{"demo":"a","turn":1,"action":"click(uid=None)"}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"valid.csv", "demo,turn,action\na,x,\"click(uid=None)\"\n", `valid.csv:2: not an evaluated turn: demo "a", turn "x"`},
		{"valid.csv", "demo,turn,action\na,1,\"click(uid=None)\n", "valid.csv:2: broken CSV"},
		{"valid.jsonl", head + `{"demo":"b","turn":1}`, "record 1: not an evaluated turn: it lacks"},
		{"valid.jsonl", head + `{"demo":"a","turn":1,"action":"click(uid=None)"}`, "demonstration a has turn 1 twice"},
		{"valid.jsonl", head + `{"demo":"b","turn":1,"action":"click(uid=None)"}` + head, "demonstration a don't stand together"},
		{"valid.jsonl", head + `{"demo":"b",`, "valid.jsonl: byte 61: broken JSON: the file ends"},
		{"valid.jsonl", "[]", "1 skipped as not_of_this_format"},
		{"valid.csv", "a,b\n1,2\n", "1 skipped as not_of_this_format"},
		{"valid.json.gz", "version https://git-lfs.github.com/spec/v1\n", "run git lfs pull"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, c.name), c.text)
		_, _, err := collect(Source{Format: "weblinx", Path: dir})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: error %v, want %q", c.name, c.text, err, c.want)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "valid.jsonl"), head)
	if _, _, err := collect(Source{Format: "weblinx", Path: dir, Options: &WebLINXOptions{OpenIntent: "description"}}); err == nil || !strings.Contains(err.Error(), "the chat form lacks") {
		t.Errorf("open_intent = description: %v", err)
	}
	write(t, filepath.Join(dir, "valid.jsonl"), strings.Replace(head, "click(", "klick(", 1))
	episodes, skips := mustCollect(t, Source{Format: "weblinx", Path: dir})
	if len(skips) != 1 || skips[0].Reason != UnknownTurn || episodes[0].Steps[0].Element != "klick(uid=None)" {
		t.Errorf("an action outside of the grammar: %v, %+v", skips, episodes)
	}
}

func FuzzReadWebLINXChat(f *testing.F) {
	f.Add(append([]byte("J"), chatJSON(f)...))
	f.Add(append([]byte("C"), chatCSV(f)...))
	f.Add([]byte(`J[{"demo":"a","turn":"1.0","action":null,"candidates":"(uid = ) [[tag]] [[","utterances":"[1:00][2:00] x..."}]`))
	f.Add([]byte("Cdemo,turn,action,action_history\na,-1,\"say(speaker=\"\"x\"\", utterance=\"\"\")\",\"say(speaker=\"\"instructor\"\", utterance=\"\"x\""))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		in, err := newInput(context.Background(), map[bool]string{true: "f.csv", false: "f.jsonl"}[b[0] == 'C'], bytes.NewReader(b[1:]), maxBuffer)
		if err != nil {
			return
		}
		g := gate{src: Source{Name: "d", Format: "x"}, seen: map[string]record{}, reasons: map[string]int{}, yield: func(e Episode, err error) bool {
			if e.ID == "" || len(e.Steps) == 0 {
				t.Errorf("bad episode %+v", e)
			}
			return true
		}}
		// Any error will do; what must not happen is a panic or a bad episode.
		_ = readChatFile(in, Safe, g.output(context.Background()))
	})
}
