package metrics

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Value is a finite number, or the reason why there is none. The zero Value is null with the reason
// "not computed". In JSON it is the number or null; the reason stands in the sibling field
// "<name>_why" (benchmark.md).
type Value struct {
	number float64
	known  bool
	why    string
}

// Of is a number. NaN and the infinities become null: no metric may print them.
func Of(x float64) Value {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return None("the result is not a finite number")
	}
	return Value{number: x, known: true}
}

// None is null for a reason: one lower-case clause without a full stop.
func None(why string) Value { return Value{why: why} }

// ratio is a/b, null when b is 0.
func ratio(a, b float64, why string) Value {
	if b == 0 {
		return None(why)
	}
	return Of(a / b)
}

// Get returns the number and whether there is one.
func (v Value) Get() (float64, bool) { return v.number, v.known }

// Known reports whether v is a number.
func (v Value) Known() bool { return v.known }

// Why is the reason of a null, "" for a number.
func (v Value) Why() string {
	if !v.known && v.why == "" {
		return "not computed"
	}
	return v.why
}

// Ptr returns a pointer to a copy of the number, nil for null.
func (v Value) Ptr() *float64 {
	if !v.known {
		return nil
	}
	return &v.number
}

// Minus is v − w; null when either is, with the reason of the first null.
func (v Value) Minus(w Value) Value {
	switch {
	case !v.known:
		return None(v.Why())
	case !w.known:
		return None(w.Why())
	}
	return Of(v.number - w.number)
}

// String prints three decimals, "—" for null.
func (v Value) String() string {
	if !v.known {
		return "—"
	}
	return strconv.FormatFloat(v.number, 'f', 3, 64)
}

// MarshalJSON writes the shortest decimal that reads back as the same number, or null.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.known {
		return []byte("null"), nil
	}
	return json.Marshal(v.number)
}

// whyJSON is the reason that object writes beside a null.
func (v Value) whyJSON() ([]byte, error) {
	if v.known {
		return nil, nil
	}
	return encode(v.Why())
}

// Curve is a value per requested ratio, aligned with Grid (permille). In JSON it is an object keyed
// as in task ids, in grid order; the reasons of nulls stand in the sibling "<name>_why", keyed alike.
type Curve struct {
	Grid   []int
	Values []Value
}

// constant is a curve of one value.
func constant(grid []int, v Value) Curve {
	c := Curve{Grid: grid, Values: make([]Value, len(grid))}
	for i := range c.Values {
		c.Values[i] = v
	}
	return c
}

// At returns the value at a ratio in permille; null when the grid hasn't got it.
func (c Curve) At(permille int) Value {
	for i, r := range c.Grid {
		if r == permille {
			return c.Values[i]
		}
	}
	return None("ratio " + RatioKey(permille) + " is not on the grid")
}

// MarshalJSON writes {"0.10":0.3,…}.
func (c Curve) MarshalJSON() ([]byte, error) {
	return ordered(len(c.Grid), func(i int) (string, any) { return RatioKey(c.Grid[i]), c.Values[i] })
}

func (c Curve) whyJSON() ([]byte, error) {
	var at []int
	for i, v := range c.Values {
		if !v.known {
			at = append(at, i)
		}
	}
	if at == nil {
		return nil, nil
	}
	return ordered(len(at), func(i int) (string, any) { return RatioKey(c.Grid[at[i]]), c.Values[at[i]].Why() })
}

// Counts is a number of tasks per requested ratio.
type Counts struct {
	Grid []int
	N    []int
}

// Sum is the total over the grid.
func (c Counts) Sum() int {
	sum := 0
	for _, n := range c.N {
		sum += n
	}
	return sum
}

// MarshalJSON writes {"0.10":10,…}.
func (c Counts) MarshalJSON() ([]byte, error) {
	return ordered(len(c.Grid), func(i int) (string, any) { return RatioKey(c.Grid[i]), c.N[i] })
}

// Named is a value under a name.
type Named struct {
	Name  string
	Value Value
}

// Values is an ordered list of named values; in JSON one object, reasons beside the nulls.
type Values []Named

// Get returns the value of a name; null when the list hasn't got it.
func (vs Values) Get(name string) Value {
	for _, v := range vs {
		if v.Name == name {
			return v.Value
		}
	}
	return None("there is no " + name + " here")
}

// MarshalJSON writes {"nauc":0.5,"ece":null,"ece_why":"…"}; names that share a part before a dot
// become an object of their own: "ttc.median" is {"ttc":{"median":…}}.
func (vs Values) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	buf.WriteByte('{')
	if err := vs.members(&buf); err != nil {
		return nil, err
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

func (vs Values) members(buf *bytes.Buffer) error {
	grouped := map[string]bool{}
	for i, v := range vs {
		if head, _, ok := strings.Cut(v.Name, "."); ok {
			if grouped[head] {
				continue
			}
			grouped[head] = true
			var group Values
			for _, w := range vs[i:] {
				if h, tail, ok := strings.Cut(w.Name, "."); ok && h == head {
					group = append(group, Named{tail, w.Value})
				}
			}
			if err := member(buf, head, group); err != nil {
				return err
			}
			continue
		}
		if err := member(buf, v.Name, v.Value); err != nil {
			return err
		}
		if !v.Value.known {
			if err := member(buf, v.Name+"_why", v.Value.Why()); err != nil {
				return err
			}
		}
	}
	return nil
}
