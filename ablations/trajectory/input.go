package trajectory

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
)

const lfsPointer = "version https://git-lfs.github.com/spec/v1"

// input is an open file with its byte-order mark taken off and gzip undone. Its reads fail once ctx
// ends, so that a file of several hundred megabytes can be left in the middle.
type input struct {
	path string
	r    *bufio.Reader
	read *meter
	bom  int64    // bytes of the byte-order mark, which the decoder's offsets lack
	file dataFile // nil over bytes that are already at hand
}

// meter counts the bytes that were read, after decompression.
type meter struct {
	ctx context.Context
	r   io.Reader
	n   int64
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	m.n += int64(n)
	return n, err
}

// openInput opens a data file. A Git LFS pointer in its place is an error that says what to do.
func openInput(ctx context.Context, path string) (*input, error) {
	f, err := open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open data file: %w", err)
	}
	in, err := newInput(ctx, path, f, bufferFor(f))
	if err != nil {
		f.Close() //nolint:errcheck // opened for reading; the first error tells more
		return nil, err
	}
	in.file = f
	return in, nil
}

// maxBuffer is the size of the buffer of a large file.
const maxBuffer = 64 << 10

// bufferFor is the size of a buffer for a file: datasets of thousands of small files would spend more
// time on empty buffers than on their content. A file that won't tell its size gets a large one.
func bufferFor(f dataFile) int {
	info, err := f.Stat()
	if err != nil || info.Size() >= maxBuffer {
		return maxBuffer
	}
	return int(info.Size()) + 512 // and some, so that the end is met in the same read
}

// readInput opens a data file, hands it to read and closes it.
func readInput(ctx context.Context, path string, read func(in *input) error) (err error) {
	in, err := openInput(ctx, path)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := in.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("close %s: %w", path, cerr)
		}
	}()
	return read(in)
}

// newInput is openInput over bytes that are already at hand.
func newInput(ctx context.Context, path string, r io.Reader, buffer int) (*input, error) {
	in := &input{path: path, read: &meter{ctx: ctx, r: r}}
	in.r = bufio.NewReaderSize(in.read, buffer)
	if head, _ := in.r.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in.r)
		if err != nil {
			return nil, fmt.Errorf("%s: byte 0: damaged gzip file: %w", path, err)
		}
		in.read = &meter{ctx: ctx, r: z}
		in.r = bufio.NewReaderSize(in.read, maxBuffer) // its size unpacked is unknown
	}
	// A failed or short peek is no error here: whatever is wrong comes back from the next read.
	if head, _ := in.r.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		in.bom = 3
		if _, err := in.r.Discard(3); err != nil {
			return nil, fmt.Errorf("%s: byte 0: %w", path, err)
		}
	}
	if head, _ := in.r.Peek(len(lfsPointer)); string(head) == lfsPointer {
		return nil, fmt.Errorf("%s is a Git LFS pointer, not the data: run git lfs pull", path)
	}
	return in, nil
}

// Close closes the file.
func (in *input) Close() error {
	if in.file == nil {
		return nil
	}
	return in.file.Close()
}
