package trajectory

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/audit"
	"intentlab/ablations/task"
)

var updateExample = flag.Bool("update", false, "rewrite the example in docs/add-a-dataset.md")

// conformance is one entry of the suite that every reader has to pass: a small source with a word of
// its own in every field (docs/add-a-dataset.md, "The suite"). A format may have several, one a form.
type conformance struct {
	name    string // of the form
	format  Format
	options any // for Source.Options; nil for none

	files map[string]string // the source: path → text. It holds two episodes or more
	main  string            // the file that is damaged, cut, replaced and zipped
	first string            // id of the first episode, the one whose fields are planted

	// planted gives, for each name that the format's VisibleSafe, VisibleAsPublished and NeverVisible
	// list (up to " (" in it), the word that stands in that field and nowhere else.
	planted map[string]string
	// nowhere are words in source fields that no list names: HTML, coordinates, negative candidates.
	nowhere []string
	// constant are listed names that the reader makes itself, with their values: platform.
	constant map[string]string

	noSteps  map[string]string // files to add, or to put in place, for an episode without steps
	noGzip   string            // why main isn't read when it is gzipped
	noCut    string            // why some cuts of main can't be told; else every cut is an error or leaves whole episodes
	noDouble string            // why a copy of the source beside it is no duplicate
	fuzz     func(*testing.F)  // the reader's fuzz target; naming it here makes it exist
	quirks   map[string]string // quirks of datasets.md that the reader meets → the test of each
}

// source writes the files into a folder and returns it as a source.
func (c conformance) source(t testing.TB, v Visibility, change ...map[string]string) Source {
	t.Helper()
	dir := t.TempDir()
	for name, text := range c.files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	for _, m := range change {
		for name, text := range m {
			write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
		}
	}
	return c.at(dir, v)
}

func (c conformance) at(path string, v Visibility) Source {
	return Source{Name: "d", Format: c.format.Name, Path: path, Visibility: v, Options: c.options}
}

func (c conformance) read(ctx context.Context, src Source) (episodes []Episode, skips []Skip, err error) {
	for e, rerr := range c.format.Read(ctx, src, func(s Skip) { skips = append(skips, s) }) {
		if rerr != nil {
			return episodes, skips, rerr
		}
		episodes = append(episodes, e)
	}
	return episodes, skips, nil
}

func (c conformance) mustRead(t *testing.T, src Source) ([]Episode, []Skip) {
	t.Helper()
	episodes, skips, err := c.read(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return episodes, skips
}

func sameEpisodes(t *testing.T, what string, want, got []Episode) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s changes the episodes (-want +got):\n%s", what, d)
	}
}

func reasons(skips []Skip) map[string]int {
	out := map[string]int{}
	for _, s := range skips {
		if s.Reason != NoRole {
			out[s.Reason]++
		}
	}
	return out
}

func TestEveryReaderPassesTheConformanceSuite(t *testing.T) {
	listed := map[string]bool{}
	named := map[string]map[string]bool{}
	for _, c := range conformances() {
		listed[c.format.Name] = true
		if named[c.format.Name] == nil {
			named[c.format.Name] = map[string]bool{}
		}
		for name := range c.planted {
			named[c.format.Name][name] = true
		}
		for name := range c.constant {
			named[c.format.Name][name] = true
		}
		t.Run(c.format.Name+" "+c.name, c.run)
	}
	for name, f := range Formats {
		if !listed[name] {
			t.Errorf("format %s is not in the conformance suite", name)
		}
		for _, role := range slices.Concat(f.VisibleSafe, f.VisibleAsPublished, f.NeverVisible) {
			if role = plainName(role); !named[name][role] {
				t.Errorf("format %s: no entry of the suite plants a word in %q, which its declaration names", name, role)
			}
		}
	}
}

// plainName is a declared name without its remark: "apps (the full list)" is "apps".
func plainName(s string) string {
	name, _, _ := strings.Cut(s, " (")
	return name
}

func plainNames(list []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range list {
		out[plainName(s)] = true
	}
	return out
}

func (c conformance) run(t *testing.T) {
	t.Parallel()
	t.Run("shows what it declares and nothing else", c.shows)
	t.Run("has no structural leak", c.leaks)
	t.Run("reads the same twice and from anywhere", c.repeats)
	t.Run("leaves out copies", c.copies)
	t.Run("leaves out episodes without steps", c.stepless)
	t.Run("tells LFS pointers", c.pointer)
	t.Run("reads BOM, CRLF and gzip", c.encodings)
	t.Run("never gives half of anything for a cut file", c.cuts)
	t.Run("stops with its context", c.cancelled)
	t.Run("passes litter and circles", c.litter)
	t.Run("joins observations", c.observes)
	t.Run("is fuzzed, documented and has a fixture", c.beside)
}

