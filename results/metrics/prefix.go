package metrics

import "fmt"

// Steps is the number of visible steps of a prefix: min(T, max(1, ceil(q·T/1000))) in integers, for
// a ratio of q permille over T steps (A1; a ceiling over floats is wrong for many lengths, V02).
func Steps(total, permille int) int { return min(total, max(1, (permille*total+999)/1000)) }

// Duplicates marks the ratios whose prefix equals the previous one; the first of a run is not
// marked (A1).
func Duplicates(total int, grid []int) []bool {
	dup := make([]bool, len(grid))
	for i := 1; i < len(grid); i++ {
		dup[i] = Steps(total, grid[i]) == Steps(total, grid[i-1])
	}
	return dup
}

// RatioKey writes a ratio as in task ids: two decimals, a third only when it is not zero.
func RatioKey(permille int) string {
	if permille%10 == 0 {
		return fmt.Sprintf("%d.%02d", permille/1000, permille%1000/10)
	}
	return fmt.Sprintf("%d.%03d", permille/1000, permille%1000)
}
