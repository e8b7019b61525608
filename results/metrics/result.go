package metrics

// DatasetResult is everything about one dataset × ablation × method × seed; its JSON is an entry of
// "datasets" (benchmark.md).
type DatasetResult struct {
	Dataset  string `json:"-"`
	Ablation string `json:"-"`
	Method   string `json:"-"`
	Seed     int64  `json:"-"`
	Grid     []int  `json:"-"` // permille

	NEpisodes      int `json:"n_episodes"` // with at least one asked task
	NClusters      int `json:"n_clusters"`
	NTasks         int `json:"n_tasks"`     // asked tasks
	NNotAsked      int `json:"n_not_asked"` // outside of every number
	NNotApplicable int `json:"n_not_applicable"`
	NPending       int `json:"n_pending"`
	NDuplicates    int `json:"n_duplicate_prefixes"`

	Coverage              Coverage       `json:"coverage"`
	CoverageByRatio       RatioCoverages `json:"coverage_by_ratio"`
	DuplicateDisagreement Value          `json:"duplicate_disagreement_rate"`
	OutOfMacro            string         `json:"out_of_macro,omitempty"`
	MissingPolicy         string         `json:"missing_policy,omitempty"` // "skip" where it isn't the default

	Closed      *ClosedResult `json:"closed"`
	ClosedWhy   string        `json:"closed_why,omitempty"`
	Open        *OpenResult   `json:"open"` // the first judge's
	OpenWhy     string        `json:"open_why,omitempty"`
	OpenByJudge OpenByJudge   `json:"open_by_judge"`

	options Options
	// The values of every registered metric and the sums behind them, for aggregation.
	closed      Values
	closedSpace *Space
	closedSums  map[*Statistic][]float64
	open        []Values // by judge
	openSpaces  []*Space
	openSums    []map[*Statistic][]float64
	closedNull  string   // why no closed number is known
	openNull    []string // by judge
}

// MarshalJSON writes reasons beside nulls.
func (r DatasetResult) MarshalJSON() ([]byte, error) { return object(r) }

// Value returns a registered metric. judge names the judge of an open metric, "" the first one; it
// is ignored for closed metrics.
func (r DatasetResult) Value(metric, judge string) Value {
	m, ok := findIn(r.options.registry(), metric)
	if !ok {
		return None("there is no metric " + metric)
	}
	if m.Kind == Closed {
		if r.Closed == nil {
			return None(r.ClosedWhy)
		}
		return r.closed.Get(metric)
	}
	for j, o := range r.OpenByJudge {
		if judge == "" || o.Judge == judge {
			return r.open[j].Get(metric)
		}
	}
	if judge == "" {
		return None(r.OpenWhy)
	}
	return None("judge " + judge + " does not score " + r.Dataset)
}

// ClosedResult is the "closed" block.
type ClosedResult struct {
	LabelSpace string `json:"label_space"`
	// InvalidLabelsTested is false where no label space was given.
	InvalidLabelsTested bool `json:"invalid_labels_tested"`

	NTasks     int    `json:"n_tasks"`
	NClasses   int    `json:"n_gold_classes"`
	Acc        Curve  `json:"acc"`
	N          Counts `json:"n"`
	Correct    Curve  `json:"correct"` // integers
	AUC        Value  `json:"auc"`
	NAUC       Value  `json:"nauc"`
	NAUCName   string `json:"nauc_grid,omitempty"`  // "@0.2-1.0" on another grid than 0.1–1.0
	Degenerate bool   `json:"degenerate,omitempty"` // a grid of one point

	NAUCEffective Value `json:"nauc_effective"`
	NEffective    Value `json:"n_effective"`  // episodes behind it
	NDegenerate   Value `json:"n_degenerate"` // of these, with one distinct prefix

	MacroF1      Value `json:"macro_f1"`
	MacroF1Gold  Value `json:"macro_f1_gold"`
	MacroF1Curve Curve `json:"macro_f1_curve"`
	MacroF1NAUC  Value `json:"macro_f1_nauc"`

	// Ceiling is set where the visible inputs of all tasks are known.
	Ceiling *Ceiling `json:"ceiling,omitempty"`

	TTC         TTC         `json:"ttc"`
	Calibration Calibration `json:"calibration"`
	Metrics     Values      `json:"metrics,omitempty"` // registered metrics without a field of their own
}

// MarshalJSON writes reasons beside nulls.
func (r ClosedResult) MarshalJSON() ([]byte, error) { return object(r) }

// Calibration is the "calibration" block (A12), over tasks that carry a confidence.
type Calibration struct {
	ECE   Value `json:"ece"`
	MCE   Value `json:"mce"`
	Brier Value `json:"brier"`
	NLL   Value `json:"nll"`
	Bins  Value `json:"bins"`
	N     Value `json:"n"`
	Share Value `json:"share"`     // of eligible tasks
	NBad  Value `json:"n_invalid"` // confidences that are no number in [0, 1]
}

// MarshalJSON writes reasons beside nulls.
func (c Calibration) MarshalJSON() ([]byte, error) { return object(c) }

// OpenResult is the "open" block of one judge.
type OpenResult struct {
	Judge       string  `json:"judge"`
	Fingerprint string  `json:"judge_fingerprint"`
	Threshold   float64 `json:"threshold"`
	Operator    string  `json:"threshold_operator"` // always ">": strict (A8)
	Failures    string  `json:"judge_failure"`      // "unscored", or "zero" on request

	NTasks          int   `json:"n_tasks"`    // in this judge's metrics, scored or not
	NGoldOut        int   `json:"n_gold_out"` // out for all methods: no gold text that the judge can read
	NScored         Value `json:"n_scored"`   // method failures are scored 0
	NMethodFailures Value `json:"n_method_failure"`
	NUnscored       Value `json:"n_unscored"`
	JudgeCoverage   Value `json:"judge_coverage"`

	Score      Curve  `json:"score"`
	N          Curve  `json:"n"` // scored tasks, integers
	AUC        Value  `json:"auc"`
	NAUC       Value  `json:"nauc"`
	NAUCName   string `json:"nauc_grid,omitempty"`
	Degenerate bool   `json:"degenerate,omitempty"`

	NAUCEffective Value `json:"nauc_effective"`
	NEffective    Value `json:"n_effective"`
	NDegenerate   Value `json:"n_degenerate"`

	Pass     Curve `json:"pass"`
	PassNAUC Value `json:"pass_nauc"`

	TTC     TTC     `json:"ttc"`
	Bounds  *Bounds `json:"bounds"` // set where the coverage rule withholds the headline
	Metrics Values  `json:"metrics,omitempty"`
}

// MarshalJSON writes reasons beside nulls.
func (r OpenResult) MarshalJSON() ([]byte, error) { return object(r) }

// Bounds are the headline with all unscored answers at 0 and at 1.
type Bounds struct {
	Low  Value `json:"nauc_low"`
	High Value `json:"nauc_high"`
}

// MarshalJSON writes reasons beside nulls.
func (b Bounds) MarshalJSON() ([]byte, error) { return object(b) }

// OpenByJudge is the open blocks in declared order of the judges; in JSON an object by judge name.
type OpenByJudge []*OpenResult

// MarshalJSON writes {"semantic":{…},…}.
func (os OpenByJudge) MarshalJSON() ([]byte, error) {
	return ordered(len(os), func(i int) (string, any) { return os[i].Judge, os[i] })
}
