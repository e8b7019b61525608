package matrix

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func rootSchema() *hcl.BodySchema {
	s := &hcl.BodySchema{}
	for _, b := range language() {
		h := hcl.BlockHeaderSchema{Type: b.name}
		if b.labelled {
			h.LabelNames = []string{"name"}
		}
		s.Blocks = append(s.Blocks, h)
	}
	return s
}

// checkLabels finds duplicates and names that can't be referred to.
func (r *reader) checkLabels(blocks hcl.Blocks) {
	first := map[string]hcl.Range{}
	single := map[string]bool{}
	for _, b := range language() {
		single[b.name] = b.single
	}
	for _, b := range blocks {
		if single[b.Type] {
			if at, again := first[b.Type]; again {
				r.errorAt(b.DefRange, "Duplicate block", "There can be one %s block; the first is at %s.", b.Type, place(at))
				continue
			}
			first[b.Type] = b.DefRange
		}
		if len(b.Labels) == 0 {
			continue
		}
		name := b.Labels[0]
		if b.Type == "experiment" || b.Type == "report" {
			if name == "" || name == "." || name == ".." || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || strings.ContainsRune(`/\:%#`, c) }) {
				r.errorAt(b.LabelRanges[0], "Bad name", "%q can't be the name of a file; leave out / \\ : %% # and control characters.", name)
			}
		} else if !hclsyntax.ValidIdentifier(name) {
			r.errorAt(b.LabelRanges[0], "Bad name", "%q can't be referred to; a name starts with a letter and has letters, digits, _ and - only.", name)
		}
		key := b.Type + " " + name
		if at, again := first[key]; again {
			r.errorAt(b.LabelRanges[0], "Duplicate name", "There is already a %s %q at %s.", b.Type, name, place(at))
			continue
		}
		first[key] = b.LabelRanges[0]
	}
}

// rephraseRoot says in the language's words what is wrong with a block's header, and where a
// misplaced attribute belongs.
func (r *reader) rephraseRoot(d *hcl.Diagnostic) {
	_, block, _ := strings.Cut(d.Summary, " for ")
	switch {
	case strings.HasPrefix(d.Summary, "Missing name for "):
		d.Detail = fmt.Sprintf("A %s block needs a name: %s \"NAME\" { … }.", block, block)
	case strings.HasPrefix(d.Summary, "Extraneous label for "):
		d.Detail = fmt.Sprintf("A %s block has no name.", block)
		for _, b := range language() {
			if b.name == block && b.labelled {
				d.Detail = fmt.Sprintf("A %s block has one name.", block)
			}
		}
	case d.Summary == "Unsupported argument" && d.Subject != nil:
		name := r.sources.text(*d.Subject)
		for _, b := range language() {
			if b.value != nil && contains(attributeNames(b.value()), name) {
				d.Detail = fmt.Sprintf("%q belongs into a block, such as %s.", name, b.name)
				return
			}
		}
	}
}

// checkRequired reports missing blocks, unless one is there with a mistake in its header; HCL
// itself would point at an arbitrary place.
func (r *reader) checkRequired(blocks map[string]hcl.Blocks) {
	for _, b := range language() {
		if !b.required || len(blocks[b.name]) > 0 || r.headerIsWrong(b.name) {
			continue
		}
		whole := hcl.Range{Filename: r.sources.order[0]}
		r.errorAt(whole, "Missing block", "There is no %s block; add %s \"NAME\" { … }.", b.name, b.name)
	}
}

func (r *reader) headerIsWrong(block string) bool {
	for _, d := range r.diags {
		if strings.HasSuffix(d.Summary, " for "+block) || d.Summary == "Unsupported block type" && strings.Contains(d.Detail, fmt.Sprintf("Did you mean %q", block)) {
			return true
		}
	}
	return false
}

func place(rng hcl.Range) string {
	return fmt.Sprintf("%s:%d", rng.Filename, rng.Start.Line)
}
