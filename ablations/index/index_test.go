package index

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"intentlab/ablations/trajectory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// told is everything that a stream says.
type told struct {
	Items []Item
	Skips []trajectory.Skip
	Err   string
}

func listen(ctx context.Context, x *Index, src trajectory.Source) (out told) {
	for it, err := range x.Read(ctx, src, func(s trajectory.Skip) { out.Skips = append(out.Skips, s) }) {
		if err != nil {
			out.Err = err.Error()
			return out
		}
		out.Items = append(out.Items, it)
	}
	return out
}

// directly is what the reader itself says.
func directly(t *testing.T, src trajectory.Source) (out told) {
	t.Helper()
	return listen(t.Context(), nil, src)
}

func same(t *testing.T, what string, got, want told) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s differs from the reader itself:\n%s", what, d)
	}
}

// copied copies a folder, with modification times in the past, so that digests are remembered.
func copied(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

const testdata = "../trajectory/testdata"

func sources() []trajectory.Source {
	var out []trajectory.Source
	for _, name := range trajectory.FormatNames() {
		src := trajectory.Source{Name: "d", Format: name, Path: filepath.Join(testdata, name)}
		if f := trajectory.Formats[name]; f.Options != nil {
			src.Options = f.Options()
		}
		out = append(out, src)
	}
	return out
}

// entries counts what is on the shelves.
func entries(t *testing.T, dir string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "episodes", "*", "*"+manifestSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

func TestColdAndWarmIndexTellWhatTheReaderTells(t *testing.T) {
	for _, src := range sources() {
		for _, v := range []trajectory.Visibility{trajectory.Safe, trajectory.AsPublished} {
			t.Run(src.Format+" "+string(v), func(t *testing.T) {
				src.Visibility = v
				dir := t.TempDir()
				x := Open(dir, false, func(s string) { t.Error(s) })
				want := directly(t, src)
				if want.Err != "" || len(want.Items) == 0 {
					t.Fatalf("the fixture reads with %q", want.Err)
				}
				same(t, "the cold index", listen(t.Context(), x, src), want)
				if n := entries(t, dir); n != 1 {
					t.Fatalf("%d entries", n)
				}
				same(t, "the warm index", listen(t.Context(), x, src), want)
				for _, it := range want.Items {
					if h, err := it.Episode.Hash(); err != nil || h != it.Hash {
						t.Errorf("episode %s: hash %s kept as %s (%v)", it.ID, h, it.Hash, err)
					}
				}
				// Another block's name, by the same entry.
				other := src
				other.Name = "renamed"
				same(t, "under another name", listen(t.Context(), x, other), directly(t, other))
				if n := entries(t, dir); n != 1 {
					t.Errorf("%d entries after a renaming", n)
				}
			})
		}
	}
}

// spoil makes what the index keeps tell something that no reader would, so that a test can see whether
// it was used.
func spoil(t *testing.T, dir string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "episodes", "*", "*"+manifestSuffix))
	if err != nil || len(found) == 0 {
		t.Fatalf("nothing to spoil: %v", err)
	}
	for _, path := range found {
		w := (&shelf{Index: Open(dir, false, nil), dir: filepath.Dir(path)}).newEntry()
		w.episode(trajectory.Episode{ID: "from the index"}, "hash")
		if err := errors.Join(w.err, w.zip.Close(), w.file.Close()); err != nil {
			t.Fatal(err)
		}
		m, err := readManifest(path)
		if err != nil {
			t.Fatal(err)
		}
		m.Episodes = 1
		if m.Digest, err = hashFile(t.Context(), w.file.Name()); err != nil {
			t.Fatal(err)
		}
		b := mustJSON(t, m)
		if err := errors.Join(os.Rename(w.file.Name(), m.episodes()), os.WriteFile(path, b, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

func fromIndex(got told) bool { return len(got.Items) == 1 && got.Items[0].ID == "from the index" }

func TestAnEntryServesOnlyTheContentItWasMadeOf(t *testing.T) {
	src := trajectory.Source{Name: "d", Format: "mind2web", Path: copied(t, filepath.Join(testdata, "mind2web"))}
	dir := t.TempDir()
	x := Open(dir, false, nil)
	listen(t.Context(), x, src)
	spoil(t, dir)
	if !fromIndex(listen(t.Context(), x, src)) {
		t.Fatal("unchanged data were parsed again")
	}
	var file string
	if err := filepath.WalkDir(src.Path, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".json") {
			file = path
		}
		return err
	}); err != nil || file == "" {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("other times and the same content are the same", func(t *testing.T) {
		if err := os.Chtimes(file, time.Now(), time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		if !fromIndex(listen(t.Context(), x, src)) {
			t.Error("parsed again")
		}
	})
	t.Run("a copy elsewhere is the same", func(t *testing.T) {
		moved := src
		moved.Path = copied(t, src.Path)
		// The last two names count, since readers take lists and users from them.
		if filepath.Base(filepath.Dir(moved.Path)) != filepath.Base(filepath.Dir(src.Path)) {
			moved.Path = filepath.Join(t.TempDir(), filepath.Base(filepath.Dir(src.Path)), filepath.Base(src.Path))
			if err := os.CopyFS(moved.Path, os.DirFS(src.Path)); err != nil {
				t.Fatal(err)
			}
		}
		if !fromIndex(listen(t.Context(), x, moved)) {
			t.Error("parsed again")
		}
	})
	t.Run("another content of the same size and modification time is another", func(t *testing.T) {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := []byte(strings.Replace(string(before), "a", "b", 1))
		if err := errors.Join(os.WriteFile(file, changed, 0o600), os.Chtimes(file, info.ModTime(), info.ModTime())); err != nil {
			t.Fatal(err)
		}
		if fromIndex(listen(t.Context(), x, src)) {
			t.Error("taken from the index")
		}
		if err := os.WriteFile(file, before, 0o600); err != nil {
			t.Fatal(err)
		}
		if !fromIndex(listen(t.Context(), x, src)) {
			t.Error("the first content is parsed again")
		}
	})
	t.Run("a further file is another content", func(t *testing.T) {
		further := filepath.Join(filepath.Dir(file), "zzz.json")
		if err := os.WriteFile(further, []byte("[]"), 0o600); err != nil {
			t.Fatal(err)
		}
		if fromIndex(listen(t.Context(), x, src)) {
			t.Error("taken from the index")
		}
		if err := os.Remove(further); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("other options and another visibility are others", func(t *testing.T) {
		other := src
		other.Visibility = trajectory.AsPublished
		if fromIndex(listen(t.Context(), x, other)) {
			t.Error("taken from the index")
		}
	})
}

func TestListsThatAppearBesideTheDataAreNoticed(t *testing.T) {
	root := copied(t, filepath.Join(testdata, "weblinx"))
	lists := filepath.Join(root, "splits.json")
	kept, err := os.ReadFile(lists)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(lists); err != nil {
		t.Fatal(err)
	}
	src := trajectory.Source{Name: "d", Format: "weblinx", Path: filepath.Join(root, "demonstrations"), Options: trajectory.Formats["weblinx"].Options()}
	x := Open(t.TempDir(), false, nil)
	listen(t.Context(), x, src)
	if err := os.WriteFile(lists, kept, 0o600); err != nil {
		t.Fatal(err)
	}
	same(t, "with its lists", listen(t.Context(), x, src), directly(t, src))
}

// A sidecar, the pictures that it names, UI trees and hashed screenshots are content like any other.
func TestWhatWasOnTheScreenIsPartOfTheContent(t *testing.T) {
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	root := t.TempDir()
	episode := filepath.Join(root, "data", "1", "20250309_133115")
	write(filepath.Join(episode, "survey_result.json"), `{"user_id":"1","time":"20250309_133115","intentDescription":"打开闹钟"}`)
	write(filepath.Join(episode, "action.jsonl"), `{"7.jpg": "click(coordinates=(3, 4), content='x')"}`)
	write(filepath.Join(root, "side", "ocr.jsonl"), `{"episode_id":"1_20250309_133115","step":0,"text":"clock","screenshot":"a.png"}`)
	write(filepath.Join(root, "side", "a.png"), "picture")
	src := trajectory.Source{Name: "d", Format: "fingertip", Path: filepath.Join(root, "data"), Observations: filepath.Join(root, "side", "ocr.jsonl"),
		Options: &trajectory.FingerTipOptions{}}
	dir := t.TempDir()
	x := Open(dir, false, func(s string) { t.Error(s) })
	first := listen(t.Context(), x, src)
	if first.Err != "" || first.Items[0].Steps[0].Observation != "clock" {
		t.Fatalf("%+v", first)
	}
	for _, change := range []struct {
		what, path, text string
		screenshots      bool
	}{
		{"the sidecar", "side/ocr.jsonl", `{"episode_id":"1_20250309_133115","step":0,"text":"alarm","screenshot":"a.png"}`, false},
		{"a picture that the sidecar names", "side/a.png", "picture 2", false},
		{"a UI tree that appears", "data/1/20250309_133115/Screenshots/tree_7.xml", `<node text="Add" bounds="0 0 9 9"/>`, false},
		{"a UI tree that changes", "data/1/20250309_133115/Screenshots/tree_7.xml", `<node text="Sub" bounds="0 0 9 9"/>`, false},
		{"a screenshot that appears", "data/1/20250309_133115/Screenshots/7.jpg", "shot", true},
		{"a screenshot that changes", "data/1/20250309_133115/Screenshots/7.jpg", "tosh", true},
	} {
		if change.screenshots {
			src.Observations, src.Options = "", &trajectory.FingerTipOptions{Screenshots: true}
			listen(t.Context(), x, src)
		}
		before := directly(t, src)
		write(filepath.Join(root, filepath.FromSlash(change.path)), change.text)
		after := directly(t, src)
		if cmp.Equal(before, after) {
			t.Fatalf("%s changes nothing", change.what)
		}
		same(t, change.what, listen(t.Context(), x, src), after)
		spoil(t, dir)
		if !fromIndex(listen(t.Context(), x, src)) {
			t.Errorf("%s: unchanged afterwards, and parsed again", change.what)
		}
		if err := os.RemoveAll(filepath.Join(dir, "episodes")); err != nil {
			t.Fatal(err)
		}
		listen(t.Context(), x, src)
	}
}

func TestADamagedEntryIsMadeAnew(t *testing.T) {
	src := sources()[1]
	want := directly(t, src)
	for name, damage := range map[string]func(b []byte) []byte{
		"cut off":     func(b []byte) []byte { return b[:len(b)/2] },
		"a bit flips": func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"empty":       func([]byte) []byte { return nil },
		"gone":        nil,
	} {
		for _, suffix := range []string{episodesSuffix, manifestSuffix} {
			t.Run(name+" "+suffix, func(t *testing.T) {
				dir := t.TempDir()
				x := Open(dir, false, func(s string) { t.Error(s) })
				listen(t.Context(), x, src)
				found, err := filepath.Glob(filepath.Join(dir, "episodes", "*", "*"+suffix))
				if err != nil || len(found) != 1 {
					t.Fatalf("%v %v", found, err)
				}
				if damage == nil {
					err = os.Remove(found[0])
				} else {
					b, rerr := os.ReadFile(found[0])
					err = errors.Join(rerr, os.WriteFile(found[0], damage(b), 0o600))
				}
				if err != nil {
					t.Fatal(err)
				}
				same(t, "after damage", listen(t.Context(), x, src), want)
				same(t, "made anew", listen(t.Context(), x, src), want)
			})
		}
	}
}

func TestAStreamThatEndsEarlyKeepsNothing(t *testing.T) {
	dir := t.TempDir()
	x := Open(dir, false, nil)
	src := sources()[1]
	for range x.Read(t.Context(), src, nil) {
		break
	}
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`[{"annotation_id":"a","confirmed_task":"x","domain":"d","website":"w","action_reprs":["[a]  b -> CLICK"]},{"ann`), 0o600); err != nil {
		t.Fatal(err)
	}
	got := listen(t.Context(), x, trajectory.Source{Name: "d", Format: "mind2web", Path: broken})
	if !strings.Contains(got.Err, "broken.json") {
		t.Errorf("error %q", got.Err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := listen(ctx, x, src); !strings.Contains(got.Err, "canceled") {
		t.Errorf("error %q", got.Err)
	}
	if n := entries(t, dir); n != 0 {
		t.Errorf("%d entries are kept", n)
	}
	left, err := filepath.Glob(filepath.Join(dir, "episodes", "*", "new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v %v", left, err)
	}
}

func TestAFolderThatCannotBeMadeIsSaidAndTheDataAreReadAnyway(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var notes []string
	x := Open(filepath.Join(file, "cache"), false, func(s string) { notes = append(notes, s) })
	src := sources()[1]
	same(t, "without a folder", listen(t.Context(), x, src), directly(t, src))
	if len(notes) == 0 || !strings.Contains(notes[0], "without the index") {
		t.Errorf("notes %q", notes)
	}
}

func TestWithVerifyEveryFileIsHashedAgain(t *testing.T) {
	src := trajectory.Source{Name: "d", Format: "episodes", Path: copied(t, filepath.Join(testdata, "episodes"))}
	time.Sleep(settled + 100*time.Millisecond) // older files are remembered
	dir := t.TempDir()
	listen(t.Context(), Open(dir, false, nil), src)
	spoil(t, dir)
	// The memo claims that the files are as they were; only hashing finds out.
	s, err := Open(dir, false, nil).shelf(src)
	if err != nil {
		t.Fatal(err)
	}
	memo := s.loadMemo()
	if len(memo.marks) == 0 {
		t.Fatal("nothing is remembered")
	}
	var file string
	for path := range memo.marks {
		file = s.absolute(path)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, m := range memo.marks {
		now, _ := stateOf(s.absolute(path))
		now.SHA256 = m.SHA256
		memo.marks[path] = now
	}
	memo.changed = true
	memo.save()
	if !fromIndex(listen(t.Context(), Open(dir, false, nil), src)) {
		t.Fatal("the memo is not trusted")
	}
	if fromIndex(listen(t.Context(), Open(dir, true, nil), src)) {
		t.Error("the memo is trusted with verify")
	}
}

func TestSeveralReadersAtOnceDoEachOtherNoHarm(t *testing.T) {
	dir := t.TempDir()
	src := sources()[3]
	want := directly(t, src)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				same(t, "beside others", listen(t.Context(), Open(dir, false, nil), src), want)
			}
		})
	}
	wg.Wait()
}

func TestOnlyTheNewestEntriesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	dir := t.TempDir()
	x := Open(dir, false, nil)
	for i := range mostEntries + 3 {
		text := `{"episode_id":"e` + strings.Repeat("x", i) + `","open_intent":"a","closed_intent":"b","steps":[{"action":"c"}]}` + "\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := listen(t.Context(), x, trajectory.Source{Name: "d", Format: "episodes", Path: path}); got.Err != "" {
			t.Fatal(got.Err)
		}
	}
	if n := entries(t, dir); n != mostEntries {
		t.Errorf("%d entries, want %d", n, mostEntries)
	}
}

func TestTheIndexIsForItsOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	listen(t.Context(), Open(dir, false, nil), sources()[1])
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestTheFolderIsTheVariablesElseTheUsers(t *testing.T) {
	getenv := func(v string) func(string) (string, bool) {
		return func(string) (string, bool) { return v, v != "" }
	}
	if got := Folder(getenv("off")); got != "" {
		t.Errorf("off: %q", got)
	}
	if got := Folder(getenv("/x/y")); got != "/x/y" {
		t.Errorf("set: %q", got)
	}
	t.Setenv("HOME", "/home/u")
	t.Setenv("XDG_CACHE_HOME", "/home/u/cache")
	if got := Folder(getenv("")); !strings.HasSuffix(got, "intentlab") {
		t.Errorf("default: %q", got)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
