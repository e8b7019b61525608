package trajectory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/go-faster/jx"
)

const guiOdysseyLabels = "gui_odyssey.category"

var guiOdyssey = Format{
	Name:           "gui_odyssey",
	Summary:        "GUI-Odyssey annotations/*.json or all_anno.json, with splits/*.json beside them",
	Version:        2,
	EpisodeIs:      "an annotation file, or a row of all_anno.json where there is no annotations folder",
	OpenIntentIs:   "instruction, else task",
	ClosedIntentIs: "category",
	ClusterIs:      "meta_task",
	StepsAre:       "one per step; coordinates are on a scale of 0 to 1000; pictures by hash where asked for",
	LabelSpace:     guiOdysseyLabels,
	VisibleSafe:    []string{"device", "os_version", "screen"}, VisibleAsPublished: []string{"device", "os_version", "screen", "apps (the full list)"},
	NeverVisible: []string{"category", "meta_task", "task", "instruction", "step: description", "step: intention", "step: context", "step: low_level_instruction"},
	SplitUnit:    "meta_task",
	Groups:       []string{"meta_task", "device"},
	Options:      func() any { return &GUIOdysseyOptions{} },
	Source:       "Lu et al.: GUI Odyssey, arXiv 2406.08451; CC BY 4.0",
	Read:         LoadGUIOdyssey,
	Listed:       guiOdysseyLists,
	Releases: []Release{
		{Name: "GUI-Odyssey version 1", Unit: "episodes", Episodes: 7735, Known: "as its repository says",
			Lists: []Count{{"random_train", 5802}, {"random_test", 1933}, {"task_train", 6719}, {"task_test", 1016},
				{"device_train", 6473}, {"device_test", 1262}, {"app_train", 6596}, {"app_test", 1139}}},
		{Name: "GUI-Odyssey version 2", Unit: "episodes", Episodes: 8334, Known: "as its repository says, which has 8,834 in one place"},
	},
}

// GUIOdysseyOptions are the settings of format gui_odyssey.
type GUIOdysseyOptions struct {
	Screenshots bool `hcl:"screenshots,optional" doc:"hash the picture of each step (screenshots/, also below data_*/) and show the hash, which takes as long as reading them"`
}

// LoadGUIOdyssey reads GUI-Odyssey annotation files below src.Path (versions 1 and 2), one episode a
// file.
//
// The id is episode_id as text, leading zeros kept; where it is missing or a number, the file's name.
// Both spellings of actions and keys are accepted: TYPE is TEXT, IMPOSSIBLE is INCOMPLETE, HOME, BACK
// and KEY_RECENT as actions or as the info of a CLICK are key presses (press_home, press_back,
// press_recent). len(steps) is trusted; where step_length differs the episode is flagged
// step_length_mismatch. The full app list is hidden under visibility safe, since it shows the future;
// the texts that version 2 adds to steps are never read. Lists hold random_train, random_test,
// task_train, … after the files in splits/.
//
// Flat rows (all_anno.json, an array or JSON lines, and any other such file) are read where no
// annotations folder stands beside the file, and are skipped as superseded where one does. Their app
// and steps are lists, or such lists in Python notation. A row's id that is a number gets its leading
// zeros back: ids have 16 digits.
//
// With the option screenshots, the pictures in screenshots/ beside the annotations that the steps name
// are hashed; an episode that lacks some is reported as no_screenshot and kept.
func LoadGUIOdyssey(ctx context.Context, src Source, skipped func(Skip)) iter.Seq2[Episode, error] {
	return stream(ctx, src, skipped, "gui_odyssey", loadGUIOdyssey)
}

