package ablations

import (
	"intentlab/ablations/task"
)

// seen is a step as a channel set shows it, with its place in the episode.
type seen struct {
	step task.Step
	raw  int // index in Episode.Steps, or in Episode.ContextSteps
}

// restrict shows s through the channels (see the comment of task.Step). It reports false for a step
// that the channels leave empty: neither its kind nor any of its strings is theirs to show. An app
// alone keeps no step; apps stand in the metadata.
func restrict(s task.Step, cs Channels) (task.Step, bool) {
	utterance, action, observation := cs.Has(Utterance), cs.Has(Action), cs.Has(Observation)
	var out task.Step
	if cs.Has(Metadata) {
		out.App = s.App
	}
	if utterance && s.Utterance != "" {
		out.Speaker, out.Utterance = s.Speaker, s.Utterance
	}
	if action {
		out.Op, out.Action = s.Op, s.Action
		if !observation {
			out.Action = s.Op // the readable text quotes the element
		}
	}
	if observation {
		out.Element, out.URL, out.Value, out.Observation, out.Screenshot = s.Element, s.URL, s.Value, s.Observation, s.Screenshot
	}
	acts := out.Op != "" || out.Action != "" || out.Element != "" || out.URL != "" || out.Value != "" || out.Observation != "" || out.Screenshot != ""
	switch {
	case s.Kind == kindUtterance && utterance, s.Kind == kindAction && action:
		out.Kind = s.Kind
	case acts:
		out.Kind = kindAction
	case out.Utterance != "":
		out.Kind = kindUtterance
	default:
		return task.Step{}, false
	}
	return out, true
}

const (
	kindUtterance = "utterance"
	kindAction    = "action"
)

// restrictAll shows the steps through the channels and drops those left empty; it does not number
// them.
func restrictAll(steps []task.Step, cs Channels) []seen {
	out := make([]seen, 0, len(steps))
	for i, s := range steps {
		if r, ok := restrict(s, cs); ok {
			out = append(out, seen{step: r, raw: i})
		}
	}
	return out
}

// numbered returns the steps with indices 0, 1, 2, …
func numbered(in []seen) []task.Step {
	out := make([]task.Step, len(in))
	for i, s := range in {
		out[i] = s.step
		out[i].Index = i
	}
	return out
}

// countUpTo returns, for k = 0 … total, how many of the steps lie in the first k of the episode.
func countUpTo(in []seen, total int) []int {
	n := make([]int, total+1)
	for _, s := range in {
		n[s.raw+1]++
	}
	for k := 1; k <= total; k++ {
		n[k] += n[k-1]
	}
	return n
}
