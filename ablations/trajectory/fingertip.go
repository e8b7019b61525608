package trajectory

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"intentlab/ablations/task"
)

const fingerTipLabels = "fingertip_csv.intentClass"

var fingerTip = Format{
	Name:           "fingertip",
	Summary:        "FingerTip-20K: total.csv, train_set.csv, test_*.csv, user_profile.csv, and raw episode folders",
	Version:        3,
	EpisodeIs:      "a CSV row, or a raw episode folder without one (user_time)",
	OpenIntentIs:   "intentDescription",
	ClosedIntentIs: "intentClass",
	ClusterIs:      "the user",
	StepsAre:       "the real actions where action.jsonl is there, with the touched node where tree_<ms>.xml is; otherwise placeholders from the action length, flagged placeholder_steps",
	LabelSpace:     fingerTipLabels,
	VisibleSafe:    []string{"scenario", "weekday", "hour", "profile"}, VisibleAsPublished: []string{"scenario", "weekday", "hour", "profile", "apps (the row's app)"},
	NeverVisible: []string{"intentDescription", "intentClass", "user_id"},
	SplitUnit:    "user",
	Groups:       []string{"user"},
	Options:      func() any { return &FingerTipOptions{} },
	Source:       "Yang et al.: FingerTip 20K, arXiv 2507.21071; data CC BY 4.0",
	Read:         LoadFingerTip,
	// How many rows train_set has is known as "some 16,000" only.
	Releases: []Release{{Name: "FingerTip-20K", Unit: "rows", Episodes: 20000, Known: "second hand, from programs that read it",
		Lists: []Count{{"total", 20000}, {"test_suggestion", 1000}, {"test_execution", 200}}}},
}

// FingerTipOptions are the settings of format fingertip.
type FingerTipOptions struct {
	LengthColumn string `hcl:"length_column,optional" doc:"CSV column with the number of actions of a row; default: the first of action_length, actionLength, action_len, num_actions, steps, length"`
	Screenshots  bool   `hcl:"screenshots,optional" doc:"hash the picture of each action (Screenshots*/<ms>.jpg) and show the hash, which takes as long as reading them"`
}

// MaxPlaceholders is the longest action length that FingerTip rows may claim.
const MaxPlaceholders = 10_000

// LoadFingerTip reads FingerTip-20K below src.Path: CSV files with user_id and time columns,
// user_profile.csv, and raw folders <user>/<user>/<time>/ or <user>/<time>/ with action.jsonl and
// survey_result.json. Rows and folders are joined on (user, time).
//
// An episode is a CSV row; its id is user_time. An identical row in several files is one episode
// that stands in several Lists, which are named after the files (total, train_set, test_suggestion,
// …); twice in one file it is a duplicate. Columns that a file lacks agree with anything. A differing
// row with the same key gets user_time#2 (percent-encoded), then #3, …; the folder goes to the row
// with the survey's intentDescription, else to the first, and other folders are skipped as unused_folder. A folder without a row is an episode without
// closed intent. Where a row has no action.jsonl its steps are placeholders, one for each action of the
// length column, which carry no evidence; a row without a length has no steps and is skipped. total.csv
// is read first, so that its order is the order of episodes; folders without a row come last.
func LoadFingerTip(ctx context.Context, src Source, skipped func(Skip)) iter.Seq2[Episode, error] {
	return stream(ctx, src, skipped, "fingertip", loadFingerTip)
}

func loadFingerTip(ctx context.Context, src Source, out output) error {
	var opt FingerTipOptions
	switch o := src.Options.(type) {
	case nil:
	case FingerTipOptions:
		opt = o
	case *FingerTipOptions:
		opt = *o
	default:
		return fmt.Errorf("options of format fingertip are of type %T", src.Options)
	}
	found, err := findFingerTip(ctx, src, out.skip)
	if err != nil {
		return err
	}
	t := fingerTipTable{opt: opt, skip: out.skip, byKey: map[userTime][]*fingerTipRow{}, profiles: map[string]map[string]string{}}
	for _, path := range found.csv {
		if err := t.readFile(ctx, path); err != nil {
			return err
		}
	}
	folders := map[userTime][]rawFolder{}
	var order []userTime
	for _, dir := range found.folders {
		f, err := readSurvey(ctx, dir)
		if err != nil {
			return err
		}
		if len(folders[f.key]) == 0 {
			order = append(order, f.key)
		}
		folders[f.key] = append(folders[f.key], f)
	}
	used := map[string]bool{}
	for _, row := range t.rows {
		dir := folderOf(row, t.byKey[row.key], folders[row.key])
		used[dir] = true
		e, ok, err := t.episode(ctx, row, dir, src.Visibility)
		if err != nil {
			return err
		}
		if ok {
			if err := out.emit(row.where, e); err != nil {
				return err
			}
		}
	}
	for _, key := range order {
		if len(t.byKey[key]) == 0 {
			if err := t.foldersAlone(ctx, key, folders[key], src.Visibility, out); err != nil {
				return err
			}
			continue
		}
		for _, f := range folders[key] {
			if !used[f.dir] {
				out.skip(Skip{Where: f.dir, Reason: UnusedFolder, Detail: "its CSV row has another folder already"})
			}
		}
	}
	return nil
}

