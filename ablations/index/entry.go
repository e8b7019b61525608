package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"intentlab/ablations/trajectory"
)

// line is a line of an entry: an episode with its hash, or a skip. The dataset's name is not kept, and
// the source's path in a skip is written as a NUL character, so that an entry serves a renamed block and
// a moved dataset alike.
type line struct {
	Hash    string              `json:"h,omitempty"`
	Episode *trajectory.Episode `json:"e,omitempty"`
	Skip    *trajectory.Skip    `json:"s,omitempty"`
}

const pathMark = "\x00"

// window is how far back compression looks, in bytes. Writer and reader hold it in memory; the library's own is
// eight times as wide and makes entries hardly smaller.
const window = 1 << 20

// entryWriter writes an entry beside its final name. A nil one writes nothing, and so does one that met
// an error: the dataset is read anyway.
type entryWriter struct {
	shelf    *shelf
	started  time.Time
	file     *os.File
	zip      *zstd.Encoder
	sum      hash.Hash
	episodes int
	err      error
}

func (s *shelf) newEntry() *entryWriter {
	w := &entryWriter{shelf: s, started: time.Now(), sum: sha256.New()}
	if w.err = os.MkdirAll(s.dir, 0o700); w.err == nil {
		w.file, w.err = os.CreateTemp(s.dir, "new-*")
	}
	if w.err == nil {
		w.zip, w.err = zstd.NewWriter(io.MultiWriter(w.file, w.sum), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
	}
	if w.err != nil {
		s.note(fmt.Sprintf("the dataset is read without the index: %v", w.err))
	}
	return w
}

func (w *entryWriter) write(l line) {
	if w == nil || w.err != nil {
		return
	}
	b, err := json.Marshal(l)
	if err == nil {
		_, err = w.zip.Write(append(b, '\n'))
	}
	w.err = err
}

func (w *entryWriter) episode(e trajectory.Episode, hash string) {
	if w == nil {
		return
	}
	e.Dataset = ""
	w.episodes++
	w.write(line{Hash: hash, Episode: &e})
}

func (w *entryWriter) skip(s trajectory.Skip) {
	if w == nil {
		return
	}
	s.Where = strings.ReplaceAll(s.Where, w.shelf.src.Path, pathMark)
	s.Detail = strings.ReplaceAll(s.Detail, w.shelf.src.Path, pathMark)
	w.write(line{Skip: &s})
}

// keep puts the entry on the shelf: first the episodes, then the manifest that vouches for them.
func (w *entryWriter) keep(ctx context.Context, trace *trajectory.Trace) {
	if w.err == nil {
		w.err = w.zip.Close()
	}
	if w.err == nil {
		w.err = w.file.Close()
	}
	if w.err == nil {
		w.err = w.finish(ctx, trace)
	}
	if w.err != nil && ctx.Err() == nil {
		w.shelf.note(fmt.Sprintf("the index keeps nothing of dataset %s: %v", w.shelf.src.Name, w.err))
	}
}

func (w *entryWriter) finish(ctx context.Context, trace *trajectory.Trace) error {
	m, err := w.shelf.manifest(trace)
	if err != nil {
		return err
	}
	m.Episodes, m.Digest = w.episodes, hex.EncodeToString(w.sum.Sum(nil))
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	name := sha256.Sum256(b)
	m.path = filepath.Join(w.shelf.dir, hex.EncodeToString(name[:16])+manifestSuffix)
	if err := os.Rename(w.file.Name(), m.episodes()); err != nil {
		return err
	}
	w.file = nil
	if err := writeFile(m.path, b); err != nil {
		return err
	}
	w.shelf.prune()
	// What was hashed while it was parsed needs no hashing at the next start.
	memo := w.shelf.loadMemo()
	for _, f := range m.Files {
		path := w.shelf.absolute(f.Path)
		if now, ok := stateOf(path); ok {
			memo.remember(f.Path, path, now, f.SHA256, w.started)
		}
	}
	memo.save()
	return nil
}

// abandon removes what was not kept.
func (w *entryWriter) abandon() {
	if w == nil || w.file == nil {
		return
	}
	if w.zip != nil {
		w.zip.Close() //nolint:errcheck // into a file that goes
	}
	w.file.Close()           //nolint:errcheck // the same
	os.Remove(w.file.Name()) //nolint:errcheck // a leftover of a few bytes in a cache
}

// writeFile writes a file for its owner only, whole or not at all.
func writeFile(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// replay streams an entry as the reader would. Its bytes have been checked against their digest.
func (m *manifest) replay(ctx context.Context, src trajectory.Source, skipped func(trajectory.Skip), yield func(Item, error) bool) error {
	f, err := os.Open(m.episodes())
	if err != nil {
		return fmt.Errorf("dataset %q: opening the index: %w", src.Name, err)
	}
	defer f.Close() // read only: closing can lose nothing
	unzip, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("dataset %q: opening the index: %w", src.Name, err)
	}
	defer unzip.Close()
	episodes := 0
	err = decoded(ctx, unzip, func(l line) error {
		if l.Skip != nil {
			if skipped != nil {
				skipped(trajectory.Skip{Where: strings.ReplaceAll(l.Skip.Where, pathMark, src.Path), Reason: l.Skip.Reason,
					Detail: strings.ReplaceAll(l.Skip.Detail, pathMark, src.Path)})
			}
			return nil
		}
		episodes++
		l.Episode.Dataset = src.Name
		if !yield(Item{*l.Episode, l.Hash}, nil) {
			return errStopped
		}
		return nil
	})
	if err == nil && episodes != m.Episodes {
		err = fmt.Errorf("%d episodes where there should be %d", episodes, m.Episodes)
	}
	if err != nil && !errors.Is(err, errStopped) && ctx.Err() == nil {
		return fmt.Errorf("dataset %q: reading the index: %w; delete %s", src.Name, err, filepath.Dir(m.path))
	}
	if ctx.Err() != nil && !errors.Is(err, errStopped) {
		return fmt.Errorf("dataset %q: %w", src.Name, context.Cause(ctx))
	}
	return err
}

// batch is how many lines one goroutine parses at a time.
const batch = 64

// decoded parses lines on all processors and hands them out in order.
func decoded(ctx context.Context, r io.Reader, each func(line) error) error {
	return inOrder(ctx, r, batch, func(text []byte) (line, error) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return l, err
		}
		if (l.Episode == nil) == (l.Skip == nil) {
			return l, errors.New("a line that is neither an episode nor a skip")
		}
		return l, nil
	}, each)
}
