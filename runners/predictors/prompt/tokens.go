package prompt

import (
	"strings"
	"unicode/utf8"
)

// Tokens estimates how many tokens a model reads in s: a quarter of its ASCII bytes, rounded up, and
// one for every other character. It is no tokenizer: for English it is 10 to 20 % off either way, for
// Chinese rather high. It serves budgets, which are settled by what the service reports.
func Tokens(s string) int {
	ascii, other := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}

// Clip cuts s to at most n tokens by that estimate and marks the cut with "…" (one token more).
func Clip(s string, n int) string {
	if n <= 0 || Tokens(s) <= n {
		return s
	}
	ascii, other := 0, 0
	for i, r := range s {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
		if (ascii+3)/4+other > n {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}
