package trajectory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"io/fs"
	"os"
	"sort"
	"sync"
)

// Trace records what a reader looked at, so that its result can be kept for as long as all of that is
// unchanged: the files that it opened, by the SHA-256 of their bytes on disk, and the names that it
// looked up or listed. It is safe for concurrent use.
type Trace struct {
	mu     sync.Mutex
	files  map[string]string
	looked map[string]string
}

// NewTrace returns an empty trace.
func NewTrace() *Trace { return &Trace{files: map[string]string{}, looked: map[string]string{}} }

type traceKey struct{}

// With returns a context under which [Read] records into t.
func (t *Trace) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

func traceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}

// Files returns path → SHA-256 of all files that were opened. It is complete once the stream has ended.
func (t *Trace) Files() map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.files
}

// Looked returns path → [LookUp] of all paths that were looked up or listed.
func (t *Trace) Looked() map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.looked
}

// opened notes a file that was read.
func (t *Trace) opened(path, digest string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[path] = digest
}

func (t *Trace) note(path, found string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// A listing says more than that there is a folder.
	if before, ok := t.looked[path]; !ok || before == lookFolder {
		t.looked[path] = found
	}
}

// What a path may be; a listed folder is the hash of its entries' names and types.
const (
	lookAbsent = "absent"
	lookFile   = "file"
	lookFolder = "folder"
)

// LookUp says what stands at a path now, in the form in which a trace keeps it: "absent", "file" or
// "folder"; with list, the hash of a folder's entries. Like the readers, it follows links.
func LookUp(path string, list bool) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return lookAbsent, nil // or out of reach, which to a reader is the same
	case !info.IsDir():
		return lookFile, nil
	case !list:
		return lookFolder, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	return listing(entries), nil
}

// Lists reports whether a looked-up value is a folder's listing.
func Lists(looked string) bool {
	return looked != lookAbsent && looked != lookFile && looked != lookFolder
}

func listing(entries []fs.DirEntry) string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name() + "\x00" + e.Type().String()
	}
	sort.Strings(names)
	sum := sha256.New()
	for _, n := range names {
		io.WriteString(sum, n+"\x01") //nolint:errcheck // a hash never fails
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// stat is os.Stat, noted in the trace.
func stat(ctx context.Context, path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if t := traceOf(ctx); t != nil {
		switch {
		case err != nil:
			t.note(path, lookAbsent)
		case info.IsDir():
			t.note(path, lookFolder)
		default:
			t.note(path, lookFile)
		}
	}
	return info, err
}

// readDir is os.ReadDir, noted in the trace.
func readDir(ctx context.Context, path string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(path)
	if t := traceOf(ctx); t != nil {
		if err != nil {
			t.note(path, lookAbsent)
		} else {
			t.note(path, listing(entries))
		}
	}
	return entries, err
}

// tracedFile hashes what is read of a file; closing it reads the rest.
type tracedFile struct {
	*os.File
	ctx   context.Context
	trace *Trace
	path  string
	sum   hash.Hash
}

// dataFile is an open file. What is read of it in any place doesn't change where Read goes on.
type dataFile interface {
	io.ReadCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// open is os.Open; under a trace, the file is hashed on the way.
func open(ctx context.Context, path string) (dataFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t := traceOf(ctx)
	if t == nil {
		return f, nil
	}
	return &tracedFile{File: f, ctx: ctx, trace: t, path: path, sum: sha256.New()}, nil
}

func (f *tracedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.sum.Write(p[:n])
	return n, err
}

// Close reads what the reader left. A file that can't be read to its end has no digest, and a result
// that rests on it is not kept.
func (f *tracedFile) Close() error {
	digest := ""
	if f.ctx.Err() == nil {
		if _, err := io.Copy(f.sum, f.File); err == nil {
			digest = hex.EncodeToString(f.sum.Sum(nil))
		}
	}
	f.trace.opened(f.path, digest)
	return f.File.Close()
}
