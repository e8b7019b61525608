package trajectory

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-faster/jx"
)

const mind2WebLabels = "mind2web.domain"

var mind2Web = Format{
	Name:           "mind2web",
	Summary:        "Mind2Web JSON arrays of tasks, with or without their actions, or Multimodal-Mind2Web rows as JSON lines or Parquet",
	Version:        3,
	EpisodeIs:      "a task (annotation_id)",
	OpenIntentIs:   "confirmed_task",
	ClosedIntentIs: "domain",
	ClusterIs:      "website",
	StepsAre:       "one per action, from action_reprs, with operation and positive element where actions are present",
	LabelSpace:     mind2WebLabels,
	VisibleSafe:    []string{"platform"}, VisibleAsPublished: []string{"platform", "website"},
	NeverVisible: []string{"domain", "subdomain", "confirmed_task"},
	SplitUnit:    "episode",
	Groups:       []string{"website"},
	Source:       "Deng et al.: Mind2Web, NeurIPS 2023; CC BY 4.0",
	Read:         LoadMind2Web,
	Releases: []Release{
		{Name: "Mind2Web (training set)", Unit: "tasks", Episodes: 1009, Known: "as its card says", Lists: []Count{{"train", 1009}}},
		{Name: "Mind2Web", Unit: "tasks", Episodes: 2350, Known: "as its card says",
			Lists: []Count{{"train", 1009}, {"test_task", 252}, {"test_website", 177}, {"test_domain", 912}}},
		// How many tasks its training set has is not known to us; it has 7,775 rows.
		{Name: "Multimodal-Mind2Web (test sets)", Unit: "tasks", Known: "as its card says",
			Lists: []Count{{"test_task", 177}, {"test_website", 142}, {"test_domain", 694}}},
	},
}

// LoadMind2Web reads Mind2Web files: every *.json below src.Path whose top level is an array of
// tasks. The arrays are streamed; HTML and negative candidates are passed over without being decoded
// or held, so memory does not grow with the file.
//
// An episode is a task, its id the annotation_id. Steps come from action_reprs; where actions are
// present in the same number, each step also takes its operation and its element from there: the
// positive candidate with is_original_target, else with is_top_level_target, else the first, else the
// bracket of action_reprs (decisions.md). Where the numbers differ, action_reprs alone count and the
// episode is flagged action_count_mismatch; without action_reprs, actions alone. The operation is
// original_op, else op, else the one that action_reprs name: so HOVER and ENTER stay apart, as in
// copies without actions. website determines domain and is hidden under visibility safe. Lists hold train, test_task, test_website or test_domain after the folder,
// else after the file's name. A file of another shape is skipped as not_of_this_format when its first
// record shows it; a broken file ends the stream after the tasks before the damage.
//
// *.jsonl and *.parquet files hold Multimodal-Mind2Web rows, one an action: they are grouped by annotation_id
// over all files, ordered by int(target_action_index), and emitted last. Indices with gaps flag the episode
// action_gaps; two rows under one index are an error.
func LoadMind2Web(ctx context.Context, src Source, skipped func(Skip)) iter.Seq2[Episode, error] {
	return stream(ctx, src, skipped, "mind2web", func(ctx context.Context, src Source, out output) error {
		rows := webRows{tasks: map[string]*rowTask{}}
		err := filesOf(ctx, src, out, []string{".json", ".jsonl", ".parquet"}, func(in *input, out output) error {
			lists := listOf(in.path, "train", "test_task", "test_website", "test_domain")
			switch {
			case hasExt(in.path, ".jsonl"):
				return rows.read(in, lists, out)
			case hasExt(in.path, ".parquet"):
				return rows.readParquet(in, lists, out)
			}
			return readMind2Web(in, src.Visibility, lists, out)
		})
		if err != nil {
			return err
		}
		return rows.emit(src.Visibility, out)
	})
}

// jsonFiles opens every *.json file below the source and hands it to read; other files are skipped.
func jsonFiles(ctx context.Context, src Source, out output, read func(in *input, out output) error) error {
	return filesOf(ctx, src, out, []string{".json"}, read)
}

// filesOf opens every file below the source whose name ends in one of exts, also with .gz behind, and
// hands it to read; other files are skipped. Several files are read at once, and what they hold is
// passed on in the order of the files. Folders called apart hold something else and are not entered.
func filesOf(ctx context.Context, src Source, out output, exts []string, read func(in *input, out output) error, apart ...string) error {
	passOver := func(dir string, _ map[string]bool) (bool, error) {
		return dir != src.Path && slices.Contains(apart, filepath.Base(dir)), nil
	}
	return inOrder(ctx, out, func(add func(job) error, out output) error {
		return tree{ctx: ctx, skip: out.skip, sidecar: src.Observations, dir: passOver, file: func(path string) error {
			if !hasExt(path, exts...) {
				out.skip(Skip{Where: path, Reason: NotOfThisFormat, Detail: "not a " + strings.Join(exts, " or ") + " file"})
				return nil
			}
			return add(func(ctx context.Context, out output) error {
				return readInput(ctx, path, func(in *input) error { return read(in, out) })
			})
		}}.walk(src.Path)
	})
}

