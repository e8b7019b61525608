package matrix

// Option describes one setting of a kind, for lists that people read.
type Option struct {
	Name, Type, Default, Doc string
	Required                 bool
}

// Options lists the settings of a kind in declared order, those of nested blocks with a dotted name.
// A kind whose settings can't be described has none here; Docs reports why.
func Options(k Kind) []Option {
	if k.Options == nil {
		return nil
	}
	p, err := describe(k.Options())
	if err != nil {
		return nil
	}
	return flatten("", p)
}

func flatten(prefix string, p part) []Option {
	var out []Option
	for _, o := range p.options {
		out = append(out, Option{Name: prefix + o.name, Type: o.typ, Default: o.def, Doc: o.doc, Required: o.required})
	}
	for _, b := range p.blocks {
		out = append(out, flatten(prefix+b.name+".", b.part)...)
	}
	return out
}
