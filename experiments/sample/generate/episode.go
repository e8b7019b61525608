package main

import (
	"fmt"
	"slices"
	"strings"

	"intentlab/results/metrics/draw"
)

// action is one filled-in step.
type action struct {
	op, role, name, value string
	stage                 int // of the goal; -1 for what belongs to none
}

// episode is what the writers of the three web formats share.
type episode struct {
	number int
	topic  topic
	slots  map[string]string
	goal   goal
	script []action
	rng    *draw.Source // for what a format adds
}

// source derives a stream from what it is for, so that a change to one episode moves no other.
func source(parts ...string) *draw.Source {
	return draw.New(draw.Seed(append([]string{"sample"}, parts...)...))
}

func pick[T any](rng *draw.Source, xs []T) T { return xs[rng.Intn(len(xs))] }

// chance is true in percent of 100 cases.
func chance(rng *draw.Source, percent int) bool { return rng.Intn(100) < percent }

// parse reads "OP|role|name|value".
func parse(s string, st int) action {
	f := append(strings.Split(s, "|"), "", "", "")
	return action{op: f[0], role: f[1], name: f[2], value: f[3], stage: st}
}

// fill replaces {slot}.
func fill(s string, slots map[string]string) string {
	for _, k := range keys(slots) {
		s = strings.ReplaceAll(s, "{"+k+"}", slots[k])
	}
	return s
}

func keys[V any](m map[string]V) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

// drawSlots takes one value a slot. The first value is twice as likely, so that some intents recur
// word for word and others differ in one slot.
func drawSlots(rng *draw.Source, slots map[string][]string) map[string]string {
	out := map[string]string{}
	for _, k := range keys(slots) {
		out[k] = slots[k][max(0, rng.Intn(len(slots[k])+1)-1)]
	}
	return out
}

// length says how an episode is stretched: most are middling, every 24th is one decisive step, every
// 18th wanders until it has more than thirty.
type length int

const (
	middling length = iota
	single
	wandering
)

func lengthOf(i int) length {
	switch {
	case i%24 == 7:
		return single
	case i%18 == 11:
		return wandering
	}
	return middling
}

// compose draws one episode of a topic: actions that any site has, then menu links (most of
// any topic, as advertisements are), then the goal's stages with habits and distractions in between. So the
// early part tells nothing, the middle the site, and the end the goal with its slots.
func compose(format string, i int, t topic, stretch length) episode {
	rng := source(format, fmt.Sprint(i))
	e := episode{number: i, topic: t, slots: drawSlots(rng, t.slots), rng: rng}
	e.goal = goal{intent: ""}
	g := t.goals[max(0, rng.Intn(len(t.goals)+1)-1)]
	e.goal.intent = fill(g.intent, e.slots)
	for _, s := range g.stages {
		filled := stage{say: fill(s.say, e.slots)}
		filled.say = strings.ToUpper(filled.say[:1]) + filled.say[1:]
		for _, a := range s.steps {
			filled.steps = append(filled.steps, fill(a, e.slots))
		}
		e.goal.stages = append(e.goal.stages, filled)
	}
	if stretch == single {
		last := e.goal.stages[1]
		e.script = []action{parse(last.steps[0], 1)}
		return e
	}
	for range 1 + rng.Intn(3) {
		e.script = append(e.script, parse(pick(rng, everywhere), -1))
	}
	wander := rng.Intn(3)
	if stretch == wandering {
		wander = 24 + rng.Intn(6)
	}
	for range wander {
		e.script = append(e.script, distraction(rng, t))
	}
	for st, s := range e.goal.stages {
		for n, a := range s.steps {
			if chance(rng, 22) {
				e.script = append(e.script, distraction(rng, t))
			}
			e.script = append(e.script, parse(a, st))
			if n == 0 && chance(rng, 60) {
				e.script = append(e.script, habit(rng, t)...)
			}
		}
	}
	return e
}

// habit draws the topic's habit: its operations on any fields and panels.
func habit(rng *draw.Source, t topic) []action {
	var out []action
	for _, op := range strings.Fields(t.habit) {
		if op == "TYPE" || op == "SELECT" {
			out = append(out, parse(op+"|"+pick(rng, fields)+"|"+fmt.Sprint(1+rng.Intn(9)), -1))
		} else {
			out = append(out, parse(op+"|"+pick(rng, panels), -1))
		}
	}
	return out
}

// distraction is an action that serves no goal.
func distraction(rng *draw.Source, t topic) action {
	switch rng.Intn(5) {
	case 0, 1:
		return parse(pick(rng, everywhere), -1)
	case 2, 3:
		return action{op: "CLICK", role: "link", name: pick(rng, pick(rng, topics).menu), stage: -1}
	}
	return action{op: "CLICK", role: "link", name: pick(rng, t.menu), stage: -1}
}

// deal spreads n episodes over labels in the proportions of weights, as evenly in order as it can:
// each place goes to the label that lags most. Returns an index into weights for each place.
func deal(n int, weights []int) []int {
	total := 0
	for _, w := range weights {
		total += w
	}
	given := make([]int, len(weights))
	out := make([]int, n)
	for i := range out {
		best := 0
		for j := range weights {
			if weights[j]*(i+1)-given[j]*total > weights[best]*(i+1)-given[best]*total {
				best = j
			}
		}
		given[best]++
		out[i] = best
	}
	return out
}
