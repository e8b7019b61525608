package trajectory

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tests of this file are named after the quirks of datasets.md, by section and number. Data are
// made up to the documented shapes.

// laid writes files below a new folder.
func laid(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
	}
	return root
}

// demonstration lays out one WebLINX demonstration with the given turns.
func demonstration(t *testing.T, turns ...string) string {
	t.Helper()
	return laid(t, map[string]string{
		"demonstrations/abcdefg/replay.json":   `{"data":[` + strings.Join(turns, ",") + `],"status":"checked"}`,
		"demonstrations/abcdefg/form.json":     `{"description":"secretDescription","tasks":["secretTask"],"annotator":"secretAnnotator","zoom_id":1}`,
		"demonstrations/abcdefg/metadata.json": `{"version":"1.8.2"}`,
	})
}

func chat(speaker, text string, at float64) string {
	return fmt.Sprintf(`{"type":"chat","speaker":%q,"utterance":%q,"timestamp":%v}`, speaker, text, at)
}

func loaded(url string) string {
	return fmt.Sprintf(`{"type":"browser","timestamp":1,"state":{"screenshot":null,"page":null},"action":{"intent":"load","arguments":{"metadata":{"tabId":1,"url":%q},"properties":{"tabId":1,"url":%q}},"event_id":1,"element_html":null}}`, url, url)
}

func one(t *testing.T, src Source) Episode {
	t.Helper()
	eps, skips := mustCollect(t, src)
	if len(eps) != 1 {
		t.Fatalf("%d episodes, skips %+v", len(eps), skips)
	}
	return eps[0]
}

// shows is everything of an episode that may be shown.
func shows(e Episode) string {
	return fmt.Sprintf("%+v %+v %+v %+v %+v", e.Metadata, e.Apps, e.Profile, e.ContextSteps, e.Steps)
}

