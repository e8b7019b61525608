package main

import (
	"encoding/json"
	"fmt"
)

// Shapes of Mind2Web and MT-Mind2Web records (datasets.md, sections 2 and 5).
type m2wTask struct {
	AnnotationID  string      `json:"annotation_id"`
	Website       string      `json:"website,omitempty"`
	Domain        string      `json:"domain,omitempty"`
	Subdomain     string      `json:"subdomain,omitempty"`
	ConfirmedTask string      `json:"confirmed_task"`
	ActionReprs   []string    `json:"action_reprs"`
	Actions       []m2wAction `json:"actions"`
}

type m2wAction struct {
	ActionUID     string         `json:"action_uid"`
	RawHTML       string         `json:"raw_html"`
	CleanedHTML   string         `json:"cleaned_html"`
	Operation     m2wOperation   `json:"operation"`
	PosCandidates []m2wCandidate `json:"pos_candidates"`
	NegCandidates []m2wCandidate `json:"neg_candidates"`
}

type m2wOperation struct {
	OriginalOp string `json:"original_op"`
	Value      string `json:"value"`
	Op         string `json:"op"`
}

type m2wCandidate struct {
	Tag              string `json:"tag"`
	Attributes       string `json:"attributes"`
	IsOriginalTarget *bool  `json:"is_original_target,omitempty"`
	IsTopLevelTarget *bool  `json:"is_top_level_target,omitempty"`
	BackendNodeID    string `json:"backend_node_id"`
}

type mtConversation struct {
	TaskID    string    `json:"task_id"`
	Website   string    `json:"website"`
	Domain    string    `json:"domain"`
	Subdomain string    `json:"subdomain"`
	Turns     []m2wTask `json:"turns"`
}

// mind2Web writes three shards: two of train and one of test_task.
func mind2Web(w *writer) {
	shards := map[string][]m2wTask{}
	for i, label := range deal(75, []int{5, 4, 5, 4, 3, 3, 2, 3, 3, 2}) {
		e := compose("mind2web", i, topics[label], lengthOf(i))
		name := []string{"train/train_0.json", "train/train_1.json", "test_task/test_task_0.json"}[i%3]
		t := m2wRecord(fmt.Sprintf("sample00-0000-4000-8000-%012d", i), e.goal.intent, e, e.script)
		t.Website, t.Domain, t.Subdomain = e.topic.website, e.topic.domain, e.topic.subdomain
		shards[name] = append(shards[name], t)
	}
	for _, name := range keys(shards) {
		w.json("mind2web/"+name, shards[name], "")
	}
}

// mtMind2Web writes conversations whose turns are the stages of one goal and the first of another.
func mtMind2Web(w *writer) {
	shards := map[string][]mtConversation{}
	for i, label := range deal(30, []int{3, 3, 4, 3, 3, 3, 2, 3, 3, 3}) {
		e := compose("mt_mind2web", i, topics[label], middling)
		c := mtConversation{TaskID: fmt.Sprintf("sample-mt-%03d", i), Website: e.topic.website, Domain: e.topic.domain, Subdomain: e.topic.subdomain}
		for st, s := range e.goal.stages {
			script := turnScript(e, st, s)
			c.Turns = append(c.Turns, m2wRecord(fmt.Sprintf("%s-%d", c.TaskID, st), s.say, e, script))
		}
		if chance(e.rng, 50) { // a follow-up: the same person, another wish on the same site
			slots := drawSlots(e.rng, e.topic.slots)
			g := pick(e.rng, e.topic.goals)
			s := stage{say: fill(g.intent, slots)}
			for _, gs := range g.stages {
				for _, a := range gs.steps {
					s.steps = append(s.steps, fill(a, slots))
				}
			}
			c.Turns = append(c.Turns, m2wRecord(fmt.Sprintf("%s-%d", c.TaskID, len(c.Turns)), s.say, e, turnScript(e, len(c.Turns), s)))
		}
		name := []string{"train/train_0.json", "train/train_0.json", "test_task/test_task_0.json"}[i%3]
		shards[name] = append(shards[name], c)
	}
	for _, name := range keys(shards) {
		w.json("mt_mind2web/"+name, shards[name], "")
	}
}

// turnScript is the actions of one turn, with what any site has before it.
func turnScript(e episode, st int, s stage) []action {
	var script []action
	for range e.rng.Intn(3) {
		script = append(script, distraction(e.rng, e.topic))
	}
	if e.number%10 == 9 && st == 2 { // one long turn in ten conversations' third
		for range 26 + e.rng.Intn(5) {
			script = append(script, distraction(e.rng, e.topic))
		}
	}
	for n, a := range s.steps {
		script = append(script, parse(a, st))
		if n == 0 && chance(e.rng, 60) {
			script = append(script, habit(e.rng, e.topic)...)
		}
	}
	return script
}

// m2wRecord writes the actions of a script in the dataset's own words.
func m2wRecord(id, task string, e episode, script []action) m2wTask {
	t := m2wTask{AnnotationID: id, ConfirmedTask: task}
	for n, a := range script {
		op := m2wOperation{OriginalOp: a.op, Op: a.op, Value: a.value}
		repr := fmt.Sprintf("[%s]  %s -> %s", a.role, a.name, a.op)
		if a.value != "" {
			repr += ": " + a.value
		}
		if op.Op == "HOVER" {
			op.Op = "CLICK"
		}
		yes, no := true, false
		rec := m2wAction{ActionUID: fmt.Sprintf("%s-a%02d", id, n), Operation: op,
			CleanedHTML:   fmt.Sprintf("<html backend_node_id=\"1\"><%s backend_node_id=\"%d\">%s</%s></html>", a.role, 100+n, a.name, a.role),
			NegCandidates: []m2wCandidate{{Tag: "div", Attributes: attributes("footer", 50, e), BackendNodeID: "50"}},
			PosCandidates: []m2wCandidate{}}
		if !chance(e.rng, 8) { // about as often as in the real set there is no positive candidate
			rec.PosCandidates = append(rec.PosCandidates, m2wCandidate{Tag: a.role, Attributes: attributes(a.name, 100+n, e),
				IsOriginalTarget: &yes, IsTopLevelTarget: &no, BackendNodeID: fmt.Sprint(100 + n)})
		}
		t.ActionReprs = append(t.ActionReprs, repr)
		t.Actions = append(t.Actions, rec)
	}
	return t
}

// attributes is JSON in a string, as in the real files.
func attributes(name string, node int, e episode) string {
	b, err := json.Marshal(map[string]string{"aria_label": name, "backend_node_id": fmt.Sprint(node),
		"bounding_box_rect": fmt.Sprintf("%d,%d,120,24", e.rng.Intn(1200), e.rng.Intn(2000))})
	if err != nil {
		return "{}" // a map of strings always marshals
	}
	return string(b)
}
