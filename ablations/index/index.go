// Package index keeps what a reader made of a dataset, so that the dataset is parsed once per content.
//
// A dataset is identified by content: by what its reader opened, as SHA-256, and by the names that it
// looked up and listed (decisions.md, "Data order"). An entry of the index holds these together with the
// episodes, as JSON lines compressed with zstd; it is used only while all of them are unchanged. The
// digest of a file is remembered by its path, size, times and inode and reused while these are the same.
//
// The index is a cache in the user's cache folder. It may be deleted at any time and is never needed:
// where it can't be written, everything is read as if it weren't there. It holds intents, so its files
// are for their owner only.
package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// version is that of the entries; it rises when an older entry can't be read any more.
const version = 1

// Item is an episode with its content hash, [trajectory.Episode.Hash].
type Item struct {
	trajectory.Episode
	Hash string
}

// Index is where entries are kept. The zero value keeps nothing.
type Index struct {
	dir    string
	verify bool
	note   func(string)
}

// Open returns the index in dir, which is made when it is needed; "" keeps nothing. With verify, no
// remembered digest is trusted: every file is hashed again. note is told, in one sentence, what keeps
// the index from being used; it may be nil, and is called from any goroutine.
func Open(dir string, verify bool, note func(string)) *Index {
	if note == nil {
		note = func(string) {}
	}
	return &Index{dir: dir, verify: verify, note: note}
}

// Folder is the default place: what the variable INTENTLAB_CACHE names, else "intentlab" in the user's
// cache folder; "" where there is neither. INTENTLAB_CACHE = "off" keeps nothing.
func Folder(getenv func(string) (string, bool)) string {
	dir, ok := getenv("INTENTLAB_CACHE")
	switch {
	case dir == "off":
		return ""
	case ok && dir != "":
		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
		return dir
	}
	home, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "intentlab")
}

// Read is [trajectory.Read] with the hash of each episode, through the index: episodes, skips, their
// order and errors are the same, whether they were kept or are read now. A stream that is broken off, or
// that ends with an error, keeps nothing.
func (x *Index) Read(ctx context.Context, src trajectory.Source, skipped func(trajectory.Skip)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		shelf, err := x.shelf(src)
		if err != nil {
			yield(Item{}, fmt.Errorf("dataset %q: %w", src.Name, err))
			return
		}
		if shelf == nil {
			readAnew(ctx, src, nil, nil, skipped, yield)
			return
		}
		if e := shelf.find(ctx); e != nil {
			err := e.replay(ctx, src, skipped, yield)
			if err == nil || errors.Is(err, errStopped) {
				return
			}
			yield(Item{}, err)
			return
		}
		if ctx.Err() != nil {
			yield(Item{}, fmt.Errorf("dataset %q: %w", src.Name, context.Cause(ctx)))
			return
		}
		trace := trajectory.NewTrace()
		w := shelf.newEntry()
		defer w.abandon()
		if readAnew(ctx, src, trace, w, skipped, yield) {
			w.keep(ctx, trace)
		}
	}
}

var errStopped = errors.New("stopped by the consumer")

// readAnew reads the source itself and reports whether it was read to its end without an error. trace
// and w may be nil.
func readAnew(ctx context.Context, src trajectory.Source, trace *trajectory.Trace, w *entryWriter, skipped func(trajectory.Skip), yield func(Item, error) bool) bool {
	traced := ctx
	if trace != nil {
		traced = trace.With(ctx)
	}
	read := trajectory.Read(traced, src, func(s trajectory.Skip) {
		w.skip(s)
		if skipped != nil {
			skipped(s)
		}
	})
	for ep, err := range read {
		if err != nil {
			yield(Item{}, err)
			return false
		}
		hash, err := ep.Hash()
		if err != nil {
			yield(Item{}, fmt.Errorf("dataset %q: %w", src.Name, err))
			return false
		}
		w.episode(ep, hash)
		if !yield(Item{ep, hash}, nil) {
			return false
		}
	}
	return ctx.Err() == nil
}

// shelf is where the entries of one way of reading stand: format, its reader's version, visibility,
// options, and the last two names of the path, since some readers take a list's or a user's name from
// them. It is nil where nothing is kept.
type shelf struct {
	*Index
	src  trajectory.Source
	root string // absolute path of the source
	dir  string
}

func (x *Index) shelf(src trajectory.Source) (*shelf, error) {
	if x == nil || x.dir == "" || src.Path == "" {
		return nil, nil
	}
	root, err := filepath.Abs(src.Path)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", src.Path, err)
	}
	visibility := src.Visibility
	if visibility == "" {
		visibility = trajectory.Safe
	}
	key, err := task.Hash(struct {
		Version, Reader    int
		Format, Visibility string
		Options            any
		Observations       string
		Names              [2]string
	}{version, trajectory.Formats[src.Format].Version, src.Format, string(visibility), src.Options, src.Observations,
		[2]string{filepath.Base(filepath.Dir(root)), filepath.Base(root)}})
	if err != nil {
		return nil, fmt.Errorf("identifying the way of reading: %w", err)
	}
	return &shelf{Index: x, src: src, root: root, dir: filepath.Join(x.dir, "episodes", key[:32])}, nil
}
