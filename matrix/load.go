package matrix

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
)

// Sources holds the text that diagnostics point into: the files that were read, and values given on
// the command line or in the environment.
type Sources struct {
	files map[string][]byte
	order []string
}

func newSources() *Sources { return &Sources{files: map[string][]byte{}} }

func (s *Sources) put(name string, src []byte) {
	if _, ok := s.files[name]; !ok {
		s.order = append(s.order, name)
	}
	s.files[name] = src
}

// text is the source at a range, "" where it is not known.
func (s *Sources) text(rng hcl.Range) string {
	src := s.files[rng.Filename]
	if rng.Start.Byte < 0 || rng.End.Byte > len(src) || rng.Start.Byte > rng.End.Byte {
		return ""
	}
	return string(src[rng.Start.Byte:rng.End.Byte])
}

// reader is one Load.
type reader struct {
	in      Inputs
	dir     string
	files   []string // absolute
	sources *Sources
	diags   hcl.Diagnostics
	ctx     *hcl.EvalContext
	exp     *Experiment

	variableNames, localNames []string
	secrets                   []string
	digests                   map[string]string
	names                     map[string]*registry
	notBuilt                  []sentence
}

// sentence is something that run refuses, with its place.
type sentence struct {
	at       hcl.Range
	text     string
	kind, id string // it counts only if this block is used; "" for always
}

// Load reads an experiment from files, or from the *.hcl and *.hcl.json files of a folder, and
// resolves and validates it. All mistakes are returned together, sorted by file and position; with
// any error the experiment is nil. Sources, which is never nil, is for [Render]. Load touches no
// dataset: whether data exist is known at plan and run.
func Load(files []string, in Inputs) (*Experiment, *Sources, hcl.Diagnostics) {
	r := newReader(in)
	for _, f := range r.expandFolders(files) {
		src, err := os.ReadFile(f)
		if err != nil {
			r.add(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Can't read a file", Detail: fmt.Sprintf("can't read %s: %s", f, cause(err))})
			continue
		}
		r.sources.put(f, src)
		abs, err := filepath.Abs(f)
		if err != nil {
			r.add(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Can't read a file", Detail: fmt.Sprintf("can't resolve %s: %s", f, err)})
			continue
		}
		r.files = append(r.files, abs)
	}
	if len(r.files) > 0 {
		r.dir = filepath.Dir(r.files[0])
		r.read()
	}
	diags := r.finished()
	if diags.HasErrors() {
		return nil, r.sources, diags
	}
	r.exp.Warnings = diags
	return r.exp, r.sources, diags
}

func newReader(in Inputs) *reader {
	r := &reader{in: in, sources: newSources(), digests: map[string]string{}, names: map[string]*registry{}}
	r.exp = &Experiment{}
	r.ctx = &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: r.functions()}
	return r
}

// expandFolders replaces a folder by its experiment files in the order of their names.
func (r *reader) expandFolders(files []string) []string {
	var out []string
	fail := func(format string, args ...any) {
		r.add(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: "No experiment file", Detail: fmt.Sprintf(format, args...)})
	}
	if len(files) == 0 {
		fail("no experiment file was given")
	}
	for _, f := range files {
		st, err := os.Stat(f)
		if err != nil {
			fail("can't read %s: %s", f, cause(err))
			continue
		}
		if !st.IsDir() {
			out = append(out, f)
			continue
		}
		entries, err := os.ReadDir(f)
		if err != nil {
			fail("can't read the folder %s: %s", f, cause(err))
			continue
		}
		n := len(out)
		for _, e := range entries {
			name := e.Name()
			if !e.IsDir() && !strings.HasPrefix(name, ".") && (strings.HasSuffix(name, ".hcl") || strings.HasSuffix(name, ".hcl.json")) {
				out = append(out, filepath.Join(f, name))
			}
		}
		if len(out) == n {
			fail("the folder %s holds no .hcl file", f)
		}
		sort.Strings(out[n:])
	}
	return out
}

// parse reads one file, as JSON when its name says so.
func parse(name string, src []byte) (*hcl.File, hcl.Diagnostics) {
	if strings.HasSuffix(name, ".json") {
		return json.Parse(src, name)
	}
	return hclsyntax.ParseConfig(src, name, hcl.InitialPos)
}

// read does the work on the sources that were put in, in stages: syntax, block names, variables,
// locals, names for references, blocks, cross-checks.
func (r *reader) read() {
	r.exp.Files, r.exp.Dir = r.files, r.dir
	var parsed []*hcl.File
	broken := false
	for _, name := range r.sources.order {
		f, diags := parse(name, r.sources.files[name])
		r.add(firstAtEachPlace(diags)...)
		broken = broken || diags.HasErrors()
		if f != nil {
			parsed = append(parsed, f)
		}
	}
	if broken {
		return // what a parser recovers from broken text only misleads
	}
	content, diags := hcl.MergeFiles(parsed).Content(rootSchema())
	for _, d := range diags {
		r.rephraseRoot(d)
	}
	r.add(diags...)
	r.checkLabels(content.Blocks)
	blocks := content.Blocks.ByType()
	r.readVariables(blocks["variable"])
	r.readLocals(blocks["locals"])
	r.readExperiment(blocks["experiment"])
	for _, kind := range []string{"dataset", "ablation", "endpoint", "method", "judge"} {
		r.register(kind, blocks[kind])
	}
	r.readEndpoints()
	r.readDatasets()
	r.readAblations()
	r.readJudges(len(blocks["judge"]) > 0)
	r.readMethods()
	if len(blocks["matrix"]) > 0 {
		r.readMatrix(blocks["matrix"][0])
	} else {
		r.readMatrix(nil)
	}
	if len(blocks["budget"]) > 0 {
		r.readBudget(blocks["budget"][0])
	}
	r.readReports(blocks["report"])
	r.checkRequired(blocks)
	if !r.diags.HasErrors() {
		r.finish()
	}
}

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

// firstAtEachPlace drops what a parser says again about one place.
func firstAtEachPlace(diags hcl.Diagnostics) hcl.Diagnostics {
	var out hcl.Diagnostics
	seen := map[hcl.Pos]bool{}
	for _, d := range diags {
		if d.Subject != nil {
			if seen[d.Subject.Start] {
				continue
			}
			seen[d.Subject.Start] = true
		}
		out = append(out, d)
	}
	return out
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
