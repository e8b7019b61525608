package metrics

// Rescale maps x from [low, high] to [0, 1] and clips: levels 0–4, operator scores 1–5 (V35),
// cosines between calibration anchors (metrics-and-judge.md B6, V47).
func Rescale(x, low, high float64) Value {
	if high <= low {
		return None("the scale has no width")
	}
	return Of(min(max((x-low)/(high-low), 0), 1))
}

// CollisionCeiling is the best accuracy that any function of the visible input can reach on a
// sample (A17, V44): groups are the gold labels of tasks with equal visible input.
func CollisionCeiling(groups [][]string) Value {
	best, n := 0, 0
	for _, g := range groups {
		counts, most := map[string]int{}, 0
		for _, label := range g {
			counts[label]++
			most = max(most, counts[label])
		}
		best, n = best+most, n+len(g)
	}
	return ratio(float64(best), float64(n), "no eligible task")
}

// DesignEffect is by how much tasks of one episode, correlated by icc, overstate a sample's size
// (A14, V46): 1 + (perEpisode − 1)·icc.
func DesignEffect(perEpisode, icc float64) float64 { return 1 + (perEpisode-1)*icc }
