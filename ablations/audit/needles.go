// Package audit looks for the ways in which a task can give its answer away: the closed label, its
// host or a long piece of the open intent that stands verbatim in what a method sees, and structure
// that must never be there (benchmark.md, "Isolation"). It belongs to the evaluator: it knows the
// intents of the tasks that it reads. It searches for words, not for meaning.
package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Kind is what was found.
type Kind string

// The kinds of matches. Host is found for labels that are hosts only, and only where the label itself
// does not stand.
const (
	Label  Kind = "label"
	Host   Kind = "host"
	Intent Kind = "intent"
)

// Needles are what must not stand in the tasks of one episode.
//
// A label is found where its tokens stand as whole tokens in a row, whatever separates them and
// whatever their case; a label of fewer than three letters and digits (two in scripts without
// spaces and in Hangul) is not searched for. A label that is a host is found as it is, without "www." and by its
// registrable part, within the boundaries of host names.
//
// An intent is found where five of its words in a row stand in a row, or eight characters of a script
// without spaces, or a mixture of that weight. An intent shorter than that has to stand whole, and is
// not searched for below two words or four characters.
//
// Not safe for concurrent use.
type Needles struct {
	label []token
	host  string   // the label as a host, lower case
	parts []string // of the host: without www., registrable
	// pieces maps the long pieces of the intent, each by the tokens that reach the weight first, to the
	// places in the intent where they start.
	intent []token
	pieces map[string][]int
	starts map[string]bool // first tokens of pieces: most of a text is passed over by these
	least  int             // weight of a piece

	known map[string]match // of strings already searched
}

// NewNeedles prepares the search for the intents of an episode; either may be empty.
func NewNeedles(closed, open string) *Needles {
	n := &Needles{known: map[string]match{}}
	closed = norm.NFKC.String(strings.TrimSpace(closed))
	if lower := strings.ToLower(closed); isHost(lower) {
		n.host = lower
		for _, p := range []string{strings.TrimPrefix(lower, "www."), registrable(lower)} {
			if p != lower && strings.Contains(p, ".") && (len(n.parts) == 0 || n.parts[0] != p) {
				n.parts = append(n.parts, p)
			}
		}
	} else if ts := tokenise(closed); searchable(ts) {
		n.label = ts
	}
	n.intent = tokenise(norm.NFKC.String(open))
	n.least = min(longPiece, weigh(n.intent))
	if n.least < shortIntent {
		n.intent = nil
		return n
	}
	n.pieces, n.starts = map[string][]int{}, map[string]bool{}
	for i := range n.intent {
		if piece, ok := piece(n.intent[i:], n.least); ok {
			n.pieces[piece] = append(n.pieces[piece], i)
			n.starts[n.intent[i].text] = true
		}
	}
	return n
}

func searchable(label []token) bool {
	letters, least := 0, 3
	for _, t := range label {
		letters += utf8.RuneCountInString(t.text)
		if t.weight == characterWeight || strings.IndexFunc(t.text, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) >= 0 {
			least = 2
		}
	}
	return letters >= least
}

// SearchesLabel and SearchesIntent say whether there is something long enough to search for.
func (n *Needles) SearchesLabel() bool { return n.host != "" || len(n.label) > 0 }

// SearchesIntent is the same for the open intent.
func (n *Needles) SearchesIntent() bool { return len(n.intent) > 0 }

// piece joins the first tokens whose weight reaches least; false where they don't.
func piece(ts []token, least int) (string, bool) {
	weight := 0
	for i, t := range ts {
		if weight += t.weight; weight < least {
			continue
		}
		var b strings.Builder
		for _, t := range ts[:i+1] {
			b.WriteString(t.text)
			b.WriteByte(0)
		}
		return b.String(), true
	}
	return "", false
}

// match holds the excerpts of what stands in one string; "" where it does not.
type match struct{ label, host, intent string }

func (m match) excerpt(k Kind) string {
	switch k {
	case Label:
		return m.label
	case Host:
		return m.host
	}
	return m.intent
}

// search looks into one visible string.
func (n *Needles) search(s string) match {
	if m, ok := n.known[s]; ok {
		return m
	}
	var m match
	for _, text := range forms(s) {
		n.searchHost(text, &m)
		if len(n.label) == 0 && len(n.intent) == 0 {
			continue
		}
		ts := tokenise(text)
		if at := indexOf(ts, n.label); at >= 0 && m.label == "" {
			m.label = excerpt(text, ts[at].start, ts[at+len(n.label)-1].end)
		}
		if from, to := n.longest(ts); to > from && m.intent == "" {
			m.intent = excerpt(text, ts[from].start, ts[to-1].end)
		}
	}
	if m.label != "" {
		m.host = ""
	}
	n.known[s] = m
	return m
}

func (n *Needles) searchHost(text string, m *match) {
	if n.host == "" {
		return
	}
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		text = lower // a letter whose lower case is longer: places hold for the lower case only
	}
	if at := findHost(lower, n.host); at >= 0 && m.label == "" {
		m.label = excerpt(text, at, at+len(n.host))
	}
	for _, p := range n.parts {
		if at := findHost(lower, p); at >= 0 && m.host == "" {
			m.host = excerpt(text, at, at+len(p))
		}
	}
}

// indexOf is the place of the tokens of label in a row, -1 where they don't stand or there are none.
func indexOf(text, label []token) int {
	if len(label) == 0 {
		return -1
	}
next:
	for i := 0; i+len(label) <= len(text); i++ {
		for j := range label {
			if text[i+j].text != label[j].text {
				continue next
			}
		}
		return i
	}
	return -1
}

// longest is the heaviest run of text tokens that stands in the intent and reaches the least weight.
func (n *Needles) longest(text []token) (from, to int) {
	if len(n.intent) == 0 {
		return 0, 0
	}
	best := 0
	for i := range text {
		if !n.starts[text[i].text] {
			continue
		}
		key, ok := piece(text[i:], n.least)
		if !ok {
			break
		}
		for _, at := range n.pieces[key] {
			l := 0
			for i+l < len(text) && at+l < len(n.intent) && text[i+l].text == n.intent[at+l].text {
				l++
			}
			if w := weigh(text[i : i+l]); w > best {
				best, from, to = w, i, i+l
			}
		}
	}
	return from, to
}

// margin is how many characters an excerpt shows on either side of what was found, longest how many
// of that.
const (
	margin      = 24
	longestShow = 80
)

// excerpt shows the match at text[start:end] in ‹ › with what stands around it, on one line.
func excerpt(text string, start, end int) string {
	before, found, after := []rune(text[:start]), []rune(text[start:end]), []rune(text[end:])
	var b strings.Builder
	if len(before) > margin {
		b.WriteString("…")
		before = before[len(before)-margin:]
	}
	b.WriteString(string(before) + "‹")
	if len(found) > longestShow {
		found = append(append([]rune(nil), found[:longestShow-1]...), '…')
	}
	b.WriteString(string(found) + "›")
	if len(after) > margin {
		b.WriteString(string(after[:margin]) + "…")
	} else {
		b.WriteString(string(after))
	}
	return oneLine(b.String())
}

// oneLine replaces white space and control characters by single blanks.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7F || r == 0x85 || r == 0x2028 || r == 0x2029 }), " ")
}
