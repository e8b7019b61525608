package trajectory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sharedData is the folder of real samples: data below the folder shared beside the module, or below
// INTENTLAB_SHARED.
func sharedData(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("INTENTLAB_SHARED")
	if dir == "" {
		at, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
				break
			}
			if at == filepath.Dir(at) {
				t.Fatal("no go.mod above the test's folder")
			}
			at = filepath.Dir(at)
		}
		dir = filepath.Join(at, "..", "shared")
	}
	dir = filepath.Join(dir, "data")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("real samples are not at hand (%v); set INTENTLAB_SHARED to the folder that holds data", err)
	}
	return dir
}

// collect reads a whole source.
func collect(src Source) (episodes []Episode, skips []Skip, err error) {
	if src.Name == "" {
		src.Name = "d"
	}
	for e, rerr := range Read(context.Background(), src, func(s Skip) { skips = append(skips, s) }) {
		if rerr != nil {
			return episodes, skips, rerr
		}
		episodes = append(episodes, e)
	}
	return episodes, skips, nil
}

func mustCollect(t *testing.T, src Source) ([]Episode, []Skip) {
	t.Helper()
	episodes, skips, err := collect(src)
	if err != nil {
		t.Fatal(err)
	}
	return episodes, skips
}

// skipText gives skips as sorted "reason path" lines, the path relative to root.
func skipText(root string, skips []Skip) []string {
	list := []string{}
	for _, s := range skips {
		list = append(list, s.Reason+" "+strings.TrimPrefix(strings.TrimPrefix(s.Where, root), "/"))
	}
	sort.Strings(list)
	return list
}

func countSteps(episodes []Episode) int {
	n := 0
	for _, e := range episodes {
		n += len(e.Steps)
	}
	return n
}

func ids(episodes []Episode) []string {
	list := []string{}
	for _, e := range episodes {
		list = append(list, e.ID)
	}
	return list
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReadersReadEveryRealFileWithExactCounts(t *testing.T) {
	data := sharedData(t)
	for _, c := range []struct {
		format, path            string
		episodes, steps, labels int
		skips                   map[string]int
	}{
		{"weblinx", "weblinx", 2, 68, 2, map[string]int{NoReplay: 1, Litter: 1, NotOfThisFormat: 2}},
		{"weblinx", "weblinx/demonstrations", 2, 68, 2, map[string]int{NoReplay: 1}},
		{"weblinx", "weblinx/demonstrations/saabwsg", 1, 48, 1, map[string]int{}},
		{"weblinx", "weblinx/demonstrations/iqaazif", 1, 20, 1, map[string]int{}},
		{"mind2web", "mind2web/openbrowser", 3, 37, 1, map[string]int{}},
		{"mind2web", "mind2web/openbrowser/train.json", 3, 37, 1, map[string]int{}},
		{"mind2web", "mind2web/derived_prefixes", 74, 446, 3, map[string]int{NoSteps: 13}},
		{"gui_odyssey", "gui_odyssey", 1, 4, 1, map[string]int{Superseded: 1}},
		{"gui_odyssey", "gui_odyssey/all_anno.json", 1, 11, 1, map[string]int{}},
		{"gui_odyssey", "gui_odyssey/annotations", 1, 4, 1, map[string]int{}},
		{"fingertip", "fingertip", 1, 1, 0, map[string]int{}},
		{"fingertip", "fingertip/Raw/1/20250309_133115", 1, 1, 0, map[string]int{}},
	} {
		t.Run(c.format+" "+c.path, func(t *testing.T) {
			s, err := Summarise(context.Background(), Source{Name: "d", Format: c.format, Path: filepath.Join(data, filepath.FromSlash(c.path))}, nil)
			if err != nil {
				t.Fatal(err)
			}
			skips := map[string]int{}
			for _, k := range s.Skips {
				skips[k.Reason] = k.Count
			}
			if s.Episodes != c.episodes || s.Steps != c.steps || len(s.Labels) != c.labels {
				t.Errorf("%d episodes, %d steps, %d labels; want %d, %d, %d", s.Episodes, s.Steps, len(s.Labels), c.episodes, c.steps, c.labels)
			}
			if d := cmp.Diff(c.skips, skips); d != "" {
				t.Errorf("skips (-want +got):\n%s", d)
			}
		})
	}
}

func TestRealFilesOfNoSupportedShapeAreAnErrorWhenAlone(t *testing.T) {
	data := sharedData(t)
	for _, c := range []struct{ format, path, reason string }{
		{"mind2web", "mind2web/skillgen", "1 skipped as not_of_this_format"},
		{"mt_mind2web", "mind2web/openbrowser", "1 skipped as not_of_this_format"},
		{"weblinx", "weblinx/demonstrations/apfyesq", "1 skipped as no_replay"},
		{"weblinx", "weblinx/.cache", "1 skipped as"},
	} {
		_, _, err := collect(Source{Format: c.format, Path: filepath.Join(data, filepath.FromSlash(c.path))})
		if err == nil || !strings.Contains(err.Error(), "no episodes of format "+c.format) || c.format != "weblinx" && !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s as %s: error %v, want one that says %q", c.path, c.format, err, c.reason)
		}
	}
}

