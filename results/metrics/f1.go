package metrics

// confusion holds per ratio and class the true positives, false positives and false negatives:
// index (ratio·classes + class)·3. An answer that is missing, abstained, invalid or an error costs
// recall and is no class (A5, V08).
var confusion = &Statistic{
	Name:    "confusion",
	ByClass: true,
	Size:    func(sp *Space) int { return len(sp.Grid) * len(sp.Classes) * 3 },
	Add: func(sp *Space, e *Episode, sum []float64) {
		for i := range e.Tasks {
			o := &e.Tasks[i]
			if !o.closed(sp.Options) {
				continue
			}
			base := i * len(sp.Classes)
			gold := (base + sp.class[o.Gold]) * 3
			if o.Correct {
				sum[gold+truePositive]++
				continue
			}
			sum[gold+falseNegative]++
			if o.State == Answered && o.Predicted != "" {
				sum[(base+sp.class[o.Predicted])*3+falsePositive]++
			}
		}
	},
}

const (
	truePositive = iota
	falsePositive
	falseNegative
)

// pooledClasses adds the confusion counts over ratios.
func pooledClasses(sp *Space, sum []float64) []float64 {
	size := len(sp.Classes) * 3
	out := make([]float64, size)
	for i := range sp.Grid {
		for j := range size {
			out[j] += sum[i*size+j]
		}
	}
	return out
}

// macroF1 is the mean of the classes' F1 = 2TP/(2TP+FP+FN). The classes are those with any count
// (gold and validly predicted labels of the slice), or gold labels only; a class never met is not
// averaged, so no denominator is 0.
func macroF1(counts []float64, goldOnly bool) Value {
	sum, n := 0.0, 0.0
	for c := 0; c < len(counts); c += 3 {
		tp, fp, fn := counts[c+truePositive], counts[c+falsePositive], counts[c+falseNegative]
		if tp+fn == 0 && (goldOnly || fp == 0) {
			continue
		}
		sum += 2 * tp / (2*tp + fp + fn)
		n++
	}
	return ratio(sum, n, "no eligible task")
}

// macroF1Curve is macro-F1 per ratio, each over the labels of its own slice.
func macroF1Curve(sp *Space, sum []float64) Curve {
	c := Curve{Grid: sp.Grid, Values: make([]Value, len(sp.Grid))}
	size := len(sp.Classes) * 3
	for i := range sp.Grid {
		c.Values[i] = macroF1(sum[i*size:(i+1)*size], false)
	}
	return c
}

// MacroF1 is macro-F1 of one slice (A5): gold and predicted labels, "" predicted for anything that
// is no valid answer. goldOnly averages over gold labels only.
func MacroF1(gold, predicted []string, goldOnly bool) Value {
	class := map[string]int{}
	var counts []float64
	at := func(label string) int {
		if _, ok := class[label]; !ok {
			class[label] = len(counts)
			counts = append(counts, 0, 0, 0)
		}
		return class[label]
	}
	for i, g := range gold {
		c := at(g)
		if predicted[i] == g {
			counts[c+truePositive]++
			continue
		}
		counts[c+falseNegative]++
		if predicted[i] != "" {
			counts[at(predicted[i])+falsePositive]++
		}
	}
	return macroF1(counts, goldOnly)
}
