package results

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// FitHash returns the content hash of a stored fit; ok is false when there is none.
func (s *Store) FitHash(ctx context.Context, key string) (hash string, ok bool, err error) {
	err = s.read.QueryRowContext(ctx, "select hash from fit where key = ?", key).Scan(&hash)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("reading fit %s from store %s: %w", key, s.path, err)
	}
	return hash, true, nil
}

// Fit returns the artefact of a stored fit after checking its hash.
func (s *Store) Fit(ctx context.Context, key string) ([]byte, error) {
	var hash string
	var packed []byte
	if err := s.read.QueryRowContext(ctx, "select hash, artefact from fit where key = ?", key).Scan(&hash, &packed); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = errNoFit
		}
		return nil, fmt.Errorf("reading fit %s from store %s: %w", key, s.path, err)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("unpacking fit %s: %w", key, err)
	}
	defer d.Close()
	b, err := d.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unpacking fit %s: %w", key, err)
	}
	if got := artefactHash(b); got != hash {
		return nil, fmt.Errorf("fit %s in store %s is damaged: its content hashes to %s, not %s", key, s.path, got, hash)
	}
	return b, nil
}

// PutFit stores an artefact under a key and returns the content hash of what is stored there: the
// first artefact of a key stays.
func (s *Store) PutFit(ctx context.Context, key, inputs string, artefact []byte) (string, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return "", fmt.Errorf("packing fit %s: %w", key, err)
	}
	defer e.Close()
	packed, hash := e.EncodeAll(artefact, nil), artefactHash(artefact)
	err = s.put(ctx, false, func(t *tx) error {
		if err := t.exec("insert into fit (key, hash, inputs, artefact) values (?, ?, ?, ?) on conflict (key) do nothing", key, hash, inputs, packed); err != nil {
			return err
		}
		return t.tx.QueryRowContext(t.ctx, "select hash from fit where key = ?", key).Scan(&hash)
	})
	return hash, err
}

func artefactHash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