// TestRealCopiesOfOneTaskThatDifferAreAnError: the derived file holds prefixes of a task that the
// other file holds whole.
func TestRealCopiesOfOneTaskThatDifferAreAnError(t *testing.T) {
	_, _, err := collect(Source{Format: "mind2web", Path: filepath.Join(sharedData(t), "mind2web")})
	if err == nil || !strings.Contains(err.Error(), "stands for two different records") || !strings.Contains(err.Error(), "openbrowser") {
		t.Errorf("error %v, want one that names both records", err)
	}
}

func TestReadRefusesBadSources(t *testing.T) {
	empty := t.TempDir()
	for _, c := range []struct {
		src  Source
		want string
	}{
		{Source{Name: "d", Format: "weblnx", Path: empty}, `dataset "d": unknown format "weblnx" (known: episodes, fingertip, gui_odyssey, mind2web, mt_mind2web, weblinx)`},
		{Source{Name: "d", Format: "weblinx", Path: filepath.Join(empty, "none")}, "there is no " + filepath.Join(empty, "none") + "; put the data there"},
		{Source{Name: "d", Format: "weblinx", Path: ""}, "no path given"},
		{Source{Name: "d", Format: "weblinx", Path: empty}, "no episodes of format weblinx under " + empty + ": there is no file of that shape"},
		{Source{Name: "d", Format: "weblinx", Path: empty, Visibility: "all"}, `visibility "all"`},
		{Source{Name: "d", Format: "weblinx", Path: empty, Options: &WebLINXOptions{OpenIntent: "x"}}, `open_intent "x"`},
		{Source{Name: "d", Format: "weblinx", Path: empty, Options: 3}, "type int"},
		{Source{Name: "d", Format: "fingertip", Path: empty, Options: 3}, "type int"},
	} {
		_, _, err := collect(c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Read(%+v) = %v, want %q", c.src, err, c.want)
		}
	}
	if _, _, err := collect(Source{Format: "weblinx", Path: filepath.Join(empty, "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing path is no os.ErrNotExist: %v", err)
	}
}

func TestLitterIsSkippedOncePerEntry(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{".cache/a/b.jsonl", ".DS_Store", "__MACOSX/._x.jsonl", "._y.jsonl", "x.jsonl.lock", "z.jsonl.metadata"} {
		write(t, filepath.Join(dir, f), "rubbish")
	}
	write(t, filepath.Join(dir, "x.jsonl"), `{"episode_id":"a","steps":[{"op":"click"}]}`)
	episodes, skips := mustCollect(t, Source{Format: "episodes", Path: dir})
	want := []string{"litter .DS_Store", "litter ._y.jsonl", "litter .cache", "litter __MACOSX", "litter x.jsonl.lock", "litter z.jsonl.metadata"}
	if d := cmp.Diff(want, skipText(dir, skips)); d != "" || len(episodes) != 1 {
		t.Errorf("%d episodes; skips (-want +got):\n%s", len(episodes), d)
	}
}

func TestReadFollowsLinksButNotInCircles(t *testing.T) {
	dir, blobs := t.TempDir(), t.TempDir()
	write(t, filepath.Join(blobs, "blob"), `{"episode_id":"a","steps":[{"op":"click"}]}`)
	if err := os.Symlink(filepath.Join(blobs, "blob"), filepath.Join(dir, "a.jsonl")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	episodes, skips := mustCollect(t, Source{Format: "episodes", Path: dir})
	if len(episodes) != 1 || len(skips) != 1 || skips[0].Reason != Litter {
		t.Errorf("%d episodes, skips %v; want 1 and the loop", len(episodes), skips)
	}
}

func TestReadStopsWhenTheConsumerDoes(t *testing.T) {
	for format := range Formats {
		n := 0
		for _, err := range Read(context.Background(), Source{Name: "d", Format: format, Path: "testdata/" + format}, nil) {
			if err != nil {
				t.Errorf("%s: %v", format, err)
			}
			n++
			break
		}
		if n != 1 {
			t.Errorf("%s: %d episodes before the break", format, n)
		}
	}
}

func TestHashIgnoresTheDatasetsNameOnly(t *testing.T) {
	e := Episode{Dataset: "a", ID: "x", OpenIntent: "o"}
	h := func(e Episode) string {
		s, err := e.Hash()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	renamed, other := e, e
	renamed.Dataset, other.OpenIntent = "b", "p"
	if h(e) != h(renamed) || h(e) == h(other) || len(h(e)) != 64 {
		t.Errorf("hashes %s, renamed %s, other %s", h(e), h(renamed), h(other))
	}
}
