package process

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

func (c *Child) readStdout(r io.Reader) {
	lines := NewLineReader(r)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, ErrLineTooLong):
			c.stop(err)
			continue
		case err != nil:
			return // end of file, or the deadline after the process has ended
		}
		line, replaced := validUTF8(line)
		if err := c.prog.Line(line, replaced); err != nil {
			c.stop(err)
		}
	}
}

func (c *Child) readStderr(r io.Reader) {
	// The error can only be the deadline after the process has ended.
	_, _ = io.Copy(c.stderr, r)
}

func (c *Child) writeStdin(w *os.File) {
	defer close(c.inputDown)
	defer w.Close() // a pipe has nothing to flush
	// A blocked write must not outlive the process: a grandchild may still hold the read end.
	broken := make(chan struct{})
	defer func() { <-broken }()
	finished := make(chan struct{})
	defer close(finished)
	go func() {
		defer close(broken)
		select {
		case <-c.exited:
			_ = w.SetWriteDeadline(time.Now())
		case <-finished:
		}
	}()
	for {
		select {
		case line := <-c.in:
			if _, err := w.Write(line); err != nil {
				return
			}
		case <-c.inputEnd:
			return
		case <-c.exited:
			return
		}
	}
}

// Send hands one line (with its line end) to the writer. It never waits for the program to read
// more than the line before; it returns when the line is accepted, the program is gone or ctx ends.
// The line must not be changed afterwards.
func (c *Child) Send(ctx context.Context, line []byte) error {
	select {
	case c.in <- line:
		return nil
	case <-c.inputDown:
		return errInputClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// CloseInput closes the program's stdin after the lines sent so far.
func (c *Child) CloseInput() { c.inputOnce.Do(func() { close(c.inputEnd) }) }
