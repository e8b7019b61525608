package trajectory

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

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
		`{"episode_id":"b","step":0,"more":[{"Target":1}]}`:          "ocr.jsonl:2: a field named target",
		`{"episode_id":"b","step":0,"screenshot":"."}`:               "is no regular file",
		`{"episode_id":"b","step":0,"screenshot":"/dev/zero"}`:       "/dev/zero is no regular file",
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
		{pressStep("press_recent", "KEY_APPSELECT"), false},
		{actionStep("scroll", "(1, 2) to (3, 4)", "up"), false},
		{actionStep("scroll", "", "x=0, y=400"), false},
		{actionStep("wait", "", "3"), false},
		{actionStep("type", "", "2024"), true}, // a number that is typed is a value
		{actionStep("click", "X", ""), true},   // the text of a button
		{actionStep("click", "[div]", ""), true},
		{task.Step{Action: "click (300, 400)"}, false},
		{task.Step{Action: "scroll down"}, false},
		{task.Step{Action: "click the blue button"}, true},
		{task.Step{Action: "点击蓝色按钮"}, true},
		{task.Step{Op: "click", Action: "click", Screenshot: "sha256:ab"}, false}, // methods see the hash only
		{mobileStep{action: "CLICK", info: "KEY_HOME"}.step(), false},
		{mobileStep{action: "SCROLL", points: []point{{1, 2}, {1, 9}}}.step(), false},
		{mobileStep{action: "COMPLETE"}.step(), false},
		{mobileStep{action: "TEXT", info: "7"}.step(), true},
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

func TestObservationsOfEpisodesWithoutStepsAreCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e.jsonl")
	write(t, path, `{"episode_id":"none","open_intent":"o","steps":[]}`+"\n"+`{"episode_id":"b","open_intent":"o","steps":[{"op":"click"}]}`)
	eps, skips, err := observed(t, "episodes", path, `{"episode_id":"none","step":0,"text":"x"}`)
	if err != nil || len(eps) != 1 || len(skips) != 2 || skips[0].Reason != NoSteps || skips[1].Reason != ObservationWithoutEpisode {
		t.Errorf("%v, %+v", err, skips)
	}
}

func TestHostsOfTheEpisodeAreMaskedInObservationsWhateverTheirDomain(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "aaaaaaa", "form.json"), `{}`)
	write(t, filepath.Join(dir, "aaaaaaa", "metadata.json"), `{}`)
	write(t, filepath.Join(dir, "aaaaaaa", "replay.json"), `{"data":[{"type":"browser","action":{"intent":"load","arguments":{"properties":{"url":"https://pots.rarest/a"}}}}]}`)
	for v, want := range map[Visibility]string{Safe: "[url] · basket", AsPublished: "pots.rarest · basket"} {
		side := filepath.Join(t.TempDir(), "o.jsonl")
		write(t, side, `{"episode_id":"aaaaaaa","step":0,"text":"pots.rarest · basket"}`)
		eps, _, err := collect(Source{Name: "d", Format: "weblinx", Path: dir, Visibility: v, Observations: side})
		if err != nil || eps[0].Steps[0].Observation != want || eps[0].Mask != nil {
			t.Errorf("%s: %v, %+v", v, err, eps)
		}
	}
}

// A sidecar that lies among the data is no data: no reader may take its lines for records.
func TestASidecarAmongTheDataIsNotReadAsData(t *testing.T) {
	record := `{"id":"a","goal":"o","steps":["click x"]}`
	options := &EpisodesOptions{Fields: &EpisodeFields{ID: "id", Open: "goal", Steps: "steps"}}
	for name, c := range map[string]struct {
		options any
		line    string
	}{
		"episodes":          {nil, `{"episode_id":"a","open_intent":"o","steps":[{"op":"click"}]}`},
		"episodes by roles": {options, record},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "data.jsonl"), c.line)
		side := filepath.Join(dir, "ocr.jsonl")
		write(t, side, `{"episode_id":"a","step":0,"text":"seen"}`)
		eps, skips, err := collect(Source{Name: "d", Format: "episodes", Path: dir, Options: c.options, Observations: side})
		if err != nil || len(eps) != 1 || eps[0].Steps[0].Observation != "seen" {
			t.Errorf("%s: %v, %+v, skips %+v", name, err, eps, skips)
		}
		for _, s := range skips {
			if s.Reason != NoRole {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

func TestAnObservationGoesToTheTurnsOwnSteps(t *testing.T) {
	src := Source{Name: "d", Format: "mt_mind2web", Path: "testdata/mt_mind2web"}
	plain, _, err := collect(src)
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for i, e := range plain {
		if len(e.ContextSteps) > 0 {
			at = i
		}
	}
	side := filepath.Join(t.TempDir(), "o.jsonl.gz")
	write(t, side, zipped(t, []byte(fmt.Sprintf(`{"episode_id":%q,"step":0,"text":"seen"}`, plain[at].ID))))
	src.Observations = side
	eps, _, err := collect(src)
	if err != nil || eps[at].Steps[0].Observation != "seen" || eps[at].ContextSteps[0].Observation != "" {
		t.Errorf("%v, %+v", err, eps[at])
	}
}

func FuzzReadObservations(f *testing.F) {
	f.Add([]byte(`{"episode_id":"a:1","step":1,"text":"Cart (2)","kind":"ocr"}` + "\n" + `{"episode_id":"b","step":0,"screenshot":"sha256:00"}`))
	f.Add([]byte(`{"episode_id":"b","step":1e0,"text":"\ud800","x":[[{"TARGET":[]}]]}`))
	f.Add([]byte("\xef\xbb\xbf{\"episode_id\":\"b\"}\r\n\r\n{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "o.jsonl")
		write(t, path, string(b))
		s, err := readSidecar(t.Context(), path)
		if err != nil {
			if !strings.Contains(err.Error(), "o.jsonl") {
				t.Errorf("the error doesn't name the file: %v", err)
			}
			return
		}
		for id, list := range s.by {
			for _, o := range list {
				if !isEncodedID(id) || o.step < 0 || o.screenshot != "" && !screenshotHash.MatchString(o.screenshot) || !utf8.ValidString(o.text) {
					t.Errorf("%q: %+v", id, o)
				}
			}
		}
	})
}

// The test measures what holding a sidecar takes; INTENTLAB_SIDECAR is the number of its lines.
func TestASidecarTakesTheMemoryOfItsText(t *testing.T) {
	n := 2000
	if s := os.Getenv("INTENTLAB_SIDECAR"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "o.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("word ", 79)
	for i := range n {
		fmt.Fprintf(f, `{"episode_id":"episode-%d","step":%d,"text":"%s %d"}`+"\n", i/10, i%10, text, i)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	held := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what earlier tests left in pools lives through one collection
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, start := held(), time.Now()
	s, err := readSidecar(t.Context(), path)
	took := time.Since(start)
	if err != nil || len(s.by) != n/10 {
		t.Fatal(err)
	}
	grown := held() - before
	t.Logf("%d lines: %.1f MiB in %v", n, mib(grown), took.Round(time.Millisecond))
	if perLine := grown / int64(n); perLine > 1200 {
		t.Errorf("%d bytes a line", perLine)
	}
	runtime.KeepAlive(s)
}
