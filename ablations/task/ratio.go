package task

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Ratio is a requested prefix ratio in thousandths: 100 is 0.1. It is never a float, because a
// ceiling over floats is wrong for many lengths (metrics-and-judge.md A1, vector V02).
type Ratio int

// ParseRatio reads a decimal string in (0, 1] with at most three decimals.
func ParseRatio(s string) (Ratio, error) {
	whole, frac, _ := strings.Cut(strings.TrimSpace(s), ".")
	if len(frac) > 3 || whole == "" && frac == "" {
		return 0, fmt.Errorf("ratio %q: want a decimal in (0, 1] with at most three decimals", s)
	}
	digits := whole + (frac + "000")[:3]
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("ratio %q: want a decimal in (0, 1] with at most three decimals", s)
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 1000 {
		return 0, fmt.Errorf("ratio %q: want a decimal in (0, 1] with at most three decimals", s)
	}
	return Ratio(n), nil
}

// String writes two decimals, and a third only when it is not zero: "0.10", "0.125".
func (r Ratio) String() string {
	if r%10 == 0 {
		return fmt.Sprintf("%d.%02d", r/1000, r%1000/10)
	}
	return fmt.Sprintf("%d.%03d", r/1000, r%1000)
}

// Float is the ratio as a number, for arithmetic on results only; never for cutting.
func (r Ratio) Float() float64 { return float64(r) / 1000 }

// MarshalJSON writes the shortest decimal number.
func (r Ratio) MarshalJSON() ([]byte, error) { return json.Marshal(r.Float()) }

// UnmarshalJSON reads a decimal number exactly, without going through a float.
func (r *Ratio) UnmarshalJSON(b []byte) error {
	v, err := ParseRatio(strings.Trim(string(b), `"`))
	if err != nil {
		return err
	}
	*r = v
	return nil
}

// Grid returns 0.1, 0.2, … 1.0.
func Grid() []Ratio {
	g := make([]Ratio, 10)
	for i := range g {
		g[i] = Ratio(100 * (i + 1))
	}
	return g
}

// ID is the task id: dataset:episode:rX.XX. Ids of datasets and episodes are already free of ':'.
func ID(dataset, episode string, r Ratio) string { return dataset + ":" + episode + ":r" + r.String() }
