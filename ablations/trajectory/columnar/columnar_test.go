package columnar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// written is a Parquet file of the given rows.
func written[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// all reads the columns of a file to its end.
func all(b []byte, columns ...Column) (rows [][][]string, err error) {
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	r, err := f.Rows(columns...)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // frees memory only
	for {
		where := r.Where()
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, fmt.Errorf("%s: %w", where, err)
		}
		rows = append(rows, row)
	}
}

type textRow struct {
	Other string   `parquet:"other"`
	ID    *string  `parquet:"id,optional"`
	Items []string `parquet:"items,list"` // three levels
}

type dictionaryRow struct {
	Items []string `parquet:"items,list,dict"`
	ID    *string  `parquet:"id,optional,dict"`
}

type twoLevelRow struct {
	ID    []byte   `parquet:"id,optional"`
	Items []string `parquet:"items"` // repeated
}

func text1(s string) *string { return &s }

func TestColumnsReadAlikeInEveryFormThatWritersMake(t *testing.T) {
	var texts []textRow
	var dictionary []dictionaryRow
	var twoLevels []twoLevelRow
	var want [][][]string
	for i := range 1000 {
		id, items := fmt.Sprintf("id %d", i%7), []string(nil)
		for n := range i % 4 {
			items = append(items, fmt.Sprintf("%d of %d", n, i))
		}
		row := [][]string{items, {id}}
		texts = append(texts, textRow{"x", &id, items})
		dictionary = append(dictionary, dictionaryRow{items, &id})
		twoLevels = append(twoLevels, twoLevelRow{[]byte(id), items})
		if i%5 == 0 {
			row[1], texts[i].ID, dictionary[i].ID, twoLevels[i].ID = nil, nil, nil, nil
		}
		want = append(want, row)
	}
	small := []parquet.WriterOption{parquet.PageBufferSize(2000), parquet.MaxRowsPerRowGroup(300)}
	files := map[string][]byte{
		"three levels": written(t, texts),
		"dictionaries": written(t, dictionary),
		"two levels":   written(t, twoLevels),
		"old pages":    written(t, texts, append(small, parquet.DataPageVersion(1))...),
		"no rows":      written(t, texts[:0]),
	}
	for name, codec := range map[string]parquet.WriterOption{
		"snappy": parquet.Compression(&parquet.Snappy), "zstd": parquet.Compression(&parquet.Zstd), "gzip": parquet.Compression(&parquet.Gzip),
	} {
		files[name] = written(t, dictionary, append(small, codec)...)
		files[name+", old pages"] = written(t, texts, append(small, codec, parquet.DataPageVersion(1))...)
	}
	for name, b := range files {
		t.Run(name, func(t *testing.T) {
			got, err := all(b, Column{"items", true}, Column{"id", false})
			if err != nil {
				t.Fatal(err)
			}
			want := want
			if name == "no rows" {
				want = nil
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestNumbersReadAsTheirText(t *testing.T) {
	type row struct {
		N int64 `parquet:"n"`
		B bool  `parquet:"b"`
	}
	got, err := all(written(t, []row{{-12, true}, {0, false}}), Column{Name: "n"}, Column{Name: "b"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][][]string{{{"-12"}, {"true"}}, {{"0"}, {"false"}}}, got); d != "" {
		t.Error(d)
	}
}

func TestColumnsOfAnotherShapeAreNamed(t *testing.T) {
	type row struct {
		F     float64 `parquet:"f"`
		Group struct {
			A, B string
		} `parquet:"group"`
		Items []struct{ A, B string } `parquet:"items,list"`
		ID    string                  `parquet:"id"`
	}
	b := written(t, []row{{}})
	for _, c := range []struct {
		column Column
		want   string
	}{
		{Column{"absent", false}, `there is no column "absent"`},
		{Column{"f", false}, `column "f" holds values of type DOUBLE, no texts`},
		{Column{"group", false}, `column "group" holds no single texts`},
		{Column{"items", false}, `column "items" holds no single texts`},
		{Column{"items", true}, `column "items" is no list of texts`},
		{Column{"id", true}, `column "id" is no list of texts`},
	} {
		if _, err := all(b, c.column); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestDamagedFilesAreErrors(t *testing.T) {
	rows := make([]textRow, 500)
	for i := range rows {
		rows[i] = textRow{"x", text1(fmt.Sprint("id ", i)), []string{"a", "b"}}
	}
	b := written(t, rows, parquet.PageBufferSize(1000), parquet.Compression(&parquet.Snappy))
	footer := len(b) - 8 - int(uint32(b[len(b)-8])|uint32(b[len(b)-7])<<8)
	change := func(at int, with string) string {
		return string(b[:at]) + with + string(b[at+len(with):])
	}
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "no Parquet file: it is too short"},
		{"JSON", `[{"annotation_id":"a"}]`, "no Parquet file: it does not begin with PAR1"},
		{"encrypted", "PARE" + string(b[4:]), "the Parquet file is encrypted"},
		{"begun", "PAR1", "the Parquet file is cut off"},
		{"half", string(b[:len(b)/2]), "the Parquet file is cut off: it does not end with PAR1"},
		{"a footer that is too long", change(len(b)-8, "\xff\xff\xff\xff"), "damaged Parquet file: a footer of 4294967295 bytes"},
		{"no footer", change(len(b)-8, "\x00\x00\x00\x00"), "damaged Parquet footer: it ends in the middle of a structure"},
		{"a footer that is zeroes", change(footer, strings.Repeat("\x00", 40)), "damaged Parquet footer"},
		{"pages that are zeroes", change(4, strings.Repeat("\x00", footer-4)), "row 0: row group 0, column"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := all([]byte(c.file), Column{"items", true}, Column{"id", false})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d rows, error %v, want %q", len(got), err, c.want)
			}
		})
	}
}

// TestFlippedBytesNeverPanic flips every byte of a file in three ways. Many flips can't be noticed: they
// hit a text, or a number that nothing else confirms.
func TestFlippedBytesNeverPanic(t *testing.T) {
	b := written(t, []textRow{{"x", text1("id"), []string{"a", "b"}}, {"y", nil, nil}}, parquet.Compression(&parquet.Snappy))
	noticed := 0
	for i := range b {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			f := bytes.Clone(b)
			f[i] ^= flip
			if rows, err := all(f, Column{"items", true}, Column{"id", false}); err != nil {
				noticed++
			} else if len(rows) != 2 {
				t.Errorf("byte %d: %d rows and no error", i, len(rows))
			}
		}
	}
	t.Logf("%d of %d flips were noticed", noticed, 3*len(b))
	if noticed < len(b) {
		t.Errorf("%d of %d flips were noticed", noticed, 3*len(b))
	}
}

func FuzzColumns(f *testing.F) {
	rows := []textRow{{"x", text1("id"), []string{"a", "b"}}, {"y", nil, nil}}
	for _, codec := range []parquet.WriterOption{
		parquet.Compression(&parquet.Snappy), parquet.Compression(&parquet.Zstd), parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1),
	} {
		b := written(f, rows, codec)
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Add(written(f, []dictionaryRow{{[]string{"a"}, text1("id")}, {nil, text1("id")}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := all(b, Column{"items", true}, Column{"id", false})
		if err == nil {
			return
		}
		if err.Error() == "" || len(rows) > maxPageValues {
			t.Errorf("%d rows, error %q", len(rows), err)
		}
	})
}

// countingReader counts the bytes that are asked for.
type countingReader struct {
	io.ReaderAt
	n int64
}

func (c *countingReader) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.n += int64(n)
	return n, err
}

func TestOtherColumnsAreNotRead(t *testing.T) {
	page := strings.Repeat("<div>", 200_000)
	rows := make([]textRow, 40) // 40 MB of the column that isn't wanted
	for i := range rows {
		rows[i] = textRow{page, text1("id"), []string{"a"}}
	}
	// Real writers leave such long values out of the statistics in the footer.
	b := written(t, rows, parquet.MaxRowsPerRowGroup(10), parquet.SkipPageBounds("other"))
	counted := &countingReader{ReaderAt: bytes.NewReader(b)}
	f, err := Open(counted, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Rows(Column{"id", false}, Column{"items", true})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = r.Next()
	}
	if !errors.Is(err, io.EOF) || r.number != 40 {
		t.Fatalf("%d rows, error %v", r.number, err)
	}
	if len(b) < 40_000_000 || counted.n > 100_000 {
		t.Errorf("%d bytes were read of a file of %d", counted.n, len(b))
	}
}
