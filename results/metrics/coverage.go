package metrics

import "fmt"

// Coverage is the shares of the states among the asked tasks; they sum to 1 (A2).
type Coverage struct {
	Answered     Value `json:"answered"`
	Missing      Value `json:"missing"`
	Abstain      Value `json:"abstain"`
	InvalidLabel Value `json:"invalid_label"`
	MethodError  Value `json:"method_error"`
}

// MarshalJSON writes reasons beside nulls.
func (c Coverage) MarshalJSON() ([]byte, error) { return object(c) }

// RatioCoverage is a coverage at one ratio.
type RatioCoverage struct {
	Ratio    int // permille
	Coverage Coverage
}

// RatioCoverages is the coverage per ratio, in JSON an object keyed as in task ids.
type RatioCoverages []RatioCoverage

// MarshalJSON writes {"0.10":{"answered":1,…},…}.
func (rs RatioCoverages) MarshalJSON() ([]byte, error) {
	return ordered(len(rs), func(i int) (string, any) { return RatioKey(rs[i].Ratio), rs[i].Coverage })
}

// tally counts states.
type tally struct{ answered, missing, abstained, invalid, errors, pending, notAsked, notApplicable int }

func (t *tally) add(s State) {
	switch s {
	case Answered:
		t.answered++
	case Missing:
		t.missing++
	case Abstained:
		t.abstained++
	case InvalidLabel:
		t.invalid++
	case MethodError:
		t.errors++
	case NotAsked:
		t.notAsked++
	case NotApplicable:
		t.notApplicable++
	default: // a state nobody set is a task nobody has run
		t.pending++
	}
}

// asked is the number of tasks that belong to the cell.
func (t tally) asked() int {
	return t.answered + t.missing + t.abstained + t.invalid + t.errors + t.pending
}

// why is the reason for which no number can be given, "" when there is none.
func (t tally) why() string {
	switch n := t.asked(); {
	case t.pending > 0:
		return fmt.Sprintf("pending %d of %d", t.pending, n)
	case n > 0:
		return ""
	case t.notApplicable > 0:
		return "not applicable"
	case t.notAsked > 0:
		return "not asked"
	}
	return "no task"
}

func (t tally) coverage() Coverage {
	if why := t.why(); why != "" {
		none := None(why)
		return Coverage{none, none, none, none, none}
	}
	of := func(n int) Value { return Of(float64(n) / float64(t.asked())) }
	return Coverage{of(t.answered), of(t.missing), of(t.abstained), of(t.invalid), of(t.errors)}
}

// disagreement is the share of duplicate prefixes whose closed answer differs from that of the
// first task of their run (A1, V16), among closed-eligible tasks; null without duplicates.
func disagreement(es []Episode) Value {
	duplicates, differ := 0.0, 0.0
	for _, e := range es {
		var first *Observation
		for i := range e.Tasks {
			o := &e.Tasks[i]
			if !o.ClosedEligible || !o.asked() {
				continue
			}
			if first == nil || o.Steps != first.Steps {
				first = o
				continue
			}
			duplicates++
			if o.State != first.State || o.Predicted != first.Predicted {
				differ++
			}
		}
	}
	return ratio(differ, duplicates, "no duplicate prefix")
}
