package predictors

import (
	"fmt"
	"slices"
	"testing"

	"intentlab/ablations/task"
)

// cutEpisode gives the distinct prefixes of an episode of a length on a grid of thousandths, with nothing to read.
func cutEpisode(id, label string, length int, grid ...task.Ratio) []task.Example {
	var out []task.Example
	for _, r := range grid {
		k := max(1, (int(r)*length+999)/1000)
		if n := len(out); n > 0 && out[n-1].Task.PrefixStepCount == k {
			continue
		}
		out = append(out, task.Example{Task: task.Task{Dataset: "d", EpisodeID: id, RequestedRatio: r, PrefixStepCount: k}, ClosedIntent: label, OpenIntent: "do " + label})
	}
	for i := range out {
		out[i].Weight = 1 / float64(len(out))
	}
	return out
}

func TestLengthProbeKnowsTheFutureFromRatioAndSteps(t *testing.T) {
	grid := task.Grid()
	var exs []task.Example
	for i := range 3 {
		exs = append(exs, cutEpisode(fmt.Sprint("s", i), "short", 3, grid...)...)
		exs = append(exs, cutEpisode(fmt.Sprint("l", i), "long", 30, grid...)...)
	}
	exs = append(exs, cutEpisode("x", "long", 30, grid...)...)
	m := fitted(t, "length_probe", nil, exs...)
	at := func(r task.Ratio, k int) task.Answer {
		return ask(t, m, task.Task{RequestedRatio: r, PrefixStepCount: k})
	}
	for _, c := range []struct {
		ratio task.Ratio
		steps int
		want  string
	}{
		{100, 1, "short"},
		{100, 3, "long"},
		{200, 1, "short"}, // a duplicate prefix: training never shows it at this ratio
		{300, 1, "short"}, {400, 2, "short"}, {600, 2, "short"}, {700, 3, "short"}, {1000, 3, "short"},
		{1000, 30, "long"}, {1000, 28, "long"}, {1000, 5, "short"}, // the nearest number of steps
		{100, 2, "short"}, // as near to 1 as to 3: the smaller
		{150, 3, "long"},  // a ratio that training has not: the prior
	} {
		if a := at(c.ratio, c.steps); a.ClosedIntent != c.want || a.PredictedIntent != "do long" {
			t.Errorf("ratio %s, %d steps: %q, open %q, want %q", c.ratio, c.steps, a.ClosedIntent, a.PredictedIntent, c.want)
		}
	}
	if a := at(150, 3); *a.ClosedConfidence != 4.0/7 {
		t.Errorf("confidence of the prior: %v", *a.ClosedConfidence)
	}
	// Under hide_ratio every ratio is 0, and the number of steps alone is left.
	for i := range exs {
		exs[i].Task.RequestedRatio = 0
	}
	m = fitted(t, "length_probe", nil, exs...)
	if a := ask(t, m, task.Task{PrefixStepCount: 30}); a.ClosedIntent != "long" || *a.ClosedConfidence != 1 {
		t.Errorf("without ratios: %+v", a)
	}
	if a := ask(t, m, task.Task{PrefixStepCount: 3}); a.ClosedIntent != "long" || *a.ClosedConfidence != 4.0/7 {
		t.Errorf("3 steps are of both lengths: %q %v", a.ClosedIntent, *a.ClosedConfidence)
	}
}

