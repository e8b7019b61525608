package metrics

import "fmt"

// taker reads metrics into fields and remembers which.
type taker struct {
	values Values
	taken  map[string]bool
}

func (t taker) value(name string) Value {
	t.taken[name] = true
	return t.values.Get(name)
}

// closedBlock fills Closed, or ClosedWhy where the dataset has no closed intents.
func (r *DatasetResult) closedBlock(s Sample, es []Episode, why string) {
	n := Counts{Grid: s.Grid, N: make([]int, len(s.Grid))}
	gold := map[string]bool{}
	for _, e := range es {
		for i := range e.Tasks {
			if o := &e.Tasks[i]; i < len(n.N) && o.closed(r.options) {
				n.N[i]++
				gold[o.Gold] = true
			}
		}
	}
	if n.Sum() == 0 {
		if r.ClosedWhy = why; why == "" {
			r.ClosedWhy = "no task has a closed intent"
		}
		return
	}
	sp := newSpace(s, es, -1, r.options)
	values, sums := measure(sp, es, Closed, why)
	r.closed, r.closedSpace, r.closedSums, r.closedNull = values, sp, sums, why
	t := taker{values, map[string]bool{}}
	c := &ClosedResult{LabelSpace: s.LabelSpace, InvalidLabelsTested: s.Labels != nil, NTasks: n.Sum(), NClasses: len(gold), N: n,
		NAUCName: GridName(s.Grid), Degenerate: len(s.Grid) == 1,
		AUC: t.value("closed.auc"), NAUC: t.value("closed.nauc"), NAUCEffective: t.value("closed.nauc_effective"),
		MacroF1: t.value("closed.macro_f1"), MacroF1Gold: t.value("closed.macro_f1_gold"), MacroF1NAUC: t.value("closed.macro_f1_nauc"),
		Calibration: Calibration{ECE: t.value("closed.calibration.ece"), MCE: t.value("closed.calibration.mce"),
			Brier: t.value("closed.calibration.brier"), NLL: t.value("closed.calibration.nll")},
	}
	c.TTC = ttcBlock(t, Closed, s.Grid)
	none := None(why)
	c.Acc, c.Correct, c.MacroF1Curve = constant(s.Grid, none), constant(s.Grid, none), constant(s.Grid, none)
	c.NEffective, c.NDegenerate = none, none
	c.Calibration.N, c.Calibration.Bins, c.Calibration.Share, c.Calibration.NBad = none, none, none, none
	if why == "" {
		counts := sumOf(closedCounts, sp, sums, es)
		c.Acc = accuracy(s.Grid, counts)
		for i := range s.Grid {
			c.Correct.Values[i] = Of(counts[i])
		}
		c.MacroF1Curve = macroF1Curve(sp, sumOf(confusion, sp, sums, es))
		collapsed := sumOf(closedCollapse, sp, sums, es)
		c.NEffective, c.NDegenerate = Of(collapsed[collapseN]), Of(collapsed[collapseDegenerate])
		cal := sumOf(calibrated, sp, sums, es)
		_, bins := calBins(cal)
		c.Calibration.N, c.Calibration.NBad = Of(cal[calN]), Of(cal[calBad])
		c.Calibration.Bins = Of(float64(bins))
		c.Calibration.Share = ratio(cal[calN], cal[calEligible], "no eligible task")
		c.Ceiling = ceilingOf(s.Grid, es, r.options)
		c.TTC.counts(ttcOf(s.Grid, sumOf(closedStable, sp, sums, es)))
	}
	c.Metrics = rest(values, Closed, t.taken)
	r.Closed = c
}

// sumOf returns a statistic's sum, from the metrics' own where one of them uses it.
func sumOf(st *Statistic, sp *Space, sums map[*Statistic][]float64, es []Episode) []float64 {
	if _, ok := sums[st]; !ok {
		sums[st] = total(sp, es, st, "")
	}
	return sums[st]
}

// ttcBlock reads the registered stable-point metrics; counts fills in the others.
func ttcBlock(t taker, kind Kind, grid []int) TTC {
	v := func(path string) Value { return t.value(string(kind) + ".ttc." + path) }
	b := TTC{SolveRate: v("solve_rate"), MeanSolved: v("mean_solved"), RestrictedMean: v("restricted_mean"),
		Q25: v("q25"), Median: v("median"), Q75: v("q75"), StableNAUC: v("stable_nauc"),
		EffectiveRestrictedMean: v("effective_restricted_mean"), MeanFlips: v("mean_flips"),
		Never: Of(float64(Never(grid)) / 1000)}
	none := None(b.SolveRate.Why())
	b.N, b.NSolved, b.StableCurve = none, none, constant(grid, none)
	return b
}