func (c conformance) shows(t *testing.T) {
	safe, published, never := plainNames(c.format.VisibleSafe), plainNames(c.format.VisibleAsPublished), plainNames(c.format.NeverVisible)
	for name := range c.planted {
		if !safe[name] && !published[name] && !never[name] {
			t.Errorf("%q is planted and the format does not declare it", name)
		}
	}
	for _, v := range []Visibility{Safe, AsPublished} {
		episodes, _ := c.mustRead(t, c.source(t, v))
		i := slices.IndexFunc(episodes, func(e Episode) bool { return e.ID == c.first })
		if i < 0 || len(episodes) < 2 {
			t.Fatalf("%s: read %v, want %s and another one", v, ids(episodes), c.first)
		}
		visible := visibleText(t, episodes[i])
		for name, word := range c.planted {
			want := safe[name] || v == AsPublished && published[name]
			if never[name] && want {
				t.Errorf("%q is declared as visible and as never visible", name)
			}
			if got := strings.Contains(visible, word); got != want {
				t.Errorf("%s: %q (%s) is visible: %v, declared: %v in %s", v, name, word, got, want, visible)
			}
		}
		for name, value := range c.constant {
			if episodes[i].Metadata[name] != value {
				t.Errorf("%s: %s is %q, want %q", v, name, episodes[i].Metadata[name], value)
			}
		}
		for _, word := range c.nowhere {
			if strings.Contains(visible, word) {
				t.Errorf("%s: %q is visible, and no role names it, in %s", v, word, visible)
			}
		}
		if e := episodes[i]; v == Safe && len(e.Apps) > 0 && !safe["apps"] {
			t.Errorf("apps are visible under safe: %v", e.Apps)
		}
	}
}

