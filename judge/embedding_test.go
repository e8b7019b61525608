package judge

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"intentlab/runners/encoder"
)

func embeddingJudge(t testing.TB, lo, hi float64) Judge {
	t.Helper()
	j, err := Kinds["embedding"].New(Setup{Lo: lo, Hi: hi})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// readers are one judge of every kind that judges any text it can read.
func readers(t testing.TB) map[string]Judge {
	return map[string]Judge{"embedding": embeddingJudge(t, 0, 1), "token_f1": lexicalJudge(t, "token_f1"),
		"rouge_l": lexicalJudge(t, "rouge_l"), "chrf": lexicalJudge(t, "chrf")}
}

func TestEmbeddingShowsTheCosineAndScoresItByTheAnchors(t *testing.T) {
	plain := judged(t, embeddingJudge(t, 0, 0), flights, "find a single trip flight Baku to Istanbul")
	cosine, err := strconv.ParseFloat(plain.Raw, 64)
	if err != nil || plain.State != Scored || plain.Score != cosine || math.Abs(cosine-0.7079) > 1e-3 {
		t.Fatalf("%+v, %v", plain, err)
	}
	anchored := judged(t, embeddingJudge(t, 0.3, 0.9), flights, "find a single trip flight Baku to Istanbul")
	if anchored.Raw != plain.Raw || !near(anchored.Score, (cosine-0.3)/0.6) {
		t.Errorf("with anchors %+v, without %+v", anchored, plain)
	}
	low := judged(t, embeddingJudge(t, 0.5, 0.6), flights, "order a pizza")
	high := judged(t, embeddingJudge(t, 0.5, 0.6), flights, "search flights from Azerbaijan to Turkey")
	if low.Score != 0 || low.State != Scored || high.Score != 1 {
		t.Errorf("outside the anchors: %+v and %+v", low, high)
	}
}

func TestEqualTextsScoreExactlyOneUnderAnyAnchors(t *testing.T) {
	for _, c := range [][2]string{{"hello", "Hello!"}, {flights, " " + flights + "."}, {"cafe\u0301", "CAFÉ"}} {
		if v := judged(t, embeddingJudge(t, 0.9, 1.5), c[0], c[1]); v.State != Scored || v.Score != 1 || v.Raw != "1" {
			t.Errorf("%q, %q: %+v", c[0], c[1], v)
		}
	}
}

func TestTextOutsideTheVocabularyIsAStateAndNeverANumber(t *testing.T) {
	j := embeddingJudge(t, 0, 1)
	const chinese = "预订明天去上海的高铁票"
	for _, c := range []struct {
		gold, predicted string
		want            State
	}{
		{chinese, "book a train", UnsupportedGold},
		{chinese, chinese, UnsupportedGold},
		{chinese, "", UnsupportedGold},
		{"book a train", chinese, UnsupportedText},
		{"book a train", "打开 YouTube 搜索 music", UnsupportedText},
		{"book a train", "забронировать", UnsupportedText},
		{"book a train", "😀", UnsupportedText},
		{"book a train to 上海 on the first of May please", "book a train", Scored},
		{"order a pizza", "order a pizza 🍕 now", Scored},
	} {
		v := judged(t, j, c.gold, c.predicted)
		if v.State != c.want || v.State != Scored && (v.Score != 0 || v.Raw != "") {
			t.Errorf("%q, %q: %+v, want %s", c.gold, c.predicted, v, c.want)
		}
	}
	if !Unsupported(j, chinese) || Unsupported(j, "book a train") {
		t.Error("Unsupported disagrees with the verdicts")
	}
}

// docs/judges.md prints these: what no score of this judge can tell.
func TestDocumentedCautionsHold(t *testing.T) {
	j := embeddingJudge(t, 0, 1)
	for _, c := range []struct {
		a, b string
		want string
	}{
		{"flight from Baku to Istanbul", "flight from Istanbul to Baku", "1.000"},
		{"meeting is on Monday", "meeting is on Tuesday", "0.865"},
		{"I like this movie", "I do not like this movie", "0.909"},
		{"yes", "no", "0.345"},
		{"42", "43", "0.502"},
		{"hello", "Hello!", "1.000"},
		{"cancel my order", "please revoke the purchase I made", "0.231"},
		{"turn the alarm on", "turn the alarm off", "0.941"},
		{"book a table for 2", "book a table for 8", "0.943"},
	} {
		if got := strconv.FormatFloat(judged(t, j, c.a, c.b).Score, 'f', 3, 64); got != c.want {
			t.Errorf("%q / %q: %s, docs say %s", c.a, c.b, got, c.want)
		}
	}
}

// countingEncoder counts embeddings; its vectors are what the test says.
type countingEncoder struct {
	calls  atomic.Int64
	vector func(string) []float32
}

func (e *countingEncoder) Embed(text string) []float32 {
	e.calls.Add(1)
	return e.vector(text)
}
func (e *countingEncoder) Unknown(string) float64   { return 0 }
func (e *countingEncoder) Identity() map[string]any { return map[string]any{"name": "counting"} }

func TestEachTextIsEmbeddedOnceAlsoByConcurrentCallers(t *testing.T) {
	e := &countingEncoder{vector: func(text string) []float32 { return []float32{float32(len(text)), 1} }}
	j, err := newEmbedding(Setup{}, e)
	if err != nil {
		t.Fatal(err)
	}
	texts := strings.Fields("a bb ccc dddd eeeee ffffff ggggggg")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, gold := range texts {
				for _, predicted := range texts {
					if _, err := j.Judge(context.Background(), Question{Gold: gold, Predicted: predicted}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if n := e.calls.Load(); n != int64(len(texts)) {
		t.Errorf("%d embeddings for %d texts", n, len(texts))
	}
}

func TestNoScoreIsMadeOfBadVectors(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		vector []float32
		want   State
	}{"zero": {[]float32{0, 0}, UnsupportedText}, "NaN": {[]float32{nan, 1}, BadScore}} {
		j, err := newEmbedding(Setup{}, &countingEncoder{vector: func(text string) []float32 {
			if text == "bad" {
				return c.vector
			}
			return []float32{1, 1}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if v := judged(t, j, "good", "bad"); v.State != c.want || v.Score != 0 {
			t.Errorf("%s vector: %+v, want %s", name, v, c.want)
		}
	}
}

func TestMemoryForgetsTheLeastRecentlyUsedText(t *testing.T) {
	var computed []string
	m := newRemembered(2, func(text string) int { computed = append(computed, text); return len(text) })
	for _, text := range []string{"a", "bb", "a", "ccc", "a", "bb"} {
		if got := m.get(text); got != len(text) {
			t.Fatalf("get(%q) = %d", text, got)
		}
	}
	if got := strings.Join(computed, " "); got != "a bb ccc bb" {
		t.Errorf("computed %q", got)
	}
	if m.order.Len() != 2 || len(m.byText) != 2 {
		t.Errorf("holds %d and %d entries", m.order.Len(), len(m.byText))
	}
}

func TestEmbeddingInvariants(t *testing.T) {
	j := embeddingJudge(t, 0, 1)
	word := rapid.SampledFrom([]string{"book", "Book", "flight", "to", "Baku", "票", "42", "é", "!", "—", "😀", "cancel"})
	text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(word, 0, 8), func(w []string) string { return strings.Join(w, " ") }))
	rapid.Check(t, func(rt *rapid.T) {
		a, b := text.Draw(rt, "gold"), text.Draw(rt, "predicted")
		checkVerdict(rt, j, a, b)
		there, back := judged(t, j, a, b), judged(t, j, b, a)
		if there.State == Scored && there.Score != back.Score {
			rt.Fatalf("%q, %q: %+v one way, %+v the other", a, b, there, back)
		}
	})
}

func BenchmarkEmbeddingVerdictOfNewTexts(b *testing.B) {
	e, err := encoder.Load()
	if err != nil {
		b.Fatal(err)
	}
	j, err := newEmbedding(Setup{}, e)
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		i++
		if _, err := j.Judge(context.Background(), Question{Gold: flights, Predicted: "find flight " + strconv.Itoa(i)}); err != nil {
			b.Fatal(err)
		}
	}
}
