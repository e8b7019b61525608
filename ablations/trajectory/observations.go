package trajectory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"intentlab/ablations/task"
)

// observationLine is a line of an observation sidecar.
type observationLine struct {
	EpisodeID  *string `json:"episode_id"`
	Step       *int    `json:"step"` // index in file order, from 0
	Text       string  `json:"text"`
	Kind       string  `json:"kind"`       // ocr, accessibility, caption, …: for people, not shown
	Screenshot string  `json:"screenshot"` // "sha256:<64 hex digits>", or a file beside the sidecar
}

// observation is what a sidecar says of one step.
type observation struct {
	line, step       int
	text, screenshot string
}

// sidecar holds the lines of an observation file by encoded episode id. Its cost is that of the text.
type sidecar struct {
	path string
	by   map[string][]observation
	used map[string]bool
}

func (s *sidecar) where(line int) string { return fmt.Sprintf("%s:%d", s.path, line) }

// readSidecar reads an observation sidecar: JSON lines {"episode_id", "step", "text", "kind",
// "screenshot"}, also gzipped. Screenshots that are named as files are hashed; the hash stands for
// them. A broken line, a step that is no number from 0, a screenshot that is missing and a field named
// target are errors naming file and line.
func readSidecar(ctx context.Context, path string) (s *sidecar, err error) {
	in, err := openInput(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("observations: %w", err)
	}
	defer func() {
		if cerr := in.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("close %s: %w", path, cerr)
		}
	}()
	s = &sidecar{path: path, by: map[string][]observation{}, used: map[string]bool{}}
	hashes := map[string]string{}
	err = in.lines(func(n int, line []byte) error {
		where := s.where(n)
		var l observationLine
		if err := json.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("%s: broken observation: %w", where, plainJSON(err))
		}
		if err := misspelled(line, observationKeys); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		switch {
		case hasTarget(line):
			return fmt.Errorf("%s: a field named target may never be visible", where)
		case l.EpisodeID == nil || *l.EpisodeID == "":
			return fmt.Errorf("%s: the observation has no episode_id", where)
		case l.Step == nil || *l.Step < 0:
			return fmt.Errorf("%s: the observation has no step, the index of a step from 0", where)
		}
		o := observation{line: n, step: *l.Step, text: strings.TrimSpace(strings.ToValidUTF8(l.Text, "\uFFFD")), screenshot: l.Screenshot}
		if o.screenshot != "" && !screenshotHash.MatchString(o.screenshot) {
			image := o.screenshot
			if !filepath.IsAbs(image) {
				image = filepath.Join(filepath.Dir(path), filepath.FromSlash(image))
			}
			if hashes[image] == "" {
				h, err := hashImage(ctx, image)
				if err != nil {
					return fmt.Errorf("%s: screenshot: %w", where, err)
				}
				hashes[image] = h
			}
			o.screenshot = hashes[image]
		}
		id := *l.EpisodeID
		if !isEncodedID(id) {
			id = EncodeID(id)
		}
		s.by[id] = append(s.by[id], o)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

var observationKeys = []string{"episode_id", "step", "text", "kind", "screenshot"}

// join puts the observations of an episode into its steps; several of one step are joined by a
// newline in file order. A step that the episode hasn't got is an error.
func (s *sidecar) join(e *Episode) error {
	list := s.by[e.ID]
	if len(list) == 0 {
		return nil
	}
	s.used[e.ID] = true
	steps := append([]task.Step(nil), e.Steps...)
	for _, o := range list {
		if o.step >= len(steps) {
			return fmt.Errorf("%s: episode %s has %d steps, so none of index %d", s.where(o.line), e.ID, len(steps), o.step)
		}
		st := &steps[o.step]
		if o.text != "" {
			if e.Mask != nil {
				o.text = e.Mask(o.text)
			}
			if st.Observation != "" {
				st.Observation += "\n"
			}
			st.Observation += o.text
		}
		if o.screenshot != "" {
			if st.Screenshot != "" && st.Screenshot != o.screenshot {
				return fmt.Errorf("%s: step %d of episode %s has a second screenshot", s.where(o.line), o.step, e.ID)
			}
			st.Screenshot = o.screenshot
		}
	}
	e.Steps = steps
	return nil
}

// unused reports the observations of episodes that were not read, one skip an episode.
func (s *sidecar) unused(skip func(Skip)) {
	var ids []string
	for id := range s.by {
		if !s.used[id] {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids)
	for _, id := range ids {
		skip(Skip{Where: s.where(s.by[id][0].line), Reason: ObservationWithoutEpisode, Detail: fmt.Sprintf("%d observations of episode %s, which was not read", len(s.by[id]), id)})
	}
}

// observing wraps the way out of a reader: episodes get their observations before anything else is
// done with them, so that these are part of their content.
func (g *gate) observing(ctx context.Context) error {
	if g.src.Observations == "" {
		return nil
	}
	var err error
	if g.side, err = readSidecar(ctx, g.src.Observations); err != nil {
		return err
	}
	if len(g.side.by) == 0 {
		return errors.New("observations: " + g.src.Observations + " holds none")
	}
	return nil
}
