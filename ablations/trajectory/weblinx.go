package trajectory

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"sort"
	"strings"

	"github.com/go-faster/jx"
)

const webLINXLabels = "weblinx.derived_website"

var webLINX = Format{
	Name:           "weblinx",
	Summary:        "WebLINX demonstration folders (form.json, metadata.json, replay.json, with splits.json beside them), or the hub's chat files",
	Version:        4,
	EpisodeIs:      "a demonstration; of chat files, its evaluated turns (flag evaluated_turns_only)",
	OpenIntentIs:   "the instructor's utterances joined by one blank, in order, minus small talk (open_intent = \"description\": form.json's description)",
	ClosedIntentIs: "host of the first http(s) URL, properties.url before metadata.url; lower case, no port, www. kept",
	ClusterIs:      "that host (resampling only)",
	StepsAre:       "every turn in file order: utterances and browser actions",
	LabelSpace:     webLINXLabels,
	VisibleSafe:    []string{"platform"}, VisibleAsPublished: []string{"platform", "URLs and hosts in every channel (masked under safe)"},
	NeverVisible: []string{"form.description", "form.tasks", "form.annotator", "form.shortcode"},
	SplitUnit:    "episode",
	Groups:       []string{"website"},
	Options:      func() any { return &WebLINXOptions{OpenIntent: "utterances"} },
	Source:       "Lù, Kasner, Reddy: WebLINX, ICML 2024; CC BY-NC-SA 4.0",
	Read:         LoadWebLINX,
	Listed:       webLINXListed,
	Releases: []Release{{Name: "WebLINX", Unit: "demonstrations", Episodes: 2337, Known: "counted in its splits.json",
		Lists: []Count{{"train", 969}, {"valid", 100}, {"test_iid", 100}, {"test_vis", 444}, {"test_geo", 290}, {"test_cat", 223}, {"test_web", 211}}}},
}

// WebLINXOptions are the settings of format weblinx.
type WebLINXOptions struct {
	OpenIntent string `hcl:"open_intent,optional" doc:"what the open intent is: \"utterances\" of the instructor (default), or form.json's \"description\""`
}

// LoadWebLINX reads WebLINX demonstration folders anywhere below src.Path (the dataset, its
// demonstrations folder, or one demonstration).
//
// An episode is a demonstration, its id the folder's name. By the official rule it is valid when
// form.json, metadata.json and replay.json are there and invalid.json is not; others are skipped
// with the reason (no_replay, no_form, no_metadata, invalid_demonstration). Steps are all turns in
// file order; their timestamps disagree and are not used. The open intent joins the instructor's
// utterances without small talk; the closed intent is the host of the first http(s) URL. Under
// visibility safe, URLs and hosts are masked in every field of every step; intents never are.
// A textInput on an element that can't be typed into is a text selection: its text is not kept as a
// value. Lists are the names in splits.json that hold the id, under both spellings (valid and
// validation, test_iid and test, iid_all and dev).
//
// Files of the hub's chat form (CSV, JSON lines, gzip) are read where no demonstrations folder stands
// beside them, else skipped as superseded. They hold evaluated turns only, so indices have gaps and the
// episode is flagged evaluated_turns_only: hovers, copies, tab switches and what was said after the last
// evaluated turn are lost. Instructor turns are rebuilt from the columns utterances and action_history
// and stand before the first evaluated turn that knows them. The element of a uid comes from the column
// candidates. An action outside of the grammar is kept as its text and reported as unknown_turn. The
// first URL is the label's, also where only action_history tells it. The rows of a demonstration must
// stand together. open_intent = "description" is an error, there being no form.
func LoadWebLINX(ctx context.Context, src Source, skipped func(Skip)) iter.Seq2[Episode, error] {
	return stream(ctx, src, skipped, "weblinx", loadWebLINX)
}

func loadWebLINX(ctx context.Context, src Source, out output) error {
	opt, err := webLINXOptions(src.Options)
	if err != nil {
		return err
	}
	lists, err := webLINXListed(ctx, src.Path)
	if err != nil {
		return err
	}
	return inOrder(ctx, out, func(add func(job) error, out output) error {
		reader := func(ctx context.Context, out output) webLINXReader {
			return webLINXReader{ctx: ctx, src: src, opt: opt, lists: lists, out: out}
		}
		return tree{ctx: ctx, skip: out.skip, sidecar: src.Observations,
			dir: func(dir string, names map[string]bool) (bool, error) {
				if !names["replay.json"] && !names["form.json"] {
					return false, nil
				}
				return true, add(func(ctx context.Context, out output) error { return reader(ctx, out).demonstration(dir, names) })
			},
			file: func(path string) error {
				return add(func(ctx context.Context, out output) error { return reader(ctx, out).chatFile(path) })
			}}.walk(src.Path)
	})
}

// webLINXListed are the ids in splits.json with their lists; none where there is no such file.
func webLINXListed(ctx context.Context, path string) (map[string][]string, error) {
	lists := map[string][]string{}
	path = filepath.Join(rootOf(path, "demonstrations"), "splits.json")
	if _, err := stat(ctx, path); err != nil { // not every copy has it
		return lists, nil
	}
	return lists, readIDLists(ctx, path, "", lists)
}

