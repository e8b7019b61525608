package encoder

import (
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// docs/encoder.md reports this number; a change of weights or tokeniser that moves it is seen here.
func TestCosineRanksTheHandGradedIntentPairs(t *testing.T) {
	e := loaded(t)
	file, err := os.ReadFile("testdata/pairs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var levels, cosines []float64
	for i, line := range strings.Split(strings.TrimSpace(string(file)), "\n") {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "level\t") {
			continue
		}
		c := strings.Split(line, "\t")
		level, err := strconv.ParseFloat(c[0], 64)
		if len(c) != 3 || err != nil {
			t.Fatalf("testdata/pairs.tsv:%d: %q", i+1, line)
		}
		cos, ok := Cosine(e.Embed(c[1]), e.Embed(c[2]))
		if !ok {
			t.Fatalf("testdata/pairs.tsv:%d: no cosine", i+1)
		}
		levels, cosines = append(levels, level), append(cosines, cos)
	}
	if got := pearson(ranks(levels), ranks(cosines)); len(levels) != 44 || math.Abs(got-0.836) > 5e-4 {
		t.Errorf("Spearman over %d pairs = %.4f, docs/encoder.md says 0.836 over 44", len(levels), got)
	}
}

// ranks gives tied values their mean rank.
func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return v[order[a]] < v[order[b]] })
	r := make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			r[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return r
}

func pearson(a, b []float64) float64 {
	var ma, mb, ab, aa, bb float64
	for i := range a {
		ma += a[i] / float64(len(a))
		mb += b[i] / float64(len(b))
	}
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	return ab / math.Sqrt(aa*bb)
}
