package trajectory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"intentlab/ablations/task"
)

var episodeLines = Format{
	Name:           "episodes",
	Summary:        "JSON lines of normalised episodes (the form of benchmark.md), or with field roles records of any shape",
	Version:        1,
	EpisodeIs:      "a line; with fields: a record, or the rows of one id",
	OpenIntentIs:   "open_intent as given; with fields: what fields.open names",
	ClosedIntentIs: "closed_intent as given; with fields: what fields.closed names",
	ClusterIs:      "cluster_id as given, or what fields.cluster names, else the episode",
	StepsAre:       "steps as given; with fields: what fields.steps and fields.step name",
	LabelSpace:     "as given, else episodes.closed_intent; with fields: fields.label_space, else episodes. and the closed field",
	VisibleSafe:    []string{"metadata", "profile", "context_steps", "fields.visible", "fields.profile"}, VisibleAsPublished: []string{"metadata", "profile", "context_steps", "apps", "fields.visible", "fields.profile", "fields.determines", "fields.future", "fields.apps"},
	NeverVisible: []string{"open_intent", "closed_intent", "groups", "lists", "fields.target", "fields without a role"},
	SplitUnit:    "episode",
	Groups:       []string{"the keys of groups"},
	Options:      func() any { return &EpisodesOptions{} },
	Source:       "intentlab",
	Read:         LoadEpisodes,
}

// LoadEpisodes reads JSON lines of the [Episode] form: every *.jsonl or *.ndjson file below
// src.Path, also gzipped. Everything is taken as given, apart from what all formats share; the
// dataset's name is the block's. metadata and profile values that are not text are kept as JSON text;
// a key "target" in them is an error, and so is a key of the line that looks like a misspelled one; other unknown keys are ignored. apps are visible as_published only. An id that is percent-encoded
// already is kept. A file whose first line has no episode_id or no steps is skipped as
// not_of_this_format; any other broken line is an error.
//
// With [EpisodeFields] it reads records of any other shape, also a top-level array in a *.json file:
// one record is an episode, or one step of the episode whose id it has. Fields show what their roles
// say; whatever has no role is not shown, and is reported as [NoRole] at the end. A role whose field
// occurs in no record is an error at the end.
func LoadEpisodes(ctx context.Context, src Source, skipped func(Skip)) iter.Seq2[Episode, error] {
	return stream(ctx, src, skipped, "episodes", func(ctx context.Context, src Source, out output) error {
		switch o := src.Options.(type) {
		case nil:
		case *EpisodesOptions:
			if o != nil && o.Fields != nil {
				return loadByRoles(ctx, src, o, out)
			}
		default:
			return fmt.Errorf("options of format episodes are of type %T", src.Options)
		}
		return tree{ctx: ctx, skip: out.skip, sidecar: src.Observations, file: func(path string) error {
			if !hasExt(path, ".jsonl", ".ndjson") {
				out.skip(Skip{Where: path, Reason: NotOfThisFormat, Detail: "not a .jsonl file"})
				return nil
			}
			return readInput(ctx, path, func(in *input) error { return readEpisodeLines(in, src.Visibility, out) })
		}}.walk(src.Path)
	})
}

// episodeLine differs from Episode in what it accepts.
type episodeLine struct {
	ID           *string      `json:"episode_id"`
	ClusterID    string       `json:"cluster_id"`
	OpenIntent   string       `json:"open_intent"`
	ClosedIntent string       `json:"closed_intent"`
	LabelSpace   string       `json:"closed_label_space"`
	Metadata     looseText    `json:"metadata"`
	Apps         []string     `json:"apps"`
	Profile      looseText    `json:"profile"`
	ContextSteps []task.Step  `json:"context_steps"`
	Steps        *[]task.Step `json:"steps"`
	Flags        []string     `json:"flags"`
	Groups       looseText    `json:"groups"`
	Lists        []string     `json:"lists"`
}

// looseText is an object whose values are kept as text.
type looseText map[string]string

