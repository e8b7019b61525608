package reply

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func hasLevel(o Object) bool {
	var n float64
	return json.Unmarshal(o["level"], &n) == nil && o["level"][0] != 'n'
}

func TestFindTakesTheAnswerByTheLadder(t *testing.T) {
	for _, c := range []struct {
		name, text, level string
		rung              Rung
		parsed            int
		several, reasoned bool
	}{
		{name: "an object alone", text: `{"reason":"same goal","level":3}`, level: "3", rung: Strict, parsed: 1},
		{name: "blanks and a byte-order mark around it", text: "\ufeff \n{\"level\":3}\u200b\n", level: "3", rung: Strict, parsed: 1},
		{name: "one fence around the whole", text: "```json\n{\"level\":4}\n```", level: "4", rung: Fence, parsed: 1},
		{name: "a fence without a language", text: "```\n{\"level\":4}\n```", level: "4", rung: Fence, parsed: 1},
		{name: "a fence inside of talk", text: "Here:\n```json\n{\"level\":4}\n```\nDone.", level: "4", rung: Scan, parsed: 1},
		{name: "talk around it", text: `Verdict follows. {"reason":"ok","level":2} Thanks.`, level: "2", rung: Scan, parsed: 1},
		{name: "the last of two", text: `Draft {"level":1} final {"level":3}`, level: "3", rung: Scan, parsed: 2, several: true},
		{name: "the last valid one", text: `{"level":3} and {"note":"x"}`, level: "3", rung: Scan, parsed: 2},
		{name: "reasoning first", text: `<think>{"level":0}</think>{"level":4}`, level: "4", rung: Strict, parsed: 1, reasoned: true},
		{name: "two reasoning blocks", text: `<think>a</think> <thinking>b</thinking>{"level":4}`, level: "4", rung: Strict, parsed: 1, reasoned: true},
		{name: "a lone closing tag", text: `so {"level":0}</think> {"level":4}`, level: "4", rung: Strict, parsed: 1, reasoned: true},
		{name: "a closing tag inside a string", text: `{"reason":"it said </think> there","level":1}`, level: "1", rung: Strict, parsed: 1},
		{name: "cut off while thinking", text: `<think>well {"level":2}`, reasoned: true},
		{name: "braces and quotes in a string", text: `x {"reason":"braces {x} and \"quotes\"","level":1}`, level: "1", rung: Scan, parsed: 1},
		{name: "a list around it", text: `[{"level":2}]`, level: "2", rung: Scan, parsed: 1},
		{name: "strings are not searched", text: `{"level":4,"reason":"copied: {\"level\":0}"}`, level: "4", rung: Strict, parsed: 1},
		{name: "an object that never closes is not searched", text: `{"level":1, "rea {"level":3}`, level: "", parsed: 0},
		{name: "an unclosed brace in the talk", text: `note { here: {"level":3}`, level: "3", rung: Scan, parsed: 1},
		{name: "another object", text: `{"score":4}`, parsed: 1},
		{name: "a bare NaN is no JSON", text: `{"level":NaN}`},
		{name: "cut off", text: `{"reason":"cut off here","lev`},
		{name: "plain text", text: `level: 3`},
		{name: "nothing", text: " \n"},
		{name: "null", text: "null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Find(c.text, hasLevel)
			if got := string(f.Object["level"]); got != c.level || f.Rung != c.rung || f.Parsed != c.parsed || f.Several != c.several || f.Reasoned != c.reasoned {
				t.Errorf("Find(%q) = level %q, rung %q, %d parsed, several %v, reasoned %v; want %q, %q, %d, %v, %v",
					c.text, got, f.Rung, f.Parsed, f.Several, f.Reasoned, c.level, c.rung, c.parsed, c.several, c.reasoned)
			}
		})
	}
}

func TestEmptySeesThroughReasoningAndInvisibleCharacters(t *testing.T) {
	for text, want := range map[string]bool{"": true, " \u200b\n": true, "<think>x</think>": true, "<think>x": true, "x": false, "{}": false} {
		if got := Empty(text); got != want {
			t.Errorf("Empty(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestFindReadsBackAnyObjectWhateverStandsAround(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reason := rapid.String().Draw(t, "reason")
		b, err := json.Marshal(map[string]any{"reason": reason, "level": 2})
		if err != nil {
			t.Fatal(err)
		}
		talk := rapid.StringMatching(`[a-z .,:]{0,20}`)
		f := Find(talk.Draw(t, "before")+string(b)+talk.Draw(t, "after"), hasLevel)
		var got string
		if err := json.Unmarshal(f.Object["reason"], &got); err != nil || got != strings.ToValidUTF8(reason, "\uFFFD") {
			t.Fatalf("reason came back as %q (%v)", got, err)
		}
	})
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{`{"level":3}`, "```json\n{}\n```", `<think>{`, `a {"b":"{"} {"level":1}`, "</think>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		found := Find(s, hasLevel)
		if (found.Object != nil) != (found.Rung != "") || found.Object != nil && (!hasLevel(found.Object) || found.Parsed == 0) {
			t.Errorf("Find(%q) = %+v", s, found)
		}
	})
}
