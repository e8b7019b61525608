package judge

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// overlapVector is V40: what a pair scores under each measure.
type overlapVector struct {
	gold, predicted         string
	tokenF1, rougeL, charNF float64
}

const flights = "search one-way flights from Azerbaijan to Turkey"

var overlapVectors = []overlapVector{
	{flights, flights, 1, 1, 1},
	{flights, "find flights from Baku to Istanbul", 0.42857142857142855, 0.42857142857142855, 0.2839252223130341},
	{flights, "search one-way flights from Turkey to Azerbaijan", 1, 0.75, 0.8307031406838852},
	{flights, "", 0, 0, 0},
	{"预订明天去上海的高铁票", "买去上海的火车票", 0.5263157894736842, 0.5263157894736842, 0.19558661196584506},
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }

func TestMeasuresEqualV40(t *testing.T) {
	for _, v := range overlapVectors {
		checkOverlap(t, v)
	}
}

func checkOverlap(t *testing.T, v overlapVector) {
	t.Helper()
	for name, c := range map[string][2]float64{
		"token_f1": {tokenF1(v.gold, v.predicted), v.tokenF1},
		"rouge_l":  {rougeL(v.gold, v.predicted), v.rougeL},
		"chrf":     {chrF(v.gold, v.predicted), v.charNF},
	} {
		if !near(c[0], c[1]) {
			t.Errorf("%s(%q, %q) = %v, want %v", name, v.gold, v.predicted, c[0], c[1])
		}
	}
}

// calibrated is V47 for lo 0.3 and hi 0.9: cosine, score without anchors, score with them.
var calibrated = [][3]float64{{-0.2, 0, 0}, {0.3, 0.3, 0}, {0.75, 0.75, 0.75}, {0.9, 0.9, 1}, {1, 1, 1}}

func TestCalibrationEqualsV47(t *testing.T) {
	for _, c := range calibrated {
		if got := calibrate(c[0], 0, 1); !near(got, c[1]) {
			t.Errorf("calibrate(%v, 0, 1) = %v, want %v", c[0], got, c[1])
		}
		if got := calibrate(c[0], 0.3, 0.9); !near(got, c[2]) {
			t.Errorf("calibrate(%v, 0.3, 0.9) = %v, want %v", c[0], got, c[2])
		}
	}
}

// The same vectors from the specification's file, so that it and the literals above can't part.
func TestSpecificationVectorsHoldTheSameNumbers(t *testing.T) {
	file, err := os.ReadFile(filepath.Join(shared(t), "spec", "metrics-vectors.json"))
	if os.IsNotExist(err) {
		t.Skip("shared/spec/metrics-vectors.json is not here; the literals in this file are checked all the same")
	}
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Vectors []struct {
			ID            string
			Input, Expect json.RawMessage
		}
	}
	if err := json.Unmarshal(file, &all); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, v := range all.Vectors {
		switch v.ID {
		case "V40":
			var in []struct{ Gold, Pred string }
			var want []struct {
				TokenF1 float64 `json:"token_f1"`
				RougeL  float64 `json:"rouge_l_f1"`
				ChrF    float64
			}
			decode(t, v.Input, &in)
			decode(t, v.Expect, &want)
			for i := range in {
				checkOverlap(t, overlapVector{in[i].Gold, in[i].Pred, want[i].TokenF1, want[i].RougeL, want[i].ChrF})
				seen++
			}
		case "V47":
			var in struct {
				Cos    []float64
				Lo, Hi float64
			}
			var want struct {
				Clip     []float64 `json:"clip_at_0"`
				Rescaled []float64
			}
			decode(t, v.Input, &in)
			decode(t, v.Expect, &want)
			for i, x := range in.Cos {
				if a, b := calibrate(x, 0, 1), calibrate(x, in.Lo, in.Hi); !near(a, want.Clip[i]) || !near(b, want.Rescaled[i]) {
					t.Errorf("V47 %v: %v and %v, want %v and %v", x, a, b, want.Clip[i], want.Rescaled[i])
				}
				seen++
			}
		}
	}
	if want := len(overlapVectors) + len(calibrated); seen != want {
		t.Errorf("%d cases of V40 and V47 in the file, %d as literals", seen, want)
	}
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// shared is the folder of the specification and the data samples: INTENTLAB_SHARED, or the sibling
// of the module's root.
func shared(t *testing.T) string {
	if dir := os.Getenv("INTENTLAB_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared")
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test's folder")
		}
	}
}