func TestQuirksOfWebLINX(t *testing.T) {
	t.Run("1 a turn of 900 KB on one line is capped", func(t *testing.T) {
		page := strings.Repeat("<p>x</p>", 110_000)
		e := one(t, Source{Format: "weblinx", Path: demonstration(t, loaded("https://a.org/"),
			fmt.Sprintf(`{"type":"browser","action":{"intent":"click","arguments":{"metadata":{"url":"https://a.org/"},"element":{"tagName":"DIV","innerHTML":%q,"outerHTML":%q,"textContent":%q}}}}`, page, page, strings.Repeat("word ", 200_000)))})
		if n := len([]rune(e.Steps[1].Element)); n == 0 || n > MaxElement || strings.Contains(shows(e), "<p>") {
			t.Errorf("element of %d runes", n)
		}
	})
	t.Run("2 and 3 the array's order counts, whatever the timestamps say", func(t *testing.T) {
		e := one(t, Source{Format: "weblinx", Path: demonstration(t, chat("instructor", "first thing", 20), chat("instructor", "second thing", -10.5), loaded("https://a.org/"))})
		if e.Steps[0].Utterance != "first thing" || e.Steps[1].Utterance != "second thing" || e.Steps[2].Op != "load" {
			t.Errorf("%+v", e.Steps)
		}
	})
	t.Run("4 empty URLs and null states are passed over and properties come before metadata", func(t *testing.T) {
		e := one(t, Source{Format: "weblinx", Path: demonstration(t,
			`{"type":"browser","state":null,"action":{"intent":"tabcreate","arguments":{"metadata":{"tabId":-1,"url":""},"properties":{"tabId":2}},"element_html":null}}`,
			`{"type":"browser","state":{"screenshot":null,"page":null},"action":{"intent":"load","arguments":{"metadata":{"url":"https://old.org/"},"properties":{"url":"https://new.org:8080/x"}}}}`)})
		if e.ClosedIntent != "new.org" {
			t.Errorf("label %q", e.ClosedIntent)
		}
	})
	t.Run("5 the first host is the label with its www, a search engine's too", func(t *testing.T) {
		e := one(t, Source{Format: "weblinx", Path: demonstration(t, loaded("https://www.google.com/"), loaded("https://plos.org/"))})
		if e.ClosedIntent != "www.google.com" || e.ClusterID != "www.google.com" {
			t.Errorf("label %q, cluster %q", e.ClosedIntent, e.ClusterID)
		}
	})
	t.Run("6 textInput on a page element is no typing", func(t *testing.T) {
		input := func(tag string) string {
			return fmt.Sprintf(`{"type":"browser","action":{"intent":"textInput","arguments":{"text":"selected page text","metadata":{"url":"https://a.org/"},"element":{"tagName":%q,"attributes":{}}}}}`, tag)
		}
		e := one(t, Source{Format: "weblinx", Path: demonstration(t, input("DIV"), input("INPUT"))})
		if e.Steps[0].Value != "" || e.Steps[1].Value != "selected page text" {
			t.Errorf("values %q and %q", e.Steps[0].Value, e.Steps[1].Value)
		}
	})
	t.Run("7 the open intent is all requests without the small talk", func(t *testing.T) {
		e := one(t, Source{Format: "weblinx", Path: demonstration(t, chat("instructor", "Hello", -3), chat("instructor", "Find lamps", -2), loaded("https://a.org/"), chat("navigator", "Sure", 2), chat("instructor", "Now buy one", 9))})
		if e.OpenIntent != "Find lamps Now buy one" {
			t.Errorf("open intent %q", e.OpenIntent)
		}
	})
	t.Run("8 hosts are masked in URLs, hrefs and texts under safe", func(t *testing.T) {
		path := demonstration(t, loaded("https://shop.example.org/"), chat("instructor", "open shop.example.org please", 1),
			`{"type":"browser","action":{"intent":"click","arguments":{"metadata":{"url":"https://shop.example.org/a"},"element":{"tagName":"A","textContent":"at shop.example.org","attributes":{"href":"https://shop.example.org/b","aria-label":"shop.example.org"},"outerHTML":"<a href=shop.example.org>"}}}}`)
		if e := one(t, Source{Format: "weblinx", Path: path}); strings.Contains(shows(e), "example.org") {
			t.Errorf("safe shows the host: %s", shows(e))
		}
		if e := one(t, Source{Format: "weblinx", Path: path, Visibility: AsPublished}); !strings.Contains(shows(e), "https://shop.example.org/a") || strings.Contains(shows(e), "secret") {
			t.Errorf("as published: %s", shows(e))
		}
	})
	t.Run("9 what the official rule calls invalid is skipped with a reason", func(t *testing.T) {
		for file, reason := range map[string]string{"replay.json": NoReplay, "form.json": NoForm, "metadata.json": NoMetadata, "invalid.json": InvalidDemonstration} {
			root := demonstration(t, loaded("https://a.org/"))
			good := filepath.Join(root, "demonstrations", "goodone")
			if err := os.CopyFS(good, os.DirFS(filepath.Join(root, "demonstrations", "abcdefg"))); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(root, "demonstrations", "abcdefg", file)
			if file == "invalid.json" {
				write(t, path, "{}")
			} else if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			eps, skips := mustCollect(t, Source{Format: "weblinx", Path: root})
			if len(eps) != 1 || eps[0].ID != "goodone" || len(skips) != 1 || skips[0].Reason != reason {
				t.Errorf("without %s: %v, %+v", file, ids(eps), skips)
			}
		}
	})
	t.Run("10 replay.json is UTF-8, typographic quotes and all", func(t *testing.T) {
		e := one(t, Source{Format: "weblinx", Path: demonstration(t, chat("instructor", "Open “Café” – it’s\n\t- one\n\t- two", 0), loaded("https://a.org/"))})
		if e.Steps[0].Utterance != "Open “Café” – it’s\n\t- one\n\t- two" {
			t.Errorf("utterance %q", e.Steps[0].Utterance)
		}
	})
	t.Run("an id may stand in two lists and lists may have either spelling", func(t *testing.T) {
		for _, name := range []string{"iid_all", "dev"} {
			root := demonstration(t, loaded("https://a.org/"))
			write(t, filepath.Join(root, "splits.json"), `{"valid":["abcdefg"],"`+name+`":["abcdefg"],"train":[]}`)
			if e := one(t, Source{Format: "weblinx", Path: root}); !slices.Contains(e.Lists, "valid") || !slices.Contains(e.Lists, name) || !slices.Contains(e.Lists, "validation") {
				t.Errorf("%s: lists %q", name, e.Lists)
			}
		}
	})
	t.Run("candidates, boxes, pages and hub litter are no episodes", func(t *testing.T) {
		root := demonstration(t, loaded("https://a.org/"))
		for _, name := range []string{"candidates/valid.jsonl", "demonstrations/abcdefg/bboxes/bboxes-1.json", "demonstrations/abcdefg/pages/page-1-1.html", ".cache/huggingface/x.metadata", "demonstrations/.DS_Store"} {
			path := filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, path, `{"query":"load(url=\"https://a.org\")","label":1}`)
		}
		eps, skips := mustCollect(t, Source{Format: "weblinx", Path: root})
		if len(eps) != 1 {
			t.Errorf("%v, %+v", ids(eps), skips)
		}
	})
	t.Run("chat action cells hold uid=None, unescaped quotes and real newlines", func(t *testing.T) {
		TestWebLINXChatActionGrammarQuirks(t)
	})
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
