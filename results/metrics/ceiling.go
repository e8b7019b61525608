package metrics

// Ceiling is the best that any function of the visible input could reach on this very sample (A17).
type Ceiling struct {
	Acc  Curve `json:"acc"`
	AUC  Value `json:"auc"`
	NAUC Value `json:"nauc"`
}

// MarshalJSON writes reasons beside nulls.
func (c Ceiling) MarshalJSON() ([]byte, error) { return object(c) }

// CollisionCeiling is the best accuracy that any function of the visible input can reach on a
// sample (A17, V44): groups are the gold labels of tasks with equal visible input.
func CollisionCeiling(groups [][]string) Value {
	best, n := 0, 0
	for _, g := range groups {
		counts, most := map[string]int{}, 0
		for _, label := range g {
			counts[label]++
			most = max(most, counts[label])
		}
		best, n = best+most, n+len(g)
	}
	return ratio(float64(best), float64(n), "no eligible task")
}

// ceilingOf groups the eligible tasks of each ratio by visible input; nil when the input of one of
// them is not known.
func ceilingOf(grid []int, es []Episode, o Options) *Ceiling {
	c := &Ceiling{Acc: Curve{Grid: grid, Values: make([]Value, len(grid))}}
	for i := range grid {
		var groups [][]string
		index := map[string]int{}
		for _, e := range es {
			t := &e.Tasks[i]
			if !t.closed(o) {
				continue
			}
			if t.Visible == "" {
				return nil
			}
			at, ok := index[t.Visible]
			if !ok {
				at = len(groups)
				index[t.Visible] = at
				groups = append(groups, nil)
			}
			groups[at] = append(groups[at], t.Gold)
		}
		c.Acc.Values[i] = CollisionCeiling(groups)
	}
	c.AUC, c.NAUC = Area(c.Acc, o.Interpolate)
	return c
}

// headroom is the share of the room between the baseline and the ceiling that a method takes:
// (AUC − AUC_b)/(AUC_ceiling − AUC_b) (A9). It is defined for closed intents, on the common support.
func (p Pair) headroom(d Difference) Value {
	if p.Kind != Closed {
		return None("there is no ceiling of open scores")
	}
	gain, ok := d.Value.Get()
	if !ok {
		return None(d.Value.Why())
	}
	c := ceilingOf(p.This.Grid, p.This.Episodes, p.options)
	if c == nil {
		return None("the visible inputs are not known")
	}
	room, ok := c.AUC.Minus(d.Reference).Get()
	if !ok {
		return None(c.AUC.Why())
	}
	return ratio(gain, room, "the baseline is at the ceiling")
}
