package trajectory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const upperHex = "0123456789ABCDEF"

// EncodeID percent-encodes the bytes of an id that ids may not hold: ':', '/', '%', '#', control
// characters and bytes that are not UTF-8 (benchmark.md, "Edge rules"). Different ids stay different.
func EncodeID(id string) string {
	var b strings.Builder
	for i := 0; i < len(id); {
		r, size := utf8.DecodeRuneInString(id[i:])
		if r == utf8.RuneError && size == 1 || unicode.IsControl(r) || strings.ContainsRune(":/%#", r) {
			for _, c := range []byte(id[i : i+size]) {
				b.WriteByte('%')
				b.WriteByte(upperHex[c>>4])
				b.WriteByte(upperHex[c&15])
			}
		} else {
			b.WriteString(id[i : i+size])
		}
		i += size
	}
	return b.String()
}

// isEncodedID reports whether id is something that EncodeID writes, so that normalised episodes
// which are read again keep their ids.
func isEncodedID(id string) bool {
	var raw []byte
	for i := 0; i < len(id); i++ {
		if id[i] != '%' {
			raw = append(raw, id[i])
			continue
		}
		if i+2 >= len(id) {
			return false
		}
		hi, lo := strings.IndexByte(upperHex, id[i+1]), strings.IndexByte(upperHex, id[i+2])
		if hi < 0 || lo < 0 {
			return false
		}
		raw = append(raw, byte(hi<<4|lo))
		i += 2
	}
	return EncodeID(string(raw)) == id
}