func (l *looseText) UnmarshalJSON(b []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	for key, v := range raw {
		var s string
		switch {
		case string(v) == "null":
			continue
		case json.Unmarshal(v, &s) != nil:
			var compact bytes.Buffer
			if err := json.Compact(&compact, v); err != nil {
				return err
			}
			if hasTarget(v) {
				return fmt.Errorf("key %q holds a field named target, which may never be visible", key)
			}
			s = compact.String()
		}
		if strings.EqualFold(key, "target") {
			return fmt.Errorf("a field named %s may never be visible", key)
		}
		if *l == nil {
			*l = looseText{}
		}
		(*l)[key] = s
	}
	return nil
}

// hasTarget looks for a key "target", in any case and at any depth, in JSON that has been parsed before.
func hasTarget(v json.RawMessage) bool {
	// Most JSON is told by its bytes: a key may be written with escapes, but then there is a \u.
	if !bytes.Contains(v, []byte(`\u`)) && !bytes.Contains(bytes.ToLower(v), []byte("target")) {
		return false
	}
	type level struct {
		object bool
		n      int // keys and values so far
	}
	levels := []level{{}}
	d := json.NewDecoder(bytes.NewReader(v))
	for {
		tok, err := d.Token()
		if err != nil {
			return false // the end
		}
		if tok == json.Delim('}') || tok == json.Delim(']') {
			levels = levels[:len(levels)-1]
			continue
		}
		in := &levels[len(levels)-1]
		if key, ok := tok.(string); ok && in.object && in.n%2 == 0 && strings.EqualFold(key, "target") {
			return true
		}
		in.n++
		if tok == json.Delim('{') || tok == json.Delim('[') {
			levels = append(levels, level{object: tok == json.Delim('{')})
		}
	}
}

var errSkipFile = fmt.Errorf("another shape")

func readEpisodeLines(in *input, v Visibility, out output) error {
	first := true
	err := in.lines(func(n int, line []byte) error {
		where := fmt.Sprintf("%s:%d", in.path, n)
		var l episodeLine
		if err := json.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("%s: broken episode: %w", where, plainJSON(err))
		}
		if err := misspelled(line, episodeKeys); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if l.ID == nil || l.Steps == nil {
			if first {
				return errSkipFile
			}
			return fmt.Errorf("%s: not an episode: it lacks episode_id or steps", where)
		}
		first = false
		return out.emit(where, l.episode(v))
	})
	if err == errSkipFile {
		out.skip(Skip{Where: in.path, Reason: NotOfThisFormat, Detail: "its first line has no episode_id or no steps"})
		return nil
	}
	return err
}

func (l episodeLine) episode(v Visibility) Episode {
	e := Episode{
		ID: *l.ID, ClusterID: l.ClusterID, OpenIntent: strings.TrimSpace(l.OpenIntent), ClosedIntent: strings.TrimSpace(l.ClosedIntent),
		LabelSpace: l.LabelSpace, Metadata: l.Metadata, Profile: l.Profile, ContextSteps: l.ContextSteps, Steps: *l.Steps,
		Flags: l.Flags, Groups: l.Groups, Lists: l.Lists,
	}
	if e.LabelSpace == "" {
		e.LabelSpace = "episodes.closed_intent"
	}
	if v == AsPublished {
		e.Apps = l.Apps
	}
	fillKinds(e.Steps)
	fillKinds(e.ContextSteps)
	return e
}

// fillKinds completes steps written by hand: the kind, the operation in lower case, and the text of
// an action that gives its parts only.
func fillKinds(steps []task.Step) {
	for i := range steps {
		s := &steps[i]
		if s.Kind == "" {
			s.Kind = "action"
			if s.Utterance != "" && s.Action == "" && s.Op == "" {
				s.Kind = "utterance"
			}
		}
		s.Op = strings.ToLower(s.Op)
		if s.Kind == "action" && s.Action == "" && s.Op != "" {
			s.Action = actionStep(s.Op, s.Element, s.Value).Action
		}
	}
}
