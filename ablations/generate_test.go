package ablations

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"intentlab/ablations/partition"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dataset makes n episodes of 1, 2, 3, … steps: the last two are test, the one before dev.
func dataset(name, space string, n int) Dataset {
	d := Dataset{Name: name, Format: "episodes", Fingerprint: name}
	for e := range n {
		ep := trajectory.Episode{Dataset: name, ID: fmt.Sprint("e", e), ClusterID: fmt.Sprint("cluster", e%2), LabelSpace: space,
			OpenIntent: fmt.Sprintf("GOLDOPEN %s %d", name, e), ClosedIntent: fmt.Sprint("GOLDLABEL", e%3), Metadata: map[string]string{"platform": "web"}}
		for i := range e + 1 {
			ep.Steps = append(ep.Steps, task.Step{Index: i, Kind: "action", Op: "click", Action: fmt.Sprint("click link ", e, " ", i), Element: fmt.Sprint("link ", e, " ", i)})
		}
		d.Episodes = append(d.Episodes, ep)
	}
	for e := range n - 3 {
		d.Fold.Train = append(d.Fold.Train, e)
	}
	d.Fold.Dev = []int{n - 3}
	d.Fold.Tests = []partition.Part{{Name: "test", Episodes: []int{n - 2, n - 1}}}
	return d
}

func generate(t *testing.T, ds []Dataset, opts GenerateOptions, presets ...string) (Generated, GenerateOptions) {
	t.Helper()
	if opts.Out == "" {
		opts.Out = filepath.Join(t.TempDir(), "out")
	}
	if opts.Grid == nil {
		opts.Grid = task.Grid()
	}
	if opts.Evaluate == "" {
		opts.Evaluate = "test"
	}
	var specs []Spec
	for _, p := range presets {
		specs = append(specs, spec(t, p))
	}
	g, err := Generate(t.Context(), ds, specs, opts)
	if err != nil {
		t.Fatal(err)
	}
	return g, opts
}

// tree reads every file below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func lines[T any](t *testing.T, text string) []T {
	t.Helper()
	var out []T
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var v T
		dec := json.NewDecoder(bytes.NewReader(sc.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%v in %s", err, sc.Text())
		}
		out = append(out, v)
	}
	return out
}

