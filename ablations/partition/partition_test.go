package partition

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"intentlab/ablations/trajectory"
)

// episode makes one with n steps left out: splits look at ids, labels and units only.
func episode(id, label, user string) trajectory.Episode {
	return trajectory.Episode{Dataset: "d", ID: id, ClusterID: "c-" + user, ClosedIntent: label, LabelSpace: "d.label",
		Groups: map[string]string{"user": user, "conversation": user}}
}

// many makes n episodes of the labels in turn, ten a user.
func many(n int, labels ...string) []trajectory.Episode {
	eps := make([]trajectory.Episode, n)
	for i := range eps {
		eps[i] = episode(fmt.Sprintf("e%04d", i), labels[i%len(labels)], fmt.Sprintf("u%03d", i/10))
	}
	return eps
}

// anyEpisodes draws 10 to 80 episodes with uneven labels and users.
func anyEpisodes(t *rapid.T) []trajectory.Episode {
	n := rapid.IntRange(10, 80).Draw(t, "n")
	labels := rapid.IntRange(1, 8).Draw(t, "labels")
	users := rapid.IntRange(5, 20).Draw(t, "users")
	eps := make([]trajectory.Episode, n)
	for i := range eps {
		u := i % users
		if i >= users { // the first ones make sure that every user exists
			u = rapid.IntRange(0, users-1).Draw(t, "user")
		}
		eps[i] = episode(fmt.Sprintf("e%d", i), fmt.Sprintf("l%d", rapid.IntRange(0, labels-1).Draw(t, "label")), fmt.Sprintf("u%d", u))
	}
	return eps
}

func anySplit(t *rapid.T) Split {
	s := Default()
	s.Seed = rapid.Uint64().Draw(t, "seed")
	s.By = rapid.SampledFrom([]string{"", ByEpisode, ByCluster, "user"}).Draw(t, "by")
	s.Stratify = rapid.Bool().Draw(t, "stratify")
	if rapid.Bool().Draw(t, "folded") {
		s.Folds = rapid.IntRange(3, 5).Draw(t, "folds")
	}
	return s
}

// parts names the part of every episode id, per fold.
func parts(eps []trajectory.Episode, a Assignment) []map[string]string {
	out := make([]map[string]string, len(a.Folds))
	for n, f := range a.Folds {
		out[n] = map[string]string{}
		for _, p := range append([]Part{{"train", f.Train}, {"dev", f.Dev}}, f.Tests...) {
			for _, i := range p.Episodes {
				out[n][eps[i].ID] += p.Name
			}
		}
	}
	return out
}

func TestAssignPutsEveryEpisodeInExactlyOnePartAndDividesNoUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps, s := anyEpisodes(t), anySplit(t)
		a, err := Assign(eps, s, ByEpisode)
		if err != nil {
			t.Fatal(err)
		}
		tested := map[string]int{}
		for n, where := range parts(eps, a) {
			units := map[string]string{}
			for _, e := range eps {
				p := where[e.ID]
				if p != "train" && p != "dev" && p != "test" {
					t.Fatalf("fold %d: episode %s is in %q", n, e.ID, p)
				}
				if p == "test" {
					tested[e.ID]++
				}
				key, err := keyOf(e, a.Unit)
				if err != nil {
					t.Fatal(err)
				}
				if old, ok := units[key]; ok && old != p {
					t.Fatalf("fold %d: %s %s is divided between %s and %s", n, a.Unit, key, old, p)
				}
				units[key] = p
			}
			f := a.Folds[n]
			if len(f.Train) == 0 || len(f.Dev) == 0 || len(f.Tested()) == 0 {
				t.Fatalf("fold %d has an empty part", n)
			}
			if !slices.IsSorted(f.Train) || !slices.IsSorted(f.Dev) || !slices.IsSorted(f.Tests[0].Episodes) {
				t.Fatal("indices are not ascending")
			}
		}
		if s.Folds > 0 {
			if len(a.Folds) != s.Folds {
				t.Fatalf("%d folds, want %d", len(a.Folds), s.Folds)
			}
			for _, e := range eps {
				if tested[e.ID] != 1 {
					t.Fatalf("episode %s is tested %d times", e.ID, tested[e.ID])
				}
			}
		}
	})
}

func TestAssignAndSampleDoNotDependOnFileOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps, s := anyEpisodes(t), anySplit(t)
		shuffled := rapid.Permutation(eps).Draw(t, "order")
		a, err := Assign(eps, s, ByEpisode)
		b, err2 := Assign(shuffled, s, ByEpisode)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if x, y := fmt.Sprint(parts(eps, a)), fmt.Sprint(parts(shuffled, b)); x != y {
			t.Fatalf("order changed the split:\n%s\n%s", x, y)
		}
		limit := rapid.IntRange(1, len(eps)).Draw(t, "limit")
		unit := rapid.SampledFrom([]string{ByEpisode, "conversation"}).Draw(t, "unit")
		if x, y := sampledIDs(t, eps, limit, s.Seed, unit), sampledIDs(t, shuffled, limit, s.Seed, unit); !slices.Equal(x, y) {
			t.Fatalf("order changed the sample: %v, %v", x, y)
		}
	})
}

