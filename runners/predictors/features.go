package predictors

import (
	"slices"

	"intentlab/ablations/task"
)

// feature is a term of a feature space with its number of occurrences. Terms are known by 64-bit
// hashes: among a million distinct terms the chance of any collision is below 3e-8, and artefacts
// hold no text but labels and intents.
type feature struct {
	key   uint64
	count uint32
}

// featureSpace turns a task into terms. The name goes into artefacts, so that an artefact of other
// settings is refused.
type featureSpace struct {
	name string
	// idf weighs terms by smoothed inverse document frequency; otherwise every weight is 1.
	idf  bool
	keys func(t *task.Task, keys []uint64) []uint64
}

// bag counts equal keys; the result is sorted by key, the order in which every sum runs. It sorts
// keys in place.
func bag(keys []uint64, out []feature) []feature {
	slices.Sort(keys)
	for _, k := range keys {
		if n := len(out); n > 0 && out[n-1].key == k {
			out[n-1].count++
		} else {
			out = append(out, feature{k, 1})
		}
	}
	return out
}

// FNV-1a, 64 bits (Fowler, Noll and Vo), kept open-coded so that a token is hashed while it is read.
const (
	fnvOffset uint64 = 14695981039346656037
	fnvPrime  uint64 = 1099511628211
)

func hashByte(h uint64, b byte) uint64 { return (h ^ uint64(b)) * fnvPrime }

func hashString(h uint64, s string) uint64 {
	for i := range len(s) {
		h = hashByte(h, s[i])
	}
	return h
}

// chain folds x into h with the finaliser of SplitMix64 (Steele, Lea and Flood 2014). It depends on
// the order of its arguments.
func chain(h, x uint64) uint64 {
	z := h*fnvPrime ^ x
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
