package trajectory

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tallied makes a tally with so many episodes in each list, and some in none.
func tallied(lists map[string]int, more int) *Tally {
	t := &Tally{}
	for name, n := range lists {
		for i := range n {
			t.Add(Episode{ID: fmt.Sprintf("%s-%d", name, i), Lists: []string{name}})
		}
	}
	for i := range more {
		t.Add(Episode{ID: fmt.Sprintf("more-%d", i)})
	}
	return t
}

func TestTheReleaseThatIsMeantIsTold(t *testing.T) {
	for _, c := range []struct {
		name, format string
		lists        map[string]int
		more         int
		want         string
	}{
		{"half of WebLINX", "weblinx", nil, 1800, "1800 of 2337 demonstrations of WebLINX"},
		{"all of WebLINX", "weblinx", nil, 2337, "2337 of 2337 demonstrations of WebLINX"},
		{"more than any release", "weblinx", nil, 2338, "2338 of 0  of "},
		{"training set of Mind2Web", "mind2web", map[string]int{"train": 1009}, 0, "1009 of 1009 tasks of Mind2Web (training set)"},
		{"most of the training set", "mind2web", map[string]int{"train": 900}, 0, "900 of 1009 tasks of Mind2Web (training set)"},
		{"training set and one test set", "mind2web", map[string]int{"train": 1009, "test_task": 252}, 0, "1261 of 2350 tasks of Mind2Web"},
		{"a part of two sets", "mind2web", map[string]int{"train": 50, "test_task": 25}, 0, "75 of 2350 tasks of Mind2Web"},
		{"one test set, told by its size", "mind2web", map[string]int{"test_task": 252}, 0, "252 of 2350 tasks of Mind2Web"},
		{"the multimodal test sets, told by their sizes", "mind2web", map[string]int{"train": 1000, "test_task": 177, "test_website": 142, "test_domain": 694}, 0,
			"1013 of 1013 tasks of Multimodal-Mind2Web (test sets)"},
		{"GUI-Odyssey above version 1", "gui_odyssey", nil, 8000, "8000 of 8334 episodes of GUI-Odyssey version 2"},
		{"a part of GUI-Odyssey", "gui_odyssey", nil, 80, "80 of 7735 episodes of GUI-Odyssey version 1"},
		{"any other data", "episodes", nil, 3, "3 of 0  of "},
	} {
		got, err := tallied(c.lists, c.more).Complete(context.Background(), Source{Format: c.format, Path: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("%d of %d %s of %s", got.Here, got.Of, got.Unit, got.Release); text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}

func TestReleasesAddUp(t *testing.T) {
	for _, name := range []string{"weblinx", "mt_mind2web"} { // lists that share no episode
		r := Formats[name].Releases[0]
		sum := 0
		for _, l := range r.Lists {
			sum += l.Count
		}
		if sum != r.Episodes {
			t.Errorf("%s: the lists add up to %d, not %d", name, sum, r.Episodes)
		}
	}
	for name, f := range Formats {
		for _, r := range f.Releases {
			if r.Name == "" || r.Unit == "" || r.Known == "" || r.total() == 0 {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
}

func TestListedIDsThatAreNotHereAreNamed(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "splits/random_split.json"), `{"train":["0000000000000007.json","a:b"],"test":["0000000000000008.json"]}`)
	tally := &Tally{}
	tally.Add(Episode{ID: "0000000000000007", Lists: []string{"random_train"}})
	got, err := tally.Complete(context.Background(), Source{Format: "gui_odyssey", Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"0000000000000008", "a%3Ab"}, got.MissingIDs); d != "" || got.ListedIDs != 3 {
		t.Errorf("of %d: %s", got.ListedIDs, d)
	}
	if d := cmp.Diff([]ListShare{{"random_train", 1, 2}, {"random_test", 0, 1}}, got.Listed); d != "" {
		t.Error(d)
	}
	write(t, filepath.Join(dir, "splits/random_split.json"), `{"train":[`)
	if _, err := tally.Complete(context.Background(), Source{Format: "gui_odyssey", Path: dir}); err == nil {
		t.Error("a damaged list passes")
	}
}
