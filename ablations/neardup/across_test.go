package neardup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTextsOfTestThatStandInTrainAreCounted(t *testing.T) {
	train := Part{"train", []Text{{"a", "Find a hotel in Ulm for two nights with breakfast please", "hotels"}, {"b", "buy shoes", "shop"}, {"c", "", "x"}}}
	dev := Part{"dev", []Text{{"d", "sell shoes", "shop"}}}
	test := Part{"test", []Text{
		{"e", "find a hotel in Ulm, for two nights, with breakfast please!", "hotels"}, // equal, same cluster
		{"f", "find a hotel in Bonn for two nights with breakfast please", "else"},     // near: 10 of 12
		{"g", "Sell shoes.", "other"}, // equal to dev's
		{"h", "nothing alike", "x"}, {"i", "...", "x"},
	}}
	want := []Crossing{
		{From: "train", In: "dev", Texts: 1, Examples: []Match{}},
		{From: "train", In: "test", Texts: 4, Equal: 1, Near: 1, SameCluster: 1, Examples: []Match{
			{"e", test.Texts[0].Text, "a", train.Texts[0].Text, 1},
			{"f", test.Texts[1].Text, "a", train.Texts[0].Text, 10.0 / 12}}},
		{From: "dev", In: "test", Texts: 4, Equal: 1, Examples: []Match{{"g", "Sell shoes.", "d", "sell shoes", 1}}},
	}
	if d := cmp.Diff(want, Across([]Part{train, dev, test})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestTheNearestOfSeveralIsShown(t *testing.T) {
	train := Part{"train", []Text{
		{"a", "one two three four five six seven eight nine", ""},
		{"b", "one two three four five six seven eight nine ten eleven", ""}}}
	got := Across([]Part{train, {"test", []Text{{"t", "one two three four five six seven eight nine ten", ""}}}})
	if got[0].Near != 1 || got[0].Examples[0].Other != "b" {
		t.Errorf("%+v", got)
	}
}
