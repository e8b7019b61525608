package metrics

import "math"

// Stopping is what an offline stopping rule reaches (A13, V24): stop at the first ratio whose
// confidence is at least theta, at the last one otherwise.
type Stopping struct {
	At       []int // index of the stop, by episode
	Accuracy Value // share of episodes that are right where they stop
	// Earliness is the mean effective ratio of the stops, in (0, 1]; lower is earlier.
	Earliness Value
	// HarmonicMean of accuracy and 1 − earliness (TEASER), 0 where both are 0.
	HarmonicMean Value
}

// Stop applies the rule. confidence, right and effective are indexed by episode, then by ratio; all
// rows have at least one entry.
func Stop(confidence [][]float64, right [][]bool, effective [][]float64, theta float64) Stopping {
	var s Stopping
	acc, early := 0.0, 0.0
	for e, conf := range confidence {
		at := 0
		for at < len(conf)-1 && conf[at] < theta {
			at++
		}
		s.At = append(s.At, at)
		acc += indicator(right[e][at])
		early += effective[e][at]
	}
	n := float64(len(confidence))
	s.Accuracy, s.Earliness = ratio(acc, n, "no episode"), ratio(early, n, "no episode")
	if n == 0 {
		s.HarmonicMean = None("no episode")
		return s
	}
	a, t := acc/n, 1-early/n
	if a+t == 0 {
		s.HarmonicMean = Of(0)
		return s
	}
	s.HarmonicMean = Of(2 * a * t / (a + t))
	return s
}

// Cost is alpha·(1 − accuracy) + (1 − alpha)·earliness, as in ml_edm (A13).
func (s Stopping) Cost(alpha float64) Value {
	a, ok1 := s.Accuracy.Get()
	e, ok2 := s.Earliness.Get()
	if !ok1 || !ok2 {
		return None("no episode")
	}
	return Of(alpha*(1-a) + (1-alpha)*e)
}

// TemporalStability is 1 − the mean absolute change of a score along the grid (A13, V25); null for
// fewer than two scores.
func TemporalStability(scores []float64) Value {
	sum := 0.0
	for i := 1; i < len(scores); i++ {
		sum += math.Abs(scores[i] - scores[i-1])
	}
	if len(scores) < 2 {
		return None("fewer than two scores")
	}
	return Of(1 - sum/float64(len(scores)-1))
}