// visibleText is all that a method may see of an episode but for its id.
func visibleText(t *testing.T, e Episode) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode([]any{e.Metadata, e.Apps, e.Profile, e.ContextSteps, e.Steps}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// leaks gives what is visible to the audit's own rules.
func (c conformance) leaks(t *testing.T) {
	for _, v := range []Visibility{Safe, AsPublished} {
		episodes, _ := c.mustRead(t, c.source(t, v))
		for _, e := range episodes {
			shown := task.Task{ID: "d:" + e.ID + ":r1.00", Dataset: "d", EpisodeID: e.ID, PrefixStepCount: len(e.Steps),
				Metadata: task.Metadata{Fields: e.Metadata, Apps: e.Apps, Profile: e.Profile}, ContextSteps: e.ContextSteps, ObservedSteps: e.Steps}
			never := c.format.NeverVisible
			if c.format.Name == "episodes" {
				never = nil // fields of the record, not of its metadata
			}
			for _, fault := range audit.Structure(&shown, never) {
				t.Errorf("%s: %s: %s", v, fault.Rule, fault.Detail)
			}
			if e.Dataset != "d" || e.ClusterID == "" || e.LabelSpace == "" {
				t.Errorf("%s: an episode lacks dataset, cluster or label space: %+v", v, e)
			}
		}
	}
}

func (c conformance) repeats(t *testing.T) {
	src := c.source(t, AsPublished)
	a, askips := c.mustRead(t, src)
	b, bskips := c.mustRead(t, src)
	sameEpisodes(t, "reading twice", a, b)
	if d := cmp.Diff(askips, bskips); d != "" {
		t.Errorf("skips (-first +second):\n%s", d)
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(wd, src.Path)
	if err != nil {
		t.Skip("the source has no relative path:", err)
	}
	b, _ = c.mustRead(t, c.at(relative, AsPublished))
	sameEpisodes(t, "a relative path", a, b)
}

func (c conformance) copies(t *testing.T) {
	if c.noDouble != "" {
		t.Skip(c.noDouble)
	}
	want, skips := c.mustRead(t, c.source(t, Safe))
	dir := t.TempDir()
	for name, text := range c.files {
		for _, folder := range []string{"a", "b"} {
			write(t, filepath.Join(dir, folder, filepath.FromSlash(name)), text)
		}
	}
	got, twice := c.mustRead(t, c.at(dir, Safe))
	sameEpisodes(t, "a copy of the source beside it", want, got)
	if n := reasons(twice)[Duplicate] - reasons(skips)[Duplicate]; n != len(want) {
		t.Errorf("%d duplicates, want %d", n, len(want))
	}
}

func (c conformance) stepless(t *testing.T) {
	if c.noSteps == nil {
		t.Skip("no record of this form is an episode without steps")
	}
	want, before := c.mustRead(t, c.source(t, Safe))
	got, skips := c.mustRead(t, c.source(t, Safe, c.noSteps))
	sameEpisodes(t, "an episode without steps", want, got)
	if n := reasons(skips)[NoSteps] - reasons(before)[NoSteps]; n != 1 {
		t.Errorf("%d more skips as no_steps, want 1: %v", n, skips)
	}
}

func (c conformance) pointer(t *testing.T) {
	src := c.source(t, Safe, map[string]string{c.main: lfsPointer + "\noid sha256:0\nsize 1\n"})
	_, _, err := c.read(t.Context(), src)
	if err == nil || !strings.Contains(err.Error(), "git lfs pull") || !strings.Contains(err.Error(), filepath.Base(c.main)) {
		t.Errorf("error %v, want one that names %s and says to run git lfs pull", err, c.main)
	}
}

func (c conformance) encodings(t *testing.T) {
	want, _ := c.mustRead(t, c.source(t, Safe))
	bom, crlf := map[string]string{}, map[string]string{}
	for name, text := range c.files {
		bom[name] = "\ufeff" + strings.TrimPrefix(text, "\ufeff")
		crlf[name] = strings.ReplaceAll(text, "\n", "\r\n")
	}
	got, _ := c.mustRead(t, c.source(t, Safe, bom))
	sameEpisodes(t, "a byte-order mark", want, got)
	got, _ = c.mustRead(t, c.source(t, Safe, crlf))
	sameEpisodes(t, "CRLF", want, got)
	if c.noGzip != "" {
		return
	}
	src := c.source(t, Safe, map[string]string{c.main + ".gz": zipped(t, []byte(c.files[c.main]))})
	if err := os.Remove(filepath.Join(src.Path, filepath.FromSlash(c.main))); err != nil {
		t.Fatal(err)
	}
	got, _ = c.mustRead(t, src)
	sameEpisodes(t, "gzip", want, got)
}

// cuts ends the main file after every kth byte: that is an error, or what is read are whole episodes.
func (c conformance) cuts(t *testing.T) {
	whole, _ := c.mustRead(t, c.source(t, Safe))
	bare := map[string]Episode{}
	for _, e := range whole {
		e.Lists = nil
		bare[e.ID] = e
	}
	dir := c.source(t, Safe).Path
	text := c.files[c.main]
	silent, tried := 0, 0
	for n := 0; n < len(text); n += max(1, len(text)/150) {
		tried++
		write(t, filepath.Join(dir, filepath.FromSlash(c.main)), text[:n])
		episodes, _, err := c.read(t.Context(), c.at(dir, Safe))
		if err != nil {
			continue
		}
		silent++
		if c.noCut != "" {
			continue
		}
		for _, e := range episodes {
			e.Lists = nil
			if d := cmp.Diff(bare[e.ID], e); d != "" {
				t.Fatalf("cut after %d of %d bytes, the source is read without an error and with another episode (-whole +cut):\n%s", n, len(text), d)
			}
		}
	}
	if c.noCut == "" && silent > tried/10 {
		t.Errorf("%d of %d cuts pass without an error", silent, tried)
	}
	zippedText := zipped(t, []byte(text))
	if c.noGzip != "" {
		return
	}
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(c.main))); err != nil {
		t.Fatal(err)
	}
	for n := 2; n < len(zippedText); n += max(1, len(zippedText)/60) {
		write(t, filepath.Join(dir, filepath.FromSlash(c.main)+".gz"), zippedText[:n])
		if _, _, err := c.read(t.Context(), c.at(dir, Safe)); err == nil {
			t.Fatalf("a gzip file that is cut after %d of %d bytes is no error", n, len(zippedText))
		}
	}
}

// observes joins a sidecar that lies beside the main file, where a reader might take it for data.
func (c conformance) observes(t *testing.T) {
	want, before := c.mustRead(t, c.source(t, Safe))
	i := slices.IndexFunc(want, func(e Episode) bool { return e.ID == c.first })
	want[i].Steps = slices.Clone(want[i].Steps)
	want[i].Steps[0].Observation = strings.TrimPrefix(want[i].Steps[0].Observation+"\non the screen", "\n")
	src := c.source(t, Safe)
	src.Observations = filepath.Join(src.Path, filepath.Dir(filepath.FromSlash(c.main)), "zz_ocr.jsonl")
	line, err := json.Marshal(map[string]any{"episode_id": c.first, "step": 0, "text": "on the screen"})
	if err != nil {
		t.Fatal(err)
	}
	write(t, src.Observations, string(line))
	got, skips := c.mustRead(t, src)
	sameEpisodes(t, "a sidecar", want, got)
	if d := cmp.Diff(reasons(before), reasons(skips)); d != "" {
		t.Errorf("reasons of skips (-without +with a sidecar):\n%s", d)
	}
}

