package matrix

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"intentlab/ablations"
)

// Docs writes the reference of the language as Markdown: every block and option with type, default
// and description, the kinds, and the functions. It is read off the structs that files are decoded
// into. An error means that a kind's settings lack a description or have a type without a name.
func Docs(k Kinds) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# The experiment file\n\n")
	b.WriteString("One experiment is one `.hcl` file, a folder of them, or the same as `.hcl.json`. Paths are relative to the file.\n")
	for _, block := range language() {
		label := ""
		if block.labelled {
			label = ` "NAME"`
		}
		fmt.Fprintf(&b, "\n## `%s%s`\n\n%s", block.name, label, block.summary)
		switch {
		case block.required && block.single:
			b.WriteString(" Required, once.")
		case block.required:
			b.WriteString(" Required, one or more.")
		case block.single:
			b.WriteString(" At most one.")
		}
		b.WriteString("\n")
		if block.value == nil {
			continue
		}
		p, err := describe(block.value())
		if err != nil {
			return nil, fmt.Errorf("block %s: %w", block.name, err)
		}
		writePart(&b, p, "###", block.name)
		if block.name == "ablation" {
			writePresets(&b)
		}
		if block.kinds == nil {
			continue
		}
		kinds := block.kinds(k)
		for _, name := range sortedKeys(kinds) {
			if err := writeKind(&b, block, kinds[name]); err != nil {
				return nil, err
			}
		}
	}
	b.WriteString("\n## References\n\nA reference names a block: `method.majority`, or `method.knn[\"k1\"]` for one element of a `for_each`; in a list `method.knn` stands for all its elements. ")
	b.WriteString("`\"*\"` stands for everything declared. `each.key` and `each.value` are set within a block with `for_each`; a set gives both the same.\n")
	b.WriteString("\n## Functions\n\n")
	names := functionNames()
	for i, n := range names {
		names[i] = "`" + n + "`"
	}
	b.WriteString(strings.Join(names, ", ") + ".\n\n")
	b.WriteString("`file`, `fileexists`, `glob` and `templatefile` are relative to the experiment file. `env(\"NAME\")` fails where the variable is not set, ")
	b.WriteString("except as a secret (an `api_key`, a header, a `sensitive` variable), which is asked for only when the experiment runs; `try(env(\"NAME\"), \"default\")` gives a default.\n")
	return b.Bytes(), nil
}

func writePresets(b *bytes.Buffer) {
	channels := func(cs ablations.Channels) string {
		if len(cs) == 0 {
			return "none"
		}
		names := make([]string, len(cs))
		for i, c := range cs {
			names[i] = string(c)
		}
		return strings.Join(names, ", ")
	}
	b.WriteString("\n### Presets\n\n| preset | text | graph | the question it answers |\n| --- | --- | --- | --- |\n")
	for _, p := range ablations.Presets() {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", p.Name, channels(p.Spec.Text), channels(p.Spec.Graph), cell(p.Question))
	}
	b.WriteString("\nA preset that only takes away (`no_url`, `hide_ratio`, …) keeps the graph of what it is combined with.\n")
}

func writeKind(b *bytes.Buffer, block blockType, k Kind) error {
	fmt.Fprintf(b, "\n### %s %s = %q\n\n%s", block.name, block.discriminator, k.Name, sentenceOf(k.Summary))
	var needs []string
	for _, n := range []struct {
		on   bool
		what string
	}{{k.Needs.Graph, "a graph"}, {k.Needs.Text, "text"}, {k.Needs.Training, "training data"}, {k.Needs.Endpoint, "an endpoint"}} {
		if n.on {
			needs = append(needs, n.what)
		}
	}
	if len(needs) > 0 {
		b.WriteString(" Needs " + strings.Join(needs, " and ") + ".")
	}
	if k.Deterministic {
		b.WriteString(" Deterministic: runs once for all seeds.")
	}
	if len(k.Groups) > 0 {
		fmt.Fprintf(b, " Split units beside episode and cluster: %s.", strings.Join(k.Groups, ", "))
	}
	if k.SplitUnit != "" {
		fmt.Fprintf(b, " Default split unit: %s.", k.SplitUnit)
	}
	if !k.Built {
		b.WriteString(" Not built yet: it validates and plans, and is refused at run.")
	}
	b.WriteString("\n")
	p, err := optionsOf(k)
	if err != nil {
		return err
	}
	if len(p.options)+len(p.blocks) == 0 {
		b.WriteString("\nNo settings of its own.\n")
	}
	writePart(b, p, "####", block.name+" "+k.Name)
	return nil
}

func writePart(b *bytes.Buffer, p part, heading, path string) {
	if len(p.options) > 0 {
		b.WriteString("\n| option | type | default | what it does |\n| --- | --- | --- | --- |\n")
	}
	for _, o := range p.options {
		def := "required"
		if !o.required {
			def = "`" + cell(o.def) + "`"
			if strings.Contains(o.def, " ") && !strings.ContainsAny(o.def[:1], `"[{`) {
				def = cell(o.def)
			}
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", o.name, cell(o.typ), def, cell(o.doc+o.constraint()))
	}
	for _, n := range p.blocks {
		fmt.Fprintf(b, "\n%s `%s` in %s\n\n%s\n", heading, n.name, path, sentenceOf(n.doc))
		writePart(b, n.part, heading+"#", path+" "+n.name)
	}
}

// constraint says in words what the tags demand.
func (o option) constraint() string {
	var s string
	if len(o.enum) > 0 {
		s += ". One of `" + strings.Join(o.enum, "`, `") + "`"
		if strings.HasPrefix(o.typ, "list") {
			s = strings.Replace(s, "One of", "From", 1)
		}
	}
	if o.format == "duration" {
		s += ". A duration such as \"90s\""
	}
	switch {
	case o.min != "" && o.max != "":
		s += fmt.Sprintf(". From %s to %s", o.min, o.max)
	case o.min != "" && o.min != "0":
		s += ". At least " + o.min
	}
	return s
}

// sentenceOf starts with a capital and ends with a full stop.
func sentenceOf(s string) string {
	c, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(c)) + strings.TrimSuffix(s[size:], ".") + "."
}

// cell makes text safe within a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}
