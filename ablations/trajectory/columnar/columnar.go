// Package columnar reads single text columns of Parquet files and leaves the others on the disk: nothing
// of a column that was not asked for is read, decompressed or held.
//
// What a file claims of itself is checked before it is believed (bounds.go): a damaged count must not
// make the library ask for more memory than there is, which would end the program.
package columnar

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// Column names a top-level column. A list column holds any number of texts a row, in the two-level or
// three-level form of Parquet lists.
type Column struct {
	Name string
	List bool
}

// File is an open Parquet file.
type File struct {
	r    io.ReaderAt
	size int64
	file *parquet.File
}

// Open reads the footer of a Parquet file of size bytes. A file that is none, was cut off, or whose
// footer is damaged is an error; it doesn't name the file.
func Open(r io.ReaderAt, size int64) (f *File, err error) {
	defer damaged(&err)
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(16<<10))
	if err != nil {
		return nil, fmt.Errorf("damaged Parquet footer: %w", err)
	}
	rows := int64(0)
	for _, g := range file.RowGroups() {
		if g.NumRows() < 0 {
			return nil, errors.New("damaged Parquet footer: a row group of less than no rows")
		}
		rows += g.NumRows()
	}
	if rows != file.NumRows() {
		return nil, fmt.Errorf("damaged Parquet footer: %d rows in all, %d in its row groups", file.NumRows(), rows)
	}
	return &File{r, size, file}, nil
}

// damaged turns a panic into an error. The library trusts much of what a file says and indexes by it; a
// damaged file is no fault of the program that reads it.
func damaged(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("damaged Parquet file: %v", r)
	}
}

// Has reports whether there is a top-level column of that name.
func (f *File) Has(name string) bool { return f.file.Root().Column(name) != nil }

// Rows reads the given columns from the first row on. A column that isn't there, or that holds something
// else than texts (numbers and booleans count as texts), is an error that names it.
func (f *File) Rows(columns ...Column) (rows *Rows, err error) {
	defer damaged(&err)
	rows = &Rows{file: f, group: -1, columns: make([]column, len(columns))}
	for i, c := range columns {
		leaf := f.file.Root().Column(c.Name)
		if leaf == nil {
			return nil, fmt.Errorf("there is no column %q", c.Name)
		}
		for c.List && len(leaf.Columns()) == 1 { // name.list.element, name.array, …: names differ by writer
			leaf = leaf.Columns()[0]
		}
		want := 0
		if c.List {
			want = 1
		}
		if !leaf.Leaf() || leaf.MaxRepetitionLevel() != want {
			if c.List {
				return nil, fmt.Errorf("column %q is no list of texts", c.Name)
			}
			return nil, fmt.Errorf("column %q holds no single texts", c.Name)
		}
		switch leaf.Type().Kind() {
		case parquet.ByteArray, parquet.FixedLenByteArray, parquet.Boolean, parquet.Int32, parquet.Int64:
		default:
			return nil, fmt.Errorf("column %q holds values of type %s, no texts", c.Name, leaf.Type())
		}
		rows.columns[i] = column{name: c.Name, index: leaf.Index(), list: c.List}
	}
	return rows, nil
}

// Rows is a pass over the rows of a file. It holds a page of each column.
type Rows struct {
	file    *File
	columns []column
	group   int   // row group
	left    int64 // rows of it that are still to come
	number  int64 // rows that were returned
}

// Where says where the next row, or the damage in its place, stands: "row 7", counted from 0.
func (r *Rows) Where() string { return "row " + strconv.FormatInt(r.number, 10) }

