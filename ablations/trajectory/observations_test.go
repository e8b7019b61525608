package trajectory

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"intentlab/ablations/task"
)

// observed reads two episodes with a sidecar of the given lines.
func observed(t *testing.T, format, path string, lines ...string) ([]Episode, []Skip, error) {
	t.Helper()
	side := filepath.Join(t.TempDir(), "ocr.jsonl")
	write(t, side, strings.Join(lines, "\n"))
	return collect(Source{Name: "d", Format: format, Path: path, Observations: side})
}

func twoEpisodes(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "two.jsonl")
	write(t, path, `{"episode_id":"a:1","open_intent":"o","closed_intent":"c","steps":[{"op":"click","element":"x"},{"op":"scroll"}]}`+"\n"+
		`{"episode_id":"b","open_intent":"o","closed_intent":"c","steps":[{"op":"click"}]}`)
	return path
}

func TestObservationsAreJoinedOnEpisodeAndStep(t *testing.T) {
	eps, skips, err := observed(t, "episodes", twoEpisodes(t),
		`{"episode_id":"a:1","step":1,"text":"Cart (2)","kind":"ocr"}`,
		`{"episode_id":"a%3A1","step":1,"text":"Pay now","kind":"accessibility"}`,
		`{"episode_id":"b","step":0,"screenshot":"sha256:`+strings.Repeat("a", 64)+`"}`)
	if err != nil || len(skips) > 0 {
		t.Fatal(err, skips)
	}
	if got := eps[0].Steps[1].Observation; got != "Cart (2)\nPay now" || eps[0].Steps[0].Observation != "" {
		t.Errorf("steps %+v", eps[0].Steps)
	}
	if got := eps[1].Steps[0].Screenshot; got != "sha256:"+strings.Repeat("a", 64) {
		t.Errorf("screenshot %q", got)
	}
}

func TestObservationsArePartOfAnEpisodesContent(t *testing.T) {
	path := twoEpisodes(t)
	with, _, err := observed(t, "episodes", path, `{"episode_id":"b","step":0,"text":"x"}`)
	if err != nil {
		t.Fatal(err)
	}
	without, _, err := collect(Source{Name: "d", Format: "episodes", Path: path})
	if err != nil {
		t.Fatal(err)
	}
	for i := range with {
		a, aerr := with[i].Hash()
		b, berr := without[i].Hash()
		if aerr != nil || berr != nil || (a == b) != (i == 0) {
			t.Errorf("episode %d: %s and %s", i, a, b)
		}
	}
}

