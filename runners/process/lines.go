package process

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// MaxLine is the longest line of either protocol and of a predictions file, in bytes.
const MaxLine = 8 << 20

// ErrLineTooLong means a line of more than MaxLine bytes.
var ErrLineTooLong = errors.New("a line is longer than 8 MiB")

// LineReader reads lines of at most MaxLine bytes with memory bounded by that.
type LineReader struct {
	br      *bufio.Reader
	buf     []byte
	start   int64 // offset of the line last returned
	next    int64 // offset of the line to come
	number  int   // of the line last returned, from 1
	skipped bool  // the rest of a line that was too long is still to be skipped
}

// NewLineReader reads from r.
func NewLineReader(r io.Reader) *LineReader {
	return &LineReader{br: bufio.NewReaderSize(r, 64<<10)}
}

// Next returns the next line without its line end (LF or CRLF), valid until the next call. It
// returns io.EOF at the end; ErrLineTooLong as soon as a line passes the limit, after which the next
// call goes on with the line behind it.
func (l *LineReader) Next() ([]byte, error) {
	if !l.skipped {
		l.start = l.next
		l.number++
	}
	l.buf = l.buf[:0]
	for {
		part, err := l.br.ReadSlice('\n')
		l.next += int64(len(part))
		switch {
		case l.skipped:
			if err == nil {
				l.skipped = false
				l.start = l.next
				l.number++
				continue
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return nil, err
			}
			continue
		case len(l.buf)+len(bytes.TrimRight(part, "\r\n")) > MaxLine:
			l.skipped = err != nil
			l.buf = nil
			return nil, ErrLineTooLong
		}
		l.buf = append(l.buf, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && len(l.buf) == 0 {
			return nil, err
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		line := bytes.TrimSuffix(bytes.TrimSuffix(l.buf, []byte("\n")), []byte("\r"))
		if rest, ok := bytes.CutPrefix(line, []byte("\xef\xbb\xbf")); ok && l.number == 1 {
			line = rest // a byte order mark
			l.start += 3
		}
		if cap(l.buf) > 1<<20 && len(l.buf) < 64<<10 {
			l.buf = nil // one long line must not hold its memory for ever
		}
		return line, nil
	}
}

// Number is the number of the line last returned, from 1.
func (l *LineReader) Number() int { return l.number }

// Offset is where the line last returned starts, in bytes.
func (l *LineReader) Offset() int64 { return l.start }

// validUTF8 replaces each run of invalid bytes by U+FFFD and says whether there was one.
func validUTF8(line []byte) ([]byte, bool) {
	if utf8.Valid(line) {
		return line, false
	}
	return bytes.ToValidUTF8(line, []byte("\uFFFD")), true
}

// clip shortens s to about n bytes for a message, at a rune's edge.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
