package metrics

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestRegistryIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Registry() {
		switch {
		case seen[m.Name]:
			t.Errorf("%s stands twice", m.Name)
		case !strings.HasPrefix(m.Name, string(m.Kind)+"."):
			t.Errorf("%s doesn't begin with its kind", m.Name)
		case m.Version < 1 || m.Title == "" || m.Doc == "" || m.Unit == "" || m.Direction == "" || m.Decimals < 1 || m.Low >= m.High:
			t.Errorf("%s lacks a description: %+v", m.Name, m)
		case (m.GainOf == "") != (m.Statistic != nil && m.Combine != nil):
			t.Errorf("%s has neither a statistic nor a metric that it is the gain of, or both", m.Name)
		}
		if m.GainOf != "" {
			if _, ok := Find(m.GainOf); !ok {
				t.Errorf("%s is the gain of %s, which isn't there", m.Name, m.GainOf)
			}
		}
		seen[m.Name] = true
	}
	if _, ok := Find("closed.nothing"); ok {
		t.Error("found a metric that isn't there")
	}
}

// Every registered metric stands in the JSON under its name, as a field or under "metrics".
func TestEveryMetricStandsInTheJSONUnderItsName(t *testing.T) {
	b, err := json.Marshal(Evaluate(small()[0], Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	for _, m := range Registry() {
		if m.GainOf != "" {
			continue
		}
		node := any(tree)
		for _, part := range strings.Split(m.Name, ".") {
			next, ok := node.(map[string]any)[part]
			if !ok {
				t.Fatalf("%s is not in the JSON", m.Name)
			}
			node = next
		}
	}
	if _, ok := tree["closed"].(map[string]any)["metrics"]; ok {
		t.Error("a built-in metric has no field")
	}
}

// first is a metric that no field knows: the share of episodes that are right at once.
func first() Metric {
	m := share(Closed, "right_at_once", "Right at once", "share of episodes that are right at the first ratio",
		&Statistic{Name: "first", Size: func(*Space) int { return 2 },
			Add: func(_ *Space, e *Episode, sum []float64) {
				sum[0] += indicator(e.Tasks[0].Correct)
				sum[1]++
			}},
		func(_ *Space, sum []float64) Value { return ratio(sum[0], sum[1], "no episode") })
	return m
}

func TestANewMetricAppearsEverywhere(t *testing.T) {
	o := Options{Registry: append(Registry(), first())}
	ev := EvaluateAll(Meta{}, allInMacro(small()), nil, o)
	want := 1.0 / 3
	for _, level := range []string{"weblinx", "fingertip", "macro", "pooled"} {
		near(t, level, ev.Value(level, "closed.right_at_once", ""), want)
	}
	b, err := json.Marshal(ev)
	if err != nil {
		t.Fatal(err)
	}
	var tree struct {
		Datasets map[string]struct {
			Closed struct{ Metrics map[string]float64 }
		}
		Macro struct{ Closed map[string]any }
	}
	if err := json.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	near(t, "json", Of(tree.Datasets["weblinx"].Closed.Metrics["right_at_once"]), want)
	if _, ok := tree.Macro.Closed["right_at_once"].(float64); !ok {
		t.Error("not in the macro's JSON")
	}
	p := NewPair(small()[0], small()[0], Closed, "", o)
	exact(t, "difference", p.Difference("closed.right_at_once").Value, 0)
}

// A statistic adds up over episodes: that is what resampling rests on.
func TestStatisticsAddUpOverEpisodes(t *testing.T) {
	s := small()[0]
	es := s.sorted()
	var done []*Statistic
	for _, m := range Registry() {
		if m.GainOf != "" || slices.Contains(done, m.Statistic) {
			continue
		}
		done = append(done, m.Statistic)
		judge := -1
		if m.Kind == Open {
			judge = 0
		}
		sp := newSpace(s, es, judge, Options{})
		whole := total(sp, es, m.Statistic, "")
		parts := make([]float64, len(whole))
		for i := range es {
			for k, x := range total(sp, es[i:i+1], m.Statistic, "") {
				parts[k] += x
			}
		}
		for k := range whole {
			close9(t, m.Statistic.Name, Of(parts[k]), Of(whole[k]))
		}
	}
}

func TestGainsNeedABaseline(t *testing.T) {
	ev := EvaluateAll(Meta{}, small(), nil, Options{})
	if v := ev.Value("macro", "closed.area_gain_norm", ""); v.Known() || v.Why() != noBaseline {
		t.Errorf("gain = %v (%s)", v, v.Why())
	}
	if ev.AreaGainWhy != noBaseline {
		t.Errorf("why = %q", ev.AreaGainWhy)
	}
}