func TestAScreenshotFileIsNamedByItsContent(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "s.png"), "picture")
	write(t, filepath.Join(dir, "ocr.jsonl"), `{"episode_id":"b","step":0,"screenshot":"s.png"}`)
	eps, _, err := collect(Source{Name: "d", Format: "episodes", Path: twoEpisodes(t), Observations: filepath.Join(dir, "ocr.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("picture"))); eps[1].Steps[0].Screenshot != want {
		t.Errorf("got %q, want %q", eps[1].Steps[0].Screenshot, want)
	}
}

func TestMistakesOfASidecarNameFileAndLine(t *testing.T) {
	good := `{"episode_id":"b","step":0,"text":"x"}`
	for line, want := range map[string]string{
		`{"episode_id":"b","step":0`:                                 "ocr.jsonl:2: broken observation",
		`{"episode_id":"b","step":"0","text":"x"}`:                   `ocr.jsonl:2: broken observation: field "step": want a whole number`,
		`{"episode_id":"b","step":-1,"text":"x"}`:                    "ocr.jsonl:2: the observation has no step",
		`{"episode_id":"b","text":"x"}`:                              "ocr.jsonl:2: the observation has no step",
		`{"step":0,"text":"x"}`:                                      "ocr.jsonl:2: the observation has no episode_id",
		`{"episode_id":"b","step":1,"text":"x"}`:                     "ocr.jsonl:2: episode b has 1 steps, so none of index 1",
		`{"episode_id":"b","step":0,"screenshot":"gone.png"}`:        "ocr.jsonl:2: screenshot:",
		`{"episode_id":"b","step":0,"text":"x","target":"the goal"}`: "ocr.jsonl:2: a field named target",
		`{"episode_id":"b","step":0,"txt":"x"}`:                      `ocr.jsonl:2: there is no field "txt"; did you mean "text"?`,
	} {
		_, _, err := observed(t, "episodes", twoEpisodes(t), good, line)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	if _, _, err := observed(t, "episodes", twoEpisodes(t), " "); err == nil || !strings.Contains(err.Error(), "holds none") {
		t.Errorf("an empty sidecar: %v", err)
	}
	if _, _, err := collect(Source{Name: "d", Format: "episodes", Path: twoEpisodes(t), Observations: "no/such.jsonl"}); !os.IsNotExist(unwrapAll(err)) {
		t.Errorf("a sidecar that isn't there: %v", err)
	}
}

func unwrapAll(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok || u.Unwrap() == nil {
			return err
		}
		err = u.Unwrap()
		if os.IsNotExist(err) {
			return err
		}
	}
}

func TestObservationsOfEpisodesThatWereNotReadAreCounted(t *testing.T) {
	_, skips, err := observed(t, "episodes", twoEpisodes(t), `{"episode_id":"zz","step":0,"text":"x"}`, `{"episode_id":"zz","step":7,"text":"x"}`, `{"episode_id":"b","step":0,"text":"x"}`)
	if err != nil || len(skips) != 1 || skips[0].Reason != ObservationWithoutEpisode || !strings.Contains(skips[0].Detail, "2 observations of episode zz") {
		t.Errorf("%v, %+v", err, skips)
	}
}

func TestObservationsOfWebLINXAreMaskedWhereItsLabelWouldStand(t *testing.T) {
	eps, _, err := collect(Source{Name: "d", Format: "weblinx", Path: "testdata/weblinx"})
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf(`{"episode_id":%q,"step":0,"text":"you are on www.example.com now"}`, eps[0].ID)
	for v, want := range map[Visibility]string{Safe: "you are on [url] now", AsPublished: "you are on www.example.com now"} {
		side := filepath.Join(t.TempDir(), "o.jsonl")
		write(t, side, line)
		got, _, err := collect(Source{Name: "d", Format: "weblinx", Path: "testdata/weblinx", Visibility: v, Observations: side})
		if err != nil || got[0].Steps[0].Observation != want {
			t.Errorf("%s: %v, %q", v, err, got[0].Steps[0].Observation)
		}
	}
}

func TestALongObservationIsCut(t *testing.T) {
	eps, _, err := observed(t, "episodes", twoEpisodes(t), `{"episode_id":"b","step":0,"text":"`+strings.Repeat("字", 20_000)+`"}`)
	if err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(eps[1].Steps[0].Observation)); n != MaxObservation {
		t.Errorf("%d runes", n)
	}
}

func TestEvidenceIsMoreThanAnOperationAndAPosition(t *testing.T) {
	for _, c := range []struct {
		s    task.Step
		want bool
	}{
		{task.Step{Kind: "action", Op: "action", Action: "action"}, false},
		{actionStep("click", "(336, 1267)", ""), false},
		{actionStep("click", "[[336, 1267], [336, 1267]]", ""), false},
		{actionStep("scroll", "", "UP"), false},
		{actionStep("press_home", "", ""), false},
		{actionStep("click", "蓝色加号按钮 (336, 1267)", ""), true},
		{actionStep("type", "", "pizza"), true},
		{task.Step{Utterance: "Hi"}, true},
		{task.Step{Op: "click", Action: "click", Observation: "Cart"}, true},
		{task.Step{Op: "load", Action: "load", URL: "https://x.org"}, true},
		{task.Step{Op: "click", Action: "click", App: "Maps"}, true},
		{task.Step{Op: "click", Action: "click the blue button"}, true},
	} {
		if got := Evidence(c.s); got != c.want {
			t.Errorf("Evidence(%+v) = %v", c.s, got)
		}
	}
}
