package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is a word, or one character of a script that is written without spaces, in lower case, with
// its place in the text. Weights make five words and eight characters equal.
type token struct {
	text       string
	start, end int
	weight     int
}

const (
	wordWeight      = 8
	characterWeight = 5
	// longPiece is the weight of the shortest piece of an intent that counts: five words or eight
	// characters.
	longPiece = 5 * wordWeight
	// shortIntent is the least weight of an intent below longPiece that is searched for as a whole: two
	// words or four characters.
	shortIntent = 2 * wordWeight
)

// unspaced are the scripts whose words have no blanks between them.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// tokenise cuts s, which is NFKC, into runs of letters and digits. Marks belong to the token before
// them; invisible format characters (soft hyphen, zero-width joiners, byte order mark) are passed
// over, so that they hide nothing; all else separates.
func tokenise(s string) []token {
	var out []token
	start := -1 // of the open word
	end := func(at int) {
		if start >= 0 {
			out = append(out, token{text: fold(s[start:at]), start: start, end: at, weight: wordWeight})
			start = -1
		}
	}
	for i, r := range s {
		next := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size := utf8.DecodeRuneInString(s[i:])
			next = i + size
		}
		switch {
		case r < utf8.RuneSelf:
			if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') {
				end(i)
			} else if start < 0 {
				start = i
			}
		case unicode.Is(unicode.Cf, r):
		case unicode.IsMark(r):
			if last := len(out) - 1; start < 0 && last >= 0 && out[last].end == i {
				out[last].text, out[last].end = fold(s[out[last].start:next]), next
			}
		case unicode.IsLetter(r) && unicode.In(r, unspaced...):
			end(i)
			out = append(out, token{text: string(r), start: i, end: next, weight: characterWeight})
		case unicode.IsLetter(r), unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		default:
			end(i)
		}
	}
	end(len(s))
	return out
}

// fold is the form in which tokens are compared: lower case, without format characters.
func fold(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s))
}

// forms are the readings of a visible string that are searched: NFKC, and where it holds percent
// escapes (a URL inside a URL) the same with these resolved.
func forms(s string) []string {
	s = norm.NFKC.String(s)
	if plain := unescape(s); plain != s {
		return []string{s, norm.NFKC.String(plain)}
	}
	return []string{s}
}

// unescape resolves percent escapes and leaves what is none, as net/url would not.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, okHi := hexDigit(s[i+1])
			lo, okLo := hexDigit(s[i+2])
			if okHi && okLo {
				b = append(b, hi<<4|lo)
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func weigh(ts []token) int {
	sum := 0
	for _, t := range ts {
		sum += t.weight
	}
	return sum
}
