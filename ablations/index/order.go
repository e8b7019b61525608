package index

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"

	"github.com/sourcegraph/conc/pool"
)

// inOrder parses the lines of r on all processors, size lines a go, and hands the values to each in the
// order of the lines. At most a few batches are held at once.
func inOrder[T any](ctx context.Context, r io.Reader, size int, parse func([]byte) (T, error), each func(T) error) error {
	type parsed struct {
		values []T
		err    error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	width := runtime.GOMAXPROCS(0)
	queue := make(chan chan parsed, 2*width)
	p := pool.New()
	var readErr error
	p.Go(func() {
		defer close(queue)
		workers := pool.New().WithMaxGoroutines(width)
		defer workers.Wait()
		in := bufio.NewReaderSize(r, 1<<20)
		for more := true; more; {
			var lines [][]byte
			if lines, more, readErr = readLines(in, size); readErr != nil || len(lines) == 0 {
				return
			}
			result := make(chan parsed, 1)
			select {
			case queue <- result:
			case <-ctx.Done():
				return
			}
			workers.Go(func() {
				var got parsed
				for _, l := range lines {
					v, err := parse(l)
					if err != nil {
						got.err = err
						break
					}
					got.values = append(got.values, v)
				}
				result <- got
			})
		}
	})
	err := func() error {
		for result := range queue {
			got := <-result
			for _, v := range got.values {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := each(v); err != nil {
					return err
				}
			}
			if got.err != nil {
				return got.err
			}
		}
		return nil
	}()
	cancel()
	for range queue { // lets the reading goroutine end
	}
	p.Wait()
	if err == nil {
		err = readErr
	}
	return err
}

// readLines reads up to n lines of any length; more is false at the end.
func readLines(in *bufio.Reader, n int) (lines [][]byte, more bool, err error) {
	for len(lines) < n {
		b, err := in.ReadBytes('\n')
		if b = bytes.TrimSuffix(b, []byte{'\n'}); len(b) > 0 {
			lines = append(lines, b)
		}
		if errors.Is(err, io.EOF) {
			return lines, false, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return lines, true, nil
}
