package runners

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"intentlab/runners/predictors"
)

// prepareFit returns the hash of the cell's fit, "" for methods that are not fitted. Cells that need
// the same fit wait for the one that makes it.
func (w *cellRun) prepareFit(ctx context.Context, files map[string]string) (string, error) {
	l, ok := w.predictor.(predictors.Learner)
	if !ok {
		return "", nil
	}
	key, inputs, err := w.Engine.fitKey(w.cell, files)
	if err != nil {
		return "", err
	}
	for mine := false; !mine; {
		if mine, _, err = w.claims.take(ctx, key); err != nil {
			return "", err
		}
	}
	defer w.claims.abandon(key)
	asks, mayNotFit := w.predictor.(interface {
		Fits(context.Context) (bool, error)
	})
	hash, ok, err := w.store.FitHash(ctx, key)
	if err != nil {
		return "", err
	}
	if ok {
		if mayNotFit && hash == noFit {
			return "", nil
		}
		w.learner, w.fitKey = l, key
		return hash, nil
	}
	if mayNotFit {
		fits, err := asks.Fits(ctx)
		if err != nil {
			return "", asCause(ctx, err)
		}
		if !fits {
			_, err := w.store.PutFit(ctx, key, inputs, nil)
			return "", err
		}
	}
	artefact, err := w.fit(ctx, w.cell, l)
	if err != nil {
		return "", asCause(ctx, err)
	}
	if hash, err = w.store.PutFit(ctx, key, inputs, artefact); err != nil {
		return "", err
	}
	w.loaded.Do(func() {}) // fitted here: nothing to load
	w.learner, w.fitKey = l, key
	return hash, nil
}

// noFit is the hash of the empty artefact: a worker that said it has nothing to fit.
const noFit = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// asCause leaves failures, and whatever a cancelled run brings, as they are and marks the rest as the
// cell's own. Nil stays nil.
func asCause(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*predictors.Failure](err); ok || err == nil || ctx.Err() != nil {
		return err
	}
	return &causeError{err}
}

// ready loads the stored fit, or has a batch method answer, before the first question; a cell whose
// answers are all stored never gets here.
func (w *cellRun) ready(ctx context.Context) error {
	if w.batch != nil {
		w.batch.once.Do(func() { w.batch.err = asCause(ctx, w.askAll(ctx)) })
		return w.batch.err
	}
	if w.learner == nil {
		return nil
	}
	w.loaded.Do(func() {
		artefact, err := w.store.Fit(ctx, w.fitKey)
		if err == nil {
			err = w.learner.Load(bytes.NewReader(artefact))
		}
		if err != nil {
			w.loadErr = asCause(ctx, fmt.Errorf("loading the fit: %w", err))
		}
	})
	return w.loadErr
}

// fit fits a learner and returns its artefact.
func (g *Engine) fit(ctx context.Context, c Cell, p predictors.Learner) ([]byte, error) {
	fold, v := g.dataset(c).Fold(c.Fold), g.variant(c)
	if err := p.Fit(ctx, v.examples(fold.Train), v.examples(fold.Dev)); err != nil {
		return nil, fmt.Errorf("fitting: %w", err)
	}
	var artefact bytes.Buffer
	if err := p.Save(&artefact); err != nil {
		return nil, fmt.Errorf("saving the fit: %w", err)
	}
	return artefact.Bytes(), nil
}
