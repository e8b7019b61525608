package ablations

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "intentlab"

// goPackage is what `go list -json` says about a package; Deps is transitive, Imports direct.
type goPackage struct {
	ImportPath    string
	Deps, Imports []string
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-e", "-json=ImportPath,Deps,Imports", "./...")
	cmd.Dir = moduleRoot(t)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, stderr.String())
	}
	var packages []goPackage
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		if within(p.ImportPath, module) {
			packages = append(packages, p)
		}
	}
}

// within reports whether path is root or lies below it.
func within(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// reach is one import rule: the packages at (or below, when deep) from reach, directly or not, none
// of ours but the allowed ones, or none of the forbidden ones.
type reach struct {
	from      string
	deep      bool
	forbidden []string // exact paths; nil: every package of ours that is not allowed
	allowed   []string // exact paths, and what lies below those that end in "/..."
	why       string
}

var importRules = []reach{
	{from: "runners/predictors", deep: true, forbidden: []string{"ablations/trajectory", "ablations", "ablations/partition", "matrix", "judge", "results", "experiments"},
		why: "a predictor that can reach an intent must not compile"},
	{from: "ablations/task", deep: true, why: "the leaf that may be shown to a model imports nothing of ours"},
	{from: "results", allowed: []string{"results/..."}, why: "results imports its children only"},
	{from: "results/metrics", allowed: []string{"results/metrics/..."}, why: "metrics are pure"},
	{from: "results/metrics/draw", deep: true, why: "the random source imports nothing"},
	{from: "results/tables", allowed: []string{"results/tables/..."}, why: "tables are pure"},
	{from: "results/figures", allowed: []string{"results/figures/..."}, why: "figures are pure"},
	{from: "runners/encoder", deep: true, allowed: []string{"runners/encoder/..."}, why: "a leaf for predictors and judges alike"},
	{from: "runners/endpoint", deep: true, allowed: []string{"runners/endpoint/...", "results/metrics/draw"}, why: "a leaf for predictors and judges alike"},
	{from: "runners/process", deep: true, allowed: []string{"runners/process/...", "ablations/task", "results/metrics/draw"}, why: "a leaf that knows tasks and answers only"},
	{from: "runners/reply", deep: true, allowed: []string{"runners/reply/..."}, why: "a leaf for predictors and judges alike"},
	{from: "experiments/prompts", deep: true, allowed: []string{"experiments/prompts/..."}, why: "a leaf for predictors and judges alike"},
	{from: "ablations", forbidden: []string{"matrix", "runners", "judge", "results"}, why: "arrows point from the engine to the benchmark"},
	{from: "ablations/trajectory", deep: true, forbidden: []string{"ablations", "matrix", "runners", "judge", "results"}, why: "readers know no view of what they read"},
	{from: "ablations/audit", deep: true, allowed: []string{"ablations/task"}, why: "the audit sees tasks and intents as strings, nothing that made them"},
	{from: "matrix", deep: true, forbidden: []string{"runners", "runners/predictors", "judge", "results"}, why: "the language knows no kind"},
	{from: "judge", deep: true, forbidden: []string{"matrix", "runners", "runners/predictors", "results"}, why: "a judge knows texts, not experiments"},
}

// breaches lists what breaks the rules.
func breaches(packages []goPackage, rules []reach) []string {
	var out []string
	for _, p := range packages {
		path := strings.TrimPrefix(p.ImportPath, module+"/")
		for _, dep := range p.Deps {
			if within(dep, module+"/cmd") && !within(p.ImportPath, module+"/cmd") {
				out = append(out, path+" imports "+dep+": nothing imports cmd")
			}
		}
		for _, r := range rules {
			if path != r.from && !(r.deep && within(path, r.from)) {
				continue
			}
			for _, dep := range p.Deps {
				d := strings.TrimPrefix(dep, module+"/")
				if !within(dep, module) || dep == p.ImportPath {
					continue
				}
				bad := slices.Contains(r.forbidden, d)
				if r.forbidden == nil {
					bad = !slices.ContainsFunc(r.allowed, func(a string) bool {
						root, below := strings.CutSuffix(a, "/...")
						return d == a || below && within(d, root)
					})
				}
				if bad {
					out = append(out, path+" reaches "+d+": "+r.why)
				}
			}
		}
		if path != "cmd/intentlab" && !within(path, "cmd") && slices.Contains(p.Imports, module+"/experiments") {
			out = append(out, path+" imports experiments: the sample holds gold and is cmd's alone")
		}
	}
	return out
}

func TestImportsFollowTheArchitecture(t *testing.T) {
	if testing.Short() {
		t.Skip("lists every package")
	}
	packages := listPackages(t)
	if !slices.ContainsFunc(packages, func(p goPackage) bool { return p.ImportPath == module+"/ablations/task" }) {
		t.Fatalf("go list does not know %s/ablations/task", module)
	}
	for _, b := range breaches(packages, importRules) {
		t.Error(b)
	}
}

func TestImportRulesNoticeABreach(t *testing.T) {
	for name, p := range map[string]goPackage{
		"a predictor that reads episodes":    {ImportPath: "intentlab/runners/predictors", Deps: []string{"intentlab/ablations/trajectory"}},
		"a predictor below that reads views": {ImportPath: "intentlab/runners/predictors/deep", Deps: []string{"intentlab/ablations"}},
		"task that imports metrics":          {ImportPath: "intentlab/ablations/task", Deps: []string{"intentlab/results/metrics"}},
		"results that imports task":          {ImportPath: "intentlab/results", Deps: []string{"intentlab/ablations/task"}},
		"a judge that imports cmd":           {ImportPath: "intentlab/judge", Deps: []string{"intentlab/cmd/intentlab"}},
		"an encoder that is no leaf":         {ImportPath: "intentlab/runners/encoder", Deps: []string{"intentlab/ablations/task"}},
		"prompts that are no leaf":           {ImportPath: "intentlab/experiments/prompts", Deps: []string{"intentlab/matrix"}},
		"an engine that reads the sample":    {ImportPath: "intentlab/runners", Deps: nil, Imports: []string{"intentlab/experiments"}},
	} {
		if len(breaches([]goPackage{p}, importRules)) == 0 {
			t.Errorf("%s passes", name)
		}
	}
	fine := []goPackage{
		{ImportPath: "intentlab/runners/predictors", Deps: []string{"fmt", "intentlab/ablations/task", "intentlab/results/metrics/draw", "intentlab/results/metrics", "intentlab/runners/encoder"}},
		{ImportPath: "intentlab/results", Deps: []string{"intentlab/results/metrics"}},
		{ImportPath: "intentlab/cmd/intentlab", Imports: []string{"intentlab/experiments"}, Deps: []string{"intentlab/experiments"}},
	}
	if got := breaches(fine, importRules); len(got) > 0 {
		t.Errorf("allowed imports are refused: %v", got)
	}
}
