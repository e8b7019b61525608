package partition

import (
	"slices"
	"strings"
	"testing"

	"intentlab/ablations/trajectory"
)

// listed makes episodes whose ids say in which lists they stand: "train+web" is in both.
func listed(ids ...string) []trajectory.Episode {
	eps := make([]trajectory.Episode, len(ids))
	for i, id := range ids {
		eps[i] = episode(id, "l", id)
		name, _, _ := strings.Cut(id, "#")
		eps[i].Lists = strings.Split(name, "+")
	}
	return eps
}

func TestOfficialTestListsMayShareEpisodes(t *testing.T) {
	eps := listed("train#1", "valid#1", "iid+all#1", "iid+all#2", "web#1", "other#1")
	a, err := Assign(eps, Split{Official: &Official{Train: []string{"train"}, DevLists: []string{"valid"}, Test: []string{"iid", "all", "web"}}}, ByEpisode)
	if err != nil {
		t.Fatal(err)
	}
	f := a.Folds[0]
	if !slices.Equal(f.Train, []int{0}) || !slices.Equal(f.Dev, []int{1}) || len(f.Tests) != 3 ||
		f.Tests[1].Name != "all" || !slices.Equal(f.Tests[1].Episodes, []int{2, 3}) {
		t.Errorf("fold is %+v", f)
	}
	if !slices.Equal(f.Tested(), []int{2, 3, 4}) || !slices.Equal(a.Unassigned, []int{5}) {
		t.Errorf("tested %v, unassigned %v", f.Tested(), a.Unassigned)
	}
}

func TestOfficialCarvesDevFromTrainByHash(t *testing.T) {
	eps := many(100, "a", "b")
	for i := range eps {
		eps[i].Lists = []string{"train"}
		if i >= 90 {
			eps[i].Lists = []string{"test"}
		}
	}
	s := Split{Official: &Official{Train: []string{"train"}, DevShare: 100, Test: []string{"test"}}, Stratify: true}
	a, err := Assign(eps, s, "user")
	if err != nil {
		t.Fatal(err)
	}
	f := a.Folds[0]
	// 45 episodes a label, in users of ten: dev is one user.
	if len(f.Train)+len(f.Dev) != 90 || len(f.Dev) != 10 {
		t.Errorf("train %d, dev %d", len(f.Train), len(f.Dev))
	}
	if err := disjoint(eps, f, "user"); err != nil {
		t.Error(err)
	}
	again, err := Assign(eps, s, "user")
	if err != nil || !slices.Equal(again.Folds[0].Dev, f.Dev) {
		t.Error("dev differs the second time")
	}
}

func TestListsOfIdsTellUnknownOnesAndLeftOverEpisodes(t *testing.T) {
	eps := many(4, "a")
	a, err := Assign(eps, Split{IDs: &IDLists{Train: []string{"e0000", "zz"}, Dev: []string{"e0001"}, Test: []string{"e0003", "yy", "e0003"}}}, ByEpisode)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.UnknownIDs, []string{"yy", "zz"}) || !slices.Equal(a.Unassigned, []int{2}) || !slices.Equal(a.Folds[0].Tested(), []int{3}) {
		t.Errorf("got %+v", a)
	}
}

func TestAssignRefusesWhatCannotBeRight(t *testing.T) {
	ten := many(10, "a")
	lists := listed("train#1", "train#2", "train+test#3", "test#4")
	duplicate := append(many(3, "a"), episode("e0000", "a", "u"))
	for name, c := range map[string]struct {
		eps  []trajectory.Episode
		s    Split
		unit string
		want string
	}{
		"no episodes":                  {nil, Default(), "", "no episodes"},
		"far more folds than episodes": {ten, Split{Folds: 400}, "", "10 episodes for 400 parts (fold 1 to fold 400)"},
		"too few for the parts":        {ten[:2], Default(), "", "2 episodes for 3 parts (train, dev, test)"},
		"one user for three parts":     {ten, Default(), "user", "1 groups of episodes by user for 3 parts"},
		"shares off":                   {ten, Split{Train: 600, Test: 300}, "", "sum to 1"},
		"negative share":               {ten, Split{Train: 1200, Dev: -400, Test: 200}, "", "sum to 1"},
		"two folds":                    {ten, Split{Folds: 2}, "", "at least 3"},
		"more folds than episodes":     {ten[:4], Split{Folds: 5}, "", "4 episodes for 5 parts"},
		"unit that is absent":          {ten, Split{Train: 600, Dev: 200, Test: 200, By: "website"}, "", `episode "e0000" has no website`},
		"duplicate id":                 {duplicate, Default(), "", `"e0000" occurs twice`},
		"official list that is absent": {lists, Split{Official: &Official{Train: []string{"trian"}, Test: []string{"test"}}}, "", `list "trian", asked for as train, has no episodes here; there are "test", "train"`},
		"official overlap":             {lists, Split{Official: &Official{Train: []string{"train"}, Test: []string{"test"}}}, "", `episode "train+test#3" stands in both train and test`},
		"official dev without train":   {lists, Split{Official: &Official{DevShare: 100, Test: []string{"test"}}}, "", "no train list"},
		"official dev of everything":   {lists, Split{Official: &Official{Train: []string{"train"}, DevShare: 1000}}, "", "below 1"},
		"ids on both sides":            {ten, Split{IDs: &IDLists{Train: []string{"e0001"}, Test: []string{"e0001"}}}, "", "both train and test"},
		"ids that are all unknown":     {ten, Split{IDs: &IDLists{Train: []string{"e0001"}, Test: []string{"x", "y"}}}, "", `none of the 2 ids listed for test (the first is "x")`},
		"ids that divide a user":       {ten, Split{By: "user", IDs: &IDLists{Train: []string{"e0001"}, Test: []string{"e0002"}}}, "", `user "u000" stands in both`},
		"ids that divide a talk":       {ten, Split{IDs: &IDLists{Train: []string{"e0001"}, Test: []string{"e0002"}}}, "conversation", `conversation "u000" stands in both`},
		"folds and lists":              {lists, Split{Folds: 5, Official: &Official{}}, "", "exclude one another"},
	} {
		_, err := Assign(c.eps, c.s, c.unit)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestOfficialListsMayCutThroughTheDefaultUnit(t *testing.T) {
	eps := many(10, "a") // one user
	for i := range eps {
		eps[i].Lists = []string{[]string{"train", "test"}[i%2]}
	}
	for _, by := range []string{"", "user"} { // package matrix fills in the format's unit
		if _, err := Assign(eps, Split{By: by, Official: &Official{Train: []string{"train"}, Test: []string{"test"}}}, "user"); err != nil {
			t.Error(err)
		}
	}
}

func TestAShareOfZeroIsNotAPart(t *testing.T) {
	a, err := Assign(many(10, "a"), Split{Train: 800, Test: 200}, "")
	if err != nil || len(a.Folds[0].Dev) != 0 || len(a.Folds[0].Tested()) != 2 {
		t.Errorf("%+v, %v", a.Folds, err)
	}
}

func TestASmallPartIsFilledFromTheLargest(t *testing.T) {
	for seed := range uint64(100) {
		a, err := Assign(many(3, "a", "b", "c"), Split{Train: 980, Dev: 10, Test: 10, Stratify: true, Seed: seed}, "")
		if err != nil {
			t.Fatal(err)
		}
		if f := a.Folds[0]; len(f.Train) != 1 || len(f.Dev) != 1 || len(f.Tested()) != 1 {
			t.Fatalf("seed %d: %+v", seed, f)
		}
	}
}
