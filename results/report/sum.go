package report

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// sum is a SHA-256 that is written to and read as hex.
type sum struct{ hash.Hash }

func newSum() sum { return sum{sha256.New()} }

func (s sum) hex() string { return hex.EncodeToString(s.Sum(nil)) }