func TestGenerateWritesTheFilesOfTheContract(t *testing.T) {
	a, b := dataset("alpha", "shared.space", 12), dataset("beta", "shared.space", 6)
	g, opts := generate(t, []Dataset{a, b}, GenerateOptions{}, "full_context", "graph_text_hybrid")
	files := tree(t, opts.Out)
	var names []string
	for n := range files {
		if !strings.Contains(n, "visible_graphs/") {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	var want []string
	for _, ablation := range []string{"full_context", "graph_text_hybrid"} {
		for _, f := range []string{"dev.jsonl", "inputs.jsonl", "label_spaces.json", "tasks.jsonl", "train.jsonl"} {
			want = append(want, ablation+"/"+f)
		}
	}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
	if files["full_context/inputs.jsonl"] != files["full_context/tasks.jsonl"] {
		t.Error("tasks.jsonl differs from inputs.jsonl")
	}
	if fi, err := os.Stat(filepath.Join(opts.Out, "full_context", "inputs.jsonl")); err != nil || fi.Mode().Perm() != 0o644 {
		t.Errorf("inputs.jsonl has mode %v, %v", fi.Mode(), err)
	}
	inputs := lines[task.Task](t, files["full_context/inputs.jsonl"])
	if len(inputs) != 40 || inputs[0].ID != "alpha:e10:r0.10" || inputs[39].ID != "beta:e5:r1.00" {
		t.Fatalf("%d inputs from %s to %s", len(inputs), inputs[0].ID, inputs[len(inputs)-1].ID)
	}
	if s := inputs[0].Contract.ClosedIntent.LabelSpace; s != "alpha/shared.space" {
		t.Errorf("two datasets with other data share label space %q", s)
	}
	if !strings.Contains(files["full_context/inputs.jsonl"], `"visible_graph_path":null`) {
		t.Error("an ablation without a graph names one")
	}
	gold := tree(t, opts.Out+".gold")
	records := lines[GoldRecord](t, gold["gold.jsonl"])
	if len(records) != len(inputs) || g.Gold != len(records) {
		t.Fatalf("%d gold lines, %d tasks", len(records), len(inputs))
	}
	for i, r := range records {
		if r.TaskID != inputs[i].ID || r.PrefixStepCount != inputs[i].PrefixStepCount || r.Split != "test" || r.Lists != nil ||
			r.IntentModes.Closed.LabelSpace != inputs[i].Contract.ClosedIntent.LabelSpace {
			t.Errorf("gold %+v, task %+v", r, inputs[i])
		}
	}
	if _, ok := gold["task_ids.jsonl"]; ok {
		t.Error("task_ids.jsonl without a neutral id")
	}
	var es EvaluationSpec
	if err := json.Unmarshal([]byte(gold["evaluation_spec.json"]), &es); err != nil || len(es.Grid) != 10 || len(es.Datasets) != 2 || es.Datasets[1].Tasks != 20 {
		t.Errorf("evaluation spec %+v, %v", es, err)
	}
	for name, text := range files {
		if strings.HasSuffix(name, "train.jsonl") || strings.HasSuffix(name, "dev.jsonl") || strings.HasSuffix(name, "label_spaces.json") {
			continue
		}
		if strings.Contains(text, "GOLD") {
			t.Errorf("%s holds gold", name)
		}
	}
}

func TestTrainAndDevHoldDistinctPrefixesWithAnswers(t *testing.T) {
	d := dataset("alpha", "s", 12)
	_, opts := generate(t, []Dataset{d}, GenerateOptions{}, "full_context")
	files := tree(t, opts.Out)
	train := lines[ExampleRecord](t, files["full_context/train.jsonl"])
	if want := 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9; len(train) != want {
		t.Errorf("%d training examples, want %d", len(train), want)
	}
	for _, e := range train {
		if e.Task.DuplicatePrefix || e.OpenIntent == "" || e.ClosedIntent == "" {
			t.Errorf("example %+v", e)
		}
	}
	if dev := lines[ExampleRecord](t, files["full_context/dev.jsonl"]); len(dev) != 10 || dev[0].Task.EpisodeID != "e9" {
		t.Errorf("dev examples %+v", dev)
	}
	var spaces map[string]task.LabelSpace
	if err := json.Unmarshal([]byte(files["full_context/label_spaces.json"]), &spaces); err != nil {
		t.Fatal(err)
	}
	want := map[string]task.LabelSpace{"s": {Labels: []string{"GOLDLABEL0", "GOLDLABEL1", "GOLDLABEL2"}, SeenInTrain: []string{"GOLDLABEL0", "GOLDLABEL1", "GOLDLABEL2"}}}
	if diff := cmp.Diff(want, spaces); diff != "" {
		t.Error(diff)
	}
}

// graphOf follows the path of a task to its graph.
func graphOf(t *testing.T, files map[string]string, ablation string, v task.Task) task.Graph {
	t.Helper()
	if v.VisibleGraphPath == nil {
		t.Fatalf("%s has no graph", v.ID)
	}
	var g task.Graph
	text := files[ablation+"/"+*v.VisibleGraphPath]
	if file, line, ok := strings.Cut(*v.VisibleGraphPath, "#"); ok {
		n, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		text = strings.Split(files[ablation+"/visible_graphs/"+file], "\n")[n-1]
	}
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		t.Fatalf("%s: %v in %q", *v.VisibleGraphPath, err, text)
	}
	return g
}

func TestEveryTaskFindsItsGraphInBothForms(t *testing.T) {
	d := dataset("alpha", "s", 12)
	for _, form := range []string{GraphsFiles, GraphsJSONL} {
		for _, evaluate := range []string{"test", "all", "dev"} {
			for _, preset := range []string{"visible_graph_only", "hidden"} {
				opts := GenerateOptions{Out: filepath.Join(t.TempDir(), "out"), Grid: task.Grid(), Graphs: form, Evaluate: evaluate}
				s := spec(t, "visible_graph_only")
				if preset == "hidden" {
					s = Compose(s, spec(t, "hide_ratio"))
				}
				s.Name = preset
				g, err := Generate(t.Context(), []Dataset{d}, []Spec{s}, opts)
				if err != nil {
					t.Fatal(err)
				}
				files := tree(t, opts.Out)
				tasks := lines[task.Task](t, files[preset+"/inputs.jsonl"])
				for _, f := range []string{"train.jsonl", "dev.jsonl"} {
					for _, e := range lines[ExampleRecord](t, files[preset+"/"+f]) {
						tasks = append(tasks, e.Task)
					}
				}
				known := map[string]bool{}
				for _, v := range tasks {
					known[v.ID] = true
					graph := graphOf(t, files, preset, v)
					steps := 0
					for _, n := range graph.Nodes {
						if n.Type == "step" {
							steps++
						}
					}
					if graph.TaskID != v.ID || steps != v.PrefixStepCount {
						t.Fatalf("%s, %s, %s: task %s finds the graph of %s with %d steps for %d", form, evaluate, preset, v.ID, graph.TaskID, steps, v.PrefixStepCount)
					}
				}
				if g.Variants[0].Graphs != len(known) {
					t.Errorf("%s, %s, %s: %d graphs for %d tasks", form, evaluate, preset, g.Variants[0].Graphs, len(known))
				}
			}
		}
	}
}

func TestOutputIsTheSameForEveryNumberOfWorkersAndAgain(t *testing.T) {
	ds := []Dataset{dataset("alpha", "s", 40), dataset("beta", "s", 7)}
	presets := []string{"graph_text_hybrid", "shuffled_steps", "hide_ratio", "actions_only"}
	_, one := generate(t, ds, GenerateOptions{Workers: 1, Graphs: GraphsJSONL}, presets...)
	_, many := generate(t, ds, GenerateOptions{Workers: 13, Graphs: GraphsJSONL}, presets...)
	a, b := tree(t, one.Out), tree(t, many.Out)
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(tree(t, one.Out+".gold"), tree(t, many.Out+".gold")); d != "" {
		t.Error(d)
	}
	generate(t, ds, one, presets...)
	if d := cmp.Diff(a, tree(t, one.Out)); d != "" {
		t.Errorf("a second run into the same folder differs: %s", d)
	}
}

func TestASecondRunLeavesNoOldGraph(t *testing.T) {
	d := dataset("alpha", "s", 12)
	_, opts := generate(t, []Dataset{d}, GenerateOptions{Graphs: GraphsFiles}, "graph_text_hybrid")
	opts.Graphs = GraphsJSONL
	generate(t, []Dataset{d}, opts, "graph_text_hybrid")
	entries, err := os.ReadDir(filepath.Join(opts.Out, "graph_text_hybrid", "visible_graphs"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "graphs.jsonl" {
		t.Errorf("graphs %v, %v", entries, err)
	}
}

func TestManyGraphsGoIntoOneFile(t *testing.T) {
	d := dataset("alpha", "s", 520)
	for i := range d.Episodes {
		d.Episodes[i].Steps = d.Episodes[i].Steps[:min(10, i+1)]
	}
	_, opts := generate(t, []Dataset{d}, GenerateOptions{}, "graph_structure_only")
	entries, err := os.ReadDir(filepath.Join(opts.Out, "graph_structure_only", "visible_graphs"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "graphs.jsonl" {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

func TestNeutralIdsMapBackAndHideTheOrder(t *testing.T) {
	d := dataset("alpha", "s", 40)
	_, opts := generate(t, []Dataset{d}, GenerateOptions{}, "full_context", "hide_ratio")
	files, gold := tree(t, opts.Out), tree(t, opts.Out+".gold")
	back := map[string]string{}
	for _, r := range lines[TaskIDRecord](t, gold["task_ids.jsonl"]) {
		back[r.NeutralID] = r.TaskID
	}
	want := map[string]int{}
	for _, v := range lines[task.Task](t, files["full_context/inputs.jsonl"]) {
		want[v.ID] = v.PrefixStepCount
	}
	inputs := lines[task.Task](t, files["hide_ratio/inputs.jsonl"])
	sorted := true
	for i, v := range inputs {
		if k, ok := want[back[v.ID]]; !ok || k != v.PrefixStepCount {
			t.Errorf("%s maps to %q", v.ID, back[v.ID])
		}
		sorted = sorted && (i == 0 || inputs[i-1].EpisodeID != v.EpisodeID || inputs[i-1].PrefixStepCount <= v.PrefixStepCount)
	}
	if len(inputs) != len(want) || len(back) != len(want) {
		t.Errorf("%d inputs, %d neutral ids, %d tasks", len(inputs), len(back), len(want))
	}
	if sorted {
		t.Error("the order of the lines tells the ratio")
	}
	if text := files["hide_ratio/inputs.jsonl"] + files["hide_ratio/train.jsonl"]; strings.Contains(text, "prefix_ratio") || strings.Contains(text, ":r0.") {
		t.Error("a ratio is visible")
	}
}

func TestFoldsAndNamedListsAreKeptApart(t *testing.T) {
	d := dataset("alpha", "s", 12)
	d.Fold.Tests = []partition.Part{{Name: "test_web", Episodes: []int{10, 11}}, {Name: "test_task", Episodes: []int{11}}}
	g, opts := generate(t, []Dataset{d}, GenerateOptions{Fold: 2, Evaluate: "all"}, "full_context")
	if g.GoldDir != filepath.Join(opts.Out+".gold", "fold-2") {
		t.Errorf("gold is in %s", g.GoldDir)
	}
	if _, err := os.Stat(filepath.Join(opts.Out, "fold-2", "full_context", "inputs.jsonl")); err != nil {
		t.Error(err)
	}
	got := map[string]string{}
	for _, r := range lines[GoldRecord](t, tree(t, g.GoldDir)["gold.jsonl"]) {
		got[r.EpisodeID] = r.Split + " " + strings.Join(r.Lists, " ")
	}
	if d := cmp.Diff(map[string]string{"e9": "dev ", "e10": "test test_web", "e11": "test test_web test_task"}, got); d != "" {
		t.Error(d)
	}
}

func TestGenerateRefusesWhatWouldLeakOrMeansNothing(t *testing.T) {
	good := dataset("alpha", "s", 12)
	dir := t.TempDir()
	if err := os.Symlink(dir, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	inTwo := dataset("alpha", "s", 12)
	inTwo.Fold.Train = append(inTwo.Fold.Train, 11)
	noTest := dataset("alpha", "s", 12)
	noTest.Fold.Tests = nil
	outside := dataset("alpha", "s", 12)
	outside.Fold.Dev = []int{12}
	twin := dataset("alpha", "s", 12)
	twin.Episodes[3].ID = "e4"
	stray := dataset("alpha", "s", 12)
	stray.Episodes[3].Dataset = "beta"
	full := []Spec{spec(t, "full_context")}
	for name, c := range map[string]struct {
		ds     []Dataset
		specs  []Spec
		change func(*GenerateOptions)
		want   string
	}{
		"gold below out":        {[]Dataset{good}, full, func(o *GenerateOptions) { o.GoldOut = filepath.Join(o.Out, "gold") }, "lies in the model-visible"},
		"gold is out":           {[]Dataset{good}, full, func(o *GenerateOptions) { o.GoldOut = o.Out }, "lies in the model-visible"},
		"gold below by a link":  {[]Dataset{good}, full, func(o *GenerateOptions) { o.GoldOut = filepath.Join(dir, "link", "out", "g") }, "lies in the model-visible"},
		"out below gold":        {[]Dataset{good}, full, func(o *GenerateOptions) { o.GoldOut = dir }, "lies in the gold folder"},
		"no out":                {[]Dataset{good}, full, func(o *GenerateOptions) { o.Out = "" }, "no output folder"},
		"no grid":               {[]Dataset{good}, full, func(o *GenerateOptions) { o.Grid = nil }, "grid is empty"},
		"unknown part":          {[]Dataset{good}, full, func(o *GenerateOptions) { o.Evaluate = "train" }, "want test, dev or all"},
		"unknown form":          {[]Dataset{good}, full, func(o *GenerateOptions) { o.Graphs = "zip" }, "want files or jsonl"},
		"empty part":            {[]Dataset{noTest}, full, func(*GenerateOptions) {}, "test part is empty"},
		"trained and evaluated": {[]Dataset{inTwo}, full, func(*GenerateOptions) {}, "in train and evaluated"},
		"episode out of range":  {[]Dataset{outside}, full, func(*GenerateOptions) {}, "episode 12 of 12"},
		"two episodes one id":   {[]Dataset{twin}, full, func(*GenerateOptions) {}, "two episodes"},
		"episode of another":    {[]Dataset{stray}, full, func(*GenerateOptions) {}, "of dataset beta"},
		"two datasets one name": {[]Dataset{good, good}, full, func(*GenerateOptions) {}, "both called"},
		"two ablations":         {[]Dataset{good}, append(full, full...), func(*GenerateOptions) {}, "two ablations"},
		"no name":               {[]Dataset{good}, []Spec{{Text: AllChannels()}}, func(*GenerateOptions) {}, "name of a folder"},
		"name climbs":           {[]Dataset{good}, []Spec{{Name: "..", Text: AllChannels()}}, func(*GenerateOptions) {}, "name of a folder"},
		"shows nothing":         {[]Dataset{good}, []Spec{{Name: "x"}}, func(*GenerateOptions) {}, "neither text nor graph"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := GenerateOptions{Out: filepath.Join(dir, "out"), Grid: task.Grid(), Evaluate: "test"}
			c.change(&opts)
			if _, err := Generate(t.Context(), c.ds, c.specs, opts); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error with %q, got %v", c.want, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
				t.Error("something was written")
			}
		})
	}
}

func TestGenerateStopsWithItsContextAndLeavesNoHalfFile(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := filepath.Join(t.TempDir(), "out")
	_, err := Generate(ctx, []Dataset{dataset("alpha", "s", 12)}, []Spec{spec(t, "graph_text_hybrid")}, GenerateOptions{Out: out, Grid: task.Grid(), Evaluate: "test"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("want a context error, got %v", err)
	}
	// Cancelled between the files of an ablation, too.
	g, err := newGeneration([]Dataset{dataset("alpha", "s", 12)}, []Spec{spec(t, "graph_text_hybrid")}, GenerateOptions{Out: out, Grid: task.Grid(), Evaluate: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.writeVariant(ctx, spec(t, "graph_text_hybrid")); !errors.Is(err, context.Canceled) {
		t.Errorf("want a context error, got %v", err)
	}
	for _, dir := range []string{out, out + ".gold"} {
		if _, err := os.Stat(dir); err == nil {
			if files := tree(t, dir); len(files) > 0 {
				t.Errorf("files are left: %v", files)
			}
		}
	}
}

func TestInOrderReportsTheFirstErrorAndPanics(t *testing.T) {
	boom := errors.New("boom")
	for _, workers := range []int{1, 4} {
		var got []int
		err := inOrder(t.Context(), 100, workers, func(i int) (int, error) {
			if i >= 30 {
				return 0, fmt.Errorf("value %d: %w", i, boom)
			}
			return i, nil
		}, func(i int) error { got = append(got, i); return nil })
		if !errors.Is(err, boom) || !strings.Contains(err.Error(), "value 30:") || len(got) != 30 || !slices.IsSorted(got) {
			t.Errorf("%d workers: %v after %v", workers, err, got)
		}
		err = inOrder(t.Context(), 10, workers, func(i int) (int, error) { panic("no") }, func(int) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "no") {
			t.Errorf("%d workers: a panic gives %v", workers, err)
		}
	}
}

func TestGraphFileNamesAreSafeAndDifferent(t *testing.T) {
	for id, want := range map[string]string{
		"web:e1:r0.10":    "web~e1~r0.10.json",
		"web:a%3Ab:r1.00": "web~a%253Ab~r1.00~",
		"web:ä b:r0.10":   "web~%c3%a4%20b~r0.10.json",
	} {
		if got := GraphFileName(id); !strings.HasPrefix(got, want) {
			t.Errorf("%q is written to %q, want %q", id, got, want)
		}
	}
	long := GraphFileName("web:" + strings.Repeat("x", 500) + ":r0.10")
	if len(long) > 255 || long == GraphFileName("web:"+strings.Repeat("x", 500)+":r0.20") {
		t.Errorf("long id is written to %q", long)
	}
	if a, b := GraphFileName("w:A:r0.10"), GraphFileName("w:a:r0.10"); strings.EqualFold(a, b) {
		t.Errorf("%q and %q are one file where case is ignored", a, b)
	}
}

func TestLabelSpacesAreSharedOnlyByTheSameData(t *testing.T) {
	a, b, c := dataset("a", "s", 6), dataset("b", "s", 6), dataset("c", "other", 6)
	for _, x := range []struct {
		prints [2]string
		want   string
	}{{[2]string{"p", "p"}, "s s other"}, {[2]string{"p", "q"}, "a/s b/s other"}, {[2]string{"", ""}, "a/s b/s other"}} {
		a.Fingerprint, b.Fingerprint = x.prints[0], x.prints[1]
		name := NameLabelSpaces([]Dataset{a, b, c})
		if got := name("a", "s") + " " + name("b", "s") + " " + name("c", "other"); got != x.want {
			t.Errorf("fingerprints %q: %s, want %s", x.prints, got, x.want)
		}
	}
	c.Fold.Train = []int{0}
	c.Episodes[1].ClosedIntent = ""
	got := LabelSpaces([]Dataset{c})
	want := []task.LabelSpace{{Name: "other", Labels: []string{"GOLDLABEL0", "GOLDLABEL1", "GOLDLABEL2"}, SeenInTrain: []string{"GOLDLABEL0"}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestExamplesCanBeReadTwiceAndWeighEpisodesEqually(t *testing.T) {
	d := dataset("alpha", "s", 12)
	ex := Examples(d.Episodes, d.Fold.Train, task.Grid(), spec(t, "full_context"), nil)
	var first, second []task.Example
	for e, err := range ex(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		first = append(first, e)
	}
	for e, err := range ex(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		second = append(second, e)
	}
	if d := cmp.Diff(first, second); d != "" {
		t.Error(d)
	}
	weight := map[string]float64{}
	for _, e := range first {
		weight[e.Task.EpisodeID] += e.Weight
	}
	for id, w := range weight {
		if w < 1-1e-12 || w > 1+1e-12 {
			t.Errorf("episode %s weighs %g", id, w)
		}
	}
	if len(weight) != len(d.Fold.Train) {
		t.Errorf("%d episodes, want %d", len(weight), len(d.Fold.Train))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range ex(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("want a context error, got %v", err)
		}
	}
}
