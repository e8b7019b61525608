package results

import (
	"encoding/json"
	"fmt"
)

// Declaration is what a run's tables need to know of its experiment. It is stored as canonical JSON
// with the run, so that a store can be reported without its experiment file, and holds no secret.
type Declaration struct {
	Experiment  string         `json:"experiment"`
	Description string         `json:"description,omitempty"`
	ConfigHash  string         `json:"config_hash"`
	Config      map[string]any `json:"config"`
	Grid        []int          `json:"grid"` // thousandths
	Seeds       []int64        `json:"seeds"`
	Evaluate    string         `json:"evaluate"`
	Datasets    []DatasetInfo  `json:"datasets"`
	Ablations   []AblationInfo `json:"ablations"`
	Methods     []MethodInfo   `json:"methods"`
	Judges      []JudgeInfo    `json:"judges"` // matrix order; the first is primary
	Baseline    BaselineInfo   `json:"baseline"`
}

// DatasetInfo describes a dataset as it was used.
type DatasetInfo struct {
	ID          string         `json:"id"`
	Name        string         `json:"name,omitempty"` // as the file refers to it, of an element of a for_each: knn["k1"]
	Format      string         `json:"format"`
	Fingerprint string         `json:"fingerprint"` // of the sampled episodes
	Key         string         `json:"key"`         // the same under the dataset's name: the key of gold
	Split       string         `json:"split"`       // hash of the split
	LabelSpace  string         `json:"label_space"`
	Labels      []string       `json:"labels"`
	Folds       int            `json:"folds"`
	Parts       []string       `json:"parts"` // evaluated parts, in declared order
	Judges      []string       `json:"judges"`
	Episodes    int            `json:"episodes"`
	Skipped     map[string]int `json:"skipped,omitempty"`
	Dropped     map[string]int `json:"dropped,omitempty"`
	// OutOfMacro says why the dataset is left out of macro averages: its steps carry no evidence, or the
	// experiment says so. "" counts it in.
	OutOfMacro string `json:"out_of_macro,omitempty"`
}

// AblationInfo describes an ablation.
type AblationInfo struct {
	ID        string `json:"id"`
	Name      string `json:"name,omitempty"` // as the file refers to it, of an element of a for_each: knn["k1"]
	Reference string `json:"reference,omitempty"`
	Spec      any    `json:"spec"`
}

// MethodInfo describes a method.
type MethodInfo struct {
	ID            string         `json:"id"`
	Name          string         `json:"name,omitempty"` // as the file refers to it, of an element of a for_each: knn["k1"]
	Uses          string         `json:"uses"`
	Deterministic bool           `json:"deterministic"`
	Seeds         []int64        `json:"seeds"`
	SawAll        bool           `json:"saw_all_prefixes,omitempty"`
	Settings      map[string]any `json:"settings"`
}

// JudgeInfo describes a judge.
type JudgeInfo struct {
	ID           string  `json:"id"`
	Uses         string  `json:"uses"`
	Fingerprint  string  `json:"fingerprint"`
	Theta        float64 `json:"theta"`
	Uncalibrated bool    `json:"uncalibrated,omitempty"`
}

// BaselineInfo names the methods that area gain is measured against; "" is none.
type BaselineInfo struct {
	Closed string `json:"closed,omitempty"`
	Open   string `json:"open,omitempty"`
}

// Declared parses the run's declaration.
func (r Run) Declared() (Declaration, error) {
	var d Declaration
	if err := json.Unmarshal(r.Declaration, &d); err != nil {
		return d, fmt.Errorf("reading the declaration of run %d: %w", r.ID, err)
	}
	return d, nil
}
