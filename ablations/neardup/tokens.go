package neardup

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Normalise is the form under which two texts are equal: NFKC, lower case, every run of what is no
// letter, digit or mark as one blank, format characters (zero-width joiners, soft hyphens) gone. It is
// empty for a text without letters and digits.
func Normalise(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	gap := false
	for _, r := range strings.ToLower(norm.NFKC.String(text)) {
		switch {
		case unicode.Is(unicode.Cf, r):
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r) && b.Len() > 0 && !gap:
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(r)
		default:
			gap = true
		}
	}
	return b.String()
}

// unspaced are the scripts whose words have no blanks between them.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// Tokens cuts a normalised text into what similarity is counted over: words, and for scripts without
// blanks the pairs of neighbouring characters, or the character itself where it stands alone.
// Repetitions are kept.
func Tokens(normalised string) []string {
	var out []string
	for _, word := range strings.Fields(normalised) {
		run, start := []rune(nil), 0 // the open run of unspaced characters; where the open word starts
		flush := func() {
			switch {
			case len(run) == 1:
				out = append(out, string(run))
			case len(run) > 1:
				for i := range run[1:] {
					out = append(out, string(run[i:i+2]))
				}
			}
			run = run[:0]
		}
		for i, r := range word {
			if unicode.In(r, unspaced...) {
				if start < i {
					out = append(out, word[start:i])
				}
				run = append(run, r)
				start = i + len(string(r))
				continue
			}
			if len(run) > 0 {
				flush()
				start = i
			}
		}
		flush()
		if start < len(word) {
			out = append(out, word[start:])
		}
	}
	return out
}