// listOf names the official list of a file: its folder's name, else its own name without the shard
// number; nil when that is none of the known names.
func listOf(path string, known ...string) []string {
	dir := filepath.Base(filepath.Dir(path))
	for _, name := range known {
		if dir == name {
			return []string{name}
		}
	}
	file := shard.ReplaceAllString(stem(path), "")
	for _, name := range known {
		if file == name {
			return []string{name}
		}
	}
	return nil
}

// shard is what the releases and the hub put behind a list's name.
var shard = regexp.MustCompile(`_\d+$|-\d+-of-\d+(?:-[0-9a-f]+)?$`)

// webTask holds the kept fields of a task, and of a turn of a conversation.
type webTask struct {
	id, website, domain, goal string
	reprs                     []string
	actions                   []webAction
	hasReprs, hasActions      bool
}

// errOtherShape ends the reading of a file that is of another format.
var errOtherShape = settled{fmt.Errorf("another shape")}

// streamRecords reads a top-level array and calls record for each element, which must consume it. A
// top level of another type, or errOtherShape from the first element, skips the file.
func streamRecords(in *input, out output, record func(d *jx.Decoder, n int) error) error {
	d := jx.Decode(in.r, min(64<<10, in.r.Size()))
	other := func(why string) error {
		out.skip(Skip{Where: in.path, Reason: NotOfThisFormat, Detail: why})
		return nil
	}
	switch kind := d.Next(); kind {
	case jx.Array:
	case jx.Object:
		return other("the top level is an object, not an array of records")
	default:
		if err := d.Skip(); err != nil {
			return in.jsonError(err)
		}
		return other("the top level is a " + kind.String() + ", not an array of records")
	}
	n := 0
	_, err := jsonArray(d, func() error {
		err := record(d, n)
		n++
		return err
	})
	if err == errOtherShape {
		return other("its first record is of another shape")
	}
	if err == nil {
		err = jsonEnd(d)
	}
	if err != nil {
		return in.jsonError(err)
	}
	return nil
}

func readMind2Web(in *input, v Visibility, lists []string, out output) error {
	return streamRecords(in, out, func(d *jx.Decoder, n int) error {
		var t webTask
		_, err := jsonObject(d, func(key string) (err error) {
			switch key {
			case "annotation_id":
				t.id, err = jsonText(d)
			default:
				err = t.member(d, key)
			}
			return err
		})
		if err != nil {
			return err
		}
		where := fmt.Sprintf("%s: record %d", in.path, n)
		if t.id == "" || !t.hasReprs && !t.hasActions {
			if n == 0 {
				return errOtherShape
			}
			return settled{fmt.Errorf("%s: not a task: it lacks annotation_id, or action_reprs and actions", where)}
		}
		e := t.episode(v, lists)
		var matched bool
		e.Steps, matched = t.steps()
		if !matched {
			e.Flags = []string{"action_count_mismatch"}
		}
		return emitSettled(out, where, e)
	})
}

// episode makes the episode of a task, without steps.
func (t webTask) episode(v Visibility, lists []string) Episode {
	e := Episode{
		ID: t.id, ClusterID: t.website, OpenIntent: strings.TrimSpace(t.goal), ClosedIntent: strings.TrimSpace(t.domain),
		LabelSpace: mind2WebLabels, Metadata: webMetadata(t.website, v), Lists: lists,
	}
	if t.website != "" {
		e.Groups = map[string]string{"website": t.website}
	}
	return e
}

// emitSettled keeps errors of emit from being taken for broken JSON.
func emitSettled(out output, where string, e Episode) error {
	if err := out.emit(where, e); err != nil {
		return settled{err}
	}
	return nil
}

func webMetadata(website string, v Visibility) map[string]string {
	m := map[string]string{"platform": "web"}
	if v == AsPublished && website != "" {
		m["website"] = website
	}
	return m
}

// member reads one member of a task or turn; HTML and unknown members are passed over.
func (t *webTask) member(d *jx.Decoder, key string) (err error) {
	switch key {
	case "website":
		t.website, err = jsonText(d)
	case "domain":
		t.domain, err = jsonText(d)
	case "confirmed_task":
		t.goal, err = jsonText(d)
	case "action_reprs":
		t.hasReprs = true
		t.reprs, err = jsonTexts(d)
	case "actions":
		t.actions = nil // a repeated key: the last one counts
		t.hasActions, err = jsonArray(d, func() error {
			a, err := readWebAction(d)
			t.actions = append(t.actions, a)
			return err
		})
	default:
		err = d.Skip()
	}
	return err
}