func TestAddingAnEpisodeMovesAtMostOneEpisodeAcrossEachCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Large strata, so that no part is filled up from another.
		eps := many(rapid.IntRange(60, 120).Draw(t, "n"), "a", "b", "c")
		s := Default()
		s.Seed = rapid.Uint64().Draw(t, "seed")
		label := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "label")
		more := append(slices.Clone(eps), episode("new", label, "u0"))
		a, err := Assign(eps, s, ByEpisode)
		b, err2 := Assign(more, s, ByEpisode)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		before, after := parts(eps, a)[0], parts(more, b)[0]
		moved := 0
		for _, e := range eps {
			if before[e.ID] != after[e.ID] {
				if e.ClosedIntent != label {
					t.Fatalf("%s of another label moved", e.ID)
				}
				moved++
			}
		}
		if moved > 2 {
			t.Fatalf("%d episodes moved, want at most one a cut", moved)
		}
	})
}

func TestSharesComeOutWithinOneUnitAStratum(t *testing.T) {
	for seed := range uint64(50) {
		s := Default()
		s.Seed = seed
		eps := many(300, "a", "b", "c", "d", "e")
		a, err := Assign(eps, s, ByEpisode)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for id, p := range parts(eps, a)[0] {
			i := slices.IndexFunc(eps, func(e trajectory.Episode) bool { return e.ID == id })
			got[eps[i].ClosedIntent+p]++
		}
		for _, l := range []string{"a", "b", "c", "d", "e"} {
			if got[l+"train"] != 36 || got[l+"dev"] != 12 || got[l+"test"] != 12 {
				t.Fatalf("seed %d, label %s: %v", seed, l, got)
			}
		}
	}
}

func TestSingletonLabelsAreSharedOutNotAllGivenToTrain(t *testing.T) {
	labels := make([]string, 200)
	for i := range labels {
		labels[i] = fmt.Sprint("l", i)
	}
	eps := many(200, labels...)
	a, err := Assign(eps, Default(), ByEpisode)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(a.Folds[0].Train); n < 100 || n > 140 {
		t.Errorf("%d of 200 singletons in train, want about 120", n)
	}
}

func sampledIDs(t interface{ Fatal(...any) }, eps []trajectory.Episode, limit int, seed uint64, unit string) []string {
	idx, err := Sample(eps, limit, seed, unit)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(idx) {
		t.Fatal("sample is not in dataset order")
	}
	ids := make([]string, len(idx))
	for i, x := range idx {
		ids[i] = eps[x].ID
	}
	slices.Sort(ids)
	return ids
}

func TestSampleIsNestedAndKeepsUnitsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := anyEpisodes(t)
		seed := rapid.Uint64().Draw(t, "seed")
		unit := rapid.SampledFrom([]string{ByEpisode, "conversation"}).Draw(t, "unit")
		large := rapid.IntRange(1, len(eps)+5).Draw(t, "large")
		small := rapid.IntRange(1, large).Draw(t, "small")
		l, s := sampledIDs(t, eps, large, seed, unit), sampledIDs(t, eps, small, seed, unit)
		for _, id := range s {
			if _, ok := slices.BinarySearch(l, id); !ok {
				t.Fatalf("%s is among the first %d and not among the first %d", id, small, large)
			}
		}
		if unit == ByEpisode && len(l) != min(large, len(eps)) {
			t.Fatalf("%d episodes, want %d", len(l), min(large, len(eps)))
		}
		whole := map[string]int{}
		for _, e := range eps {
			whole[e.Groups["conversation"]]++
		}
		taken := map[string]int{}
		for _, e := range eps {
			if slices.Contains(l, e.ID) {
				taken[e.Groups["conversation"]]++
			}
		}
		if unit == "conversation" {
			for c, n := range taken {
				if n != whole[c] {
					t.Fatalf("conversation %s was divided: %d of %d", c, n, whole[c])
				}
			}
			if len(l) > large && len(taken) > 1 {
				t.Fatalf("%d episodes exceed the limit of %d", len(l), large)
			}
		}
	})
}

func TestSampleWithoutLimitTakesAll(t *testing.T) {
	idx, err := Sample(many(12, "a"), 0, 7, ByEpisode)
	if err != nil || len(idx) != 12 {
		t.Fatalf("%d episodes, %v", len(idx), err)
	}
}

func TestSampleIsIndependentOfTheSplit(t *testing.T) {
	// One order for both would make every sampled episode a training episode of the whole.
	eps := many(500, "a")
	a, err := Assign(eps, Default(), ByEpisode)
	if err != nil {
		t.Fatal(err)
	}
	where := parts(eps, a)[0]
	got := map[string]int{}
	for _, id := range sampledIDs(t, eps, 100, 0, ByEpisode) {
		got[where[id]]++
	}
	if got["test"] < 10 || got["train"] > 75 {
		t.Errorf("sample of 100 falls into %v of the full split", got)
	}
}

func TestOnlyConversationsAreSampledWhole(t *testing.T) {
	for in, want := range map[string]string{"conversation": "conversation", "meta_task": "episode", "user": "episode", "episode": "episode", "": "episode"} {
		if got := SampleUnit(in); got != want {
			t.Errorf("SampleUnit(%q) = %q, want %q", in, got, want)
		}
	}
}
