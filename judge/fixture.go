package judge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// fixtureVersion changes whenever the verdicts of the kind may change.
const fixtureVersion = 1

var fixtureKind = Kind{
	Name:    "fixture",
	Summary: "scores from a file, for tests, demonstrations and scores made elsewhere",
	Doc: `file names a JSONL file, relative to the experiment, with one pair a line:
  {"gold": "book a flight", "predicted": "find flights", "score": 0.5, "platform": "web", "reason": "…"}
or, where the texts must not be published, {"key": "…", "score": 0.5}: the lower-case hex SHA-256 of
{"gold":"…","platform":"…","predicted":"…"} with normalised texts, platform "" for every platform.
platform and reason are optional; a line without platform holds for every platform, one with it wins. A score
that is no number from 0 to 1 is judge_bad_score when its pair comes up; a pair that is not in the file is
judge_no_fixture, unless its texts are equal, which score 1. A pair that stands twice must have one score. The file's content is the identity, its path isn't.`,
	Options:     func() any { return &fixtureOptions{} },
	CodeVersion: fixtureVersion,
	New:         newFixture,
}

type fixtureOptions struct {
	File string `hcl:"file" key:"files" doc:"JSONL file of pairs and scores, relative to the experiment file"`
}

// Check says which setting is wrong and why.
func (o *fixtureOptions) Check() map[string]string {
	if o.File == "" {
		return map[string]string{"file": "must name a JSONL file"}
	}
	return nil
}

type fixture struct {
	measured
	scores map[string]fixtureScore
}

func newFixture(s Setup) (Judge, error) {
	o, ok := s.Options.(*fixtureOptions)
	if !ok {
		return nil, fmt.Errorf("building judge kind fixture: settings are %T, want %T", s.Options, o)
	}
	if wrong := o.Check(); len(wrong) > 0 {
		return nil, fmt.Errorf("building judge kind fixture: file %s", wrong["file"])
	}
	path := o.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Dir, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("building judge kind fixture: %w", err)
	}
	defer f.Close()
	scores, hash, err := readFixture(path, f)
	if err != nil {
		return nil, fmt.Errorf("building judge kind fixture: %w", err)
	}
	m, err := newMeasured("fixture", fixtureVersion, s, map[string]any{"file_sha256": hash})
	if err != nil {
		return nil, err
	}
	return &fixture{m, scores}, nil
}

// Judge looks one pair up.
func (j *fixture) Judge(ctx context.Context, q Question) (Verdict, error) {
	p, final, err := prepare(ctx, q, nil, nil)
	if err != nil {
		return Verdict{}, fmt.Errorf("judging by fixture: %w", err)
	}
	if final != nil {
		return *final, nil
	}
	for _, platform := range []string{q.Platform, ""} {
		key, err := PairKey(Question{Gold: p.gold, Predicted: p.predicted, Platform: platform})
		if err != nil {
			return Verdict{}, fmt.Errorf("judging by fixture: %w", err)
		}
		found, ok := j.scores[key]
		switch {
		case !ok:
			continue
		case !found.valid:
			return *p.flag(Verdict{State: BadScore, Raw: found.raw, Reason: fmt.Sprintf("score %s is no number from 0 to 1", found.raw)}), nil
		}
		v := j.verdict(found.score, 0)
		v.Raw, v.Reason = found.raw, found.reason
		return *p.flag(v), nil
	}
	if p.gold == p.predicted {
		return *p.flag(same()), nil
	}
	return *p.flag(Verdict{State: NoFixture, Reason: "the pair is not in the file"}), nil
}
