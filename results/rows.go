package results

import "fmt"

// Run is one experiment on one state of its declaration and data.
type Run struct {
	ID         int64
	Experiment string
	Identity   string
	Generation int
	// Declaration is canonical JSON of what reports need to know (type report.Declaration).
	Declaration []byte
}

// Invocation describes the program that works on a run, for provenance.
type Invocation struct{ Version, GitCommit, Tool string }

// Gold is the wanted answer of one prefix task.
type Gold struct {
	Task, Episode, Cluster   string
	Ratio, Steps, TotalSteps int
	Duplicate                bool
	OpenIntent, ClosedIntent string
	LabelSpace               string
}

// Part says in which list an episode stands in a fold.
type Part struct {
	Fold          int
	Episode, Name string
}

// Episode is one episode of a dataset's identity.
type Episode struct{ ID, Hash string }

// The states of a cell.
const (
	CellPending  = "pending"
	CellDone     = "done"
	CellFailed   = "failed"
	CellNA       = "n/a"
	CellExcluded = "excluded"
)

// Cell is one point of the matrix of a run.
type Cell struct {
	ID                        int64
	Run                       int64
	Position                  int
	Dataset, Ablation, Method string
	Seed                      int64
	Fold                      int
	Data, Split               string
	State, Reason             string
	ForGood                   bool
	Tasks                     int
	Fit                       string
	Identity                  int64
	DuplicateOf               string
}

// Name is the cell's id on the command line: dataset/ablation/method/seed, and /fold with folds.
func (c Cell) Name() string {
	s := fmt.Sprintf("%s/%s/%s/%d", c.Dataset, c.Ablation, c.Method, c.Seed)
	if c.Fold > 0 {
		s += fmt.Sprintf("/%d", c.Fold)
	}
	return s
}

// The states of a task in a cell (decisions.md, "States of a task in a cell"); pending is the
// absence of a row.
const (
	TaskAnswered      = "answered"
	TaskAbstained     = "abstained"
	TaskInvalidLabel  = "invalid_label"
	TaskMethodError   = "method_error"
	TaskMissing       = "missing"
	TaskNotAsked      = "not_asked"
	TaskNotApplicable = "not_applicable"
)

// The states of a prediction.
const (
	PredictionAnswered = "answered"
	PredictionFailed   = "failed"
	// PredictionMissing is a file's silence on a task: final, but neither an answer nor an error.
	PredictionMissing = "missing"
)

// Prediction is one answer of one method to one visible input.
type Prediction struct {
	ID              int64
	Key             string
	Generation      int
	Identity        int64
	Visible         string
	State           string
	ForGood         bool
	ClosedIntent    string
	Confidence      *float64
	PredictedIntent string
	TopK            string // canonical JSON or ""
	Error, Detail   string
	InputTokens     int
	OutputTokens    int
	CostUSD         float64
	Attempts        int
}

// TaskRow links a task of a cell to the prediction with a key; Key is "" for states without one.
type TaskRow struct {
	Task  string
	State string
	Key   string
}

// Verdict is one judge's word on one pair of texts.
type Verdict struct {
	Judge                int64
	Key, Gold, Predicted string
	State                string
	Score                *float64
	Level                *int
	Reason, Raw          string
	Flags                string // blank-separated, e.g. prediction_truncated
}

// ScoreRow is what a verdict means for one task of a cell. VerdictKey is "" where none was asked
// for (a method failure scores 0 by rule).
type ScoreRow struct {
	Task       string
	Judge      int64
	VerdictKey string
	Score      *float64
	State      string
}

// Batch is what is stored in one transaction.
type Batch struct {
	Cell        int64
	Predictions []Prediction
	Tasks       []TaskRow
	Verdicts    []Verdict
	Scores      []ScoreRow
	Paid        bool // the answers came from an endpoint: commit with synchronous = FULL
}
