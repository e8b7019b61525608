package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func fixtureFile(t *testing.T, content string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "scores.jsonl"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func fixtureJudge(t *testing.T, content string, lo, hi float64) Judge {
	t.Helper()
	j, err := Kinds["fixture"].New(Setup{Options: &fixtureOptions{File: "scores.jsonl"}, Dir: fixtureFile(t, content), Lo: lo, Hi: hi})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestFixtureLooksPairsUp(t *testing.T) {
	key, err := PairKey(Question{Gold: "secret  gold", Predicted: "secret guess"})
	if err != nil {
		t.Fatal(err)
	}
	j := fixtureJudge(t, "\xEF\xBB\xBF"+`{"gold": "book a flight", "predicted": "find  flights", "score": 0.5, "reason": "vague"}

{"gold": "book a flight", "predicted": "find flights", "platform": "mobile", "score": 0.25}
{"gold": "订票", "predicted": "买票", "score": 1}
{"gold": "x", "predicted": "y", "score": -0}
{"gold": "a", "predicted": "b", "score": 1.5}
{"gold": "a", "predicted": "c", "score": "0.5"}
{"gold": "a", "predicted": "d", "score": null}
{"gold": "a", "predicted": "e", "score": 1e999}
{"gold": "a", "predicted": "f", "score": "NaN"}
{"gold": "a", "predicted": "g", "score": true}
{"key": "`+key+`", "score": 0.75}
`, 0, 1)
	for _, c := range []struct {
		gold, predicted, platform string
		state                     State
		score                     float64
		raw                       string
	}{
		{" book a  flight", "find flights", "", Scored, 0.5, "0.5"},
		{"book a flight", "find flights", "web", Scored, 0.5, "0.5"},
		{"book a flight", "find flights", "mobile", Scored, 0.25, "0.25"},
		{"订票", "买票", "", Scored, 1, "1"},
		{"x", "y", "", Scored, 0, "-0"},
		{"secret gold", "secret guess", "web", Scored, 0.75, "0.75"},
		{"book a flight", "nothing of the kind", "", NoFixture, 0, ""},
		{"a", "a ", "", Scored, 1, "1"},
		{"a", "b", "", BadScore, 0, "1.5"},
		{"a", "c", "", BadScore, 0, `"0.5"`},
		{"a", "d", "", BadScore, 0, "null"},
		{"a", "e", "", BadScore, 0, "1e999"},
		{"a", "f", "", BadScore, 0, `"NaN"`},
		{"a", "g", "", BadScore, 0, "true"},
		{"a", "", "", MethodEmpty, 0, ""},
		{"", "a", "", GoldMissing, 0, ""},
	} {
		v, err := j.Judge(t.Context(), Question{Gold: c.gold, Predicted: c.predicted, Platform: c.platform})
		if err != nil || v.State != c.state || v.Score != c.score || v.Raw != c.raw {
			t.Errorf("%q, %q on %q: %+v %v, want %s %v %s", c.gold, c.predicted, c.platform, v, err, c.state, c.score, c.raw)
		}
	}
	if v := judged(t, j, "book a flight", "find flights"); v.Reason != "vague" {
		t.Errorf("reason is lost: %+v", v)
	}
	if Unsupported(j, "订票") {
		t.Error("a fixture reads every text")
	}
}

func TestPairKeyIsTheHashThatTheFormatStates(t *testing.T) {
	sum := sha256.Sum256([]byte(`{"gold":"a <b> 订","platform":"web","predicted":"c"}`))
	got, err := PairKey(Question{Gold: " a  <b> 订", Predicted: "c ", Platform: "web"})
	if err != nil || got != hex.EncodeToString(sum[:]) {
		t.Errorf("%s %v, want %x", got, err, sum)
	}
}

func TestFixtureScoreIsCalibratedButABadOneIsNot(t *testing.T) {
	j := fixtureJudge(t, `{"gold":"a","predicted":"b","score":0.6}
{"gold":"a","predicted":"c","score":-0.1}
`, 0.3, 0.9)
	if v := judged(t, j, "a", "b"); !near(v.Score, 0.5) || v.Raw != "0.6" {
		t.Errorf("%+v", v)
	}
	if v := judged(t, j, "a", "c"); v.State != BadScore {
		t.Errorf("%+v", v)
	}
}

func TestFixtureErrorsNameFileAndLine(t *testing.T) {
	for content, want := range map[string]string{
		"":                             "holds no score",
		"\n \n":                        "holds no score",
		"{":                            ":1: read pair",
		"\n[1]":                        ":2: read pair",
		`{} `:                          `wants "gold" and "predicted"`,
		`{} {}`:                        "more than one JSON value",
		`{}}`:                          "more than one JSON value",
		`{"gold":"a","predicted":"b"}`: `no "score"`,
		`{"gold":"a","score":1}`:       `wants "gold"`,
		`{"gold":"a","predicted":"b","scores":1}`:                                                             "scores",
		`{"key":"abc","score":1}`:                                                                             "64 lower-case hex digits",
		`{"key":"` + strings.Repeat("A", 64) + `","score":1}`:                                                 "64 lower-case hex digits",
		`{"key":"` + strings.Repeat("a", 64) + `","gold":"a","score":1}`:                                      "beside them",
		`{"gold":"` + strings.Repeat("a", 2001) + `","predicted":"b","score":1}`:                              "2001 characters",
		"{\"gold\":\"a\",\"predicted\":\"b\",\"score\":1}\n{\"gold\":\"a \",\"predicted\":\"b\",\"score\":0}": "scores.jsonl:2: the pair has score 0 here and 1 in line 1",
		strings.Repeat(" ", fixtureLine+1):                                                                    "longer than",
	} {
		_, err := Kinds["fixture"].New(Setup{Options: &fixtureOptions{File: "scores.jsonl"}, Dir: fixtureFile(t, content)})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "scores.jsonl") {
			t.Errorf("%.60q: error %v, want one with %q", content, err, want)
		}
	}
	for _, s := range []Setup{{}, {Options: &fixtureOptions{}}, {Options: &fixtureOptions{File: "absent.jsonl"}, Dir: t.TempDir()}} {
		if _, err := Kinds["fixture"].New(s); err == nil {
			t.Errorf("a fixture judge of %+v", s)
		}
	}
}

func TestFixtureTakesAPairTwiceWithOneScore(t *testing.T) {
	j := fixtureJudge(t, `{"gold":"a","predicted":"b","score":0.50}
{"gold":"a","predicted":"b","score":0.5}
`, 0, 1)
	if v := judged(t, j, "a", "b"); v.Score != 0.5 {
		t.Errorf("%+v", v)
	}
}

func TestFixtureIdentityIsTheContentNotThePath(t *testing.T) {
	const line = `{"gold":"a","predicted":"b","score":0.5}`
	a, b, c := fixtureJudge(t, line, 0, 1), fixtureJudge(t, line, 0, 1), fixtureJudge(t, line+"\n", 0, 1)
	if a.Fingerprint() != b.Fingerprint() {
		t.Error("equal files in two folders are two judges")
	}
	if a.Fingerprint() == c.Fingerprint() {
		t.Error("another content is the same judge")
	}
}

func FuzzFixture(f *testing.F) {
	for _, line := range []string{`{"gold":"a","predicted":"b","score":0.5,"platform":"web","reason":"r"}`,
		`{"key":"` + strings.Repeat("0", 64) + `","score":1}`, "{}\n\n[]", `{"gold":"a","predicted":"b","score":1e999}`, "\xEF\xBB\xBF{"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, content string) {
		scores, hash, err := readFixture("f", strings.NewReader(content))
		if err != nil {
			return
		}
		if len(hash) != 64 || len(scores) == 0 {
			t.Fatalf("hash %q and %d scores without an error", hash, len(scores))
		}
		for key, s := range scores {
			if len(key) != 64 || s.valid && !(s.score >= 0 && s.score <= 1) || !s.valid && s.score != 0 || s.raw == "" {
				t.Fatalf("%q → %+v", key, s)
			}
		}
	})
}
