package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/pool"
)

// memo remembers the digests of a source's files by what the file system says of them.
type memo struct {
	shelf *shelf
	path  string
	// Marks by path relative to the source.
	marks   map[string]mark
	changed bool
}

// mark is a digest and the state of the file when it was made.
type mark struct {
	Size, MTime, CTime int64 // bytes; nanoseconds
	Inode              uint64
	SHA256             string
}

// settled is how old a file's last change must be before its digest is remembered: within it, a second
// change could leave size and times as they are.
const settled = 2 * time.Second

func (s *shelf) loadMemo() *memo {
	sum := sha256.Sum256([]byte(s.root))
	m := &memo{shelf: s, path: filepath.Join(s.Index.dir, "digests", hex.EncodeToString(sum[:16])+".json"), marks: map[string]mark{}}
	b, err := os.ReadFile(m.path)
	if err != nil || json.Unmarshal(b, &m.marks) != nil || m.marks == nil {
		m.marks = map[string]mark{} // hashed again
	}
	return m
}

// save writes the memo if it has changed. It only saves time, so a failure is left to the next run.
func (m *memo) save() {
	if !m.changed {
		return
	}
	b, err := json.Marshal(m.marks)
	if err == nil {
		err = writeFile(m.path, b)
	}
	if err != nil {
		m.shelf.note("the index could not remember digests: " + err.Error())
	}
	m.changed = false
}

// matches reports whether every file has its digest, hashing those that are not remembered, several at
// once.
func (m *memo) matches(ctx context.Context, s *shelf, files []fileMark) bool {
	var differs atomic.Bool
	var mu sync.Mutex
	p := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	for _, f := range files {
		now, ok := stateOf(s.absolute(f.Path))
		if !ok {
			differs.Store(true)
			break
		}
		mu.Lock()
		was, known := m.marks[f.Path]
		mu.Unlock()
		now.SHA256 = was.SHA256
		if known && !s.verify && now == was {
			if was.SHA256 != f.SHA256 {
				differs.Store(true)
				break
			}
			continue
		}
		p.Go(func() {
			if differs.Load() || ctx.Err() != nil {
				return
			}
			at := time.Now()
			digest, err := hashFile(ctx, s.absolute(f.Path))
			if err != nil || digest != f.SHA256 {
				differs.Store(true)
			}
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			m.remember(f.Path, s.absolute(f.Path), now, digest, at)
		})
	}
	p.Wait()
	return !differs.Load() && ctx.Err() == nil
}

// remember keeps a digest made at a moment, unless the file changed meanwhile or shortly before.
func (m *memo) remember(rel, path string, before mark, digest string, at time.Time) {
	after, ok := stateOf(path)
	before.SHA256, after.SHA256 = "", ""
	if !ok || after != before || at.UnixNano()-max(after.MTime, after.CTime) < int64(settled) {
		return
	}
	after.SHA256 = digest
	if m.marks[rel] != after {
		m.marks[rel] = after
		m.changed = true
	}
}

func hashFile(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // read only: closing can lose nothing
	sum := sha256.New()
	buf := make([]byte, 1<<20)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := f.Read(buf)
		sum.Write(buf[:n])
		if err == io.EOF {
			return hex.EncodeToString(sum.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}
