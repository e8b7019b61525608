package ablations

import (
	"fmt"
	"path/filepath"
	"testing"

	"intentlab/ablations/partition"
	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

func benchEpisodes(n, steps int) []trajectory.Episode {
	eps := make([]trajectory.Episode, n)
	for e := range eps {
		ep := trajectory.Episode{Dataset: "bench", ID: fmt.Sprint("e", e), OpenIntent: "o", ClosedIntent: "c", LabelSpace: "l",
			Metadata: map[string]string{"platform": "web", "device": "desktop"}, Profile: map[string]string{"age": "30"}}
		for i := range steps {
			s := task.Step{Index: i, Kind: "action", Op: "click", Element: fmt.Sprintf("[a] link %d of %d with a label", i, e), URL: fmt.Sprintf("https://site%d.example/page/%d", e, i), App: "Browser"}
			s.Action = s.Op + " " + s.Element
			if i%5 == 0 {
				s = task.Step{Index: i, Kind: "utterance", Speaker: "instructor", Utterance: fmt.Sprintf("please look at the thing number %d of the list %d", i, e)}
			}
			ep.Steps = append(ep.Steps, s)
		}
		eps[e] = ep
	}
	return eps
}

// BenchmarkViewAndHash makes and hashes all tasks of 1,500 episodes of 12 steps; the figure to watch
// is tasks/s.
func BenchmarkViewAndHash(b *testing.B) {
	eps := benchEpisodes(1500, 12)
	for _, name := range []string{"full_context", "actions_only", "visible_graph_only", "graph_text_hybrid", "last_k_steps", "shuffled_steps"} {
		b.Run(name, func(b *testing.B) {
			s := spec(b, name)
			b.ReportAllocs()
			tasks := 0
			for b.Loop() {
				for _, ep := range eps {
					v, err := Open(ep, s)
					if err != nil {
						b.Fatal(err)
					}
					for _, p := range Prefixes(len(ep.Steps), task.Grid()) {
						t, err := v.At(p)
						if err != nil {
							b.Fatal(err)
						}
						if _, err := task.VisibleHash(t, nil, 0); err != nil {
							b.Fatal(err)
						}
						tasks++
					}
				}
			}
			b.ReportMetric(float64(tasks)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}

// BenchmarkGenerate writes the files of 15,000 tasks with text and graph, graphs in one file.
func BenchmarkGenerate(b *testing.B) {
	d := Dataset{Name: "bench", Format: "episodes", Fingerprint: "f", Episodes: benchEpisodes(1500, 12)}
	test := partition.Part{Name: "test"}
	for i := range d.Episodes {
		test.Episodes = append(test.Episodes, i)
	}
	d.Fold.Tests = []partition.Part{test}
	b.ReportAllocs()
	for b.Loop() {
		opts := GenerateOptions{Out: filepath.Join(b.TempDir(), "out"), Grid: task.Grid(), Evaluate: "test"}
		if _, err := Generate(b.Context(), []Dataset{d}, []Spec{spec(b, "graph_text_hybrid")}, opts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*15000)/b.Elapsed().Seconds(), "tasks/s")
}
