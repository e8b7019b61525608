package inspection

import "intentlab/ablations/trajectory"

// Bin is how many episodes have from Low to High steps, both included.
type Bin struct {
	Low      int `json:"low"`
	High     int `json:"high"`
	Episodes int `json:"episodes"`
}

// Bins groups the distribution of lengths into at most most bins of equal width, empty ones between
// others included. Widths are 1, 2 or 5 times a power of ten, and every bin but the first begins at a
// multiple of the width, so that two copies of a dataset get the same bins.
func Bins(l trajectory.Lengths, most int) []Bin {
	if len(l.Counts) == 0 || most < 2 {
		return nil
	}
	width := 1
	for step := 0; l.Max/width-l.Min/width+1 > most; step++ {
		width = width / [3]int{1, 2, 5}[step%3] * [3]int{2, 5, 10}[step%3]
	}
	first := l.Min / width
	bins := make([]Bin, l.Max/width-first+1)
	for i := range bins {
		bins[i].Low, bins[i].High = max((first+i)*width, 1), (first+i+1)*width-1
	}
	for _, c := range l.Counts {
		bins[c.Steps/width-first].Episodes += c.Episodes
	}
	return bins
}
