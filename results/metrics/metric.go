package metrics

import (
	"slices"
	"sync"
)

// Direction says which values are better.
type Direction string

// The directions.
const (
	Higher Direction = "higher"
	Lower  Direction = "lower"
)

// Arrow is the mark for a table's head.
func (d Direction) Arrow() string {
	if d == Lower {
		return "↓"
	}
	return "↑"
}

// Kind is the sort of intent that a metric looks at.
type Kind string

// The kinds of intent.
const (
	Closed Kind = "closed"
	Open   Kind = "open"
)

// Space is what a statistic may know besides the episode at hand: the sample's constants.
type Space struct {
	Grid    []int // permille
	Judge   int   // index of the judge that open statistics look at
	Theta   float64
	Options Options
	// Classes are the labels met in gold or in valid answers of the sample, in byte order.
	Classes []string
	class   map[string]int
}

// Class is the index of a normalised label in Classes, -1 for a label that isn't there.
func (sp *Space) Class(label string) int {
	if i, ok := sp.class[label]; ok {
		return i
	}
	return -1
}

// Statistic is what one episode contributes: a vector that adds up over episodes. Everything that
// resamples or shuffles episodes or clusters (bootstrap, randomisation) needs nothing else: it adds
// other multiples of the same vectors and combines.
type Statistic struct {
	Name string
	// Size is the length of the vector.
	Size func(sp *Space) int
	// Add adds the episode's vector to sum.
	Add func(sp *Space, e *Episode, sum []float64)
	// ByClass marks vectors that are laid out by Space.Classes and so can't be pooled over datasets.
	ByClass bool
}

// Metric is one registered number.
type Metric struct {
	// Name is the kind, a dot, and the path of the number in that block of the evaluation's JSON
	// ("closed.ttc.solve_rate"). A name without a field of its own appears under the block's
	// "metrics".
	Name    string
	Version int // raised when the number's definition changes; stored with per-ratio scores
	Title   string
	Doc     string // one sentence, with the section of metrics-and-judge.md
	Kind    Kind
	// Low and High bound the values; Unbounded marks a High that isn't a bound.
	Low, High float64
	Unbounded bool
	Direction Direction
	Unit      string
	Decimals  int // in tables
	// Paired is set for the metrics that paired comparisons are made with; others differ in what
	// they average over from method to method (macro_f1, mean_solved).
	Paired bool

	Statistic *Statistic
	// Combine turns the sum of the episodes' vectors into the number.
	Combine func(sp *Space, sum []float64) Value

	// GainOf names the metric whose paired difference to the baseline's this is (A9); such a metric
	// has no statistic of its own.
	GainOf string
}

// Registry returns the metrics in the order of tables and documentation. A new metric is one more
// entry here; JSON, tables, resampling and `intentlab metrics` take it from there.
func Registry() []Metric { return slices.Clone(builtin()) }

var builtin = sync.OnceValue(func() []Metric {
	var all []Metric
	all = append(all, closedMetrics()...)
	all = append(all, ttcMetrics(Closed, closedStable)...)
	all = append(all, calibrationMetrics()...)
	all = append(all, openMetrics()...)
	all = append(all, ttcMetrics(Open, openStable)...)
	return append(all, gainMetrics()...)
})

// gainMetrics are the area gains (A9).
func gainMetrics() []Metric {
	var all []Metric
	for _, k := range []Kind{Closed, Open} {
		title := map[Kind]string{Closed: "Closed gain", Open: "Open gain"}[k]
		norm := share(k, "area_gain_norm", title, "difference of nAUC to the baseline's on the tasks that both have (A9)", nil, nil)
		norm.GainOf, norm.Low, norm.Unit = string(k)+".nauc", -1, "difference of shares"
		raw := share(k, "area_gain", title+" (raw)", "difference of the raw area to the baseline's on the tasks that both have (A9)", nil, nil)
		raw.GainOf, raw.Low, raw.Unit = string(k)+".auc", -1, "difference of areas"
		all = append(all, norm, raw)
	}
	return all
}

// Find returns the registered metric of a name.
func Find(name string) (Metric, bool) { return findIn(builtin(), name) }

// share fills the fields that most metrics have in common.
func share(kind Kind, path, title, doc string, st *Statistic, combine func(*Space, []float64) Value) Metric {
	return Metric{Name: string(kind) + "." + path, Version: 1, Title: title, Doc: doc, Kind: kind, High: 1,
		Direction: Higher, Unit: "share", Decimals: 3, Paired: true, Statistic: st, Combine: combine}
}

