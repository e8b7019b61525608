package columnar

import (
	"encoding/binary"
	"errors"
)

// errShort says that a structure goes on behind the bytes at hand.
var errShort = errors.New("it ends in the middle of a structure")

var errNested = errors.New("nested too deeply")

// Types of Thrift's compact protocol
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
const (
	compactTrue = iota + 1
	compactFalse
	compactByte
	compactI16
	compactI32
	compactI64
	compactDouble
	compactBinary
	compactList
	compactSet
	compactMap
	compactStructure
)

// compactStruct walks a structure at the start of b and returns its length. It makes sure that lists and
// texts are no longer than the bytes that could hold them, and that structures don't nest without end,
// so that a decoder may make room for what they claim.
func compactStruct(b []byte, depth int) (int, error) {
	if depth > maxNesting {
		return 0, errNested
	}
	for at := 0; ; {
		if at >= len(b) {
			return 0, errShort
		}
		head := b[at]
		at++
		if head == 0 {
			return at, nil
		}
		if head>>4 == 0 { // the field's number stands apart
			n, err := varint(b[at:])
			if err != nil {
				return 0, err
			}
			at += n
		}
		if kind := head & 15; kind == compactTrue || kind == compactFalse {
			continue // the value is in the type
		}
		n, err := compactValue(b[at:], head&15, depth)
		if err != nil {
			return 0, err
		}
		at += n
	}
}

// compactValue returns the length of a value.
func compactValue(b []byte, kind byte, depth int) (int, error) {
	switch kind {
	case compactTrue, compactFalse, compactByte:
		return take(b, 1)
	case compactI16, compactI32, compactI64:
		return varint(b)
	case compactDouble:
		return take(b, 8)
	case compactBinary:
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return 0, errShort
		}
		return n + int(size), nil
	case compactList, compactSet:
		return compactItems(b, depth+1)
	case compactMap:
		return compactPairs(b, depth+1)
	case compactStructure:
		return compactStruct(b, depth+1)
	}
	return 0, errors.New("a type that there is not")
}

func compactItems(b []byte, depth int) (int, error) {
	if depth > maxNesting {
		return 0, errNested
	}
	if len(b) == 0 {
		return 0, errShort
	}
	at, size := 1, uint64(b[0]>>4)
	if size == 15 {
		var n int
		if size, n = binary.Uvarint(b[1:]); n <= 0 {
			return 0, errShort
		}
		at += n
	}
	if size > uint64(len(b)-at) { // an item takes a byte at least
		return 0, errShort
	}
	for range size {
		n, err := compactValue(b[at:], b[0]&15, depth)
		if err != nil {
			return 0, err
		}
		at += n
	}
	return at, nil
}

func compactPairs(b []byte, depth int) (int, error) {
	if depth > maxNesting {
		return 0, errNested
	}
	size, at := binary.Uvarint(b)
	if at <= 0 || size > uint64(len(b)-at) {
		return 0, errShort
	}
	if size == 0 {
		return at, nil
	}
	if at >= len(b) {
		return 0, errShort
	}
	kinds := b[at]
	at++
	for range size {
		for _, kind := range []byte{kinds >> 4, kinds & 15} {
			n, err := compactValue(b[at:], kind, depth)
			if err != nil {
				return 0, err
			}
			at += n
		}
	}
	return at, nil
}

func varint(b []byte) (int, error) {
	_, n := binary.Uvarint(b)
	if n == 0 {
		return 0, errShort
	}
	if n < 0 {
		return 0, errors.New("a number of more than 64 bits")
	}
	return n, nil
}

func take(b []byte, n int) (int, error) {
	if len(b) < n {
		return 0, errShort
	}
	return n, nil
}
