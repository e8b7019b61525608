package predictors

import (
	"slices"
	"strings"
	"testing"

	"intentlab/ablations/task"
)

// tokens are the keys of words that are tokens as they stand.
func tokens(words ...string) []uint64 {
	var keys []uint64
	for _, w := range words {
		keys = append(keys, hashString(fnvOffset, w))
	}
	slices.Sort(keys)
	return keys
}

func TestTokensOfMixedScripts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"punctuation only", " -- !?…、。", nil},
		{"case and digits", "Click [A] btn-42", []string{"click", "a", "btn", "42"}},
		{"full width is folded", "ＡＢＣ１２", []string{"abc12"}},
		{"accents, composed and not", "Café Cafe\u0301 ÉTÉ", []string{"café", "café", "été"}},
		{"ideographs and bigrams", "打开微信", []string{"打", "打开", "开", "开微", "微", "微信", "信"}},
		{"mixed", "用WeChat付款2元", []string{"用", "wechat", "付", "付款", "款", "2", "元"}},
		{"no bigram across a gap", "打 开,信", []string{"打", "开", "信"}},
		{"kana and hangul are runs", "カタカナ 한국어", []string{"カタカナ", "한국어"}},
		{"invalid bytes separate", "ab\xffcd", []string{"ab", "cd"}},
		{"a mark alone is nothing", "\u0301 x", []string{"x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := tokenKeys(c.text, nil)
			slices.Sort(got)
			if want := tokens(c.want...); !slices.Equal(got, want) {
				t.Errorf("%q: %d tokens, want %q", c.text, len(got), c.want)
			}
		})
	}
}

func TestTextReadsEveryVisibleStringOnce(t *testing.T) {
	q := task.Task{
		Metadata:     task.Metadata{Fields: map[string]string{"platform": "web"}, Apps: []string{"maps"}, Profile: map[string]string{"age": "30"}},
		ContextSteps: []task.Step{{Utterance: "earlier"}},
		ObservedSteps: []task.Step{{Speaker: "instructor", Utterance: "hello"},
			{Action: "click [link] Questions", Op: "click", Element: "[link] Questions", URL: "http://q.org", Value: "typed", App: "browser"}},
	}
	want := []string{"web", "maps", "30", "earlier", "instructor", "hello", "click", "link", "questions", "http", "q", "org", "typed", "browser"}
	check := func(name string, q task.Task) {
		got := textKeys(&q, nil)
		slices.Sort(got)
		if !slices.Equal(got, tokens(want...)) {
			t.Errorf("%s: %d tokens, want the %d of %q", name, len(got), len(want), want)
		}
	}
	check("text", q)
	q.Graph = &task.Graph{Nodes: []task.Node{{ID: "episode", Type: "episode"}, {Type: "metadata", Key: "platform", Value: "web"},
		{Type: "utterance", Text: "hello", Speaker: "instructor"}, {Type: "action", Op: "click", Text: "click [link] Questions"},
		{Type: "element", Text: "[link] Questions", Value: "typed", URL: "http://q.org"}}}
	check("text with a graph that repeats it", q)
	q.Graph.Nodes = append(q.Graph.Nodes, task.Node{Type: "app", Value: "news"})
	want = append(want, "news")
	check("text with a graph that adds to it", q)
	q.ObservedSteps[1].Observation, q.ObservedSteps[1].Screenshot = "cart", "sha256:00"
	q.Graph.Nodes = append(q.Graph.Nodes, task.Node{Type: "observation", Text: "cart", Value: "sha256:00"})
	want = append(want, "cart") // the hash of a picture is no word
	check("what is on the screen", q)
	q = task.Task{Graph: q.Graph}
	want = []string{"web", "hello", "instructor", "click", "link", "questions", "link", "questions", "typed", "http", "q", "org", "news", "cart"}
	check("graph only", q)
}

func TestStepsOfAnyLengthAreRead(t *testing.T) {
	q := textTask("e", strings.Repeat("打开 word ", 57000/12))
	if got, want := len(textKeys(&q, nil)), 4*(57000/12); got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}