func (c conformance) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	src := c.source(t, Safe)
	n := 0
	var last error
	for _, err := range c.format.Read(ctx, src, nil) {
		if last = err; err == nil {
			n++
			cancel()
		}
	}
	if n != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d episodes after the cancellation, error %v; want 1 and context.Canceled", n, last)
	}
	if episodes, _, err := c.read(ctx, src); len(episodes) != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended gives %d episodes and error %v", len(episodes), err)
	}
}

func (c conformance) litter(t *testing.T) {
	want, before := c.mustRead(t, c.source(t, Safe))
	src := c.source(t, Safe)
	beside := filepath.Join(src.Path, filepath.Dir(filepath.FromSlash(c.main)))
	base := filepath.Base(c.main)
	names := []string{".DS_Store", "__MACOSX/._" + base, "._" + base, ".cache/huggingface/" + base, base + ".lock", base + ".metadata"}
	for _, name := range names {
		write(t, filepath.Join(beside, filepath.FromSlash(name)), "\x00\x05rubbish")
	}
	if err := os.Symlink(src.Path, filepath.Join(src.Path, "loop")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	got, skips := c.mustRead(t, src)
	sameEpisodes(t, "litter", want, got)
	// Beside data that makes up an episode the reader need not look at what else there is.
	if n := reasons(skips)[Litter] - reasons(before)[Litter]; n == 0 || n > len(names)+1 {
		t.Errorf("%d skips as litter, want 1 to %d: %v", n, len(names)+1, skips)
	}
	for reason, n := range reasons(skips) {
		if reason != Litter && n != reasons(before)[reason] {
			t.Errorf("litter is reported as %s: %v", reason, skips)
		}
	}
}

func (c conformance) beside(t *testing.T) {
	if c.fuzz == nil {
		t.Error("there is no fuzz target")
	}
	tests := testNames(t)
	for quirk, name := range c.quirks {
		if !tests[name] {
			t.Errorf("the quirk %q is tested by %s, which does not exist", quirk, name)
		}
	}
	f := c.format
	for what, text := range map[string]string{"Summary": f.Summary, "EpisodeIs": f.EpisodeIs, "OpenIntentIs": f.OpenIntentIs, "ClosedIntentIs": f.ClosedIntentIs,
		"ClusterIs": f.ClusterIs, "StepsAre": f.StepsAre, "LabelSpace": f.LabelSpace, "SplitUnit": f.SplitUnit, "Source": f.Source} {
		if text == "" {
			t.Errorf("the declaration lacks %s", what)
		}
	}
	if f.Version < 1 {
		t.Error("the reader has no version")
	}
	if _, registered := Formats[f.Name]; !registered {
		return // the example
	}
	doc, err := os.ReadFile("../../docs/datasets.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "<!-- output: intentlab datasets "+f.Name+" -->") {
		t.Errorf("docs/datasets.md has no block `<!-- output: intentlab datasets %s -->`", f.Name)
	}
	src := Source{Name: "d", Format: f.Name, Path: "testdata/" + f.Name}
	if f.Options != nil {
		src.Options = f.Options()
	}
	if episodes, _, err := c.read(t.Context(), src); err != nil || len(episodes) == 0 {
		t.Errorf("the fixture testdata/%s has %d episodes, error %v", f.Name, len(episodes), err)
	}
}

// testNames are the tests and fuzz targets of this folder.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				out[fn.Name.Name] = true
			}
		}
	}
	return out
}

// TestTheExampleOfTheDocumentationIsTheOneThatIsCompiled holds docs/add-a-dataset.md to the file.
func TestTheExampleOfTheDocumentationIsTheOneThatIsCompiled(t *testing.T) {
	doc, err := os.ReadFile("../../docs/add-a-dataset.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("example_format_test.go")
	if err != nil {
		t.Fatal(err)
	}
	const before = "<!-- code: ablations/trajectory/example_format_test.go -->\n```go\n"
	head, rest, found := strings.Cut(string(doc), before)
	shown, tail, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatalf("docs/add-a-dataset.md has no block under %q", before)
	}
	if shown == string(code) {
		return
	}
	if !*updateExample {
		t.Fatal("docs/add-a-dataset.md shows another example than example_format_test.go; go test ./ablations/trajectory -run Example -args -update rewrites it")
	}
	if err := os.WriteFile("../../docs/add-a-dataset.md", []byte(head+before+string(code)+"```\n"+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
