package metrics

import (
	"math"
	"slices"
)

// nllFloor clips probabilities in the negative log-likelihood (A12).
const nllFloor = 1e-6

// Layout of the sums of the calibration statistic: ten and five bins of (n, right, confidence),
// then the following.
const (
	calBins10 = 0
	calBins5  = 30
	calN      = 45 + iota - 2
	calBrier
	calNLL
	calBad
	calEligible
	calSize
)

// calibrated holds the top-label calibration of closed answers that carry a confidence.
var calibrated = &Statistic{
	Name: "closed_calibration",
	Size: func(*Space) int { return calSize },
	Add: func(sp *Space, e *Episode, sum []float64) {
		for i := range e.Tasks {
			o := &e.Tasks[i]
			if !o.closed(sp.Options) {
				continue
			}
			sum[calEligible]++
			if o.BadConfidence {
				sum[calBad]++
			}
			if !o.HasConfidence {
				continue
			}
			y, c := indicator(o.Correct), o.Confidence
			for _, b := range [2][2]int{{calBins10, 10}, {calBins5, 5}} {
				at := b[0] + 3*bin(c, b[1])
				sum[at]++
				sum[at+1] += y
				sum[at+2] += c
			}
			sum[calN]++
			sum[calBrier] += (c - y) * (c - y)
			sum[calNLL] += nll(c, o.Correct)
		}
	},
}

// bin is the index of a confidence among bins (lo, hi] of equal width, the first closed at 0. It
// compares with the edges: floor(c·bins) is wrong at some of them.
func bin(c float64, bins int) int {
	b := 0
	for b < bins-1 && c > float64(b+1)/float64(bins) {
		b++
	}
	return b
}

func nll(c float64, right bool) float64 {
	if !right {
		c = 1 - c
	}
	return -math.Log(min(max(c, nllFloor), 1-nllFloor))
}

// bins returns the offset and number of the bins to use: ten, five below a hundred answers.
func calBins(sum []float64) (from, n int) {
	if sum[calN] < 100 {
		return calBins5, 5
	}
	return calBins10, 10
}

// ece is sum over bins of n_b/n·|acc_b − conf_b| and the largest gap.
func ece(bins []float64) (mean, largest float64) {
	n := 0.0
	for b := 0; b < len(bins); b += 3 {
		n += bins[b]
	}
	for b := 0; b < len(bins); b += 3 {
		if bins[b] == 0 {
			continue
		}
		mean += math.Abs(bins[b+1]-bins[b+2]) / n
		largest = max(largest, math.Abs(bins[b+1]-bins[b+2])/bins[b])
	}
	return mean, largest
}

const noConfidence = "no answer carries a confidence"

func calibrationMetrics() []Metric {
	lower := func(path, title, doc string, combine func(*Space, []float64) Value) Metric {
		m := share(Closed, "calibration."+path, title, doc, calibrated, func(sp *Space, sum []float64) Value {
			if sum[calN] == 0 {
				return None(noConfidence)
			}
			return combine(sp, sum)
		})
		m.Direction, m.Paired = Lower, false
		return m
	}
	nll := lower("nll", "NLL", "mean negative log-likelihood of being right, probabilities clipped at 1e-6 (A12)",
		func(_ *Space, sum []float64) Value { return Of(sum[calNLL] / sum[calN]) })
	nll.Unit, nll.High = "nats", -math.Log(nllFloor)
	return []Metric{
		lower("ece", "ECE", "expected calibration error over ten bins of equal width, five below a hundred answers (A12)",
			func(_ *Space, sum []float64) Value {
				from, n := calBins(sum)
				mean, _ := ece(sum[from : from+3*n])
				return Of(mean)
			}),
		lower("mce", "MCE", "largest gap between confidence and accuracy of any bin (A12)",
			func(_ *Space, sum []float64) Value {
				from, n := calBins(sum)
				_, largest := ece(sum[from : from+3*n])
				return Of(largest)
			}),
		lower("brier", "Brier", "mean squared difference of confidence and being right (A12)",
			func(_ *Space, sum []float64) Value { return Of(sum[calBrier] / sum[calN]) }),
		nll,
	}
}

// ECE is the expected calibration error and the largest gap over bins of equal width.
func ECE(confidence []float64, right []bool, bins int) (mean, largest float64) {
	sum := make([]float64, 3*bins)
	for i, c := range confidence {
		at := 3 * bin(c, bins)
		sum[at]++
		sum[at+1] += indicator(right[i])
		sum[at+2] += c
	}
	return ece(sum)
}

// EqualMassECE is the expected calibration error over bins of (nearly) equal numbers of answers,
// ordered by confidence and then by position.
func EqualMassECE(confidence []float64, right []bool, bins int) float64 {
	order := byConfidence(confidence, false)
	sum := make([]float64, 3*bins)
	for rank, i := range order {
		at := 3 * (rank * bins / len(order))
		sum[at]++
		sum[at+1] += indicator(right[i])
		sum[at+2] += confidence[i]
	}
	mean, _ := ece(sum)
	return mean
}

// AURC is the area under the risk-coverage curve: the mean, over coverages 1/n … 1, of the error
// rate among the most confident answers; ties in confidence keep their order (A12, V23). Null
// without answers.
func AURC(confidence []float64, right []bool) Value {
	wrong, sum := 0.0, 0.0
	for rank, i := range byConfidence(confidence, true) {
		wrong += 1 - indicator(right[i])
		sum += wrong / float64(rank+1)
	}
	return ratio(sum, float64(len(confidence)), noConfidence)
}

func byConfidence(confidence []float64, descending bool) []int {
	order := make([]int, len(confidence))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := confidence[a], confidence[b]; {
		case x == y:
			return 0
		case x < y != descending:
			return -1
		}
		return 1
	})
	return order
}
