package trajectory

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// quirkTask is one Mind2Web task; more is put behind its members.
func quirkTask(id, domain, goal, reprs, more string) string {
	return fmt.Sprintf(`{"annotation_id":%q,"website":"secretsite","domain":%q,"subdomain":"secretsub","confirmed_task":%q,"action_reprs":[%s]%s}`, id, domain, goal, reprs, more)
}

const clickRepr = `"[button]  Go -> CLICK"`

func m2w(t *testing.T, tasks ...string) Source {
	t.Helper()
	return Source{Format: "mind2web", Path: laid(t, map[string]string{"train/train_0.json": "[" + strings.Join(tasks, ",") + "]"})}
}

func TestQuirksOfMind2Web(t *testing.T) {
	t.Run("1 domains outside of train are labels all the same", func(t *testing.T) {
		root := laid(t, map[string]string{"train/train_0.json": "[" + quirkTask("a", "Travel", "x", clickRepr, "") + "]",
			"test_domain/test_domain_0.json": "[" + quirkTask("b", "Info", "y", clickRepr, "") + "]"})
		eps, _ := mustCollect(t, Source{Format: "mind2web", Path: root})
		if len(eps) != 2 || eps[0].LabelSpace != eps[1].LabelSpace {
			t.Fatalf("%+v", eps)
		}
		for _, e := range eps {
			if want := map[string]string{"a": "train", "b": "test_domain"}[e.ID]; !slices.Equal(e.Lists, []string{want}) || e.ClosedIntent == "" {
				t.Errorf("%s: lists %q, label %q", e.ID, e.Lists, e.ClosedIntent)
			}
		}
	})
	t.Run("2 the website determines the domain and is hidden under safe", func(t *testing.T) {
		src := m2w(t, quirkTask("a", "Travel", "x", clickRepr, ""))
		if e := one(t, src); strings.Contains(shows(e), "secret") {
			t.Errorf("safe shows %s", shows(e))
		}
		src.Visibility = AsPublished
		if e := one(t, src); e.Metadata["website"] != "secretsite" || strings.Contains(shows(e), "secretsub") {
			t.Errorf("as published: %s", shows(e))
		}
	})
	t.Run("3 HOVER and ENTER are told from CLICK", func(t *testing.T) {
		e := one(t, m2w(t, quirkTask("a", "Travel", "x", `"[button]  Go -> HOVER","[button]  Go -> ENTER","[svg]   -> CLICK"`, "")))
		if e.Steps[0].Op != "hover" || e.Steps[1].Op != "enter" || e.Steps[2].Op != "click" || e.Steps[2].Element != "[svg]" {
			t.Errorf("%+v", e.Steps)
		}
	})
	t.Run("4 the task's text may hold a newline in a word, signs and blanks at its ends", func(t *testing.T) {
		e := one(t, m2w(t, quirkTask("a", "Travel", "  until Mar 30, 202\n3 for £5 ", clickRepr, "")))
		if !strings.HasPrefix(e.OpenIntent, "until Mar 30, 202") || !strings.HasSuffix(e.OpenIntent, "for £5") {
			t.Errorf("open intent %q", e.OpenIntent)
		}
	})
	t.Run("5 a task without steps is counted, one of a single step is kept", func(t *testing.T) {
		eps, skips := mustCollect(t, m2w(t, quirkTask("a", "Travel", "x", "", ""), quirkTask("b", "Travel", "x", clickRepr, "")))
		if len(eps) != 1 || eps[0].ID != "b" || len(skips) != 1 || skips[0].Reason != NoSteps {
			t.Errorf("%v, %+v", ids(eps), skips)
		}
	})
	t.Run("6 stripped copies have no actions, or another number of them", func(t *testing.T) {
		two := clickRepr + `,"[textbox]  Name -> TYPE: Ann"`
		if e := one(t, m2w(t, quirkTask("a", "Travel", "x", two, ""))); len(e.Steps) != 2 || e.Steps[1].Value != "Ann" {
			t.Errorf("without actions: %+v", e.Steps)
		}
		if e := one(t, m2w(t, quirkTask("a", "Travel", "x", two, `,"actions":[{"operation":{"op":"CLICK"}}]`))); len(e.Steps) != 2 || !slices.Contains(e.Flags, "action_count_mismatch") {
			t.Errorf("one action for two: %+v, %q", e.Steps, e.Flags)
		}
	})
	t.Run("7 attributes may be an object, JSON text or broken, and positives may be absent or several", func(t *testing.T) {
		act := func(candidates string) string {
			return `,"actions":[{"raw_html":"<secret>","cleaned_html":"<secret>","operation":{"op":"CLICK","original_op":"CLICK","value":""},"pos_candidates":[` + candidates + `],"neg_candidates":[{"tag":"secret","attributes":"{}"}]}]`
		}
		for name, c := range map[string]struct{ repr, candidates, want string }{
			"an object":  {`"[a]   -> CLICK"`, `{"tag":"a","attributes":{"aria_label":"Cart"}}`, "[a] Cart"},
			"JSON text":  {`"[a]   -> CLICK"`, `{"tag":"a","attributes":"{\"aria_label\":\"Cart\"}"}`, "[a] Cart"},
			"broken":     {clickRepr, `{"tag":"a","attributes":"{'aria_label'"}`, "[a]"},
			"none":       {clickRepr, ``, "[button] Go"},
			"the target": {clickRepr, `{"tag":"i","attributes":"{}"},{"tag":"b","is_top_level_target":true,"attributes":"{}"},{"tag":"a","is_original_target":true,"attributes":"{}"}`, "[a]"},
		} {
			e := one(t, m2w(t, quirkTask("a", "Travel", "x", c.repr, act(c.candidates))))
			if !strings.HasPrefix(e.Steps[0].Element, c.want) || strings.Contains(shows(e), "secret") {
				t.Errorf("%s: element %q, want %q", name, e.Steps[0].Element, c.want)
			}
		}
	})
	t.Run("8 the licence is that of the card as it is now", func(t *testing.T) {
		if !strings.Contains(mind2Web.Source, "CC BY 4.0") {
			t.Errorf("source %q", mind2Web.Source)
		}
	})
	t.Run("scores, archives and truth files beside the shards are no tasks", func(t *testing.T) {
		root := laid(t, map[string]string{"train/train_0.json": "[" + quirkTask("a", "Travel", "x", clickRepr, "") + "]", "scores_all_data.pkl": "\x80\x04", "test.zip": "PK\x03\x04", "truth.jsonl": `{"id":1}`})
		eps, skips := mustCollect(t, Source{Format: "mind2web", Path: root})
		if len(eps) != 1 || len(skips) != 3 {
			t.Errorf("%v, %+v", ids(eps), skips)
		}
		for _, s := range skips {
			if s.Reason != NotOfThisFormat || s.Detail == "" {
				t.Errorf("%+v", s)
			}
		}
	})
}

