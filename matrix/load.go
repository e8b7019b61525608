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
