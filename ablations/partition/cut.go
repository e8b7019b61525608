package partition

import (
	"fmt"
	"slices"
	"strings"
)

// share is a named part and its weight.
type share struct {
	name   string
	weight int
}

// startBits is the resolution of a stratum's random start. Positions are integers, since floats
// round differently where multiply-add is fused; 24 bits leave room for 500 million episodes.
const startBits = 24

// cut deals units out to the shares by hash within each stratum and returns the units of each.
//
// Within a stratum the units lie on a line in hash order, each as long as its number of episodes,
// and each is marked at one point: its start plus u times its length, where u in [0, 1) is the hash
// of the stratum. The line is cut in proportion to the weights; a unit goes where its mark falls.
// This is systematic sampling with a random start (Cochran, Sampling Techniques, ch. 8):
//
//   - every share gets its proportion of each stratum to within one unit, and exactly on average,
//     also over many small strata (rounding each to the nearest would give all singletons to train);
//   - strata do not influence one another, and within one an added episode moves each cut by less
//     than one place, so at most one unit (of equal size) crosses each cut.
//
// The price is that totals over S strata are off by about sqrt(S/12) units, where global rounding
// would be exact but would let one added episode move others in every stratum.
//
// A share with a positive weight that got nothing takes one unit from the share with the largest
// surplus, if one has two or more. When there are fewer units than shares, that is an error.
func cut(units []unit, shares []share, seed uint64, what string) ([][]unit, error) {
	total, asked := 0, 0
	for _, s := range shares {
		total += s.weight
		if s.weight > 0 {
			asked++
		}
	}
	if len(units) < asked {
		return nil, fmt.Errorf("%d %s for %d parts (%s): every part that is asked for needs at least one", len(units), what, asked, names(shares))
	}
	out := make([][]unit, len(shares))
	for _, stratum := range strata(units) {
		size := 0
		for _, u := range stratum {
			size += len(u.episodes)
		}
		start := int64(hashOf("stratum", seed, stratum[0].stratum) >> (64 - startBits))
		before := int64(0)
		for _, u := range stratum {
			length := int64(len(u.episodes))
			mark := before<<startBits + start*length
			before += length
			bound, to := int64(0), len(shares)-1
			for i, s := range shares {
				bound += int64(s.weight)
				if s.weight > 0 && mark*int64(total) < bound*int64(size)<<startBits {
					to = i
					break
				}
			}
			out[to] = append(out[to], u)
		}
	}
	fill(out, shares, total)
	return out, nil
}

// strata groups units by stratum in byte order of its name; within one they keep their hash order.
func strata(units []unit) [][]unit {
	sorted := slices.Clone(units)
	slices.SortStableFunc(sorted, func(a, b unit) int { return strings.Compare(a.stratum, b.stratum) })
	var out [][]unit
	for i, u := range sorted {
		if i == 0 || u.stratum != sorted[i-1].stratum {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], u)
	}
	return out
}

// fill gives each empty share one unit: the one of lowest hash from the share that has most
// episodes above its due among those with two units or more; cut made sure that there is one.
func fill(out [][]unit, shares []share, total int) {
	episodes := func(us []unit) int {
		n := 0
		for _, u := range us {
			n += len(u.episodes)
		}
		return n
	}
	all := 0
	for _, us := range out {
		all += episodes(us)
	}
	for i := range shares {
		if shares[i].weight == 0 || len(out[i]) > 0 {
			continue
		}
		donor, most := -1, 0
		for j := range out {
			surplus := episodes(out[j])*total - shares[j].weight*all
			if len(out[j]) >= 2 && (donor < 0 || surplus > most) {
				donor, most = j, surplus
			}
		}
		low := 0
		for j := range out[donor] {
			if byHash(out[donor][j], out[donor][low]) < 0 {
				low = j
			}
		}
		out[i] = append(out[i], out[donor][low])
		out[donor] = slices.Delete(out[donor], low, low+1)
	}
}

// names lists the shares that are asked for; of many it names the ends.
func names(shares []share) string {
	var out []string
	for _, s := range shares {
		if s.weight > 0 {
			out = append(out, s.name)
		}
	}
	if n := len(out); n > 5 {
		return out[0] + " to " + out[n-1]
	}
	return strings.Join(out, ", ")
}

// episodesOf returns the episodes of units, ascending.
func episodesOf(units ...[]unit) []int {
	var idx []int
	for _, us := range units {
		for _, u := range us {
			idx = append(idx, u.episodes...)
		}
	}
	slices.Sort(idx)
	return idx
}