// Next returns the texts of the next row, column by column: none for null, one for a single text, any
// number for a list, without its nulls. After the last row it returns io.EOF. Texts are as the file has
// them, also where they are not UTF-8.
func (r *Rows) Next() (row [][]string, err error) {
	defer damaged(&err)
	for r.left == 0 {
		if err := r.closeGroup(); err != nil {
			return nil, err
		}
		if r.group+1 == len(r.file.file.RowGroups()) {
			return nil, io.EOF
		}
		if err := r.openGroup(r.group + 1); err != nil {
			return nil, err
		}
	}
	row = make([][]string, len(r.columns))
	for i := range r.columns {
		c := &r.columns[i]
		if row[i], err = c.next(); err != nil {
			return nil, fmt.Errorf("row group %d, column %q: %w", r.group, c.name, err)
		}
	}
	r.left--
	r.number++
	return row, nil
}

// Close frees what the pass holds. The file itself stays open.
func (r *Rows) Close() error {
	var all []error
	for i := range r.columns {
		if v := r.columns[i].values; v != nil {
			all = append(all, v.Close())
			r.columns[i].values = nil
		}
	}
	return errors.Join(all...)
}

func (r *Rows) openGroup(n int) error {
	group := r.file.file.RowGroups()[n]
	chunks, meta := group.ColumnChunks(), r.file.file.Metadata().RowGroups[n]
	for i := range r.columns {
		c := &r.columns[i]
		if c.index >= len(chunks) {
			return fmt.Errorf("row group %d: column %q is missing", n, c.name)
		}
		if err := checkPages(r.file.r, r.file.size, &meta.Columns[c.index].MetaData); err != nil {
			return fmt.Errorf("row group %d, column %q: %w", n, c.name, err)
		}
		c.values, c.read, c.at, c.ended = parquet.NewColumnChunkValueReader(chunks[c.index]), 0, 0, false
	}
	r.group, r.left = n, group.NumRows()
	return nil
}

// closeGroup makes sure that no column holds more than the rows that were read.
func (r *Rows) closeGroup() error {
	if r.group < 0 {
		return nil
	}
	for i := range r.columns {
		c := &r.columns[i]
		if c.values == nil {
			continue
		}
		switch _, err := c.peek(); {
		case err == nil:
			return fmt.Errorf("row group %d, column %q: damaged: more values than rows", r.group, c.name)
		case !errors.Is(err, io.EOF):
			return fmt.Errorf("row group %d, column %q: %w", r.group, c.name, err)
		}
	}
	return r.Close()
}

// column is the reader of one column within a row group.
type column struct {
	name   string
	index  int // among the leaves of the schema
	list   bool
	values parquet.ColumnChunkValueReader
	// buffer[at:read] are values that wait. They lie in the page that was read last, so each is copied
	// before the next are read.
	buffer   [64]parquet.Value
	at, read int
	ended    bool
}

func (c *column) peek() (parquet.Value, error) {
	for c.at == c.read {
		if c.ended {
			return parquet.Value{}, io.EOF
		}
		n, err := c.values.ReadValues(c.buffer[:])
		c.at, c.read = 0, n
		switch {
		case errors.Is(err, io.EOF):
			c.ended = true
		case err != nil:
			return parquet.Value{}, fmt.Errorf("damaged: %w", err)
		}
	}
	return c.buffer[c.at], nil
}

// next returns the texts of one row.
func (c *column) next() ([]string, error) {
	var texts []string
	for n := 0; ; n++ {
		v, err := c.peek()
		switch {
		case errors.Is(err, io.EOF) && n == 0:
			return nil, errors.New("damaged: it ends before its last row")
		case errors.Is(err, io.EOF):
			return texts, nil
		case err != nil:
			return nil, err
		case n > 0 && v.RepetitionLevel() == 0: // the next row
			return texts, nil
		case n == 0 && v.RepetitionLevel() != 0:
			return nil, errors.New("damaged: a row begins in the middle of a list")
		}
		if !v.IsNull() {
			texts = append(texts, text(v))
		}
		c.at++
		if !c.list {
			return texts, nil
		}
	}
}

func text(v parquet.Value) string {
	switch v.Kind() {
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return string(v.ByteArray())
	}
	return v.String()
}
