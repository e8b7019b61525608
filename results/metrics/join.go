package metrics

import (
	"math"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// NormalizeLabel is the form in which labels are compared: Unicode NFC, surrounding white space
// trimmed, case kept (A2, "Label equality").
func NormalizeLabel(s string) string { return strings.TrimSpace(norm.NFC.String(s)) }

// LabelSet is a label space ready for [Join]; nil knows no labels and finds none invalid.
type LabelSet map[string]bool

// NewLabelSet normalises and indexes a label space. Nil labels give a nil set.
func NewLabelSet(labels []string) LabelSet {
	if labels == nil {
		return nil
	}
	set := make(LabelSet, len(labels))
	for _, l := range labels {
		set[NormalizeLabel(l)] = true
	}
	return set
}

// Gold is the wanted side of one prefix task.
type Gold struct {
	Steps          int
	Duplicate      bool
	ClosedEligible bool // closed.available, and closed among the intent modes
	Closed         string
	OpenEligible   bool // open.available, and the text is not empty
}

// Given is the answered side of one prefix task.
type Given struct {
	// State is "" for an answer, or one of Missing, MethodError, Pending, NotAsked, NotApplicable.
	State      State
	Closed     string
	Open       string
	Confidence *float64
}

// Join applies the rules of A2 to one task. Scores are the caller's to fill in, except that an open
// answer that is empty after trimming is a method failure for each of the judges.
//
// An answer without a closed intent abstains where a closed intent was asked for; where none was,
// it abstains only when its open intent is empty too.
func Join(g Gold, a Given, labels LabelSet, judges int) Observation {
	o := Observation{Steps: g.Steps, Duplicate: g.Duplicate, State: a.State,
		ClosedEligible: g.ClosedEligible, OpenEligible: g.OpenEligible}
	if g.ClosedEligible {
		o.Gold = NormalizeLabel(g.Closed)
	}
	emptyOpen := strings.TrimSpace(a.Open) == ""
	if judges > 0 {
		o.Open = make([]OpenScore, judges)
		for j := range o.Open {
			o.Open[j].State = ScorePending
			if emptyOpen && (o.State == "" || o.State == Missing || o.State == MethodError) {
				o.Open[j].State = MethodFailure
			}
		}
	}
	if o.State != "" {
		return o
	}
	closed := NormalizeLabel(a.Closed)
	switch {
	case !g.ClosedEligible:
		o.State = Answered
		if closed == "" && emptyOpen {
			o.State = Abstained
		}
		return o
	case closed == "":
		o.State = Abstained
	case labels != nil && !labels[closed]:
		o.State = InvalidLabel
	default:
		o.State, o.Predicted, o.Correct = Answered, closed, closed == o.Gold
	}
	if a.Confidence != nil {
		c := *a.Confidence
		o.BadConfidence = math.IsNaN(c) || c < 0 || c > 1
		if o.HasConfidence = !o.BadConfidence && closed != ""; o.HasConfidence {
			o.Confidence = c
		}
	}
	return o
}
