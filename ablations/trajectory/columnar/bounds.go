package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Bounds of what is believed. Writers make pages of about a megabyte and some ten thousand values.
const (
	maxPage       = 512 << 20 // bytes, before and after compression
	maxPageValues = 16 << 20
	maxHeader     = 1 << 20 // bytes of a page header: two values and some numbers
	maxNesting    = 32      // of structures in the footer and in headers; the format has 8
)

var magic = "PAR1"

// checkFooter looks at both ends of the file and walks the footer.
func checkFooter(r io.ReaderAt, size int64) error {
	const tail = 8 // length of the footer, magic
	if size < int64(len(magic)) {
		return errors.New("no Parquet file: it is too short")
	}
	var head, end [tail]byte
	if err := readFull(r, head[:len(magic)], 0); err != nil {
		return err
	}
	if string(head[:len(magic)]) == "PARE" {
		return errors.New("the Parquet file is encrypted, which is not supported")
	}
	if string(head[:len(magic)]) != magic {
		return fmt.Errorf("no Parquet file: it does not begin with %s", magic)
	}
	if size < int64(len(magic))+tail {
		return errors.New("the Parquet file is cut off")
	}
	if err := readFull(r, end[:], size-tail); err != nil {
		return err
	}
	if string(end[4:]) != magic {
		return fmt.Errorf("the Parquet file is cut off: it does not end with %s", magic)
	}
	length := int64(binary.LittleEndian.Uint32(end[:4]))
	if length > size-tail-int64(len(magic)) {
		return fmt.Errorf("damaged Parquet file: a footer of %d bytes in a file of %d", length, size)
	}
	footer := make([]byte, length)
	if err := readFull(r, footer, size-tail-length); err != nil {
		return err
	}
	if _, err := compactStruct(footer, 0); err != nil {
		return fmt.Errorf("damaged Parquet footer: %w", err)
	}
	return nil
}

func readFull(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("byte %d: %w", at, err)
}

// checkPages walks the page headers of a column chunk, over its pages.
func checkPages(r io.ReaderAt, size int64, meta *format.ColumnMetaData) error {
	at, n := meta.DataPageOffset, meta.TotalCompressedSize
	if d := meta.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	if at < int64(len(magic)) || n < 0 || at > size || n > size-at {
		return fmt.Errorf("damaged: bytes %d to %d of a file of %d", at, at+n, size)
	}
	var buffer []byte
	for end := at + n; at < end; {
		header, length, err := pageHeader(r, at, end, &buffer)
		if err != nil {
			return fmt.Errorf("byte %d: damaged page header: %w", at, err)
		}
		body := at + int64(length)
		if int64(header.CompressedPageSize) > end-body {
			return fmt.Errorf("byte %d: damaged page header: the page reaches over the end of its column", at)
		}
		if err := checkPage(header); err != nil {
			return fmt.Errorf("byte %d: damaged page header: %w", at, err)
		}
		if err := checkClaim(r, meta.Codec, header, body); err != nil {
			return fmt.Errorf("byte %d: damaged page: %w", at, err)
		}
		at = body + int64(header.CompressedPageSize)
	}
	return nil
}

func pageHeader(r io.ReaderAt, at, end int64, buffer *[]byte) (*format.PageHeader, int, error) {
	for want := int64(1 << 10); ; want *= 8 {
		want = min(want, end-at, maxHeader)
		if int64(cap(*buffer)) < want {
			*buffer = make([]byte, want)
		}
		b := (*buffer)[:want]
		if err := readFull(r, b, at); err != nil {
			return nil, 0, err
		}
		n, err := compactStruct(b, 0)
		if errors.Is(err, errShort) && want < min(end-at, maxHeader) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		header := new(format.PageHeader)
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], header); err != nil {
			return nil, 0, err
		}
		return header, n, nil
	}
}

func checkPage(h *format.PageHeader) error {
	values := int32(0)
	switch {
	case h.DataPageHeader.Valid:
		values = h.DataPageHeader.V.NumValues
	case h.DataPageHeaderV2.Valid:
		values = h.DataPageHeaderV2.V.NumValues
	case h.DictionaryPageHeader.Valid:
		values = h.DictionaryPageHeader.V.NumValues
	}
	if h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || h.CompressedPageSize > maxPage || h.UncompressedPageSize > maxPage {
		return fmt.Errorf("a page of %d bytes, %d compressed", h.UncompressedPageSize, h.CompressedPageSize)
	}
	if values < 0 || values > maxPageValues {
		return fmt.Errorf("a page of %d values", values)
	}
	return nil
}

// checkClaim compares what compressed bytes say of their size with what the header says: decoders make
// room for it before they decode.
func checkClaim(r io.ReaderAt, codec format.CompressionCodec, h *format.PageHeader, body int64) error {
	skip := int64(0)
	if v2 := h.DataPageHeaderV2; v2.Valid {
		if skip = int64(v2.V.RepetitionLevelsByteLength) + int64(v2.V.DefinitionLevelsByteLength); skip < 0 {
			return errors.New("levels of less than no bytes")
		}
		if v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
			return nil
		}
	}
	n := min(int64(h.CompressedPageSize)-skip, zstd.HeaderMaxSize)
	if n <= 0 {
		return nil
	}
	head := make([]byte, n)
	if err := readFull(r, head, body+skip); err != nil {
		return err
	}
	claim := uint64(0)
	switch codec {
	case format.Snappy:
		claim, _ = binary.Uvarint(head)
	case format.Zstd:
		var frame zstd.Header
		if frame.Decode(head) == nil && frame.HasFCS {
			claim = frame.FrameContentSize
		}
	}
	if claim > uint64(h.UncompressedPageSize) {
		return fmt.Errorf("%d bytes where the header says %d", claim, h.UncompressedPageSize)
	}
	return nil
}
