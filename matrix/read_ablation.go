package matrix

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"intentlab/ablations"
)

const fullContext = "full_context"

func (r *reader) readAblations() {
	for _, d := range r.names["ablation"].list {
		r.exp.Ablations = append(r.exp.Ablations, r.readAblation(d))
	}
}

func (r *reader) readAblation(d *declared) Ablation {
	ctx := r.context(d)
	b := r.body(d.block.Body, d.block.DefRange)
	x := &ablationBlock{}
	ok := r.decode(b, ctx, x)
	out := Ablation{Name: d.name, ID: d.id, Range: d.block.DefRange}
	before := len(r.diags)
	out.Spec = r.spec(d, b, x, ctx)
	out.Spec.Name = d.id
	ok = ok && len(r.diags) == before
	if ok {
		if err := out.Spec.Check(); err != nil {
			r.errorAt(b.at, "Wrong ablation", "ablation %s: %s.", d.base, err)
			ok = false
		} else if built, what := out.Spec.Built(); !built {
			r.notYetUsed("ablation", d, "ablation %s: %s is not built yet", d.base, what)
		}
	}
	if b.has("reference") {
		if ref := r.resolveOne("ablation", x.Reference); ref != nil {
			if ref.id == d.id && !d.keyed { // within a for_each the reference itself has none
				r.errorAt(x.Reference.Range(), "Reference to itself", "The effect of ablation %s can't be measured against itself.", d.name)
			}
			out.Reference = ref.id
		}
	}
	d.failed = d.failed || !ok
	return out
}

// spec combines presets, channels and transforms. Transforms alone start from full_context, as the
// presets that only take away do.
func (r *reader) spec(d *declared, b *body, x *ablationBlock, ctx *hcl.EvalContext) ablations.Spec {
	var s ablations.Spec
	own, isPreset := ablations.Preset(d.base)
	channels := b.has("text") || b.has("graph")
	switch {
	case b.has("presets"):
		s = ablations.Compose(r.presets(x.Presets, ctx)...)
	case isPreset:
		s = own
	case channels:
	case b.has("last_k_steps") || b.has("transforms"):
		s, _ = ablations.Preset(fullContext)
	default:
		r.errorAt(d.block.LabelRanges[0], "Unknown preset", "%s Otherwise give text and graph, or presets.", noSuch("preset", d.base, presetNames()))
	}
	s.Modifier = s.Modifier && !channels
	if b.has("text") {
		s.Text = r.channels(b, "text", x.Text)
	}
	if b.has("graph") {
		s.Graph = r.channels(b, "graph", x.Graph)
	}
	if len(s.Text) == 0 {
		s.Text = nil
	}
	if len(s.Graph) == 0 {
		s.Graph = nil
	}
	if b.has("last_k_steps") {
		s.LastKSteps = x.LastKSteps
	}
	if b.has("extra_edges") {
		s.ExtraEdges = x.ExtraEdges
	}
	for _, t := range x.Transforms {
		switch t {
		case "no_context":
			s.NoContext = true
		case "structure_only":
			s.StructureOnly = true
		case "no_initial_instruction":
			s.NoInitialInstruction = true
		case "no_url":
			s.NoURL = true
		case "hide_ratio":
			s.HideRatio = true
		case "shuffled_steps":
			s.ShuffledSteps = true
		}
	}
	return s
}

// channels puts a set in its fixed order.
func (r *reader) channels(b *body, name string, given []string) ablations.Channels {
	set := map[string]bool{}
	for _, c := range given {
		if set[c] {
			r.errorAt(b.valueRange(name), "Named twice", "The channel %q is named twice.", c)
		}
		set[c] = true
	}
	var out ablations.Channels
	for _, c := range ablations.AllChannels() {
		if set[string(c)] {
			out = append(out, c)
		}
	}
	return out
}

// presets reads preset names, in quotes or bare.
func (r *reader) presets(expr hcl.Expression, ctx *hcl.EvalContext) []ablations.Spec {
	type name struct {
		text string
		rng  hcl.Range
	}
	var names []name
	items, diags := hcl.ExprList(expr)
	if diags.HasErrors() {
		list, ok := r.elements(expr, ctx)
		if !ok {
			return nil
		}
		for _, it := range list {
			if !it.v.IsNull() && it.v.Type() == cty.String {
				names = append(names, name{it.v.AsString(), it.rng})
			}
		}
	}
	for _, it := range items {
		if tr, d := hcl.AbsTraversalForExpr(it); !d.HasErrors() && len(tr) == 1 {
			names = append(names, name{tr.RootName(), it.Range()})
			continue
		}
		v, _, d := r.settle(it, r.evaluate(it, ctx))
		r.add(d...)
		if d.HasErrors() || !v.IsWhollyKnown() {
			continue
		}
		if v.IsNull() || v.Type() != cty.String {
			r.errorAt(it.Range(), "Wrong type", "The name of a preset is required here.")
			continue
		}
		names = append(names, name{v.AsString(), it.Range()})
	}
	if len(names) == 0 && len(items) == 0 {
		r.errorAt(expr.Range(), "No presets", "At least one preset is required.")
	}
	var out []ablations.Spec
	for _, n := range names {
		s, ok := ablations.Preset(n.text)
		if !ok {
			r.errorAt(n.rng, "Unknown preset", "%s", noSuch("preset", n.text, presetNames()))
			continue
		}
		out = append(out, s)
	}
	return out
}

func presetNames() []string {
	list := ablations.Presets()
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Name
	}
	return names
}
