package metrics

import "testing"

func TestAGainIsReadUnderTheJudgeThatScoresTheDataset(t *testing.T) {
	grid := []int{500, 1000}
	table := func(dataset, judge, method string, scores ...float64) Sample {
		s := Sample{Dataset: dataset, Method: method, Grid: grid, Judges: []JudgeInfo{{Name: judge, Fingerprint: judge, Theta: 0.7}}}
		tasks := make([]Observation, len(grid))
		for i := range tasks {
			tasks[i] = Observation{Steps: i + 1, State: Answered, OpenEligible: true, Open: []OpenScore{{State: Scored, Score: scores[i]}}}
		}
		s.Episodes = []Episode{{ID: "e", Total: 2, Tasks: tasks}}
		return s
	}
	this := []Sample{table("web", "semantic", "m", 0.5, 0.5), table("phone", "chrf", "m", 0.75, 0.75)}
	reference := map[string]Sample{"web": table("web", "semantic", "b", 0.25, 0.25), "phone": table("phone", "chrf", "b", 0.25, 0.25)}
	ev := EvaluateAll(Meta{PrimaryJudge: "semantic"}, this, &Baseline{Open: "b", OpenSamples: reference}, Options{})
	for dataset, want := range map[string]float64{"web": 0.25, "phone": 0.5} {
		v := ev.Value(dataset, "open.area_gain_norm", "")
		if got, ok := v.Get(); !ok || got != want {
			t.Errorf("%s: gain %v (%s), want %v", dataset, got, v.Why(), want)
		}
	}
	if got, ok := ev.Value("macro", "open.area_gain_norm", "").Get(); !ok || got != 0.25 {
		t.Errorf("macro: %v, %v; want the primary judge's data set alone", got, ok)
	}
}