func loadGUIOdyssey(ctx context.Context, src Source, out output) error {
	var opt GUIOdysseyOptions
	switch o := src.Options.(type) {
	case nil:
	case GUIOdysseyOptions:
		opt = o
	case *GUIOdysseyOptions:
		opt = *o
	default:
		return fmt.Errorf("options of format gui_odyssey are of type %T", src.Options)
	}
	r := guiOdysseyReader{v: src.Visibility}
	var err error
	if r.lists, err = guiOdysseyLists(ctx, src.Path); err != nil {
		return err
	}
	if opt.Screenshots {
		if r.images, err = findImages(ctx, filepath.Join(guiOdysseyRoot(ctx, src.Path, screenshotFolder), screenshotFolder), "data_"); err != nil {
			return err
		}
	}
	return filesOf(ctx, src, out, []string{".json", ".jsonl"}, func(in *input, out output) error {
		if isSplitFile(in.path) {
			return nil
		}
		beside := ""
		if filepath.Clean(in.path) != filepath.Clean(src.Path) { // a file that was asked for by name is read
			beside = supersedes(ctx, in.path)
		}
		return r.read(in, beside, out)
	}, screenshotFolder)
}

const screenshotFolder = "screenshots"

// guiOdysseyReader is what all files of a source share.
type guiOdysseyReader struct {
	v      Visibility
	lists  map[string][]string
	images images // nil unless screenshots are hashed
}

// emit hands on the episode of an annotation or row, with its lists and screenshots.
func (r guiOdysseyReader) emit(ctx context.Context, where string, a annotation, out output) error {
	e := a.episode(r.v, r.lists[a.id])
	if r.images != nil {
		names := make([]string, len(a.steps))
		for i, s := range a.steps {
			names[i] = s.screenshot
		}
		absent, err := r.images.put(ctx, e.Steps, names, where)
		if err != nil {
			return settled{fmt.Errorf("%s: %w", where, err)}
		}
		if absent != nil {
			out.skip(*absent)
		}
	}
	return emitSettled(out, where, e)
}

func isSplitFile(path string) bool {
	return filepath.Base(filepath.Dir(path)) == "splits" || strings.HasSuffix(path, "_split.json")
}

// guiOdysseyRoot is the folder that holds the folder called inner: that of annotations/, or data/ in it,
// where the repository keeps the data, beside all_anno.json.
func guiOdysseyRoot(ctx context.Context, path, inner string) string {
	if info, err := stat(ctx, path); err == nil && !info.IsDir() {
		path = filepath.Dir(path)
	}
	root := rootOf(path, "annotations")
	if data := filepath.Join(path, "data"); isFolder(ctx, filepath.Join(data, inner)) && !isFolder(ctx, filepath.Join(root, inner)) {
		return data
	}
	return root
}

