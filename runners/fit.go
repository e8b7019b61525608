package runners

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"intentlab/results"
	"intentlab/runners/predictors"
)

// prepareFit returns the hash of the cell's fit, "" for methods that are not fitted.
func (w *cellRun) prepareFit(ctx context.Context, files map[string]string) (string, error) {
	l, ok := w.predictor.(predictors.Learner)
	if !ok {
		return "", nil
	}
	key, inputs, err := w.Engine.fitKey(w.cell, files)
	if err != nil {
		return "", err
	}
	hash, ok, err := w.store.FitHash(ctx, key)
	if err != nil {
		return "", err
	}
	if ok {
		if hash == noFit {
			return "", nil
		}
		w.learner, w.fitKey = l, key
		return hash, nil
	}
	if asks, ok := w.predictor.(interface {
		Fits(context.Context) (bool, error)
	}); ok {
		fits, err := asks.Fits(ctx)
		if err != nil {
			return "", asCause(err)
		}
		if !fits {
			_, err := w.store.PutFit(ctx, key, inputs, nil)
			return "", err
		}
	}
	hash, err = w.fit(ctx, w.store, w.cell, l, key, inputs)
	if err != nil {
		return "", asCause(err)
	}
	w.loaded.Do(func() {}) // fitted here: nothing to load
	w.learner, w.fitKey = l, key
	return hash, nil
}

// noFit is the hash of the empty artefact: a worker that said it has nothing to fit.
const noFit = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// asCause leaves failures and context errors as they are and marks the rest as the cell's own.
func asCause(err error) error {
	if _, ok := errors.AsType[*predictors.Failure](err); ok || errors.Is(err, context.Canceled) {
		return err
	}
	return &causeError{err}
}

// ready loads the stored fit before the first question; a cell whose answers are all stored never
// gets here.
func (w *cellRun) ready(ctx context.Context) error {
	if w.learner == nil {
		return nil
	}
	w.loaded.Do(func() {
		artefact, err := w.store.Fit(ctx, w.fitKey)
		if err == nil {
			err = w.learner.Load(bytes.NewReader(artefact))
		}
		if err != nil {
			w.loadErr = asCause(fmt.Errorf("loading the fit: %w", err))
		}
	})
	return w.loadErr
}

// fit fits a learner and stores the artefact; it returns the content hash.
func (g *Engine) fit(ctx context.Context, s *results.Store, c Cell, p predictors.Learner, key, inputs string) (string, error) {
	fold, v := g.dataset(c).Fold(c.Fold), g.variant(c)
	if err := p.Fit(ctx, v.examples(fold.Train), v.examples(fold.Dev)); err != nil {
		return "", fmt.Errorf("fitting: %w", err)
	}
	var artefact bytes.Buffer
	if err := p.Save(&artefact); err != nil {
		return "", fmt.Errorf("saving the fit: %w", err)
	}
	return s.PutFit(ctx, key, inputs, artefact.Bytes())
}
