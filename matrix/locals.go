package matrix

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// readLocals evaluates locals depth first over what they refer to; a cycle is reported where it
// starts. A local that fails is unknown, so that its uses report nothing more.
func (r *reader) readLocals(blocks hcl.Blocks) {
	attrs := map[string]*hcl.Attribute{}
	var order []*hcl.Attribute
	for _, b := range blocks {
		these, diags := b.Body.JustAttributes()
		r.add(diags...)
		for _, a := range bySource(these) {
			if first := attrs[a.Name]; first != nil {
				r.errorAt(a.NameRange, "Duplicate local", "The local %q is already defined at %s.", a.Name, place(first.NameRange))
				continue
			}
			attrs[a.Name] = a
			order = append(order, a)
			r.localNames = append(r.localNames, a.Name)
		}
	}
	values := map[string]cty.Value{}
	state := map[string]int{} // 0 new, 1 being visited, 2 done
	var path []string
	var visit func(a *hcl.Attribute)
	visit = func(a *hcl.Attribute) {
		state[a.Name] = 1
		path = append(path, a.Name)
		for _, tr := range a.Expr.Variables() {
			if tr.IsRelative() || tr.RootName() != "local" {
				continue
			}
			name, ok := memberName(tr)
			if !ok || attrs[name] == nil {
				continue // reported on evaluation
			}
			switch state[name] {
			case 0:
				visit(attrs[name])
			case 1:
				r.errorAt(a.NameRange, "Cycle", "The locals refer to each other in a circle: %s.", circle(path, name))
				values[name] = cty.DynamicVal
			}
		}
		path = path[:len(path)-1]
		state[a.Name] = 2
		if _, failed := values[a.Name]; failed {
			return
		}
		r.ctx.Variables["local"] = cty.ObjectVal(values)
		res := r.evaluate(a.Expr, r.ctx)
		r.add(res.diags...)
		values[a.Name] = res.v
	}
	for _, a := range order {
		if state[a.Name] == 0 {
			visit(a)
		}
	}
	r.ctx.Variables["local"] = cty.ObjectVal(values)
}

func circle(path []string, back string) string {
	for i, name := range path {
		if name == back {
			path = path[i:]
			break
		}
	}
	names := make([]string, 0, len(path)+1)
	for _, n := range append(append([]string(nil), path...), back) {
		names = append(names, "local."+n)
	}
	return strings.Join(names, " → ")
}
