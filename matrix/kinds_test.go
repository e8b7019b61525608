package matrix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
)

type knnOptions struct {
	K int `hcl:"k,optional" min:"1" doc:"Number of neighbours"`
}

type wlOptions struct {
	Iterations int `hcl:"iterations,optional" min:"0" max:"10" doc:"Rounds of relabelling"`
}

type commandOptions struct {
	Protocol string            `hcl:"protocol,optional" enum:"lines,worker" doc:"How the program is talked to"`
	Command  []string          `hcl:"command" doc:"Program and arguments"`
	Inputs   []string          `hcl:"inputs,optional" key:"files" default:"the script" doc:"Files that decide the answers"`
	PassEnv  []string          `hcl:"pass_env,optional" doc:"Environment variables let through"`
	Env      map[string]string `hcl:"env,optional" doc:"Environment variables set"`
	Workers  int               `hcl:"workers,optional" min:"1" key:"-" doc:"Processes"`
	Timeouts *timeouts         `hcl:"timeouts,block" key:"-" doc:"How long is waited"`
}

type timeouts struct {
	Start  string `hcl:"start,optional" format:"duration" doc:"For the handshake"`
	Fit    string `hcl:"fit,optional" format:"duration" doc:"For learning"`
	Answer string `hcl:"answer,optional" format:"duration" doc:"For one answer"`
}

func (o *commandOptions) Check() map[string]string {
	if len(o.Command) == 0 {
		return map[string]string{"command": "must name a program"}
	}
	return nil
}

// commandFiles is what a command kind says its files are: those given, else the script.
func commandFiles(options any, dir string) ([]string, error) {
	o := options.(*commandOptions)
	var out []string
	for _, a := range o.Command {
		if strings.HasSuffix(a, ".py") && len(o.Inputs) == 0 {
			out = append(out, filepath.Join(dir, a))
		}
	}
	return out, nil
}

type predictionsOptions struct {
	Path string `hcl:"path" key:"path" doc:"Files, with {dataset}, {ablation}, {seed}"`
}

type chatOptions struct {
	Model       string   `hcl:"model" doc:"Model name"`
	Temperature *float64 `hcl:"temperature,optional" min:"0" default:"the service's" doc:"Sampling temperature"`
	Prompt      string   `hcl:"prompt,optional" default:"the built-in prompt" doc:"Go template over the visible input"`
}

type lexicalOptions struct {
	Measure string `hcl:"measure,optional" enum:"token_f1,rouge_l,chrf" doc:"Which measure"`
}

type rubricOptions struct {
	Model string `hcl:"model" doc:"Model name"`
	Votes int    `hcl:"votes,optional" min:"1" doc:"Number of votes"`
}

type weblinxOptions struct {
	OpenIntent string `hcl:"open_intent,optional" enum:"utterances,description" doc:"What the open intent is"`
}

func testKinds() Kinds {
	table := func(list ...Kind) map[string]Kind {
		m := map[string]Kind{}
		for _, k := range list {
			k.Summary = "Summary of " + k.Name + "."
			m[k.Name] = k
		}
		return m
	}
	training := Needs{Training: true}
	return Kinds{
		Methods: table(
			Kind{Name: "majority", Built: true, Deterministic: true, Needs: training},
			Kind{Name: "stratified_prior", Built: true, Needs: training},
			Kind{Name: "tfidf_knn", Built: true, Deterministic: true, Needs: Needs{Text: true, Training: true}, Options: func() any { return &knnOptions{K: 1} }},
			Kind{Name: "naive_bayes", Built: true, Deterministic: true, Needs: Needs{Text: true, Training: true}},
			Kind{Name: "wl_kernel", Built: true, Deterministic: true, Needs: Needs{Graph: true, Training: true}, Options: func() any { return &wlOptions{Iterations: 2} }},
			Kind{Name: "command", Built: true, Options: func() any {
				return &commandOptions{Protocol: "lines", Workers: 1, Timeouts: &timeouts{Start: "1m", Fit: "10m", Answer: "1m"}}
			}},
			Kind{Name: "predictions", Built: true, Options: func() any { return &predictionsOptions{} }},
			Kind{Name: "chat", Needs: Needs{Endpoint: true}, Options: func() any { return &chatOptions{} }},
		),
		Judges: table(
			Kind{Name: "embedding", Built: true},
			Kind{Name: "lexical", Built: true, Options: func() any { return &lexicalOptions{Measure: "token_f1"} }},
			Kind{Name: "rubric", Needs: Needs{Endpoint: true}, Options: func() any { return &rubricOptions{Votes: 1} }},
		),
		Formats: table(
			Kind{Name: "weblinx", Built: true, Groups: []string{"website"}, SplitUnit: "episode", Options: func() any { return &weblinxOptions{OpenIntent: "utterances"} }},
			Kind{Name: "mind2web", Built: true, Groups: []string{"website"}, SplitUnit: "episode"},
			Kind{Name: "gui_odyssey", Built: true, Groups: []string{"meta_task"}, SplitUnit: "meta_task"},
			Kind{Name: "fingertip", Built: true, Groups: []string{"user"}, SplitUnit: "user"},
			Kind{Name: "episodes", Built: true, SplitUnit: "episode"},
		),
	}
}

func testInputs(env ...string) Inputs {
	return Inputs{
		Kinds: testKinds(),
		Getenv: func(name string) (string, bool) {
			for _, kv := range env {
				if v, ok := strings.CutPrefix(kv, name+"="); ok {
					return v, true
				}
			}
			return "", false
		},
		Environ: func() []string { return env },
	}
}

const head = `experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
`

// load reads text as the file exp.hcl of a fresh folder.
func load(t *testing.T, in Inputs, text string) (*Experiment, *Sources, hcl.Diagnostics) {
	t.Helper()
	f := filepath.Join(t.TempDir(), "exp.hcl")
	if err := os.WriteFile(f, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load([]string{f}, in)
}

// mustLoad fails on any diagnostic.
func mustLoad(t *testing.T, in Inputs, text string) *Experiment {
	t.Helper()
	e, src, diags := load(t, in, text)
	if len(diags) > 0 {
		t.Fatalf("unexpected diagnostics:\n%s", rendered(t, diags, src))
	}
	return e
}

func rendered(t *testing.T, diags hcl.Diagnostics, src *Sources) string {
	t.Helper()
	var b strings.Builder
	if err := Render(&b, diags, src, false, 0); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
