package partition

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"intentlab/ablations/trajectory"
)

// Reason is a short stable word that says why a filter dropped an episode.
type Reason string

// The reasons, in the order in which they are tested: an episode is counted under the first.
const (
	TooShort Reason = "min_steps" // fewer steps than min_steps
	TooLong  Reason = "max_steps" // more steps than max_steps
	NoScore  Reason = "no_score"  // the score file has no number for it
	LowScore Reason = "min_score" // its score is below min_score
)

// Reasons lists all reasons in their order.
func Reasons() []Reason { return []Reason{TooShort, TooLong, NoScore, LowScore} }

// Drop is how many episodes were dropped for one reason.
type Drop struct {
	Reason Reason `json:"reason"`
	Count  int    `json:"count"`
}

// Drops counts what a filter dropped: one entry a reason that occurred, in the order of [Reasons].
type Drops []Drop

// Total is the number of dropped episodes.
func (ds Drops) Total() int {
	n := 0
	for _, d := range ds {
		n += d.Count
	}
	return n
}

// Empty reports whether f lets every episode through.
func (f Filter) Empty() bool { return f.MinSteps <= 0 && f.MaxSteps <= 0 && f.Scores == "" }

// Check says what is wrong with the settings as such, before any data is read: negative or crossed
// bounds, or min_score without a score file (it would silently filter nothing).
func (f Filter) Check() error {
	switch {
	case f.MinSteps < 0 || f.MaxSteps < 0:
		return fmt.Errorf("filter: min_steps and max_steps must not be negative")
	case f.MaxSteps > 0 && f.MinSteps > f.MaxSteps:
		return fmt.Errorf("filter: min_steps %d is above max_steps %d, so no episode can pass", f.MinSteps, f.MaxSteps)
	case f.MinScore != 0 && f.Scores == "":
		return fmt.Errorf("filter: min_score needs scores, the file that holds them")
	case f.MinScore != 0 && (f.MinScore < minScore || f.MinScore > maxScore):
		return fmt.Errorf("filter: min_score %v is outside the scale of %d to %d", f.MinScore, minScore, maxScore)
	}
	return nil
}

// Stream passes on the episodes of eps that f keeps, in their order, holding none of them. dropped,
// if not nil, is called for each of the others, never concurrently. Steps are the episode's own;
// context steps don't count. An error of eps, of the settings or of the score file ends the stream.
func Stream(ctx context.Context, eps iter.Seq2[trajectory.Episode, error], f Filter, dropped func(trajectory.Episode, Reason)) iter.Seq2[trajectory.Episode, error] {
	return func(yield func(trajectory.Episode, error) bool) {
		scores, err := f.load(ctx)
		if err != nil {
			yield(trajectory.Episode{}, err)
			return
		}
		joined, seen := 0, 0
		for e, err := range eps {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(trajectory.Episode{}, err)
				return
			}
			seen++
			if _, ok := scores[e.ID]; ok {
				joined++
			}
			if r := f.test(e, scores); r != "" {
				if dropped != nil {
					dropped(e, r)
				}
				continue
			}
			if !yield(e, nil) {
				return
			}
		}
		// Scores of another dataset, or of another way to write ids, would drop everything quietly.
		if f.Scores != "" && seen > 0 && joined == 0 {
			yield(trajectory.Episode{}, fmt.Errorf("filter: none of the %d scores in %s belongs to any of the %d episodes read; are they of another dataset?", len(scores), f.Scores, seen))
		}
	}
}

// Apply is [Stream], collected: the kept episodes in their order and the count of the others.
func Apply(ctx context.Context, eps iter.Seq2[trajectory.Episode, error], f Filter) ([]trajectory.Episode, Drops, error) {
	counts := map[Reason]int{}
	var kept []trajectory.Episode
	for e, err := range Stream(ctx, eps, f, func(_ trajectory.Episode, r Reason) { counts[r]++ }) {
		if err != nil {
			return nil, nil, err
		}
		kept = append(kept, e)
	}
	var drops Drops
	for _, r := range Reasons() {
		if counts[r] > 0 {
			drops = append(drops, Drop{r, counts[r]})
		}
	}
	return slices.Clip(kept), drops, nil
}

// load checks the settings and reads the score file, if there is one.
func (f Filter) load(ctx context.Context) (map[string]float64, error) {
	if err := f.Check(); err != nil || f.Scores == "" {
		return nil, err
	}
	scores, err := ReadScores(ctx, f.Scores)
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	return scores, nil
}

// test returns why e is dropped, or "".
func (f Filter) test(e trajectory.Episode, scores map[string]float64) Reason {
	if len(e.Steps) < f.MinSteps {
		return TooShort
	}
	if f.MaxSteps > 0 && len(e.Steps) > f.MaxSteps {
		return TooLong
	}
	if f.Scores == "" {
		return ""
	}
	s, ok := scores[e.ID]
	if !ok {
		return NoScore
	}
	if s < f.MinScore {
		return LowScore
	}
	return ""
}
