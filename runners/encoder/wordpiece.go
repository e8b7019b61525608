package encoder

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the length from which a word is unknown as a whole, as in the reference tokeniser.
const maxWord = 100

// pieces is the WordPiece vocabulary: what may start a word, and what may follow ("##" removed).
type pieces struct{ start, follow map[string]int32 }

func newPieces(words []string) pieces {
	p := pieces{start: make(map[string]int32, len(words)), follow: make(map[string]int32, len(words)/4)}
	for i, w := range words {
		if rest, ok := strings.CutPrefix(w, "##"); ok && rest != "" {
			p.follow[rest] = int32(i)
			continue
		}
		p.start[w] = int32(i)
	}
	return p
}

// tokens are the ids of the known pieces of text, at most maxTokens. Source: Devlin et al. 2019,
// BertNormalizer and BertPreTokenizer of the tokenizers library, greedy longest match.
func (e *Encoder) tokens(text string) []int32 {
	ids := make([]int32, 0, 32)
	for word := range words(text) {
		ids, _ = e.pieces.split(ids, word)
		if len(ids) >= maxTokens {
			return ids[:maxTokens]
		}
	}
	return ids
}

// split appends the ids of word, or nothing and false if a part of it is in no piece.
func (p pieces) split(ids []int32, word string) ([]int32, bool) {
	if len(word) > maxWord && utf8.RuneCountInString(word) > maxWord {
		return ids, false
	}
	known, table := len(ids), p.start
	for word != "" {
		end := len(word)
		for {
			if id, ok := table[word[:end]]; ok {
				ids = append(ids, id)
				break
			}
			_, size := utf8.DecodeLastRuneInString(word[:end])
			if end -= size; end == 0 {
				return ids[:known], false
			}
		}
		word, table = word[end:], p.follow
	}
	return ids, true
}

// words yields the words of text, lower-cased and without accents; a punctuation mark and an
// ideograph is a word by itself.
func words(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var word []byte
		flush := func() bool {
			if len(word) == 0 {
				return true
			}
			w := string(word)
			word = word[:0]
			return yield(w)
		}
		for _, r := range clean(text) {
			switch {
			case unicode.IsSpace(r):
				if !flush() {
					return
				}
			case alone(r):
				if !flush() || !yield(string(r)) {
					return
				}
			default:
				word = utf8.AppendRune(word, r)
			}
		}
		flush()
	}
}

// clean drops control characters, decomposes, drops accents, and lower-cases.
func clean(text string) string {
	ascii := true
	for i := 0; i < len(text) && ascii; i++ {
		ascii = text[i] < utf8.RuneSelf && text[i] >= ' ' && text[i] != 0x7f
	}
	if ascii {
		return strings.ToLower(text)
	}
	visible := strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r == 0 || r == utf8.RuneError || unicode.Is(unicode.C, r):
			return -1
		}
		return r
	}, text)
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(visible))
}

func alone(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.IsPunct(r) || ideograph(r)
}

// ideograph covers the blocks that the reference tokeniser takes apart.
func ideograph(r rune) bool {
	switch {
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3400 && r <= 0x4DBF, r >= 0xF900 && r <= 0xFAFF:
		return true
	case r >= 0x20000 && r <= 0x2A6DF, r >= 0x2A700 && r <= 0x2B73F, r >= 0x2B740 && r <= 0x2B81F:
		return true
	case r >= 0x2B920 && r <= 0x2CEAF, r >= 0x2F800 && r <= 0x2FA1F:
		return true
	}
	return false
}

// Unknown is the share, 0 to 1, of the letters and digits of text that the encoder can't read: those
// of words outside its vocabulary, and every letter of another script than Latin. (The table holds
// some ideographs, Cyrillic, Arabic … letters, each alone: noise in an English model, not a
// reading.) Symbols such as emoji count only in a text without letters and digits. An empty text,
// or one of punctuation only, has nothing unknown: 0. Other languages in Latin script are spelt from
// the same pieces and can't be told from English here.
func (e *Encoder) Unknown(text string) float64 {
	var letters, unread, symbols, unreadSymbols int
	scratch := make([]int32, 0, maxWord)
	for word := range words(text) {
		_, known := e.pieces.split(scratch[:0], word)
		for _, r := range word {
			switch {
			case unicode.IsLetter(r):
				letters++
				if !known || !unicode.Is(unicode.Latin, r) && !unicode.Is(unicode.Common, r) {
					unread++
				}
			case unicode.IsNumber(r):
				letters++
				if !known {
					unread++
				}
			case !unicode.IsPunct(r):
				symbols++
				if !known {
					unreadSymbols++
				}
			}
		}
	}
	switch {
	case letters > 0:
		return float64(unread) / float64(letters)
	case symbols > 0:
		return float64(unreadSymbols) / float64(symbols)
	}
	return 0
}