// chatFile reads a file outside of demonstration folders, which may be of the chat form.
func (r webLINXReader) chatFile(path string) error {
	if filepath.Base(path) == "splits.json" {
		return nil
	}
	if !hasExt(path, ".csv", ".json", ".jsonl") || filepath.Base(filepath.Dir(path)) == "candidates" {
		r.out.skip(Skip{Where: path, Reason: NotOfThisFormat, Detail: "not part of a demonstration folder"})
		return nil
	}
	if dir := demonstrationsBeside(r.ctx, r.src.Path, path); dir != "" {
		// These files are large and often not downloaded: they are told by name, not opened.
		if chatList(path) == "" {
			r.out.skip(Skip{Where: path, Reason: NotOfThisFormat, Detail: "not part of a demonstration folder"})
		} else {
			r.out.skip(Skip{Where: path, Reason: Superseded, Detail: "the whole demonstrations stand in " + dir})
		}
		return nil
	}
	out := r.out
	if r.opt.OpenIntent == "description" {
		out.emit = func(where string, _ Episode) error {
			return fmt.Errorf("%s: open_intent = \"description\" needs form.json, which the chat form lacks", where)
		}
	}
	return readInput(r.ctx, path, func(in *input) error { return readChatFile(in, r.src.Visibility, out) })
}

// rootOf is the dataset's root when path is the root itself, its folder named inner, or an entry of
// that folder.
func rootOf(path, inner string) string {
	path = filepath.Clean(path)
	for range 2 {
		if filepath.Base(path) == inner {
			return filepath.Dir(path)
		}
		if filepath.Base(filepath.Dir(path)) == inner {
			path = filepath.Dir(path)
		}
	}
	return path
}

func webLINXOptions(v any) (WebLINXOptions, error) {
	opt := WebLINXOptions{OpenIntent: "utterances"}
	switch o := v.(type) {
	case nil:
	case WebLINXOptions:
		opt = o
	case *WebLINXOptions:
		opt = *o
	default:
		return opt, fmt.Errorf("options of format weblinx are of type %T", v)
	}
	switch opt.OpenIntent {
	case "":
		opt.OpenIntent = "utterances"
	case "utterances", "description":
	default:
		return opt, fmt.Errorf("open_intent %q: want \"utterances\" or \"description\"", opt.OpenIntent)
	}
	return opt, nil
}

type webLINXReader struct {
	ctx   context.Context
	src   Source
	opt   WebLINXOptions
	lists map[string][]string
	out   output
}

// demonstration deals with a folder that holds a demonstration; its other files (screenshots, pages,
// boxes, video) belong to it and are neither read nor reported.
func (r webLINXReader) demonstration(dir string, names map[string]bool) error {
	id := filepath.Base(filepath.Clean(dir))
	if id == "." || id == ".." {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return fmt.Errorf("name of demonstration %s: %w", dir, err)
		}
		id = filepath.Base(abs)
	}
	for _, rule := range []struct {
		bad            bool
		reason, detail string
	}{
		{names["invalid.json"], InvalidDemonstration, "invalid.json marks it as invalid"},
		{!names["replay.json"], NoReplay, "replay.json is missing"},
		{!names["form.json"], NoForm, "form.json is missing"},
		{!names["metadata.json"], NoMetadata, "metadata.json is missing"},
	} {
		if rule.bad {
			r.out.skip(Skip{Where: dir, Reason: rule.reason, Detail: rule.detail})
			return nil
		}
	}
	path := filepath.Join(dir, "replay.json")
	var turns []turn
	err := readInput(r.ctx, path, func(in *input) (err error) {
		turns, err = readReplay(in, r.out.skip)
		return err
	})
	if err != nil {
		return err
	}
	e := webLINXEpisode(turns, r.src.Visibility, "")
	e.ID, e.Lists = id, chatListNames(r.lists[id])
	if r.opt.OpenIntent == "description" {
		if e.OpenIntent, err = readDescription(r.ctx, filepath.Join(dir, "form.json")); err != nil {
			return err
		}
	}
	return r.out.emit(path, e)
}

// readDescription takes the goal from form.json. No other field of it is read.
func readDescription(ctx context.Context, path string) (string, error) {
	in, err := openInput(ctx, path)
	if err != nil {
		return "", err
	}
	defer in.Close() //nolint:errcheck // opened for reading
	d := jx.Decode(in.r, min(4<<10, in.r.Size()))
	var description string
	_, err = jsonObject(d, func(key string) error {
		if key != "description" {
			return d.Skip()
		}
		var err error
		description, err = jsonText(d)
		return err
	})
	if err != nil {
		return "", in.jsonError(err)
	}
	return strings.TrimSpace(description), nil
}

// readIDLists adds the lists of a splits file, an object from list name to ids, to byID. Ids may
// carry ".json". Every name gets the prefix.
func readIDLists(ctx context.Context, path, prefix string, byID map[string][]string) error {
	in, err := openInput(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // opened for reading
	d := jx.Decode(in.r, min(32<<10, in.r.Size()))
	members := map[string][]string{}
	_, err = jsonObject(d, func(key string) error {
		ids, err := jsonTexts(d)
		members[strings.ToValidUTF8(key, "\uFFFD")] = ids
		return err
	})
	if err == nil {
		err = jsonEnd(d)
	}
	if err != nil {
		return in.jsonError(err)
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		for _, id := range members[name] {
			id = strings.TrimSuffix(id, ".json")
			if l := byID[id]; len(l) == 0 || l[len(l)-1] != prefix+name {
				byID[id] = append(l, prefix+name)
			}
		}
	}
	return nil
}
