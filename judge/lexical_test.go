package judge

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func lexicalJudge(t testing.TB, measure string) Judge {
	t.Helper()
	j, err := Kinds["lexical"].New(Setup{Options: &lexicalOptions{Measure: measure}, Hi: 1})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func judged(t testing.TB, j Judge, gold, predicted string) Verdict {
	t.Helper()
	v, err := j.Judge(context.Background(), Question{Gold: gold, Predicted: predicted})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTokensAreWordsAndSingleIdeographs(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		" — ":                     "",
		"One-way FLIGHTS, 2 pax!": "one way flights 2 pax",
		"预订iPhone15手机":            "预 订 iphone15 手 机",
		"ＦＵＬＬ　width ①":            "full width 1",
		"買い物リスト":                  "買 い 物 リスト",
		"हिन्दी में":              "हिन्दी में",
		"cafe\u0301 naïve":        "café naïve",
		"a\u0301":                 "á",
		"人々 〇":                    "人 々 〇",
		"😀 ok":                    "ok",
	} {
		if got := strings.Join(tokens(text), " "); got != want {
			t.Errorf("tokens(%q) = %q, want %q", text, got, want)
		}
	}
}

// Computed with sacrebleu 2 (char_order 6, word_order 0, beta 2).
func TestChrFEqualsSacrebleu(t *testing.T) {
	for _, c := range []struct {
		gold, predicted string
		want            float64
	}{
		{"ab", "abcdefgh", 0.55},
		{"Book a flight", "book a flight", 0.8772426647426648},
		{"買い物リスト", "買い物", 0.4372623574144487},
		{"aaaa", "aa", 0.47169811320754707},
	} {
		if got := chrF(c.gold, c.predicted); !near(got, c.want) {
			t.Errorf("chrF(%q, %q) = %v, want %v", c.gold, c.predicted, got, c.want)
		}
	}
}

// Computed with rouge-score (rougeL, F1).
func TestRougeLEqualsReference(t *testing.T) {
	for _, c := range []struct {
		gold, predicted string
		want            float64
	}{
		{"the cat sat on the mat", "on the mat the cat sat down", 0.4615384615384615},
		{"a b c d", "d c b a", 0.25},
	} {
		if got := rougeL(c.gold, c.predicted); !near(got, c.want) {
			t.Errorf("rougeL(%q, %q) = %v, want %v", c.gold, c.predicted, got, c.want)
		}
	}
}

func TestLexicalScoresPredictionWithoutWordsZeroButTakesSuchGoldOut(t *testing.T) {
	for _, measure := range []string{"token_f1", "rouge_l"} {
		j := lexicalJudge(t, measure)
		if v := judged(t, j, "order a pizza", "🍕🍕"); v.State != Scored || v.Score != 0 {
			t.Errorf("%s of emoji for words: %+v", measure, v)
		}
		if v := judged(t, j, "🍕🍕", "order a pizza"); v.State != UnsupportedGold {
			t.Errorf("%s of words for emoji: %+v", measure, v)
		}
		if !Unsupported(j, "🍕") || Unsupported(j, "订") || Unsupported(j, "") {
			t.Errorf("%s: Unsupported is wrong about 🍕, 订 or nothing", measure)
		}
	}
	if v := judged(t, lexicalJudge(t, "chrf"), "🍕🍕", "🍕"); v.State != Scored || v.Score <= 0 {
		t.Errorf("chrF of emoji: %+v", v)
	}
}

func TestLexicalReadsChinese(t *testing.T) {
	for _, v := range overlapVectors[4:] {
		for measure, want := range map[string]float64{"token_f1": v.tokenF1, "rouge_l": v.rougeL, "chrf": v.charNF} {
			if got := judged(t, lexicalJudge(t, measure), v.gold, v.predicted); got.State != Scored || !near(got.Score, want) {
				t.Errorf("%s: %+v, want %v", measure, got, want)
			}
		}
	}
}

func TestLexicalRefusesUnknownMeasure(t *testing.T) {
	_, err := Kinds["lexical"].New(Setup{Options: &lexicalOptions{Measure: "bleu"}})
	if err == nil || !strings.Contains(err.Error(), `"bleu"`) {
		t.Errorf("error %v", err)
	}
	if _, err := Kinds["lexical"].New(Setup{Options: 1}); err == nil {
		t.Error("options of another type were accepted")
	}
}

func TestMeasureInvariants(t *testing.T) {
	word := rapid.SampledFrom([]string{"book", "Book", "flight", "to", "Baku", "票", "去", "42", "é", "e\u0301", "!", "—", " ", "😀", "ﬁ"})
	text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(word, 0, 12), func(w []string) string { return strings.Join(w, " ") }))
	judges := map[string]Judge{}
	for name := range measures {
		judges[name] = lexicalJudge(t, name)
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := text.Draw(rt, "gold"), text.Draw(rt, "predicted")
		for name, m := range measures {
			x, y := Normalise(a), Normalise(b)
			s := m.compare(x, y)
			if !(s >= 0 && s <= 1) {
				rt.Fatalf("%s(%q, %q) = %v", name, x, y, s)
			}
			if name != "chrf" && s != m.compare(y, x) {
				rt.Fatalf("%s(%q, %q) isn't symmetric", name, x, y)
			}
			if self := m.compare(x, x); self != 1 && (len(tokens(x)) > 0 || name == "chrf" && len(visible(x)) > 0) && !near(self, 1) {
				rt.Fatalf("%s(%q, itself) = %v", name, x, self)
			}
			checkVerdict(rt, judges[name], a, b)
		}
	})
}

// checkVerdict checks what holds for every judge: a score lies in 0..1 and stands in state scored
// only, equal texts score 1, and asking again gives the same.
func checkVerdict(t interface{ Fatalf(string, ...any) }, j Judge, gold, predicted string) {
	ctx := context.Background()
	v, err := j.Judge(ctx, Question{Gold: gold, Predicted: predicted})
	if err != nil {
		t.Fatalf("judging %q, %q: %v", gold, predicted, err)
	}
	if !(v.Score >= 0 && v.Score <= 1) || v.State != Scored && v.Score != 0 {
		t.Fatalf("judging %q, %q: %+v", gold, predicted, v)
	}
	if v.State == Scored && Normalise(gold) == Normalise(predicted) && v.Score != 1 {
		t.Fatalf("equal texts %q: %+v", gold, v)
	}
	again, err := j.Judge(ctx, Question{Gold: Normalise(gold), Predicted: Normalise(predicted)})
	if err != nil || again.State != v.State || again.Score != v.Score || again.Raw != v.Raw {
		t.Fatalf("judging %q, %q: %+v, and normalised before %+v, %v", gold, predicted, v, again, err)
	}
}

func FuzzTokens(f *testing.F) {
	for _, v := range overlapVectors {
		f.Add(v.gold, v.predicted)
	}
	f.Add("\xff", "a\u0301\u0301 １ ﷺ")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 4*MaxPrediction || len(b) > 4*MaxPrediction {
			t.Skip("longer than what judges compare")
		}
		for name, m := range measures {
			if s := m.compare(a, b); !(s >= 0 && s <= 1) {
				t.Fatalf("%s(%q, %q) = %v", name, a, b, s)
			}
		}
		for _, w := range tokens(a) {
			if again := tokens(w); len(again) != 1 {
				t.Fatalf("token %q of %q has tokens %q", w, a, again)
			}
		}
		if n := Normalise(a); Normalise(n) != n {
			t.Fatalf("Normalise(%q) = %q isn't stable", a, n)
		}
	})
}
