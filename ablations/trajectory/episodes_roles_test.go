package trajectory

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"intentlab/ablations/task"
)

// roles are settings with id and steps filled in, changed by more.
func roles(more func(*EpisodeFields)) *EpisodesOptions {
	f := &EpisodeFields{ID: "id", Steps: "steps"}
	if more != nil {
		more(f)
	}
	return &EpisodesOptions{Fields: f}
}

// readRoles reads files, by name, with field roles.
func readRoles(t *testing.T, o *EpisodesOptions, v Visibility, files map[string]string) ([]Episode, []Skip, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return collect(Source{Format: "episodes", Path: dir, Options: o, Visibility: v})
}

func TestRolesShowWhatTheySay(t *testing.T) {
	o := &EpisodesOptions{Fields: &EpisodeFields{
		ID: "episode_id", Open: "goal", Closed: "app.category", Cluster: "user", Lists: "split", Groups: map[string]string{"user": "user", "template": "template"},
		Steps: "actions", Visible: []string{"device.platform", "device.size", "n"}, Profile: []string{"age"}, Target: []string{"template"},
		Determines: []string{"app.package"}, Future: []string{"length"}, Apps: "all_apps",
		Step: &StepFields{Op: "type", Ops: map[string]string{"5": "back"}, Element: "node.text", Value: "text", URL: "page", Utterance: "say", Speaker: "who", App: "app",
			Target: []string{"thought"}, Determines: []string{"page", "app"}},
	}}
	files := map[string]string{"a.jsonl": `{"episode_id":17,"goal":" Book it ","app":"{\"category\":\"Travel\",\"package\":\"com.t\",\"vendor\":1}","user":3,"split":"train","template":"book x","n":1.50,` +
		`"device":{"platform":"android","size":{"w":1, "h":2},"serial":null},"age":20,"length":3,"all_apps":["Maps","Mail"],"secret":"s",` +
		`"actions":"[{\"say\":\"Hello\",\"who\":\"instructor\"},{\"type\":5},{\"type\":\"CLICK\",\"node\":{\"text\":\"Go\"},\"text\":null,\"page\":\"http://x\",\"app\":\"Maps\",\"thought\":\"I book\",\"x\":3}]"}` + "\r\n"}
	episodes, skips, err := readRoles(t, o, Safe, files)
	if err != nil {
		t.Fatal(err)
	}
	want := Episode{Dataset: "d", ID: "17", ClusterID: "3", OpenIntent: "Book it", ClosedIntent: "Travel", LabelSpace: "episodes.app.category",
		Metadata: map[string]string{"device.platform": "android", "device.size": `{"w":1,"h":2}`, "n": "1.50"}, Profile: map[string]string{"age": "20"},
		Groups: map[string]string{"user": "3", "template": "book x"}, Lists: []string{"train"},
		Steps: []task.Step{{Index: 0, Kind: "utterance", Speaker: "instructor", Utterance: "Hello"}, {Index: 1, Kind: "action", Op: "back", Action: "back"},
			{Index: 2, Kind: "action", Op: "click", Action: "click Go", Element: "Go"}},
	}
	if d := cmp.Diff([]Episode{want}, episodes); d != "" {
		t.Errorf("safe (-want +got):\n%s", d)
	}
	noRole := []Skip{}
	for _, s := range skips {
		noRole = append(noRole, Skip{Reason: s.Reason, Where: s.Where, Count: s.Count})
	}
	if d := cmp.Diff([]Skip{{Reason: NoRole, Where: "actions[].x", Count: 1}, {Reason: NoRole, Where: "app.vendor", Count: 1}, {Reason: NoRole, Where: "device.serial", Count: 1}, {Reason: NoRole, Where: "secret", Count: 1}}, noRole); d != "" {
		t.Errorf("fields without a role (-want +got):\n%s", d)
	}
	episodes, _, err = readRoles(t, o, AsPublished, files)
	if err != nil {
		t.Fatal(err)
	}
	want.Metadata["app.package"], want.Metadata["length"], want.Apps = "com.t", "3", []string{"Maps", "Mail"}
	want.Steps[2].URL, want.Steps[2].App = "http://x", "Maps"
	if d := cmp.Diff([]Episode{want}, episodes); d != "" {
		t.Errorf("as_published (-want +got):\n%s", d)
	}
}

