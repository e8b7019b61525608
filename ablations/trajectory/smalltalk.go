package trajectory

import (
	_ "embed" // the small-talk list is a file, so that it can be read and reviewed as one
	"strings"
	"unicode"
)

//go:embed smalltalk.txt
var smallTalkFile string

var smallTalk = func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(smallTalkFile) {
		if !strings.HasPrefix(line, "#") {
			for _, w := range strings.Fields(line) {
				set[w] = true
			}
		}
	}
	return set
}()

// IsSmallTalk reports whether every token of an utterance stands in the committed list. A token is a
// run of letters, digits, apostrophes and inner hyphens, in lower case; typographic apostrophes count
// as plain ones. An utterance without a token is small talk.
func IsSmallTalk(utterance string) bool {
	utterance = strings.ToLower(strings.ReplaceAll(utterance, "’", "'"))
	for _, token := range strings.FieldsFunc(utterance, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-'
	}) {
		if token = strings.Trim(token, "'-"); token != "" && !smallTalk[token] {
			return false
		}
	}
	return true
}

// joinRequests joins the utterances by one blank, in order, without small talk; if nothing else was
// said, all of them (benchmark.md, table of formats).
func joinRequests(utterances []string) string {
	var said, asked []string
	for _, u := range utterances {
		if u = strings.TrimSpace(u); u == "" {
			continue
		}
		said = append(said, u)
		if !IsSmallTalk(u) {
			asked = append(asked, u)
		}
	}
	if len(asked) == 0 {
		asked = said
	}
	return strings.Join(asked, " ")
}
