package trajectory

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
)

// tally reads a made-up form: a text file an episode, named after it. Lines "key: value" come first, then
// an empty line, then one action a line, and "end" on the last.
var tally = Format{
	Name:           "tally",
	Summary:        "Tally sheets, one *.tally file an episode",
	Version:        1,
	EpisodeIs:      "a file",
	OpenIntentIs:   "goal",
	ClosedIntentIs: "topic",
	ClusterIs:      "person",
	StepsAre:       "the lines after the empty one: operation, then element",
	LabelSpace:     "tally.topic",
	VisibleSafe:    []string{"device"},
	// AsPublished lists everything that is visible then.
	VisibleAsPublished: []string{"device", "site"},
	NeverVisible:       []string{"goal", "topic", "person"},
	SplitUnit:          "episode",
	Groups:             []string{"person"},
	Source:             "invented for the documentation",
	Read:               LoadTally,
}

// LoadTally reads tally sheets below src.Path. A sheet without its last line is an error.
func LoadTally(ctx context.Context, src Source, skipped func(Skip)) iter.Seq2[Episode, error] {
	// stream makes a Reader of a function that pushes episodes into out.emit. It gives them the dataset's
	// name, encodes ids, leaves out duplicates and episodes without steps, and caps texts.
	return stream(ctx, src, skipped, "tally", func(ctx context.Context, src Source, out output) error {
		// tree walks a file or folder in natural order, past litter and circles of links.
		return tree{ctx: ctx, skip: out.skip, sidecar: src.Observations, file: func(path string) (err error) {
			if !hasExt(path, ".tally") { // also .tally.gz
				out.skip(Skip{Where: path, Reason: NotOfThisFormat, Detail: "not a .tally file"})
				return nil
			}
			in, err := openInput(ctx, path) // undoes gzip and BOM, tells LFS pointers, stops with ctx
			if err != nil {
				return err
			}
			defer func() {
				if cerr := in.Close(); err == nil && cerr != nil {
					err = fmt.Errorf("close %s: %w", path, cerr)
				}
			}()
			return readTally(in, src.Visibility, out)
		}}.walk(src.Path)
	})
}

func readTally(in *input, v Visibility, out output) error {
	e := Episode{ID: stem(in.path), LabelSpace: "tally.topic", Metadata: map[string]string{}}
	ended := false
	err := in.lines(func(n int, line []byte) error { // numbered from 1; empty lines are passed over
		text := strings.ToValidUTF8(string(line), "\uFFFD")
		key, value, head := strings.Cut(text, ": ")
		switch {
		case ended:
			return fmt.Errorf("%s:%d: a line after the end", in.path, n)
		case text == "end":
			ended = true
		case !head:
			op, element, _ := strings.Cut(text, " ")
			e.Steps = append(e.Steps, actionStep(op, element, ""))
		case len(e.Steps) > 0:
			return fmt.Errorf("%s:%d: %q after the first action", in.path, n, key)
		case key == "goal":
			e.OpenIntent = value
		case key == "topic":
			e.ClosedIntent = value
		case key == "person":
			e.ClusterID, e.Groups = value, map[string]string{"person": value}
		case key == "device", key == "site" && v == AsPublished:
			e.Metadata[key] = value
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !ended {
		return fmt.Errorf("%s: the sheet has no end: is the file cut off?", in.path)
	}
	return out.emit(in.path, e)
}

func tallyConformance() conformance {
	return conformance{
		name: "sheets", format: tally,
		files: map[string]string{
			"s/1.tally": "goal: wordGoal\ntopic: wordTopic\nperson: wordPerson\ndevice: wordDevice\nsite: wordSite\nmood: wordMood\n\nopen door\nclose [a] window\nend\n",
			"s/2.tally": "goal: another\ndevice: x\n\nopen door\nend\n",
		},
		main: "s/1.tally", first: "1",
		planted: map[string]string{"device": "wordDevice", "site": "wordSite", "goal": "wordGoal", "topic": "wordTopic", "person": "wordPerson"},
		nowhere: []string{"wordMood"},
		noSteps: map[string]string{"s/3.tally": "goal: nothing\nend\n"},
		fuzz:    FuzzReadTally,
	}
}

func FuzzReadTally(f *testing.F) {
	f.Add([]byte("goal: g\ndevice: d\n\nopen door\nend\n"))
	fuzzFormat(f, func(in *input, out output) error { return readTally(in, AsPublished, out) })
}