// foldersAlone emits the folders of one key that no CSV row names. Copies of a folder get one id, so
// that they count as duplicates; differing ones get #2, #3, ….
func (t *fingerTipTable) foldersAlone(ctx context.Context, key userTime, folders []rawFolder, v Visibility, out output) error {
	var hashes []string
	for _, f := range folders {
		if !f.hasSurvey {
			out.skip(Skip{Where: f.dir, Reason: NoIntent, Detail: "no survey_result.json and no CSV row tell the intent"})
			continue
		}
		row := &fingerTipRow{key: key, scenario: f.scenario, app: f.app, description: f.description, where: f.dir}
		e, ok, err := t.episode(ctx, row, f.dir, v)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		hash, err := e.Hash()
		if err != nil {
			return fmt.Errorf("%s: %w", f.dir, err)
		}
		n := slices.Index(hashes, hash)
		if n < 0 {
			n, hashes = len(hashes), append(hashes, hash)
		}
		e.ID = key.id(n + 1)
		if err := out.emit(f.dir, e); err != nil {
			return err
		}
	}
	return nil
}

type userTime struct{ user, time string }

// id is the id of the nth differing record with this key, from 1.
func (k userTime) id(nth int) string {
	if nth > 1 {
		return fmt.Sprintf("%s_%s#%d", k.user, k.time, nth)
	}
	return k.user + "_" + k.time
}

// fingerTipFiles are the parts of a source, in the order in which they are read.
type fingerTipFiles struct{ csv, folders []string }

func findFingerTip(ctx context.Context, src Source, skip func(Skip)) (fingerTipFiles, error) {
	var found fingerTipFiles
	err := tree{ctx: ctx, skip: skip, sidecar: src.Observations, dir: func(dir string, names map[string]bool) (bool, error) {
		if names["action.jsonl"] || names["survey_result.json"] {
			found.folders = append(found.folders, dir)
			return true, nil // screenshots and trees belong to the episode
		}
		return false, nil
	}, file: func(path string) error {
		switch {
		case !hasExt(path, ".csv"):
			skip(Skip{Where: path, Reason: NotOfThisFormat, Detail: "neither a CSV file nor part of an episode folder"})
		case strings.EqualFold(stem(path), "total"):
			found.csv = append([]string{path}, found.csv...)
		default:
			found.csv = append(found.csv, path)
		}
		return nil
	}}.walk(src.Path)
	return found, err
}

// folderOf picks the raw folder of a row: the one whose survey has the row's intent; a folder that
// fits none of the rows with this key goes to the first.
func folderOf(row *fingerTipRow, rows []*fingerTipRow, folders []rawFolder) string {
	for _, f := range folders {
		if f.description == row.description {
			return f.dir
		}
	}
	if rows[0] != row {
		return ""
	}
	for _, f := range folders {
		fits := false
		for _, r := range rows {
			fits = fits || f.description == r.description
		}
		if !fits {
			return f.dir
		}
	}
	return ""
}

// episode makes the episode of a row; dir is its raw folder, or "". It is not ok when the row has
// been skipped.
func (t *fingerTipTable) episode(ctx context.Context, row *fingerTipRow, dir string, v Visibility) (e Episode, ok bool, err error) {
	e = Episode{
		ID: row.key.id(row.nth), ClusterID: row.key.user, OpenIntent: strings.TrimSpace(row.description), ClosedIntent: strings.TrimSpace(row.class),
		LabelSpace: fingerTipLabels, Metadata: map[string]string{}, Profile: t.profiles[row.key.user],
		Groups: map[string]string{"user": row.key.user}, Lists: row.lists,
	}
	if row.scenario != "" {
		e.Metadata["scenario"] = row.scenario
	}
	// The text is local time (UTC+8) already.
	if at, err := time.Parse("20060102_150405", row.key.time); err == nil {
		e.Metadata["weekday"], e.Metadata["hour"] = at.Weekday().String(), at.Format("15")
	}
	if v == AsPublished && row.app != "" {
		e.Apps = []string{row.app}
	}
	if dir != "" {
		steps, err := readActions(ctx, dir, t.opt.Screenshots, t.skip)
		if err != nil {
			return e, false, err
		}
		e.Steps = steps
	}
	if len(e.Steps) == 0 {
		if row.badLength != "" {
			t.skip(Skip{Where: row.where, Reason: BadLength, Detail: fmt.Sprintf("action length %q is not a number from 0 to %d", row.badLength, MaxPlaceholders)})
			return e, false, nil
		}
		if row.length == 0 {
			t.skip(Skip{Where: row.where, Reason: NoSteps, Detail: row.whyNoSteps()})
			return e, false, nil
		}
		e.Flags = []string{"placeholder_steps"}
		for range row.length {
			e.Steps = append(e.Steps, task.Step{Kind: "action", Op: "action", Action: "action"})
		}
	}
	return e, true, nil
}

func (row *fingerTipRow) whyNoSteps() string {
	switch {
	case row.columns == "":
		return "no action.jsonl with actions, and no CSV row with an action length"
	case !row.hasLength:
		return "no action.jsonl and no action-length column among " + row.columns + " (set length_column)"
	}
	return "no action.jsonl, and the action length is 0"
}
