package main

import (
	"fmt"
	"io"
	"strings"

	"intentlab/ablations"
	"intentlab/ablations/trajectory"
	"intentlab/judge"
	"intentlab/matrix"
	"intentlab/results/metrics"
	"intentlab/runners/predictors"
)

// nameArg asks for one entry of a list, or for all.
type nameArg struct {
	Name string `arg:"" optional:"" help:"Describe this one."`
	JSON bool   `name:"json" help:"Print as JSON."`
}

// entry is one line of a list, with the text of its description.
type entry struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Detail  []string `json:"detail,omitempty"`
}

// print lists the entries, or describes the one asked for.
func (a nameArg) print(e env, what string, list []entry) error {
	if a.Name == "" {
		if a.JSON {
			return writeJSON(e.out, list)
		}
		for _, x := range list {
			fmt.Fprintf(e.out, "%-22s %s\n", x.Name, x.Summary)
		}
		return nil
	}
	var names []string
	for _, x := range list {
		if x.Name != a.Name {
			names = append(names, x.Name)
			continue
		}
		if a.JSON {
			return writeJSON(e.out, x)
		}
		fmt.Fprintf(e.out, "%s: %s\n", x.Name, x.Summary)
		for _, d := range x.Detail {
			if _, err := io.WriteString(e.out, d+"\n"); err != nil {
				return err
			}
		}
		return nil
	}
	return usage(fmt.Errorf("there is no %s %q; there are %s", what, a.Name, strings.Join(names, ", ")))
}

type datasetsCmd struct{ nameArg }

// Run lists the dataset formats with what each loader decided.
func (c *datasetsCmd) Run(e env) error {
	var list []entry
	for _, name := range trajectory.FormatNames() {
		f := trajectory.Formats[name]
		x := entry{Name: name, Summary: f.Summary}
		for _, d := range [][2]string{{"episode", f.EpisodeIs}, {"open intent", f.OpenIntentIs}, {"closed intent", f.ClosedIntentIs},
			{"label space", f.LabelSpace}, {"cluster", f.ClusterIs}, {"steps", f.StepsAre}, {"visible (safe)", strings.Join(f.VisibleSafe, ", ")},
			{"as_published adds", strings.Join(f.VisibleAsPublished, ", ")}, {"never visible", strings.Join(f.NeverVisible, ", ")},
			{"split by default", "by " + f.SplitUnit}, {"split { by } may be", strings.Join(append([]string{"episode", "cluster"}, f.Groups...), ", ")},
			{"source", f.Source}} {
			if d[1] != "" {
				x.Detail = append(x.Detail, fmt.Sprintf("  %-20s %s", d[0]+":", d[1]))
			}
		}
		x.Detail = append(x.Detail, optionLines(languageKinds().Formats[name])...)
		list = append(list, x)
	}
	return c.print(e, "format", list)
}

// optionLines are the settings of a kind, as the language documents them.
func optionLines(k matrix.Kind) []string {
	options := matrix.Options(k)
	if len(options) == 0 {
		return nil
	}
	out := []string{"  settings:"}
	for _, o := range options {
		line := fmt.Sprintf("    %-16s %s", o.Name, o.Doc)
		if o.Default != "" && !strings.Contains(o.Doc, "default") {
			line += " (default " + o.Default + ")"
		}
		out = append(out, line)
	}
	return out
}

type methodsCmd struct{ nameArg }

// Run lists the method kinds.
func (c *methodsCmd) Run(e env) error {
	return c.print(e, "method kind", kindEntries(languageKinds().Methods, func(name string) string { return predictors.Kinds[name].Doc }))
}

type judgesCmd struct{ nameArg }

// Run lists the judge kinds.
func (c *judgesCmd) Run(e env) error {
	return c.print(e, "judge kind", kindEntries(languageKinds().Judges, func(name string) string { return judge.Kinds[name].Doc }))
}

// kindEntries describes kinds in byte order.
func kindEntries(kinds map[string]matrix.Kind, doc func(name string) string) []entry {
	var list []entry
	for _, name := range sortedKinds(kinds) {
		k := kinds[name]
		x := entry{Name: name, Summary: k.Summary + notBuilt(k)}
		if text := doc(name); text != "" {
			x.Detail = indent(text)
		}
		x.Detail = append(x.Detail, needs(k)...)
		x.Detail = append(x.Detail, optionLines(k)...)
		list = append(list, x)
	}
	return list
}

func notBuilt(k matrix.Kind) string {
	if k.Built {
		return ""
	}
	return " (in the language, not built yet)"
}

func needs(k matrix.Kind) []string {
	var ns []string
	for _, n := range []struct {
		on   bool
		name string
	}{{k.Needs.Graph, "a graph"}, {k.Needs.Text, "text"}, {k.Needs.Training, "training data"}, {k.Needs.Endpoint, "an endpoint"}} {
		if n.on {
			ns = append(ns, n.name)
		}
	}
	if ns == nil {
		return nil
	}
	return []string{"  needs: " + strings.Join(ns, ", ")}
}

func indent(text string) []string {
	var out []string
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		out = append(out, "  "+strings.TrimSpace(l))
	}
	return out
}

type ablationsCmd struct{ nameArg }

// Run lists the presets.
func (c *ablationsCmd) Run(e env) error {
	var list []entry
	for _, p := range ablations.Presets() {
		x := entry{Name: p.Name, Summary: p.Question}
		s, _ := ablations.Preset(p.Name)
		x.Detail = []string{"  text channels:  " + channels(s.Text), "  graph channels: " + channels(s.Graph)}
		list = append(list, x)
	}
	return c.print(e, "ablation preset", list)
}

func channels(cs ablations.Channels) string {
	if len(cs) == 0 {
		return "none"
	}
	var names []string
	for _, c := range cs {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

type metricsCmd struct{ nameArg }

// Run lists the registered metrics.
func (c *metricsCmd) Run(e env) error {
	var list []entry
	for _, m := range metrics.Registry() {
		x := entry{Name: m.Name, Summary: m.Title + " " + m.Direction.Arrow()}
		high := fmt.Sprint(m.High)
		if m.Unbounded {
			high = "∞"
		}
		x.Detail = []string{"  " + m.Doc, fmt.Sprintf("  range: %v to %s, unit: %s, version %d", m.Low, high, m.Unit, m.Version)}
		list = append(list, x)
	}
	return c.print(e, "metric", list)
}
