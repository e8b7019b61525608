package runners

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"intentlab/ablations/task"
	"intentlab/matrix"
	"intentlab/runners/predictors"
)

// KeyVersion is part of every answer key; it rises when the key's inputs change their meaning.
const KeyVersion = 1

// answerInputs are the canonical inputs of an answer key, all but the visible hash (decisions.md,
// "Keys"). They are stored, so that a later version can say which field changed.
type answerInputs struct {
	KeyVersion  int               `json:"key_version"`
	Kind        string            `json:"kind"`
	CodeVersion int               `json:"code_version"`
	Settings    map[string]any    `json:"settings"`
	Files       map[string]string `json:"files,omitempty"` // contents that the settings don't hash themselves
	Provider    string            `json:"provider,omitempty"`
	Seed        *int64            `json:"seed,omitempty"`
	Fit         string            `json:"fit,omitempty"`
	Given       *givenInputs      `json:"given,omitempty"` // of batch kinds
}

// fitInputs are the canonical inputs of a fit key.
type fitInputs struct {
	KeyVersion  int               `json:"key_version"`
	Kind        string            `json:"kind"`
	CodeVersion int               `json:"code_version"`
	Settings    map[string]any    `json:"settings"`
	Files       map[string]string `json:"files,omitempty"`
	Seed        *int64            `json:"seed,omitempty"`
	Train       string            `json:"train"` // digest of the examples
	Dev         string            `json:"dev"`
	Labels      []string          `json:"labels,omitempty"`
	Ratios      []task.Ratio      `json:"ratios,omitempty"` // that the examples show to a kind which looks at them
}

// traits are what a method's kind and settings declare about its answers.
type traits struct {
	deterministic, usesRatio, usesLabels, perTask bool
}

func (g *Engine) traits(m matrix.Method) traits {
	k := g.Kinds.Methods[m.Uses]
	t := traits{deterministic: k.Deterministic, usesRatio: k.UsesRatio, usesLabels: k.UsesLabels}
	if d, ok := m.Options.(predictors.Declarer); ok {
		x := d.Declared()
		t = traits{x.Deterministic, x.UsesRatio, x.UsesLabels, x.PerTask}
	}
	t.perTask = t.perTask || m.NoDedup
	return t
}

// seedOf is the seed where it matters to the answers.
func (g *Engine) seedOf(c Cell) *int64 {
	if g.traits(g.method(c)).deterministic {
		return nil
	}
	s := c.Seed
	return &s
}

// files hashes the cell's own files, which the settings of the method can't: the predictions file
// of this cell, by name relative to the experiment's folder.
func (g *Engine) files(ctx context.Context, c Cell) (map[string]string, error) {
	var paths []string
	switch o := g.method(c).Options.(type) {
	case *predictors.PredictionsOptions:
		paths = []string{o.File(g.Exp.Dir, g.dataset(c).Decl.ID, g.ablation(c).ID, c.Seed, c.Fold)}
	default:
		return nil, nil
	}
	out := map[string]string{}
	for _, p := range paths {
		h, err := fileHash(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("method %s: %w", g.method(c).ID, err)
		}
		rel, err := filepath.Rel(g.Exp.Dir, p)
		if err != nil {
			rel = filepath.Base(p)
		}
		out[filepath.ToSlash(rel)] = h
	}
	return out, nil
}

func fileHash(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, readerUntil{ctx, f}); err != nil {
		return "", fmt.Errorf("hashing %s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// readerUntil stops reading when its context ends.
type readerUntil struct {
	ctx context.Context
	r   io.Reader
}

func (r readerUntil) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// identity makes the canonical inputs of a cell's answers; fit is the artefact's hash or "".
func (g *Engine) identity(c Cell, files map[string]string, fit string) (hash, inputs string, err error) {
	m := g.method(c)
	in := answerInputs{KeyVersion: KeyVersion, Kind: m.Uses, CodeVersion: g.Kinds.Methods[m.Uses].CodeVersion, Settings: m.Settings,
		Files: files, Provider: g.provider(m.Endpoint), Seed: g.seedOf(c), Fit: fit}
	if g.Kinds.Methods[m.Uses].Batch {
		if in.Given, err = g.given(c); err != nil {
			return "", "", err
		}
	}
	if inputs, err = canonical(in); err != nil {
		return "", "", fmt.Errorf("identity of cell %s: %w", g.Name(c), err)
	}
	sum := sha256.Sum256([]byte(inputs))
	return hex.EncodeToString(sum[:]), inputs, nil
}

// provider is the name under which an endpoint's answers are kept apart from those of another service
// with the same model name; "" without an endpoint.
func (g *Engine) provider(endpoint string) string {
	for _, e := range g.Exp.Endpoints {
		if e.Name == endpoint {
			return e.Provider
		}
	}
	return ""
}

// answerKey is the key of one answer: the identity and the visible input, and for methods that
// answer by task id the id.
func answerKey(identity, visible, taskID string) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s %s", identity, visible, taskID) // a hash.Hash never fails
	return hex.EncodeToString(sum.Sum(nil))
}

// fitKey identifies a fit before it is made.
func (g *Engine) fitKey(c Cell, files map[string]string) (key, inputs string, err error) {
	m, d, v := g.method(c), g.dataset(c), g.variant(c)
	fold := d.Fold(c.Fold)
	in := fitInputs{KeyVersion: KeyVersion, Kind: m.Uses, CodeVersion: g.Kinds.Methods[m.Uses].CodeVersion, Settings: m.Settings,
		Files: files, Seed: g.seedOf(c), Train: v.exampleDigest(fold.Train), Dev: v.exampleDigest(fold.Dev)}
	if g.traits(m).usesLabels {
		in.Labels = d.Space.Labels
	}
	if g.traits(m).usesRatio && !v.spec.HideRatio {
		in.Ratios = v.grid
	}
	if inputs, err = canonical(in); err != nil {
		return "", "", fmt.Errorf("identity of the fit of cell %s: %w", g.Name(c), err)
	}
	sum := sha256.Sum256([]byte(inputs))
	return hex.EncodeToString(sum[:]), inputs, nil
}

// visibleHashes are the hashes of an episode's prefixes as the cell's method sees them.
func (g *Engine) visibleHashes(c Cell, episode int) ([]string, error) {
	base, t := g.variant(c).hashes[episode], g.traits(g.method(c))
	if !t.usesLabels && !t.usesRatio {
		return base, nil
	}
	var labels []string
	if t.usesLabels {
		labels = g.dataset(c).Space.Labels
	}
	out := make([]string, len(base))
	for i, b := range base {
		var r task.Ratio
		if t.usesRatio && !g.variant(c).spec.HideRatio {
			r = g.Exp.Ratios[i]
		} else if i > 0 && b == base[i-1] {
			out[i] = out[i-1]
			continue
		}
		h, err := task.WidenHash(b, labels, r)
		if err != nil {
			return nil, fmt.Errorf("identity of a prefix in cell %s: %w", g.Name(c), err)
		}
		out[i] = h
	}
	return out, nil
}
