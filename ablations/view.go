package ablations

import (
	"fmt"
	"slices"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// Option sets what a view needs beyond episode, prefix and ablation.
type Option func(*settings)

type settings struct {
	labelSpace string
	named      bool
	seed       uint64
}

// WithLabelSpace names the label space in the prediction contract; without it the episode's own
// name stands there (see [NameLabelSpaces]).
func WithLabelSpace(name string) Option {
	return func(s *settings) { s.labelSpace, s.named = name, true }
}

// WithSeed seeds shuffled_steps; the default is 0.
func WithSeed(seed uint64) Option { return func(s *settings) { s.seed = seed } }

// EpisodeView is one episode under one ablation. What all prefixes share is made once, so ten
// prefixes cost little more than the longest. It is safe for concurrent use; the tasks that it
// returns share memory and must not be changed.
type EpisodeView struct {
	ep   trajectory.Episode // after masking
	spec Spec
	set  settings
	salt string // of neutral ids; "" where ids are not hidden
	id   string // of the episode as a method sees it

	text, graph           []seen
	textCount, graphCount []int
	earlier               []seen // earlier turns as the graph shows them
	observed, context     []task.Step
	apps                  []appSince
	complete              Graph // unused where steps are moved: then each prefix has its own
}

// Open prepares the prefixes of ep under spec.
func Open(ep trajectory.Episode, spec Spec, opts ...Option) (*EpisodeView, error) {
	v := &EpisodeView{spec: spec}
	for _, o := range opts {
		o(&v.set)
	}
	if !v.set.named {
		v.set.labelSpace = ep.LabelSpace
	}
	if ok, what := spec.Built(); !ok {
		return nil, fmt.Errorf("ablation %s: %s is not built yet", spec.Name, what)
	}
	if len(ep.Steps) == 0 {
		return nil, fmt.Errorf("episode %s:%s has no steps", ep.Dataset, ep.ID)
	}
	v.id = ep.ID
	if spec.HidesID(ep) {
		salt, err := neutralSalt(ep)
		if err != nil {
			return nil, err
		}
		v.salt = salt
		if spec.hidesEpisodeID(ep) {
			v.id = neutralEpisodeID(ep, salt)
		}
	}
	if spec.NoInitialInstruction {
		ep = maskFirstRequest(ep)
	}
	if spec.NoURL {
		ep = maskURLs(ep)
	}
	if spec.NoContext {
		ep.ContextSteps = nil
	}
	v.ep = ep
	v.apps = apps(ep, 0)
	if spec.HasText() {
		v.text = restrictAll(ep.Steps, spec.Text)
		v.textCount = countUpTo(v.text, len(ep.Steps))
		v.observed = numbered(v.text)
		v.context = numbered(v.contextFor(spec.Text))
	}
	if spec.HasGraph() {
		v.graph = restrictAll(ep.Steps, spec.Graph)
		v.graphCount = countUpTo(v.graph, len(ep.Steps))
		v.earlier = v.contextFor(spec.Graph)
		if !v.moves() {
			v.complete = assemble(ep, spec, v.earlier, v.graph, v.apps)
		}
	}
	return v, nil
}

// moves reports whether the ablation picks or reorders steps prefix by prefix.
func (v *EpisodeView) moves() bool { return v.spec.LastKSteps > 0 || v.spec.ShuffledSteps }

func (v *EpisodeView) contextFor(cs Channels) []seen {
	list := restrictAll(v.ep.ContextSteps, cs)
	if v.spec.ShuffledSteps {
		shuffle(list, v.set.seed, v.ep, "context")
	}
	return list
}

// At returns the task of one prefix.
func (v *EpisodeView) At(p Prefix) (task.Task, error) {
	if p.K < 1 || p.K > len(v.ep.Steps) {
		return task.Task{}, fmt.Errorf("prefix of %d steps of episode %s:%s, which has %d", p.K, v.ep.Dataset, v.ep.ID, len(v.ep.Steps))
	}
	t := task.Task{
		ID: v.ID(p.Ratio), Dataset: v.ep.Dataset, EpisodeID: v.id, Ablation: v.spec.Name,
		PrefixStepCount: p.K, ObservedSteps: []task.Step{},
		Contract: task.Contract{ClosedIntent: task.ClosedContract{LabelSpace: v.set.labelSpace}, PredictedIntent: task.TextContract{Type: "text"}},
	}
	if !v.spec.HideRatio {
		t.RequestedRatio, t.EffectiveRatio, t.DuplicatePrefix = p.Ratio, float64(p.K)/float64(len(v.ep.Steps)), p.Duplicate
	}
	if v.spec.HasText() {
		v.fillText(&t, p.K)
	}
	if v.spec.HasGraph() {
		g, err := deleteHidden(v.graphAt(p.K, t.ID), func(n *GraphNode) bool { return n.hiddenAfter(p.K) })
		if err != nil {
			return task.Task{}, err
		}
		t.Graph = &g
	}
	return t, nil
}

// ID is the task id at a ratio, neutral where the ablation hides it.
func (v *EpisodeView) ID(r task.Ratio) string {
	if v.salt != "" {
		return neutralID(v.ep, v.salt, r)
	}
	return task.ID(v.ep.Dataset, v.ep.ID, r)
}

func (v *EpisodeView) fillText(t *task.Task, k int) {
	appList := v.apps
	if v.moves() {
		window, from := v.window(v.text, v.textCount, k)
		t.ObservedSteps = numbered(window)
		appList = apps(v.ep, from)
	} else {
		n := v.textCount[k]
		t.ObservedSteps = v.observed[:n:n]
	}
	if len(v.context) > 0 {
		t.ContextSteps = v.context
	}
	if v.spec.Text.Has(Metadata) {
		t.Metadata = task.Metadata{Fields: v.ep.Metadata, Profile: v.ep.Profile, Apps: appsUpTo(appList, k, v.spec.ShuffledSteps)}
	}
}

func (v *EpisodeView) graphAt(k int, id string) Graph {
	g := v.complete
	if v.moves() {
		window, from := v.window(v.graph, v.graphCount, k)
		appList := apps(v.ep, from)
		if v.spec.ShuffledSteps {
			appList = inByteOrder(appList, k)
		}
		g = assemble(v.ep, v.spec, v.earlier, window, appList)
	}
	g.TaskID = id
	return g
}

// window returns the steps of the first k that the ablation leaves, in its order, and the episode
// step from which on the apps count. last_k_steps counts the steps that the channels leave, so that
// the last click is one also where somebody speaks after it.
func (v *EpisodeView) window(list []seen, count []int, k int) ([]seen, int) {
	n, last, from := count[k], v.spec.LastKSteps, 0
	w := list[:n]
	switch {
	case last > 0 && n == 0:
		from = max(0, k-last)
	case last > 0 && n > last:
		w = list[n-last : n]
		from = w[0].raw
	}
	if v.spec.ShuffledSteps {
		w = slices.Clone(w)
		shuffle(w, v.set.seed, v.ep, "steps")
	}
	return w, from
}

// View is what a method sees of the first p.K steps of ep under spec. Text channels fill metadata,
// context and observed steps; graph channels fill Graph.
func View(ep trajectory.Episode, p Prefix, spec Spec, opts ...Option) (task.Task, error) {
	v, err := Open(ep, spec, opts...)
	if err != nil {
		return task.Task{}, err
	}
	return v.At(p)
}
