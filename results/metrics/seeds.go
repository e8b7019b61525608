package metrics

import (
	"fmt"
	"math"
)

// SeedSummary is a number over seeds: its mean first, and how far the seeds spread. The spread over
// seeds is another uncertainty than that over episodes; the two are never added (A11).
type SeedSummary struct {
	Mean Value
	SD   Value // sample standard deviation, null for a single seed
	N    int
}

// OverSeeds summarises a metric over the seeds of one method. A seed without the number makes the
// mean null: an average over the seeds that happened to finish is another number.
func OverSeeds(values []Value) SeedSummary {
	s := SeedSummary{N: len(values)}
	sum := 0.0
	for i, v := range values {
		x, ok := v.Get()
		if !ok {
			why := v.Why()
			if len(values) > 1 {
				why = fmt.Sprintf("seed %d of %d: %s", i+1, len(values), why)
			}
			s.Mean, s.SD = None(why), None(why)
			return s
		}
		sum += x
	}
	if s.N == 0 {
		s.Mean, s.SD = None("no seed"), None("no seed")
		return s
	}
	mean := sum / float64(s.N)
	s.Mean = Of(mean)
	if s.N == 1 {
		s.SD = None("a single seed")
		return s
	}
	squares := 0.0
	for _, v := range values {
		squares += (v.number - mean) * (v.number - mean)
	}
	s.SD = Of(math.Sqrt(squares / float64(s.N-1)))
	return s
}
