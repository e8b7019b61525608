package metrics

// Rescale maps x from [low, high] to [0, 1] and clips: levels 0–4, operator scores 1–5 (V35),
// cosines between calibration anchors (metrics-and-judge.md B6, V47).
func Rescale(x, low, high float64) Value {
	if high <= low {
		return None("the scale has no width")
	}
	return Of(min(max((x-low)/(high-low), 0), 1))
}

// DesignEffect is by how much tasks of one episode, correlated by icc, overstate a sample's size
// (A14, V46): 1 + (perEpisode − 1)·icc.
func DesignEffect(perEpisode, icc float64) float64 { return 1 + (perEpisode-1)*icc }