func TestQuirksOfMTMind2Web(t *testing.T) {
	turn := func(goal, reprs, actions string) string {
		return fmt.Sprintf(`{"annotation_id":"same","confirmed_task":%q,"action_reprs":[%s],"actions":[%s]}`, goal, reprs, actions)
	}
	root := laid(t, map[string]string{"test_subdomain/test_subdomain_0.json": `[{"task_id":"conv/1","website":"secretsite","domain":"Travel","subdomain":"secretsub","turns":[` +
		turn("secretfirst goal", clickRepr, `{"operation":{"op":"CLICK"},"pos_candidates":[]}`) + "," + turn("a turn of words", "", "") + "," + turn("secretlast goal", clickRepr, "") + `]}]`})
	eps, skips := mustCollect(t, Source{Format: "mt_mind2web", Path: root})
	t.Run("ids are conversation and turn, since annotation ids repeat", func(t *testing.T) {
		if !slices.Equal(ids(eps), []string{"conv%2F1%230", "conv%2F1%232"}) {
			t.Errorf("%v", ids(eps))
		}
	})
	t.Run("a turn without actions is counted and stays context", func(t *testing.T) {
		if len(skips) != 1 || skips[0].Reason != NoSteps || !strings.Contains(fmt.Sprint(eps[1].ContextSteps), "a turn of words") {
			t.Errorf("%+v, context %+v", skips, eps[1].ContextSteps)
		}
	})
	t.Run("the turn's own task is never visible, earlier ones are", func(t *testing.T) {
		if strings.Contains(shows(eps[1]), "secretlast") || !strings.Contains(shows(eps[1]), "secretfirst") || strings.Contains(shows(eps[0]), "secretfirst") {
			t.Errorf("%s", shows(eps[1]))
		}
	})
	t.Run("its lists have names of their own", func(t *testing.T) {
		if !slices.Equal(eps[0].Lists, []string{"test_subdomain"}) || eps[0].Groups["conversation"] == "" {
			t.Errorf("lists %q, groups %v", eps[0].Lists, eps[0].Groups)
		}
	})
}

func TestQuirksOfMultimodalMind2Web(t *testing.T) {
	row := func(id, index string) string {
		return fmt.Sprintf(`{"annotation_id":%q,"target_action_index":%s,"target_action_reprs":"[button]  %s -> CLICK","operation":"{\"op\":\"CLICK\",\"value\":\"\"}","pos_candidates":["{\"tag\":\"a\",\"attributes\":\"{}\"}"],"neg_candidates":["{}"],"raw_html":"secret","screenshot":null,"website":"w","domain":"Travel","subdomain":"s","confirmed_task":"goal"}`, id, index, strings.Trim(index, `"`))
	}
	path := filepath.Join(t.TempDir(), "train.jsonl")
	write(t, path, strings.Join([]string{row("a", `"10"`), row("b", `"0"`), row("a", `"2"`)}, "\n"))
	eps, _ := mustCollect(t, Source{Format: "mind2web", Path: path})
	t.Run("indices are numbers in text, with gaps", func(t *testing.T) {
		if len(eps) != 2 || !strings.Contains(eps[0].Steps[0].Action+eps[0].Steps[0].Element, "a") || len(eps[0].Steps) != 2 || !slices.Contains(eps[0].Flags, "action_gaps") {
			t.Errorf("%+v", eps)
		}
	})
	t.Run("a null screenshot and HTML are passed over", func(t *testing.T) {
		if strings.Contains(shows(eps[0]), "secret") {
			t.Errorf("%s", shows(eps[0]))
		}
	})
}