// counts takes from o what isn't a registered metric.
func (t *TTC) counts(o TTC) { t.N, t.NSolved, t.StableCurve = o.N, o.NSolved, o.StableCurve }

// openBlock appends judge j's block.
func (r *DatasetResult) openBlock(s Sample, es []Episode, j int, why string) {
	info := s.Judges[j]
	b := &OpenResult{Judge: info.Name, Fingerprint: info.Fingerprint, Threshold: info.Theta, Operator: ">", Failures: "unscored",
		NAUCName: GridName(s.Grid), Degenerate: len(s.Grid) == 1}
	if r.options.JudgeFailureIsZero {
		b.Failures = "zero"
	}
	pending := 0
	for _, e := range es {
		for i := range e.Tasks {
			o := &e.Tasks[i]
			if !o.asked() {
				continue
			}
			switch _, state, in := o.open(j, r.options); {
			case in:
				b.NTasks++
				if state == ScorePending {
					pending++
				}
			case state == GoldOut:
				b.NGoldOut++
			}
		}
	}
	if why == "" && pending > 0 {
		why = fmt.Sprintf("pending %d of %d verdicts", pending, b.NTasks)
	}
	if why == "" && b.NTasks == 0 {
		why = "no task has an open intent that the judge can read"
	}
	sp := newSpace(s, es, j, r.options)
	values, sums := measure(sp, es, Open, why)
	r.open, r.openSpaces, r.openSums = append(r.open, values), append(r.openSpaces, sp), append(r.openSums, sums)
	r.openNull = append(r.openNull, why)
	t := taker{values, map[string]bool{}}
	b.AUC, b.NAUC, b.NAUCEffective = t.value("open.auc"), t.value("open.nauc"), t.value("open.nauc_effective")
	b.PassNAUC = t.value("open.pass_nauc")
	b.TTC = ttcBlock(t, Open, s.Grid)
	none := None(why)
	b.Score, b.N, b.Pass = constant(s.Grid, none), constant(s.Grid, none), constant(s.Grid, none)
	b.NScored, b.NMethodFailures, b.NUnscored, b.JudgeCoverage, b.NEffective, b.NDegenerate = none, none, none, none, none, none
	if why == "" {
		b.fill(sp, sumOf(openCounts, sp, sums, es), sumOf(openCollapse, sp, sums, es), sumOf(openStable, sp, sums, es))
	}
	b.Metrics = rest(values, Open, t.taken)
	r.OpenByJudge = append(r.OpenByJudge, b)
}

// fill computes what isn't a registered metric.
func (b *OpenResult) fill(sp *Space, counts, collapsed, stable []float64) {
	m := len(sp.Grid)
	b.Score, b.Pass = openCurve(sp.Grid, counts, openSum), openCurve(sp.Grid, counts, openPass)
	var scored, in, failed float64
	withheld := false
	for i := range sp.Grid {
		s, all := counts[openScored*m+i], counts[openIn*m+i]
		b.N.Values[i] = Of(s)
		scored, in, failed = scored+s, in+all, failed+counts[openFailed*m+i]
		withheld = withheld || s < MinCoverage*all
	}
	b.NScored, b.NMethodFailures, b.NUnscored = Of(scored), Of(failed), Of(in-scored)
	b.JudgeCoverage = ratio(scored, in, "no eligible task")
	if withheld {
		low, high := bounds(sp, counts)
		b.Bounds = &Bounds{low, high}
	}
	b.NEffective, b.NDegenerate = Of(collapsed[collapseN]), Of(collapsed[collapseDegenerate])
	half := m + ttcExtra
	b.TTC.counts(ttcOf(sp.Grid, stable))
	o := ttcOf(sp.Grid, stable[half:2*half])
	b.TTC.Optimistic = &OptimisticTTC{NAffected: Of(stable[2*half]), SolveRate: o.SolveRate,
		RestrictedMean: o.RestrictedMean, StableNAUC: o.StableNAUC}
}
