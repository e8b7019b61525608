package answer

import (
	"errors"
	"math"
	"strings"
	"testing"

	"intentlab/runners/reply"
)

func TestReadFindsTheAnswerOrSaysWhyThereIsNone(t *testing.T) {
	for _, c := range []struct {
		name, text         string
		openOnly           bool
		closed, open, conf string
		rung               reply.Rung
		flag, failure      string
	}{
		{name: "as asked", text: `{"reason":"r","closed_intent":"Travel","closed_confidence":0.8,"predicted_intent":"book a flight"}`, closed: "Travel", open: "book a flight", conf: "0.8", rung: reply.Strict},
		{name: "in a fence", text: "```json\n{\"closed_intent\":\"Travel\",\"predicted_intent\":\"x\"}\n```", closed: "Travel", open: "x", rung: reply.Fence},
		{name: "percent as text", text: `{"closed_intent":"a","closed_confidence":"80%","predicted_intent":"x"}`, closed: "a", open: "x", conf: "0.8", rung: reply.Strict},
		{name: "a confidence over one may mean anything", text: `{"closed_intent":"a","closed_confidence":80,"predicted_intent":"x"}`, closed: "a", open: "x", rung: reply.Strict, flag: "unreadable_confidence"},
		{name: "a null confidence is none", text: `{"closed_intent":"a","closed_confidence":null,"predicted_intent":"x"}`, closed: "a", open: "x", rung: reply.Strict},
		{name: "null abstains", text: `{"closed_intent":null,"predicted_intent":null}`, rung: reply.Strict},
		{name: "no open intent", text: `{"closed_intent":"a"}`, closed: "a", rung: reply.Strict, flag: "no_open_intent"},
		{name: "open only", openOnly: true, text: `{"predicted_intent":"x"}`, open: "x", rung: reply.Strict},
		{name: "the last answer counts", text: `{"closed_intent":"a","predicted_intent":"x"} or {"closed_intent":"b","predicted_intent":"y"}`, closed: "b", open: "y", rung: reply.Scan, flag: "multiple_objects"},
		{name: "reasoning comes off", text: `<think>{"closed_intent":"a"}</think>{"closed_intent":"b","predicted_intent":"y"}`, closed: "b", open: "y", rung: reply.Strict, flag: "think_removed"},
		{name: "named lines", text: "**closed_intent**: Travel\nclosed_confidence: 0.4\npredicted intent: \"book a flight\"", closed: "Travel", open: "book a flight", conf: "0.4", rung: reply.Line, flag: "plain_text"},
		{name: "two answers on lines", text: "closed_intent: a\nclosed_intent: b", failure: "no_answer"},
		{name: "talk", text: "I think they want to travel.", failure: "no_answer"},
		{name: "cut off", text: `{"reason":"they","closed_int`, failure: "no_answer"},
		{name: "another object", text: `{"answer":"a"}`, failure: "bad_answer"},
		{name: "a list for a label", text: `{"closed_intent":["a","b"],"predicted_intent":"x"}`, failure: "bad_answer"},
		{name: "a number for the open intent", text: `{"closed_intent":"a","predicted_intent":3}`, failure: "bad_answer"},
		{name: "nothing", text: " \n", failure: "empty_reply"},
		{name: "only reasoning", text: "<think>hm", failure: "empty_reply"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := Read(c.text, !c.openOnly)
			if c.failure != "" {
				f, ok := errors.AsType[*Failure](err)
				if !ok || f.Reason != c.failure {
					t.Fatalf("Read(%q): %v, want a failure %s", c.text, err, c.failure)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			conf := ""
			if a.Confidence != nil {
				conf = strings.TrimRight(strings.TrimRight(formatted(*a.Confidence), "0"), ".")
			}
			if a.Closed != c.closed || a.Open != c.open || conf != c.conf || a.Rung != c.rung || strings.Join(a.Flags, ",") != c.flag {
				t.Errorf("Read(%q) = %+v (confidence %s)", c.text, a, conf)
			}
		})
	}
}

func formatted(x float64) string {
	return string([]byte{byte('0' + int(x)), '.', byte('0' + int(math.Round(x*10))%10)})
}

func TestLabelsAreMappedExactlyThenByFoldingThenByAliasAndNeverGuessed(t *testing.T) {
	l, err := NewLabels([]string{"Web_Shopping", "Travel", "travel ", "闹钟/计时", "Info"}, map[string]string{"shopping on the web": "Web_Shopping", "information": "Info"})
	if err != nil {
		t.Fatal(err)
	}
	for written, want := range map[string]string{
		"Web_Shopping": "Web_Shopping", "web shopping": "Web_Shopping", ` "WEB-SHOPPING." `: "Web_Shopping", "Shopping on the Web": "Web_Shopping",
		"Travel": "Travel", "INFO": "Info", "Information": "Info", "闹钟/计时": "闹钟/计时", "「闹钟/计时」": "闹钟/计时",
	} {
		if got, ok := l.Map(written); !ok || got != want {
			t.Errorf("Map(%q) = %q, %v; want %q", written, got, ok, want)
		}
	}
	// "travel" folds to two labels; the others are near, or more than a label.
	for _, written := range []string{"TRAVEL", "Shopping", "Web_Shopping or Info", "Infos", "", "."} {
		if got, ok := l.Map(written); ok {
			t.Errorf("Map(%q) = %q: a guess", written, got)
		}
	}
}

func TestAliasesMustStandForLabelsOfTheSpace(t *testing.T) {
	if _, err := NewLabels([]string{"a"}, map[string]string{"x": "b"}); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("an alias of an unknown label: %v", err)
	}
	if _, err := NewLabels([]string{"a", "b"}, map[string]string{"x y": "b", "X_Y": "a"}); err == nil {
		t.Error("two labels for one alias are taken")
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"closed_intent":"a","predicted_intent":"x"}`, "closed_intent: a", "<think>", `{"closed_intent":{}}`} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, closed bool) {
		a, err := Read(s, closed)
		if err == nil && a.Rung == "" || err != nil && a.Closed+a.Open != "" {
			t.Errorf("Read(%q) = %+v, %v", s, a, err)
		}
		if a.Confidence != nil && !(*a.Confidence >= 0 && *a.Confidence <= 1) {
			t.Errorf("confidence %v", *a.Confidence)
		}
	})
}
