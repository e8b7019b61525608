package judge

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"intentlab/ablations/task"
)

func TestKindsAreNamedAndDescribed(t *testing.T) {
	if got := strings.Join(Names(), " "); got != "embedding fixture lexical" {
		t.Errorf("kinds: %s", got)
	}
	for name, k := range Kinds {
		if k.Name != name || k.Summary == "" || k.Doc == "" || k.CodeVersion < 1 || k.New == nil || k.NeedsEndpoint {
			t.Errorf("%s is incomplete: %+v", name, k)
		}
	}
}

func TestFingerprintIsTheHashOfTheIdentity(t *testing.T) {
	seen := map[string]string{}
	add := func(name string, j Judge) {
		want, err := task.Hash(j.Identity())
		if err != nil || j.Fingerprint() != want {
			t.Errorf("%s: fingerprint %s, hash of the identity %s, %v", name, j.Fingerprint(), want, err)
		}
		if other, ok := seen[j.Fingerprint()]; ok {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		seen[j.Fingerprint()] = name
	}
	for name, j := range readers(t) {
		add(name, j)
	}
	add("embedding lo", embeddingJudge(t, 0.1, 1))
	add("embedding hi", embeddingJudge(t, 0, 0.9))
	add("fixture", fixtureJudge(t, `{"gold":"a","predicted":"b","score":0.5}`, 0, 1))
	if embeddingJudge(t, 0, 0).Fingerprint() != embeddingJudge(t, 0, 1).Fingerprint() {
		t.Error("no anchors and anchors 0 and 1 are two judges")
	}
}

func TestIdentityNamesTheEncoderAndIsACopy(t *testing.T) {
	j := embeddingJudge(t, 0, 1)
	text, err := json.Marshal(j.Identity())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"kind":"embedding"`, `"name":"potion-base-8M"`, `"weights_sha256":"`, `"quantisation":"int8 per row"`, `"lo":0`, `"hi":1`, `"max_unknown":0.2`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("identity %s lacks %s", text, want)
		}
	}
	j.Identity()["kind"] = "changed"
	if j.Identity()["kind"] != "embedding" {
		t.Error("a caller can change the identity")
	}
}

func TestImpossibleAnchorsAreRefused(t *testing.T) {
	for _, a := range [][2]float64{{1, 1}, {0.9, 0.3}, {math.NaN(), 1}, {0, math.NaN()}, {math.Inf(-1), 1}, {0, math.Inf(1)}} {
		if _, err := Kinds["embedding"].New(Setup{Lo: a[0], Hi: a[1]}); err == nil {
			t.Errorf("anchors %v were accepted", a)
		}
	}
}

func TestMeasurementOutsideItsRangeIsABadScore(t *testing.T) {
	m := measured{lo: 0, hi: 1}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1.0000001, -0.1} {
		if v := m.verdict(x, 0); v.State != BadScore || v.Score != 0 {
			t.Errorf("%v: %+v", x, v)
		}
	}
	if v := m.verdict(-0.1, -1); v.State != Scored || v.Score != 0 {
		t.Errorf("a cosine of -0.1: %+v", v)
	}
}

func TestJudgesStopWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, j := range readers(t) {
		if _, err := j.Judge(ctx, Question{Gold: "a", Predicted: "b"}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
