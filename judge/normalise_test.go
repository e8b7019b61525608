package judge

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNormaliseComposesAndCollapsesButKeepsCaseAndMarks(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		" \t\n\u00a0\u3000 ":         "",
		"  Book\r\n a\u3000flight! ": "Book a flight!",
		"cafe\u0301":                 "caf\u00e9",
		"bad \xff byte":              "bad \uFFFD byte",
	} {
		if got := Normalise(in); got != want {
			t.Errorf("Normalise(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFoldIgnoresCaseAndOuterPunctuationOnly(t *testing.T) {
	for in, want := range map[string]string{
		"Hello!":               "hello",
		"“Book a flight.”":     "book a flight",
		"- Buy milk":           "- buy milk",
		"• Buy milk":           "buy milk",
		"什么？":                  "什么",
		"a 50% discount in C#": "a 50% discount in c#",
		"-5":                   "-5",
		".NET":                 ".net",
		"C++":                  "c++",
		"...":                  "...",
	} {
		if got := fold(in); got != want {
			t.Errorf("fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestEmptyTextsHaveTheirOwnStates(t *testing.T) {
	for name, j := range readers(t) {
		for _, empty := range []string{"", "  \n", "...", "？！", "\u200b", "\uFFFD"} {
			if v := judged(t, j, "book a flight", empty); v.State != MethodEmpty || v.Score != 0 {
				t.Errorf("%s, prediction %q: %+v", name, empty, v)
			}
			if v := judged(t, j, empty, "book a flight"); v.State != GoldMissing {
				t.Errorf("%s, gold %q: %+v", name, empty, v)
			}
			if v := judged(t, j, empty, empty); v.State != GoldMissing {
				t.Errorf("%s, both %q: %+v", name, empty, v)
			}
			if Unsupported(j, empty) {
				t.Errorf("%s: %q is called unsupported", name, empty)
			}
		}
	}
}

func TestLongPredictionIsCutAndFlagged(t *testing.T) {
	long := strings.Repeat("go ", 200) // 600 characters with the space that goes
	for name, j := range readers(t) {
		v := judged(t, j, "go", long)
		if len(v.Flags) != 0 {
			t.Errorf("%s flags 599 characters: %+v", name, v)
		}
		longer := judged(t, j, "go", long+"flight")
		if strings.Join(longer.Flags, ",") != PredictionTruncated || longer.Score != v.Score || longer.Raw != v.Raw {
			t.Errorf("%s: %+v for the same first 600 characters as %+v", name, longer, v)
		}
	}
	if got := cut(strings.Repeat("订", 700), 600); utf8.RuneCountInString(got) != 600 {
		t.Errorf("cut to %d characters", utf8.RuneCountInString(got))
	}
}

func TestLongGoldIsAnErrorOfTheBenchmark(t *testing.T) {
	long := strings.Repeat("订", MaxGold)
	if err := CheckGold(" " + long + "\n"); err != nil {
		t.Error(err)
	}
	if err := CheckGold(long + "票"); err == nil || !strings.Contains(err.Error(), "2001 characters") {
		t.Errorf("error %v", err)
	}
	for name, j := range readers(t) {
		if _, err := j.Judge(context.Background(), Question{Gold: long + "票", Predicted: "x"}); err == nil {
			t.Errorf("%s judged a gold text that is too long", name)
		}
	}
}

func TestVerdictKeyIsOneForEqualNormalisedTexts(t *testing.T) {
	key := func(q Question) string {
		k, err := VerdictKey("f", q)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	a := key(Question{Gold: "cafe\u0301  x", Predicted: " y"})
	if b := key(Question{Gold: "café x", Predicted: "y"}); a != b {
		t.Error("normalisation changes the key")
	}
	for _, q := range []Question{{Gold: "Café x", Predicted: "y"}, {Gold: "café x", Predicted: "z"}, {Gold: "café x", Predicted: "y", Platform: "web"}} {
		if key(q) == a {
			t.Errorf("%+v has the key of another question", q)
		}
	}
}

func TestNormaliseIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		n := Normalise(text)
		if Normalise(n) != n || !utf8.ValidString(n) || blank(n) != blank(text) {
			t.Fatalf("Normalise(%q) = %q", text, n)
		}
		if f := fold(n); fold(f) != f && !blank(f) {
			t.Fatalf("fold(%q) = %q, then %q", n, f, fold(f))
		}
	})
}
