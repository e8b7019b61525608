package ablations

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// planted is the part of every host in these tests that must not be seen; each plant has its own number.
const planted = "plantedhost"

// hostText is a text with a host in it, as sites, logs and people write them.
func hostText(t *rapid.T, n int) string {
	host := fmt.Sprintf("%s%s%d.%s", rapid.SampledFrom([]string{"", "www.", "a.b.", "m-"}).Draw(t, "below"), planted, n,
		rapid.SampledFrom([]string{"com", "org", "co.uk", "de", "travel", "xn--p1ai", "io"}).Draw(t, "domain"))
	if rapid.IntRange(0, 4).Draw(t, "case") == 0 {
		host = strings.ToUpper(host)
	}
	form := rapid.SampledFrom([]string{"%s", "https://%s", "https://%s/", "http://%s:8080/a?b=c#d", "//%s/x", "go to %s.", "(%s)", "see %s, then click", "me@%s",
		`{"href":"https://%s/x"}`, "load https://login.example.com/?to=https%%3A%%2F%%2F%s%%2Fhome", "[a] href=%s/path", "ftp://%s", "点击%s，然后", "a|%s|b", "%s\nnext", "<a href='//%s'>", "%s_12", "%s-7.json"}).Draw(t, "form")
	return fmt.Sprintf(form, host)
}

// hostEpisode holds a host in every field that a view can show.
func hostEpisode(t *rapid.T) trajectory.Episode {
	n := 0
	text := func() string { n++; return hostText(t, n) }
	ep := trajectory.Episode{Dataset: "d", ID: "e-" + text(), ClusterID: "c", OpenIntent: "open", ClosedIntent: "closed", LabelSpace: "d.space",
		Metadata: map[string]string{text(): text(), text(): "plain", "platform": text()}, Profile: map[string]string{text(): text()}, Apps: []string{text(), text()}}
	step := func(i int) task.Step {
		s := task.Step{Index: i, Kind: "action", Speaker: text(), Utterance: text(), Action: text(), Op: text(), Element: text(), URL: text(), Value: text(), App: text(), Observation: text()}
		if rapid.Bool().Draw(t, "speaks") {
			s.Kind, s.Speaker = "utterance", "instructor"
		}
		return s
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "steps") {
		ep.Steps = append(ep.Steps, step(i))
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "context") {
		ep.ContextSteps = append(ep.ContextSteps, step(i))
	}
	return ep
}

// no_url masks hosts in every channel: text, graph nodes, attributes, ids, file names; with whatever it
// is combined.
func TestNoURLShowsNoHostInAnyByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ep := hostEpisode(t)
		s := anySpec(t)
		s.NoURL = true
		v, err := Open(ep, s)
		if err != nil {
			t.Fatal(err)
		}
		keys := 0
		for _, p := range Prefixes(len(ep.Steps), task.Grid()) {
			got, err := v.At(p)
			if err != nil {
				t.Fatal(err)
			}
			all := canonical(t, got) + canonical(t, got.Graph) + GraphFileName(got.ID)
			if at := strings.Index(strings.ToLower(all), planted); at >= 0 {
				t.Fatalf("a host shows: …%s", all[max(0, at-60):min(len(all), at+60)])
			}
			keys = len(got.Metadata.Fields)
		}
		if s.Text.Has(Metadata) && keys != len(ep.Metadata) {
			t.Fatalf("%d metadata fields of %d are left", keys, len(ep.Metadata))
		}
	})
}

// The same on disk, for inputs, examples and graphs in both forms; only labels may be hosts. Ids of
// episodes that hold a host are neutral and map back.
func TestNoURLShowsNoHostInAnyFileOfAVariant(t *testing.T) {
	d := dataset("d", "s", 8)
	for i := range d.Episodes {
		ep := &d.Episodes[i]
		if i%2 == 0 {
			ep.ID = fmt.Sprintf("www.%s%d.com", planted, i)
		}
		ep.Metadata["https://"+planted+".com"] = planted + ".org"
		ep.Steps[0].URL, ep.Steps[0].Element = "https://"+planted+".com/x", "[a] "+planted+".com"
	}
	specs := []Spec{Compose(spec(t, "graph_text_hybrid"), spec(t, "no_url")), Compose(spec(t, "no_url"), spec(t, "hide_ratio"))}
	specs[0].Name, specs[1].Name = "hybrid", "hidden"
	for _, graphs := range []string{GraphsFiles, GraphsJSONL} {
		opts := GenerateOptions{Out: filepath.Join(t.TempDir(), "out"), Grid: task.Grid(), Evaluate: "test", Graphs: graphs}
		if _, err := Generate(t.Context(), []Dataset{d}, specs, opts); err != nil {
			t.Fatal(err)
		}
		files := tree(t, opts.Out)
		if len(files) < 10 {
			t.Fatalf("%d files", len(files))
		}
		for name, text := range files {
			if strings.Contains(name+text, planted) {
				t.Errorf("%s, %s shows a host", graphs, name)
			}
		}
		back := map[string]string{}
		for _, r := range lines[TaskIDRecord](t, tree(t, opts.Out+".gold")["task_ids.jsonl"]) {
			back[r.NeutralID] = r.TaskID
		}
		gold := map[string]bool{}
		for _, g := range lines[GoldRecord](t, tree(t, opts.Out+".gold")["gold.jsonl"]) {
			gold[g.TaskID] = true
		}
		for _, variant := range []string{"hybrid", "hidden"} {
			for _, got := range lines[task.Task](t, files[variant+"/inputs.jsonl"]) {
				id := got.ID
				if to, ok := back[id]; ok {
					id = to
				}
				if !gold[id] {
					t.Errorf("%s: task %s has no gold", variant, got.ID)
				}
			}
		}
	}
}

var showsRatio = regexp.MustCompile(`:r[01]\.\d\d|ratio"|"is_duplicate_prefix":true`)

// hide_ratio leaves no ratio in any byte: fields, ids, graphs, file names.
func TestHideRatioShowsNoRatioInAnyByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ep, s := markedEpisode(t), anySpec(t)
		s.HideRatio = true
		v, err := Open(ep, s)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, p := range Prefixes(len(ep.Steps), task.Grid()) {
			got, err := v.At(p)
			if err != nil {
				t.Fatal(err)
			}
			all := canonical(t, got) + canonical(t, got.Graph) + GraphFileName(got.ID)
			if m := showsRatio.FindString(all); m != "" {
				t.Fatalf("%q shows: %s", m, all)
			}
			ids[got.ID] = true
		}
		if len(ids) != len(task.Grid()) {
			t.Fatalf("%d ids of %d tasks", len(ids), len(task.Grid()))
		}
	})
}

func TestHideRatioShowsNoRatioInAnyFileOfAVariant(t *testing.T) {
	s := Compose(spec(t, "graph_text_hybrid"), spec(t, "hide_ratio"))
	s.Name = "hidden"
	for _, graphs := range []string{GraphsFiles, GraphsJSONL} {
		opts := GenerateOptions{Out: filepath.Join(t.TempDir(), "out"), Grid: task.Grid(), Evaluate: "test", Graphs: graphs}
		if _, err := Generate(t.Context(), []Dataset{dataset("d", "s", 8)}, []Spec{s}, opts); err != nil {
			t.Fatal(err)
		}
		for name, text := range tree(t, opts.Out) {
			if m := showsRatio.FindString(name + text); m != "" {
				t.Errorf("%s, %s shows %q", graphs, name, m)
			}
		}
	}
}