func TestRolesReadTheFormsOfNeighbouringDatasets(t *testing.T) {
	for name, c := range map[string]struct {
		o     *EpisodesOptions
		files map[string]string
		want  []string // id: actions of its steps
	}{
		"a JSON array": {roles(nil), map[string]string{"a.json": `[{"id":"a","steps":["x","y"]},{"id":"b","steps":["z"]}]`}, []string{"a: x, y", "b: z"}},
		"JSON lines in a file named json": {roles(nil), map[string]string{"a.json": "{\"id\":\"a\",\"steps\":[\"x\"]}\n{\"id\":\"b\",\"steps\":[\"z\"]}\n"},
			[]string{"a: x", "b: z"}},
		"parallel lists (AndroidControl)": {roles(func(f *EpisodeFields) {
			f.Steps, f.Step = "", &StepFields{Op: "actions[].action_type", Value: "actions[].text", Utterance: "step_instructions[]"}
		}), map[string]string{"a.ndjson": `{"id":1,"actions":["{\"action_type\":\"click\"}","{\"action_type\":\"input_text\",\"text\":\"hi\"}"],"step_instructions":["Tap","Type"]}`},
			[]string{"1: click, input_text hi"}},
		"a row a step, ordered by a number (AITW)": {roles(func(f *EpisodeFields) {
			f.Rows, f.Steps, f.Step = "step", "", &StepFields{Index: "step_id", Op: "results/action_type", Value: "type_action", Ops: map[string]string{"3": "type", "5": "back"}}
		}), map[string]string{"part_1.jsonl": `{"id":"a","step_id":1,"results/action_type":5}` + "\n" + `{"id":"a","step_id":"0","results/action_type":3,"type_action":"q"}` + "\n" + `{"id":"b","step_id":7,"results/action_type":4}`,
			"part_2.jsonl": `{"id":"b","step_id":9.0,"results/action_type":5}`}, []string{"a: type q, back", "b: 4, back"}},
		"a row a step in the order of the file": {roles(func(f *EpisodeFields) {
			f.Rows, f.Steps, f.Step = "step", "", &StepFields{Action: "do"}
		}), map[string]string{"a.jsonl": `{"id":"a","do":"x"}` + "\n" + `{"id":"a","do":"y"}` + "\n" + `{"id":"b","do":"z"}`}, []string{"a: x, y", "b: z"}},
		"nested trajectories (AgentNet)": {roles(func(f *EpisodeFields) {
			f.Steps, f.Step = "traj", &StepFields{Action: "value.code", Target: []string{"value.thought"}}
		}), map[string]string{"a.jsonl": `{"id":"a","traj":[{"index":1,"value":{"code":"click(1)\nwait()","thought":"t"}}]}`}, []string{"a: click(1)\nwait()"}},
		"flattened tables": {roles(func(f *EpisodeFields) {
			f.Closed, f.Steps = "meta.domain", "meta.steps"
		}), map[string]string{"a.jsonl": `{"id":"a","meta.domain":"x","meta.steps":["s"]}`}, []string{"a: s"}},
		"an element of a list": {roles(func(f *EpisodeFields) { f.Closed = "sites.0" }), map[string]string{"a.jsonl": `{"id":"a","sites":["shop","map"],"steps":["s"]}`}, []string{"a: s"}},
		"an id that tells the goal": {roles(func(f *EpisodeFields) { f.Open, f.HashID = "id", true }), map[string]string{"a.jsonl": `{"id":"go to search","steps":["s"]}`},
			[]string{"d7f342c7b06a0786: s"}},
	} {
		t.Run(name, func(t *testing.T) {
			episodes, _, err := readRoles(t, c.o, Safe, c.files)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range episodes {
				var actions []string
				for _, s := range e.Steps {
					actions = append(actions, s.Action)
				}
				got = append(got, e.ID+": "+strings.Join(actions, ", "))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestRolesNameTheRecordOfAMistake(t *testing.T) {
	step := func(s *StepFields) func(*EpisodeFields) { return func(f *EpisodeFields) { f.Step = s } }
	rows := func(f *EpisodeFields) {
		f.Rows, f.Steps, f.Open, f.Step = "step", "", "goal", &StepFields{Index: "n", Action: "do"}
	}
	const good = `{"id":"a","steps":["x"]}` + "\n"
	for _, c := range []struct {
		more       func(*EpisodeFields)
		file, text string
		want       string
	}{
		{nil, "a.jsonl", good + `{"id":"b","steps":["x"]`, "a.jsonl:2: broken JSON: the line ends in the middle of a value"},
		{nil, "a.jsonl", good + `{"id":"b","steps":["x"]} {"id":"c"}`, "a.jsonl:2: broken JSON: more data"},
		{nil, "a.jsonl", good + `["id"]`, "a.jsonl:2: not a JSON object"},
		{nil, "a.jsonl", good + `{"steps":["x"]}`, `a.jsonl:2: the record has no "id" (fields.id)`},
		{nil, "a.jsonl", `{"ids":"b","steps":["x"]}`, `1 skipped as not_of_this_format (`},
		{nil, "a.jsonl", `{"ids":"b","steps":["x"]}`, `its first record: the record has no "id" (fields.id); did you mean "ids"?)`},
		{nil, "a.jsonl", good + `{"id":{"x":1},"steps":["x"]}`, `a.jsonl:2: field "id": want a text, not a JSON object`},
		{nil, "a.jsonl", good + `{"id":"b","steps":{"x":1}}`, `a.jsonl:2: field "steps": want a list of steps`},
		{nil, "a.jsonl", good + `{"id":"b","steps":[{"x":1}]}`, `a.jsonl:2: step 0: field "steps[]": want a text, not a JSON object`},
		{nil, "a.jsonl", good + `{"id":"b","steps":"[\"x\""}`, `a.jsonl:2: field "steps": its text begins like JSON and is broken`},
		{nil, "a.json", `[{"id":"a","steps":["x"]},{"id":"b","steps":1}]`, `a.json: record 1: field "steps": want a list of steps`},
		{nil, "a.json", `[{"id":"a","steps":["x"]},{"id":`, `a.json: byte 31: broken JSON`},
		{nil, "a.json", `{"train":["a"]}`, `1 skipped as not_of_this_format`},
		{nil, "a.json", ``, `1 skipped as not_of_this_format`},
		{step(&StepFields{Op: "op"}), "a.jsonl", good, `a.jsonl:1: step 0: it is no object, as the step block says`},
		{step(&StepFields{Op: "op"}), "a.jsonl", `{"id":"b","steps":[{"op":{"a":[{"TARGET":1}]}}]}`, `field "steps[].op" holds a field named target`},
		{step(&StepFields{Op: "op"}), "a.jsonl", `{"id":"b","steps":[{"op":"{\"target\":1}"}]}`, `field "steps[].op" holds a field named target`},
		{step(&StepFields{Op: "opp"}), "a.jsonl", `{"id":"b","steps":[{"op":"x"}]}`, `no record has a field "steps[].opp" (fields.step.op); did you mean "steps[].op"?`},
		{func(f *EpisodeFields) { f.Visible = []string{"meta.plattform"} }, "a.jsonl", `{"id":"b","steps":["x"],"meta":{"platform":"x"}}`, `no record has a field "meta.plattform" (fields.visible[0]); did you mean "meta.platform"?`},
		{func(f *EpisodeFields) { f.Future = []string{"x"} }, "a.jsonl", good, `no record has a field "x" (fields.future[0])`},
		{func(f *EpisodeFields) { f.Steps = "step" }, "a.jsonl", good, `no record has a field "step" (fields.steps); did you mean "steps"?`},
		{func(f *EpisodeFields) { f.Steps, f.Step = "", &StepFields{Op: "a[]", Value: "b[]"} }, "a.jsonl", `{"id":"b","a":["x"],"b":["y","z"]}`, `"a" has 1 elements and "b" has 2: parallel lists must be of one length`},
		{rows, "a.jsonl", `{"id":"a","goal":"g","n":1,"do":"x"}` + "\n" + `{"id":"a","goal":"h","n":2,"do":"y"}`, `a.jsonl:2: field "goal" of episode a is "h" here and "g" at `},
		{rows, "a.jsonl", `{"id":"a","n":1,"do":"x"}` + "\n" + `{"id":"a","goal":"h","n":2,"do":"y"}`, `a.jsonl:2: field "goal" of episode a stands here and not in the first row`},
		{rows, "a.jsonl", `{"id":"a","goal":"g","n":1,"do":"x"}` + "\n" + `{"id":"a","n":1,"do":"y"}`, `episode a has step 1 twice: `},
		{rows, "a.jsonl", `{"id":"a","goal":"g","n":"one","do":"x"}`, `a.jsonl:1: field "n": want a whole number, not "one"`},
		{rows, "a.jsonl", `{"id":"a","goal":"g","n":1,"do":"x"}` + "\n" + `{"id":"b","n":1,"do":"x"}` + "\n" + `{"id":"a","n":2,"do":"x"}`, `a.jsonl:3: the rows of episode a do not stand together`},
	} {
		_, _, err := readRoles(t, roles(c.more), Safe, map[string]string{c.file: c.text})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q: error %v, want %q", c.file, c.text, err, c.want)
		}
	}
}

func TestContradictingRolesAreRefused(t *testing.T) {
	for _, c := range []struct {
		more          func(*EpisodeFields)
		setting, want string
	}{
		{func(f *EpisodeFields) { f.ID = "" }, "fields.id", "must name a field"},
		{func(f *EpisodeFields) { f.Rows = "turn" }, "fields.rows", "want"},
		{func(f *EpisodeFields) { f.Visible = []string{"a", ""} }, "fields.visible[1]", "names no field"},
		{func(f *EpisodeFields) { f.Visible, f.Target = []string{"a"}, []string{"b", "a"} }, "fields.target[1]", `"a" has a role already (fields.visible[0])`},
		{func(f *EpisodeFields) { f.Visible, f.Future = []string{"a"}, []string{"a.b"} }, "fields.future[0]", `"a.b" lies in "a"`},
		{func(f *EpisodeFields) { f.Visible, f.Determines = []string{"a.b"}, []string{"a"} }, "fields.determines[0]", `"a" holds "a.b"`},
		{func(f *EpisodeFields) { f.Open, f.Visible = "goal", []string{"goal"} }, "fields.visible[0]", `"goal" is the answer (fields.open)`},
		{func(f *EpisodeFields) { f.Closed, f.Determines = "app.category", []string{"app"} }, "fields.determines[0]", `"app" would show the answer "app.category" (fields.closed)`},
		{func(f *EpisodeFields) { f.Visible = []string{"Target"} }, "fields.visible[0]", "may never be visible"},
		{func(f *EpisodeFields) { f.Future = []string{"a.target.b"} }, "fields.future[0]", "may never be visible"},
		{func(f *EpisodeFields) { f.Visible = []string{"apps"} }, "fields.visible[0]", "use fields.apps"},
		{func(f *EpisodeFields) { f.Visible = []string{"steps"} }, "fields.visible[0]", "all of them at once"},
		{func(f *EpisodeFields) { f.Future = []string{"steps.1"} }, "fields.future[0]", "all of them at once"},
		{func(f *EpisodeFields) { f.Groups = map[string]string{"cluster": "c"} }, "fields.groups[cluster]", "another name"},
		{func(f *EpisodeFields) { f.Open = "id" }, "fields.id", "hash_id = true"},
		{func(f *EpisodeFields) { f.Steps = "" }, "fields", "say where the steps are"},
		{func(f *EpisodeFields) { f.Step = &StepFields{Target: []string{"x"}} }, "fields.step", "says nothing"},
		{func(f *EpisodeFields) { f.Steps, f.Step = "", &StepFields{Op: "op"} }, "fields.step", "parallel lists"},
		{func(f *EpisodeFields) { f.Steps, f.Step = "", &StepFields{Op: "a[]", Value: "b"} }, "fields.step.value", `"b" is no list of steps`},
		{func(f *EpisodeFields) { f.Steps, f.Step = "", &StepFields{Op: "a[]b"} }, "fields.step.op", "want LIST[]"},
		{func(f *EpisodeFields) { f.Step = &StepFields{Op: "a[]"} }, "fields.step.op", "relative to an element"},
		{func(f *EpisodeFields) { f.Step = &StepFields{Op: "op", Index: "n"} }, "fields.step.index", "only rows of steps"},
		{func(f *EpisodeFields) { f.Step = &StepFields{Op: "op", Target: []string{"op"}} }, "fields.step.target[0]", "has a role already"},
		{func(f *EpisodeFields) { f.Step = &StepFields{Op: "op.target"} }, "fields.step.op", "may never be visible"},
		{func(f *EpisodeFields) { f.Rows = "step"; f.Step = &StepFields{Op: "op"} }, "fields.steps", "a step already"},
		{func(f *EpisodeFields) { f.Rows, f.Steps = "step", "" }, "fields.rows", "need a step block"},
		{func(f *EpisodeFields) {
			f.Rows, f.Steps, f.Open, f.Step = "step", "", "goal", &StepFields{Utterance: "goal"}
		}, "fields.step.utterance", `"goal" is the answer`},
		{func(f *EpisodeFields) { f.Rows, f.Steps, f.Step = "step", "", &StepFields{Op: "a[]"} }, "fields.step.op", "parallel lists only"},
	} {
		wrong := roles(c.more).Check()
		if !strings.Contains(wrong[c.setting], c.want) || len(wrong) != 1 {
			t.Errorf("got %q, want %s: …%s…", wrong, c.setting, c.want)
		}
	}
	for _, fine := range []func(*EpisodeFields){
		nil,
		func(f *EpisodeFields) { f.Open, f.Target = "goal", []string{"goal"} },
		func(f *EpisodeFields) {
			f.Step = &StepFields{Op: "op", URL: "url", App: "ctx.app", Determines: []string{"url"}, Future: []string{"ctx"}}
		},
		func(f *EpisodeFields) { f.Cluster, f.Visible = "user", []string{"user"} },
		func(f *EpisodeFields) { f.Closed, f.Open = "goal", "goal" },
	} {
		if wrong := roles(fine).Check(); len(wrong) > 0 {
			t.Errorf("refused: %q", wrong)
		}
	}
}

func TestFieldsWithoutARoleAreBounded(t *testing.T) {
	var members []string
	for i := range maxFieldNames + 50 {
		members = append(members, `"k`+strings.Repeat("x", i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/26)+`":1`)
	}
	_, skips, err := readRoles(t, roles(nil), Safe, map[string]string{"a.jsonl": `{"id":"a","steps":["x"],` + strings.Join(members, ",") + `}`})
	if err != nil || len(skips) != maxFieldNames+1 || skips[len(skips)-1].Where != "…" {
		t.Errorf("%d skips, error %v", len(skips), err)
	}
}

// TestRolesOfTheBenchmarksOwnFormReadTheSame: the normalised form, read by roles, gives the episodes
// that it gives without them.
func TestRolesOfTheBenchmarksOwnFormReadTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e.jsonl")
	write(t, path, `{"episode_id":"a:1","cluster_id":"c","open_intent":"o","closed_intent":"k","closed_label_space":"s","metadata":{"platform":"web"},"steps":[{"op":"click","element":"[a] Go"},{"utterance":"Hi","speaker":"instructor"}]}`)
	o := &EpisodesOptions{Fields: &EpisodeFields{ID: "episode_id", Cluster: "cluster_id", Open: "open_intent", Closed: "closed_intent", LabelSpace: "s", Steps: "steps",
		Visible: []string{"metadata.platform"}, Step: &StepFields{Op: "op", Element: "element", Utterance: "utterance", Speaker: "speaker"}}}
	plain, _ := mustCollect(t, Source{Format: "episodes", Path: path})
	byRole, _ := mustCollect(t, Source{Format: "episodes", Path: path, Options: o})
	byRole[0].Metadata = map[string]string{"platform": byRole[0].Metadata["metadata.platform"]}
	if d := cmp.Diff(plain, byRole); d != "" {
		t.Errorf("(-plain +by role):\n%s", d)
	}
}

func FuzzReadByRoles(f *testing.F) {
	for _, path := range []string{"testdata/episodes/part.jsonl", "testdata/gui_odyssey/annotations/0000000000000001.json"} {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"episode_id":1,"steps":"[{\"op\":{\"a\":[1]},\"element\":\"{}\"},{}]","metadata":{"platform":[null]},"actions":["a"]}`))
	f.Add([]byte(`{"episode_id":"a","op":"x"}` + "\n" + `{"episode_id":"a","op":"y"}`))
	all := []*EpisodesOptions{
		{Fields: &EpisodeFields{ID: "episode_id", Open: "open_intent", Steps: "steps", Visible: []string{"metadata.platform", "x.0"}, Apps: "apps", Step: &StepFields{Op: "op", Element: "element"}}},
		{Fields: &EpisodeFields{ID: "episode_id", Rows: "step", Step: &StepFields{Op: "op", Index: "n"}}},
		{Fields: &EpisodeFields{ID: "episode_id", Step: &StepFields{Op: "actions[]", Value: "steps[].value"}}},
	}
	fuzzFormat(f, func(in *input, out output) error {
		text, err := io.ReadAll(in.r)
		if err != nil {
			return err
		}
		var faults []error // of one form, which say nothing of the others
		for _, o := range all {
			for _, name := range []string{"a.jsonl", "a.json"} {
				again, err := newInput(context.Background(), name, strings.NewReader(string(text)), maxBuffer)
				if err != nil {
					return err
				}
				// Ids of one input differ between the settings, so each has a gate of its own ids.
				r, err := newRoleReader(o, AsPublished, output{skip: out.skip, emit: func(where string, e Episode) error {
					e.ID += name + o.Fields.Rows + o.Fields.Steps
					return out.emit(where, e)
				}})
				if err != nil {
					return err
				}
				if err := r.read(again); err != nil {
					faults = append(faults, err)
				} else if err := r.finish(); err != nil {
					faults = append(faults, err)
				}
			}
		}
		return errors.Join(faults...)
	})
}
