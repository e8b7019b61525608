// Package draw is the only source of random numbers in intentlab: SplitMix64 (Steele, Lea, Flood,
// "Fast splittable pseudorandom number generators", OOPSLA 2014), so that draws repeat bit for bit
// across Go versions and ports (metrics-and-judge.md A14, vector V42). It imports nothing of this
// module and any package may import it.
//
// The one rule: seeds are derived by hashing what the draw is for ([Seed]), never by adding
// numbers, so that two purposes never share a stream.
package draw

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// Source is a SplitMix64 stream. The zero value is the stream of seed 0. It is not safe for
// concurrent use; derive one source a goroutine with [Seed].
type Source struct{ state uint64 }

// New starts the stream of a seed.
func New(seed uint64) *Source { return &Source{state: seed} }

// Seed hashes the parts of a purpose (run seed, what for, block number …) into a seed: the first
// eight bytes, big-endian, of the SHA-256 of all parts, each preceded by its length in bytes as
// eight big-endian bytes. So ("ab", "c") and ("a", "bc") differ.
func Seed(parts ...string) uint64 {
	h := sha256.New()
	var size [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write([]byte(p))
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// Uint64 returns the next 64 uniform bits.
func (s *Source) Uint64() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Intn returns an index in [0, n): the high 64 bits of u64·n. The bias is below n/2^64. For n < 1
// it returns 0, and a draw is still used up.
func (s *Source) Intn(n int) int {
	u := s.Uint64()
	if n < 1 {
		return 0
	}
	hi, _ := bits.Mul64(u, uint64(n))
	return int(hi)
}

// Float64 returns a number in [0, 1) with 53 random bits.
func (s *Source) Float64() float64 { return float64(s.Uint64()>>11) / (1 << 53) }

// Shuffle permutes n items by Fisher-Yates from the end, one draw an item.
func (s *Source) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, s.Intn(i+1))
	}
}
