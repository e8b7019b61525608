package partition

import (
	"slices"
	"strings"
	"testing"

	"intentlab/ablations/trajectory"
)

func TestCoverageCountsLabelsSeenInTrain(t *testing.T) {
	eps := []trajectory.Episode{episode("0", "b", "u"), episode("1", "a", "u"), episode("2", "b", "u"), episode("3", "c", "u"), episode("4", "", "u")}
	a := Assignment{Folds: []Fold{{Train: []int{0, 1}, Tests: []Part{{"near", []int{2, 3, 4}}, {"far", []int{3}}}}}}
	got := Covered(eps, a)
	if len(got) != 2 || got[0].Episodes != 2 || got[0].Seen != 1 || !slices.Equal(got[0].UnseenLabels, []string{"c"}) {
		t.Errorf("coverage %+v", got)
	}
	if s, ok := got[0].Share(); s != 0.5 || !ok {
		t.Errorf("share %v, %v", s, ok)
	}
	if err := CheckCoverage(eps, a, false); err != nil {
		t.Errorf("one part without coverage is refused: %v", err)
	}
	space := LabelSpace(eps, a.Folds[0])
	if space.Name != "d.label" || !slices.Equal(space.Labels, []string{"a", "b", "c"}) || !slices.Equal(space.SeenInTrain, []string{"a", "b"}) {
		t.Errorf("label space %+v", space)
	}
}

func TestZeroCoverageIsRefusedUnlessAllowed(t *testing.T) {
	eps := []trajectory.Episode{episode("0", "a", "u"), episode("1", "b", "v")}
	a := Assignment{Unit: "website", Folds: []Fold{{Train: []int{0}, Tests: []Part{{"test", []int{1}}}}}}
	err := CheckCoverage(eps, a, false)
	if err == nil || !strings.Contains(err.Error(), `("b", for one, does not)`) || !strings.Contains(err.Error(), "allow_unseen") {
		t.Errorf("got %v", err)
	}
	if err := CheckCoverage(eps, a, true); err != nil {
		t.Errorf("allow_unseen: %v", err)
	}
	eps[1].ClosedIntent = ""
	if err := CheckCoverage(eps, a, false); err != nil {
		t.Errorf("without labels there is nothing to cover: %v", err)
	}
	if _, ok := Covered(eps, a)[0].Share(); ok {
		t.Error("a part without labels has a share")
	}
}
