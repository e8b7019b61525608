package inspection

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

func episode(id string, steps int) trajectory.Episode {
	e := trajectory.Episode{ID: id, ClusterID: id, OpenIntent: "buy " + id, ClosedIntent: "Shop", LabelSpace: "s"}
	for i := range steps {
		e.Steps = append(e.Steps, task.Step{Index: i, Kind: "action", Op: "click", Action: "click [a] " + id})
	}
	return e
}

// copyOf writes episodes as a dataset and returns its source.
func copyOf(t *testing.T, episodes ...trajectory.Episode) trajectory.Source {
	t.Helper()
	var b bytes.Buffer
	for _, e := range episodes {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	path := filepath.Join(t.TempDir(), "copy.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return trajectory.Source{Name: "d", Format: "episodes", Path: path}
}

func inspect(t *testing.T, src trajectory.Source) (*Report, *Manifest) {
	t.Helper()
	r, m, err := Inspect(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return r, m
}

func TestCopiesAreComparedByEpisodeAndPart(t *testing.T) {
	mine := []trajectory.Episode{episode("a", 2), episode("b", 2), episode("c", 2), episode("e", 2), episode("f", 2)}
	theirs := []trajectory.Episode{episode("f", 2), episode("d", 2), episode("c", 2), episode("b", 3), episode("a", 2)}
	theirs[2].OpenIntent, theirs[2].Metadata = "sell c", map[string]string{"platform": "web"}
	theirs[0].Lists = []string{"train"}
	_, here := inspect(t, copyOf(t, mine...))
	_, there := inspect(t, copyOf(t, theirs...))
	d, err := Compare(here, there)
	if err != nil {
		t.Fatal(err)
	}
	want := Difference{Episodes: 5, Others: 5, Equal: 1, MissingHere: []string{"d"}, MissingThere: []string{"e"},
		Changed: []Changed{{"b", []string{"steps"}}, {"c", []string{"intents", "metadata"}}, {"f", []string{"lists"}}}}
	if diff := cmp.Diff(want, d); diff != "" || d.None() {
		t.Error(diff)
	}
	_, again := inspect(t, copyOf(t, mine[4], mine[3], mine[2], mine[1], mine[0]))
	if d, err := Compare(here, again); err != nil || !d.None() || here.Fingerprint != again.Fingerprint {
		t.Errorf("the same episodes in another order differ: %+v, %v", d, err)
	}
}

func TestManifestIsReadBackAndHoldsNoText(t *testing.T) {
	src := copyOf(t, episode("a", 2), episode("b", 3))
	_, m := inspect(t, src)
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"buy", "click", "Shop"} {
		if strings.Contains(b.String(), text) {
			t.Errorf("the manifest holds %q", text)
		}
	}
	path := filepath.Join(t.TempDir(), "m.jsonl")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(b.String())
	back, is, err := ReadManifest(path)
	if err != nil || !is {
		t.Fatal(is, err)
	}
	if d := cmp.Diff(m, back, cmp.Transformer("text", func(r json.RawMessage) string { return string(r) })); d != "" {
		t.Error(d)
	}
	if _, is, err := ReadManifest(src.Path); is || err != nil {
		t.Errorf("data pass as a manifest: %v, %v", is, err)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	for name, text := range map[string]string{
		"cut after a line":       lines[0] + lines[1],
		"cut in a line":          b.String()[:b.Len()-9],
		"a changed hash":         lines[0] + lines[1] + strings.Replace(lines[2], `"hash":"`, `"hash":"0`, 1),
		"a line that is no item": lines[0] + "{}\n",
		"another version":        strings.Replace(b.String(), `"intentlab_manifest":1`, `"intentlab_manifest":2`, 1),
	} {
		write(text)
		if _, is, err := ReadManifest(path); err == nil || !is || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %v", name, is, err)
		}
	}
}

func TestCopiesThatWereReadOtherwiseAreNotCompared(t *testing.T) {
	src := copyOf(t, episode("a", 2))
	_, here := inspect(t, src)
	src.Visibility = trajectory.AsPublished
	_, there := inspect(t, src)
	if _, err := Compare(here, there); err == nil || !strings.Contains(err.Error(), "visibility safe here, as_published there") {
		t.Error(err)
	}
	there.Visibility, there.Reader = here.Visibility, 99
	if _, err := Compare(here, there); err == nil || !strings.Contains(err.Error(), "reader version") {
		t.Error(err)
	}
}

func TestRepeatedIntentsAndPrefixesAreCounted(t *testing.T) {
	a, b, c := episode("a", 1), episode("b", 10), episode("c", 5)
	b.OpenIntent, c.OpenIntent = "Buy  A!", ""
	r, _ := inspect(t, copyOf(t, a, b, c))
	if r.Repeated != 1 || r.NoOpen != 1 {
		t.Errorf("%d repeated, %d without an open intent", r.Repeated, r.NoOpen)
	}
	// One step: nine of ten prefixes repeat; five: every other one.
	if got := r.Prefixes[1]; got != (RatioShare{200, 3, 2}) {
		t.Errorf("at 0.2: %+v", got)
	}
	if got := r.Prefixes[2]; got != (RatioShare{300, 3, 1}) {
		t.Errorf("at 0.3: %+v", got)
	}
}

func TestBinsHaveRoundWidths(t *testing.T) {
	l := trajectory.Lengths{Min: 3, Max: 61, Counts: []trajectory.LengthCount{{Steps: 3, Episodes: 2}, {Steps: 9, Episodes: 1}, {Steps: 10, Episodes: 4}, {Steps: 61, Episodes: 1}}}
	for most, want := range map[int]string{
		7:  "1–9:3 10–19:4 20–29:0 30–39:0 40–49:0 50–59:0 60–69:1",
		5:  "1–19:7 20–39:0 40–59:0 60–79:1",
		13: "1–4:2 5–9:1 10–14:4 15–19:0 20–24:0 25–29:0 30–34:0 35–39:0 40–44:0 45–49:0 50–54:0 55–59:0 60–64:1",
	} {
		var got []string
		for _, b := range Bins(l, most) {
			got = append(got, fmt.Sprintf("%d–%d:%d", b.Low, b.High, b.Episodes))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("at most %d: %s", most, text)
		}
	}
	if Bins(trajectory.Lengths{}, 10) != nil {
		t.Error("bins of nothing")
	}
}

func TestPageEscapesTheDataAndLoadsNothing(t *testing.T) {
	a := episode("a", 12)
	a.ClosedIntent, a.OpenIntent = `<script>alert("1")</script> & a label that is much too long for its column`, `<img src=x onerror=alert(1)>`
	a.Steps[0].Action = "click </ol><b>"
	a.Lists = []string{"<i>"}
	b := episode("b", 3)
	b.ClosedIntent = strings.Repeat("很长的标签", 9)
	r, _ := inspect(t, copyOf(t, a, b))
	r.Experiment = &Use{Read: 2, Kept: 2, Unit: "episode", Folds: []FoldSizes{{Train: 1, Tests: []PartSize{{"test", 1}}}}}
	var page bytes.Buffer
	if err := WritePage(&page, []*Report{r, r}); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	for _, bad := range []string{"<script", "<img", "<b></", "<i>", "</ol><b>", "http://", "https://", "url("} {
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, want := range []string{"&lt;script&gt;", "…</text>", "很长的标签", "color-scheme: light dark", "and 4 more steps"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// The drawings are well-formed.
	for _, part := range strings.Split(text, "<svg")[1:] {
		svg, _, _ := strings.Cut(part, "</svg>")
		d := xml.NewDecoder(strings.NewReader("<svg" + svg + "</svg>"))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestNamesAreCutByTheirWidth(t *testing.T) {
	for name, want := range map[string]string{
		"short": "short", "a\n b": "a b",
		strings.Repeat("x", 31): strings.Repeat("x", 31),
		strings.Repeat("x", 32): strings.Repeat("x", 30) + "…",
		strings.Repeat("长", 16): strings.Repeat("长", 15) + "…",
	} {
		if got := cutName(name); got != want {
			t.Errorf("%q is cut to %q", name, got)
		}
	}
}