// guiOdysseyLists reads the split files of the folder, or of the folder above annotations/.
func guiOdysseyLists(ctx context.Context, root string) (map[string][]string, error) {
	lists := map[string][]string{}
	dir := filepath.Join(guiOdysseyRoot(ctx, root, "splits"), "splits")
	entries, err := readDir(ctx, dir)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return lists, nil // not every copy has them
	}
	if err != nil {
		return nil, fmt.Errorf("list the split files: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() || litter(e.Name()) != "" || !hasExt(e.Name(), ".json") {
			continue
		}
		prefix := strings.TrimSuffix(stem(e.Name()), "_split") + "_"
		if err := readIDLists(ctx, filepath.Join(dir, e.Name()), prefix, lists); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

// annotation holds the kept members of an annotation file.
type annotation struct {
	id                                string
	device, os, h, w                  string
	category, meta, task, instruction string
	apps                              []string
	length                            string
	steps                             []mobileStep
	hasSteps, hasInfo                 bool
}

// read reads a file of either form; beside names a folder of annotations that a file of flat rows gives
// way to, if any.
func (r guiOdysseyReader) read(in *input, beside string, out output) error {
	d := jx.Decode(in.r, min(32<<10, in.r.Size()))
	kind := d.Next()
	if kind == jx.Array || isFlatFile(in.path) {
		if beside != "" {
			out.skip(Skip{Where: in.path, Reason: Superseded, Detail: "the episodes stand in " + beside})
			return nil
		}
		return r.flatRows(d, in, out)
	}
	if kind != jx.Object {
		if err := d.Skip(); err != nil {
			return in.jsonError(err)
		}
		out.skip(Skip{Where: in.path, Reason: NotOfThisFormat, Detail: "the top level is a " + kind.String() + ", not an annotation"})
		return nil
	}
	var a annotation
	_, err := jsonObject(d, func(key string) error { return a.member(d, key) })
	if err == nil {
		err = jsonEnd(d)
	}
	if err != nil {
		return in.jsonError(err)
	}
	if !a.hasSteps || !a.hasInfo {
		out.skip(Skip{Where: in.path, Reason: NotOfThisFormat, Detail: "it lacks steps or task_info"})
		return nil
	}
	if a.id == "" {
		a.id = stem(in.path)
	}
	return r.emit(in.read.ctx, in.path, a, out)
}

func (a *annotation) member(d *jx.Decoder, key string) (err error) {
	switch key {
	case "episode_id":
		if d.Next() != jx.String {
			return d.Skip() // a number has lost its leading zeros
		}
		a.id, err = jsonText(d)
	case "device_info":
		_, err = jsonObject(d, func(key string) (err error) {
			switch key {
			case "device_name":
				a.device, err = jsonText(d)
			case "release_version":
				a.os, err = jsonText(d)
			case "h":
				a.h, err = jsonText(d)
			case "w":
				a.w, err = jsonText(d)
			default:
				err = d.Skip()
			}
			return err
		})
	case "task_info":
		a.hasInfo, err = jsonObject(d, func(key string) error { return a.info(d, key) })
	case "step_length":
		a.length, err = jsonText(d)
	case "steps":
		a.steps = nil // a repeated key: the last one counts
		err = a.readSteps(d)
	default:
		err = d.Skip()
	}
	return err
}

// info reads a member of task_info.
func (a *annotation) info(d *jx.Decoder, key string) (err error) {
	switch key {
	case "category":
		a.category, err = jsonText(d)
	case "app":
		a.apps, err = jsonTexts(d)
	case "meta_task":
		a.meta, err = jsonText(d)
	case "task":
		a.task, err = jsonText(d)
	case "instruction":
		a.instruction, err = jsonText(d)
	default:
		err = d.Skip()
	}
	return err
}

func (a *annotation) readSteps(d *jx.Decoder) (err error) {
	a.hasSteps, err = jsonArray(d, func() error {
		s, err := readMobileStep(d)
		a.steps = append(a.steps, s)
		return err
	})
	return err
}

func (a annotation) episode(v Visibility, lists []string) Episode {
	e := Episode{
		ID: a.id, ClusterID: a.meta, OpenIntent: strings.TrimSpace(a.instruction), ClosedIntent: strings.TrimSpace(a.category),
		LabelSpace: guiOdysseyLabels, Metadata: map[string]string{}, Groups: map[string]string{}, Lists: lists,
	}
	if e.OpenIntent == "" {
		e.OpenIntent = strings.TrimSpace(a.task)
	}
	if a.device != "" {
		e.Metadata["device"], e.Groups["device"] = a.device, a.device
	}
	if a.os != "" {
		e.Metadata["os_version"] = a.os
	}
	if a.w != "" && a.h != "" {
		e.Metadata["screen"] = a.w + "x" + a.h
	}
	// The default split goes by meta_task: an annotation without one is a template of its own.
	e.Groups["meta_task"] = cmp.Or(a.meta, a.task, a.instruction, e.ID)
	if v == AsPublished {
		e.Apps = a.apps
	}
	for _, s := range a.steps {
		e.Steps = append(e.Steps, s.step())
	}
	if a.length != "" && a.length != fmt.Sprint(len(a.steps)) {
		e.Flags = []string{"step_length_mismatch"}
	}
	return e
}