func TestURLProbeAnswersTheLabelOfTheFirstKnownHost(t *testing.T) {
	labels := []string{"10.0.0.1", "docs.ox.ac.uk", "news.example", "www.shop.example", "Travel"}
	p, err := Kinds["url_probe"].New(Setup{Labels: task.LabelSpace{Labels: labels}})
	if err != nil {
		t.Fatal(err)
	}
	m := p.(Learner)
	if err := m.Fit(t.Context(), stream(episodeOf("1", "Travel", "go", "x")), forbidden(t)); err != nil {
		t.Fatal(err)
	}
	url := func(s ...string) task.Task {
		var q task.Task
		for _, u := range s {
			q.ObservedSteps = append(q.ObservedSteps, task.Step{URL: u})
		}
		return q
	}
	for name, c := range map[string]struct {
		q    task.Task
		want string
	}{
		"itself":             {url("https://www.shop.example/a?b=c"), "www.shop.example"},
		"another case":       {url("HTTPS://WWW.SHOP.EXAMPLE"), "www.shop.example"},
		"without www":        {url("https://shop.example:8080"), "www.shop.example"},
		"a sister":           {url("https://cart.shop.example"), "www.shop.example"},
		"a longer end":       {url("https://www.ox.ac.uk"), "docs.ox.ac.uk"},
		"not its neighbour":  {url("https://www.cam.ac.uk"), "Travel"},
		"an address":         {url("http://10.0.0.1/x"), "10.0.0.1"},
		"not a number":       {url("version 0.1"), "Travel"},
		"the first known":    {url("https://ads.invalid/", "https://news.example", "https://shop.example"), "news.example"},
		"nothing":            {url(""), "Travel"},
		"masked":             {url("[url]"), "Travel"},
		"in an utterance":    {textTask("e", "open news.example, please"), "news.example"},
		"in the action":      {task.Task{ObservedSteps: []task.Step{{Action: "load https://news.example"}}}, "news.example"},
		"in metadata":        {task.Task{Metadata: task.Metadata{Fields: map[string]string{"site": "news.example"}}}, "news.example"},
		"in an earlier turn": {task.Task{ContextSteps: []task.Step{{URL: "news.example"}}, ObservedSteps: []task.Step{{URL: "shop.example"}}}, "news.example"},
		"in the graph":       {task.Task{Graph: &task.Graph{Nodes: []task.Node{{URL: "https://news.example"}}}}, "news.example"},
	} {
		if a := ask(t, m, c.q); a.ClosedIntent != c.want || a.PredictedIntent != "go" {
			t.Errorf("%s: %q, want %q", name, a.ClosedIntent, c.want)
		}
	}
}

func TestInstructionProbeReadsUtterancesOnly(t *testing.T) {
	say := func(id, label, utterance, action string) task.Example {
		ex := episodeOf(id, label, "do "+label, utterance)
		ex.Task.ObservedSteps = append(ex.Task.ObservedSteps, task.Step{Kind: "action", Action: action})
		return ex
	}
	m := fitted(t, "instruction_probe", nil, say("1", "A", "book a flight", "click"), say("2", "B", "play some music", "type"), say("3", "B", "play a song", "type"))
	q := say("4", "", "a flight please", "type").Task
	if a := ask(t, m, q); a.ClosedIntent != "A" || a.PredictedIntent != "do A" {
		t.Errorf("nearest by utterance: %+v", a)
	}
	q.ObservedSteps = []task.Step{{Kind: "action", Action: "book a flight", Element: "flight", URL: "flight", Value: "flight"}}
	q.Metadata.Fields = map[string]string{"x": "flight"}
	if a := ask(t, m, q); a.ClosedIntent != "B" {
		t.Errorf("something other than an utterance was read: %+v", a)
	}
	q = task.Task{Graph: &task.Graph{Nodes: []task.Node{{Type: "action", Text: "music"}, {Type: "utterance", Text: "a flight"}}}}
	if a := ask(t, m, q); a.ClosedIntent != "A" {
		t.Errorf("utterances of a graph are not read: %+v", a)
	}
}

