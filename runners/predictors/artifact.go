package predictors

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
)

// An artefact is a format line, varints, length-prefixed strings and little-endian floats, then a
// CRC-32C over all of it. No map order, no time, no address goes in: equal states are equal bytes.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// artifactWriter keeps the first write error and reports it in close.
type artifactWriter struct {
	out *bufio.Writer
	sum hash.Hash32
	buf []byte
	err error
}

func newArtifactWriter(w io.Writer, format string) *artifactWriter {
	e := &artifactWriter{out: bufio.NewWriter(w), sum: crc32.New(castagnoli)}
	e.str(format)
	return e
}

func (e *artifactWriter) write(b []byte) {
	if e.err == nil {
		_, e.err = e.out.Write(b)
	}
	e.sum.Write(b) // a hash never fails
}

func (e *artifactWriter) uvarint(v uint64) {
	e.buf = binary.AppendUvarint(e.buf[:0], v)
	e.write(e.buf)
}

func (e *artifactWriter) str(s string) {
	e.buf = append(binary.AppendUvarint(e.buf[:0], uint64(len(s))), s...)
	e.write(e.buf)
}

func (e *artifactWriter) fixed(v uint64) {
	e.buf = binary.LittleEndian.AppendUint64(e.buf[:0], v)
	e.write(e.buf)
}

func (e *artifactWriter) float(f float64) { e.fixed(math.Float64bits(f)) }

func (e *artifactWriter) close() error {
	if e.err == nil {
		_, e.err = e.out.Write(binary.LittleEndian.AppendUint32(nil, e.sum.Sum32()))
	}
	if e.err == nil {
		e.err = e.out.Flush()
	}
	if e.err != nil {
		return fmt.Errorf("writing the fit artefact: %w", e.err)
	}
	return nil
}

// artifactReader keeps the first error; after it every read returns a zero, so that decoders check
// once per record. Counts are held against the bytes that are left before anything is allocated.
type artifactReader struct {
	rest []byte
	size int
	err  error
}

func newArtifactReader(r io.Reader, format string) (*artifactReader, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading the fit artefact: %w", err)
	}
	body := len(b) - crc32.Size
	if body < 0 || crc32.Checksum(b[:body], castagnoli) != binary.LittleEndian.Uint32(b[body:]) {
		return nil, fmt.Errorf("reading the fit artefact: it is damaged or cut short (checksum over %d bytes)", len(b))
	}
	d := &artifactReader{rest: b[:body], size: body}
	if got := d.str(); d.err == nil && got != format {
		d.fail(fmt.Sprintf("it holds %.60q, not %q", got, format))
	}
	return d, d.err
}

func (d *artifactReader) fail(why string) {
	if d.err == nil {
		d.err = fmt.Errorf("reading the fit artefact: byte %d: %s", d.size-len(d.rest), why)
	}
}

func (d *artifactReader) uvarint() uint64 {
	if d.err != nil {
		return 0
	}
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail("a number is cut short or too long")
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// below reads a number that has to be smaller than limit.
func (d *artifactReader) below(limit uint64, what string) uint64 {
	v := d.uvarint()
	if d.err == nil && v >= limit {
		d.fail(fmt.Sprintf("%s %d is out of range (below %d)", what, v, limit))
		return 0
	}
	return v
}

// count reads the number of records that follow, each at least size bytes long.
func (d *artifactReader) count(size int) int {
	v := d.uvarint()
	if d.err == nil && v > uint64(len(d.rest)/size) {
		d.fail(fmt.Sprintf("%d records are announced, %d bytes are left", v, len(d.rest)))
		return 0
	}
	return int(v)
}

func (d *artifactReader) str() string {
	n := d.count(1)
	if d.err != nil {
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

func (d *artifactReader) fixed() uint64 {
	if d.err == nil && len(d.rest) < 8 {
		d.fail("a number is cut short")
	}
	if d.err != nil {
		return 0
	}
	v := binary.LittleEndian.Uint64(d.rest)
	d.rest = d.rest[8:]
	return v
}

func (d *artifactReader) float() float64 { return math.Float64frombits(d.fixed()) }

func (d *artifactReader) close() error {
	if d.err == nil && len(d.rest) > 0 {
		d.fail(fmt.Sprintf("%d bytes too many", len(d.rest)))
	}
	return d.err
}