func closedMetrics() []Metric {
	auc := share(Closed, "auc", "Closed AUC", "raw trapezoid area under accuracy over requested ratios, 0.9 at most on the tenths grid (A4)",
		closedCounts, func(sp *Space, sum []float64) Value {
			area, _ := Area(accuracy(sp.Grid, sum), sp.Options.Interpolate)
			return area
		})
	auc.Unit = "share × ratio"
	f1 := share(Closed, "macro_f1", "Macro-F1", "mean F1 over gold and validly predicted labels, all ratios of one dataset pooled (A5)",
		confusion, func(sp *Space, sum []float64) Value { return macroF1(pooledClasses(sp, sum), false) })
	f1.Paired = false
	return []Metric{
		share(Closed, "nauc", "Closed nAUC", "area under accuracy over requested ratios, divided by the grid's width (A4)",
			closedCounts, func(sp *Space, sum []float64) Value {
				_, n := Area(accuracy(sp.Grid, sum), sp.Options.Interpolate)
				return n
			}),
		auc,
		share(Closed, "nauc_effective", "Closed nAUC (effective)", "mean over episodes of the area over effective ratios k/T, equal prefixes collapsed (A10)",
			closedCollapse, func(_ *Space, sum []float64) Value {
				return ratio(sum[collapseSum], sum[collapseN], "no episode has a complete curve")
			}),
		f1,
		share(Closed, "macro_f1_gold", "Macro-F1 (gold labels)", "mean F1 over gold labels only, the same classes for every method: for paired comparisons (A5)",
			confusion, func(sp *Space, sum []float64) Value { return macroF1(pooledClasses(sp, sum), true) }),
		func() Metric {
			m := share(Closed, "macro_f1_nauc", "Macro-F1 nAUC", "normalised area under the per-ratio macro-F1 (A5)",
				confusion, func(sp *Space, sum []float64) Value {
					_, n := Area(macroF1Curve(sp, sum), sp.Options.Interpolate)
					return n
				})
			m.Paired = false
			return m
		}(),
	}
}

// ttcMetrics are the stable-point metrics of either kind.
func ttcMetrics(kind Kind, st *Statistic) []Metric {
	// Heads stand beside those of the other kind.
	name := func(t string) string { return map[Kind]string{Closed: "Closed ", Open: "Open "}[kind] + t }
	read := func(get func(TTC) Value) func(*Space, []float64) Value {
		return func(sp *Space, sum []float64) Value { return get(ttcOf(sp.Grid, sum)) }
	}
	steps := func(path, t, doc string, get func(TTC) Value) Metric {
		m := share(kind, "ttc."+path, name(t), doc, st, read(get))
		m.High, m.Direction, m.Unit = 2, Lower, "requested ratio"
		return m
	}
	unpaired := func(m Metric) Metric { m.Paired = false; return m }
	effective := steps("effective_restricted_mean", "TTC (effective)", "restricted mean over effective ratios k/T, never costing 1.1 (A6)",
		func(t TTC) Value { return t.EffectiveRestrictedMean })
	effective.Unit, effective.High = "effective ratio", effectiveNever
	flips := steps("mean_flips", "flips", "mean number of changes between right and wrong along the grid (A6)",
		func(t TTC) Value { return t.MeanFlips })
	flips.Unit, flips.Unbounded = "changes per episode", true
	return []Metric{
		share(kind, "ttc.solve_rate", name("solve rate"), "share of episodes that are right at the last ratio, and so from some ratio on (A6)", st,
			read(func(t TTC) Value { return t.SolveRate })),
		share(kind, "ttc.stable_nauc", name("stable nAUC"), "normalised area under the share of episodes that are stable by a ratio (A6)", st,
			read(func(t TTC) Value { return t.StableNAUC })),
		steps("restricted_mean", "TTC", "mean requested ratio of the stable point, never costing one grid step beyond the end (A6)",
			func(t TTC) Value { return t.RestrictedMean }),
		effective,
		unpaired(steps("q25", "TTC, lower quartile", "nearest-rank lower quartile of the stable point, never counting as infinity (A6)", func(t TTC) Value { return t.Q25 })),
		unpaired(steps("median", "median TTC", "nearest-rank median of the stable point, never counting as infinity (A6)", func(t TTC) Value { return t.Median })),
		unpaired(steps("q75", "TTC, upper quartile", "nearest-rank upper quartile of the stable point, never counting as infinity (A6)", func(t TTC) Value { return t.Q75 })),
		unpaired(steps("mean_solved", "TTC of solved episodes", "mean stable point over solved episodes only; read it with the solve rate, never across methods (A6)",
			func(t TTC) Value { return t.MeanSolved })),
		flips,
	}
}
