package report

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"intentlab/results/metrics"
)

// Evaluated is one method × ablation × seed with the levels that have no numbers.
type Evaluated struct {
	metrics.Evaluation
	Blanks []Blank
	// SawAll marks a method that nothing kept from seeing the later prefixes of an episode.
	SawAll bool
}

// MarshalJSON is the evaluation as benchmark.md fixes it, with the blanks and the mark beside it.
func (e Evaluated) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(e.Evaluation)
	if err != nil {
		return nil, err
	}
	beside := struct {
		SawAll bool              `json:"saw_all_prefixes,omitempty"`
		Blanks map[string]string `json:"datasets_why,omitempty"`
	}{e.SawAll, map[string]string{}}
	for _, x := range e.Blanks {
		beside.Blanks[x.Level] = x.Why
	}
	more, err := json.Marshal(beside)
	if err != nil || string(more) == "{}" {
		return b, err
	}
	return append(append(b[:len(b)-1], ','), more[1:]...), nil
}

// Evaluate computes everything about one method × ablation × seed.
func (s *Source) Evaluate(ctx context.Context, method, ablation string, seed int64) (Evaluated, error) {
	samples, blanks, answers, err := s.samples(ctx, method, ablation, seed)
	if err != nil {
		return Evaluated{}, err
	}
	base := metrics.Baseline{Closed: s.Decl.Baseline.Closed, Open: s.Decl.Baseline.Open}
	if base.ClosedSamples, err = s.reference(ctx, base.Closed, method, ablation, seed, samples); err != nil {
		return Evaluated{}, err
	}
	if base.OpenSamples, err = s.reference(ctx, base.Open, method, ablation, seed, samples); err != nil {
		return Evaluated{}, err
	}
	data, gold := s.fingerprints()
	meta := metrics.Meta{Method: method, Ablation: ablation, Seed: seed, Split: s.Decl.Evaluate,
		Fingerprint: metrics.FingerprintRecord{Data: data, Gold: gold, Predictions: answers, Version: s.version}}
	if len(s.Decl.Judges) > 0 {
		meta.PrimaryJudge = s.Decl.Judges[0].ID
	}
	return Evaluated{Evaluation: metrics.EvaluateAll(meta, samples, &base, s.options), Blanks: blanks, SawAll: s.sawAll(method)}, nil
}

func (s *Source) sawAll(method string) bool {
	for _, m := range s.Decl.Methods {
		if m.ID == method {
			return m.SawAll
		}
	}
	return false
}

// reference reads the baseline's tables of the same ablation and seed, by level.
func (s *Source) reference(ctx context.Context, baseline, method, ablation string, seed int64, own []metrics.Sample) (map[string]metrics.Sample, error) {
	if baseline == "" {
		return nil, nil
	}
	samples := own
	if baseline != method {
		var err error
		if samples, _, _, err = s.samples(ctx, baseline, ablation, seed); err != nil {
			return nil, err
		}
	}
	out := map[string]metrics.Sample{}
	for _, x := range samples {
		out[x.Dataset] = x
	}
	return out, nil
}

// fingerprints combine those of all datasets, in declared order. The gold of datasets that no cell
// has read yet is covered by the data.
func (s *Source) fingerprints() (data, gold string) {
	sum := newSum()
	for _, d := range s.Decl.Datasets {
		fmt.Fprintf(sum, "%s %s %s\n", d.ID, d.Fingerprint, d.Split)
	}
	data = sum.hex()
	sum = newSum()
	for _, d := range s.Decl.Datasets {
		if g := s.gold[d.Key]; g != nil {
			fmt.Fprintf(sum, "%s %s\n", d.ID, g.hash)
		}
	}
	return data, sum.hex()
}

// All evaluates every method × ablation × seed in declared order.
func (s *Source) All(ctx context.Context) ([]Evaluated, error) {
	for _, d := range s.Decl.Datasets {
		if _, err := s.loadGold(ctx, d.Key); err != nil {
			return nil, err
		}
	}
	// Ablation by ablation, so that a baseline is read once for all methods; given back by method.
	byMethod := map[string][]Evaluated{}
	for _, a := range s.Decl.Ablations {
		for _, m := range s.Decl.Methods {
			for _, seed := range m.Seeds {
				e, err := s.Evaluate(ctx, m.ID, a.ID, seed)
				if err != nil {
					return nil, err
				}
				byMethod[m.ID] = append(byMethod[m.ID], e)
			}
		}
	}
	var out []Evaluated
	for _, m := range s.Decl.Methods {
		out = append(out, byMethod[m.ID]...)
	}
	return out, nil
}

// WriteJSON writes the array of evaluations that `export --format json` prints, one element a line.
func WriteJSON(w io.Writer, all []Evaluated) error {
	if _, err := io.WriteString(w, "["); err != nil {
		return err
	}
	for i, e := range all {
		b, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("writing the evaluation of %s under %s: %w", e.Method, e.Ablation, err)
		}
		sep := "\n"
		if i > 0 {
			sep = ",\n"
		}
		if _, err := fmt.Fprintf(w, "%s%s", sep, b); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n]\n")
	return err
}
