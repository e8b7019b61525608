// Package encoder is the sentence encoder inside the binary: potion-base-8M, a static table of token
// vectors (model2vec), quantised to int8 a row. A text becomes WordPiece tokens, the mean of their
// rows, and a vector of length one. It reads English; see [Encoder.Unknown] for texts that it can't.
//
// The package is a leaf and knows no gold. docs/encoder.md says where the weights come from, how
// they were measured and what no small encoder can see.
package encoder

//go:generate go run ./export -out weights

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"sync"
)

// Dim is the length of an embedding.
const Dim = 256

// WeightsSHA256 and VocabularySHA256 identify the embedded files; a test checks them, and every
// identity carries them.
const (
	WeightsSHA256    = "312f133daf19ae4883f427d07e636ebb25e409ec69565f30f53189bb340aee48"
	VocabularySHA256 = "1394523a67ddd404a825428018c0582a6998bcfa044ecbcbf1f4d71adb94c61c"
)

// maxTokens cuts a text as the reference implementation does.
const maxTokens = 512

// The layout of weights/potion_i8.bin, little-endian: magic, rows uint32, columns uint32, CRC-32C
// of everything behind the header uint32, one float32 scale a row, then the rows as int8.
const (
	magic      = "IL8ROWS1"
	headerSize = len(magic) + 3*4
)

//go:embed weights/potion_i8.bin
var weights []byte

//go:embed weights/vocab.txt
var vocabulary string

// Encoder turns texts into vectors. It never changes after Load and is safe for concurrent use.
type Encoder struct {
	scales []float64
	rows   []byte // int8, Dim a token
	pieces pieces
}

// Load returns the one encoder of the process, built on first use (some milliseconds). An error
// means a damaged build.
var Load = sync.OnceValues(func() (*Encoder, error) { return load(weights, vocabulary) })

func load(blob []byte, vocab string) (*Encoder, error) {
	if len(blob) < headerSize || string(blob[:len(magic)]) != magic {
		return nil, fmt.Errorf("read embedded encoder weights: not in the expected format")
	}
	field := func(i int) uint32 {
		return binary.LittleEndian.Uint32(blob[len(magic)+4*i:])
	}
	rows, dim, sum := int(field(0)), int(field(1)), field(2)
	if dim != Dim || len(blob) != headerSize+rows*(4+Dim) {
		return nil, fmt.Errorf("read embedded encoder weights: %d bytes do not hold %d rows of %d", len(blob), rows, dim)
	}
	body := blob[headerSize:]
	if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != sum {
		return nil, fmt.Errorf("read embedded encoder weights: checksum does not match")
	}
	words := strings.Split(strings.TrimSuffix(vocab, "\n"), "\n")
	if len(words) != rows {
		return nil, fmt.Errorf("read embedded encoder vocabulary: %d pieces for %d rows of weights", len(words), rows)
	}
	e := &Encoder{scales: make([]float64, rows), rows: body[4*rows:], pieces: newPieces(words)}
	for i := range e.scales {
		e.scales[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:])))
	}
	return e, nil
}

// Embed returns the embedding of text: Dim numbers, length one. A text without a single known token
// gives the zero vector, which no similarity may be computed from. Tokens beyond the 512th are not
// read. Source: model2vec, StaticModel.encode (mean of the token rows without [UNK], then L2).
//
// The result is the same bits on every machine: sums run in token order in float64, where an
// int8 × float32 product is exact, and every other product is rounded by an explicit conversion, so
// that a compiler which fuses multiply and add can't change it.
func (e *Encoder) Embed(text string) []float32 {
	var sum [Dim]float64
	for _, id := range e.tokens(text) {
		scale := e.scales[id]
		row := (*[Dim]byte)(e.rows[int(id)*Dim:])
		for k := range sum {
			sum[k] += float64(float64(int8(row[k])) * scale)
		}
	}
	var squares float64
	for _, x := range sum {
		squares += float64(x * x)
	}
	out := make([]float32, Dim)
	if squares == 0 {
		return out
	}
	// The division by the number of tokens cancels against the length.
	length := math.Sqrt(squares)
	for k, x := range sum {
		out[k] = float32(x / length)
	}
	return out
}

// Identity is what makes two encoders give different vectors.
func (e *Encoder) Identity() map[string]any {
	return map[string]any{
		"name":              "potion-base-8M",
		"weights_sha256":    WeightsSHA256,
		"vocabulary_sha256": VocabularySHA256,
		"quantisation":      "int8 per row",
		"dim":               Dim,
		"max_tokens":        maxTokens,
		"tokeniser_version": 1,
	}
}

// Cosine is the cosine of two embeddings of one encoder, in [-1, 1]; false if one of them is the
// zero vector or the lengths differ. Sums run in float64 in index order.
func Cosine(a, b []float32) (float64, bool) {
	if len(a) != len(b) {
		return 0, false
	}
	var dot, aa, bb float64
	for i, x := range a {
		x, y := float64(x), float64(b[i])
		dot += float64(x * y)
		aa += float64(x * x)
		bb += float64(y * y)
	}
	if aa == 0 || bb == 0 {
		return 0, false
	}
	return max(-1, min(1, dot/math.Sqrt(float64(aa*bb)))), true
}