func TestMetadataProbeReadsMetadataUnderItsKeysOnly(t *testing.T) {
	about := func(id, label string, m task.Metadata) task.Example {
		ex := episodeOf(id, label, "do "+label, "same words")
		ex.Task.Metadata = m
		return ex
	}
	field := func(k, v string) task.Metadata { return task.Metadata{Fields: map[string]string{k: v}} }
	m := fitted(t, "metadata_probe", nil, about("1", "A", field("site", "maps")), about("2", "B", task.Metadata{Apps: []string{"mail"}}),
		about("3", "C", task.Metadata{Profile: map[string]string{"age": "maps"}}), about("4", "D", field("x", "y")), about("5", "D", field("x", "y")))
	for name, c := range map[string]struct {
		q    task.Task
		want string
	}{
		"a field":       {task.Task{Metadata: field("site", "Maps")}, "A"},
		"another field": {task.Task{Metadata: field("size", "maps")}, "D"},
		"an app":        {task.Task{Metadata: task.Metadata{Apps: []string{"Mail"}}}, "B"},
		"the profile":   {task.Task{Metadata: task.Metadata{Profile: map[string]string{"age": "maps"}}}, "C"},
		"a step":        {textTask("e", "maps mail"), "D"},
		"a graph":       {task.Task{Graph: &task.Graph{Nodes: []task.Node{{ID: "metadata:site", Type: "metadata", Key: "site", Value: "maps"}, {Type: "action", Text: "mail"}}}}, "A"},
	} {
		if a := ask(t, m, c.q); a.ClosedIntent != c.want {
			t.Errorf("%s: %q, want %q", name, a.ClosedIntent, c.want)
		}
	}
}

func TestShuffledLabelsKeepThePriorAndLoseTheRest(t *testing.T) {
	var exs []task.Example
	for i := range 200 {
		label := []string{"A", "B", "B", "C"}[i%4]
		for range 2 {
			ex := episodeOf(fmt.Sprint(i), label, "do "+label, "word"+label)
			ex.Weight = 0.5
			exs = append(exs, ex)
		}
	}
	var got []task.Example
	for ex, err := range shuffledIntents(stream(exs...), 1, "train")(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ex)
	}
	counts, kept := map[string]int{}, 0
	for i, ex := range got {
		counts[ex.ClosedIntent]++
		if ex.ClosedIntent == exs[i].ClosedIntent {
			kept++
		}
		if ex.OpenIntent != "do "+ex.ClosedIntent || ex.ClosedIntent != got[i-i%2].ClosedIntent || ex.Task.ID != exs[i].Task.ID || ex.Weight != 0.5 {
			t.Fatalf("example %d: %+v", i, ex)
		}
	}
	// By chance the sum of squared shares stays, 0.375 of 400.
	if counts["A"] != 100 || counts["B"] != 200 || counts["C"] != 100 || kept < 90 || kept > 210 {
		t.Errorf("labels %v, %d of 400 kept", counts, kept)
	}
	right := func(seed int64, of string) (n int, labels []string) {
		p, err := Kinds["shuffled_labels"].New(Setup{Seed: seed, Options: &shuffledLabelsOptions{Of: of}})
		if err != nil {
			t.Fatal(err)
		}
		m := p.(Learner)
		if err := m.Fit(t.Context(), stream(exs...), stream()); err != nil {
			t.Fatal(err)
		}
		for _, ex := range exs {
			a := ask(t, m, ex.Task)
			labels = append(labels, a.ClosedIntent)
			if a.ClosedIntent == ex.ClosedIntent {
				n++
			}
		}
		return n, labels
	}
	for _, of := range []string{"naive_bayes", "tfidf_knn", "instruction_probe", "metadata_probe"} {
		if _, err := Kinds["shuffled_labels"].New(Setup{Options: &shuffledLabelsOptions{Of: of}}); err != nil {
			t.Error(err)
		}
	}
	// Unshuffled, the words tell all; shuffled, naive Bayes is left with the prior.
	if n, _ := right(1, "naive_bayes"); n > 300 {
		t.Errorf("%d of 400 are right on permuted labels", n)
	}
	_, one := right(1, "tfidf_knn")
	if _, again := right(1, "tfidf_knn"); !slices.Equal(one, again) {
		t.Error("equal seeds, different answers")
	}
	differ := false
	for seed := int64(2); seed < 8; seed++ {
		_, other := right(seed, "tfidf_knn")
		differ = differ || !slices.Equal(one, other)
	}
	if !differ {
		t.Error("the seed changes nothing")
	}
	if _, err := Kinds["shuffled_labels"].New(Setup{Options: &shuffledLabelsOptions{Of: "command"}}); err == nil {
		t.Error("a kind that can't be shuffled was taken")
	}
}
