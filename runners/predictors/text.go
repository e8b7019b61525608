package predictors

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"intentlab/ablations/task"
)

// textSpace is the bag of tokens over every visible string, with TF-IDF weights.
var textSpace = featureSpace{name: "text 1", idf: true, keys: textKeys}

// textKeys appends the tokens of all strings that the task shows: metadata values, apps, profile,
// context and observed steps, and the graph's node strings. A string that a step repeats (the
// element that its action quotes) counts once a step; a graph string that already stands in the
// text counts in the text only, so that graph_text_hybrid doesn't count everything twice, while
// visible_graph_only reads its words from the graph.
func textKeys(t *task.Task, keys []uint64) []uint64 {
	var inText map[string]bool // strings of the text, kept only where there is a graph to compare
	if t.Graph != nil {
		inText = map[string]bool{}
	}
	read := func(s string) {
		if s != "" {
			keys = tokenKeys(s, keys)
			if inText != nil {
				inText[s] = true
			}
		}
	}
	for _, v := range t.Metadata.Fields { // in any order: the bag is sorted
		read(v)
	}
	for _, v := range t.Metadata.Apps {
		read(v)
	}
	for _, v := range t.Metadata.Profile {
		read(v)
	}
	for _, steps := range [2][]task.Step{t.ContextSteps, t.ObservedSteps} {
		for i := range steps {
			s := &steps[i]
			read(s.Speaker)
			read(s.Utterance)
			read(s.Action)
			for _, part := range [6]string{s.Op, s.Element, s.URL, s.Value, s.App, s.Observation} {
				if part != "" && strings.Contains(s.Action, part) {
					if inText != nil {
						inText[part] = true
					}
					continue
				}
				read(part)
			}
		}
	}
	if t.Graph == nil {
		return keys
	}
	for i := range t.Graph.Nodes {
		n := &t.Graph.Nodes[i]
		if n.Text != "" && !inText[n.Text] {
			keys = tokenKeys(n.Text, keys)
		}
		value := n.Value
		if n.Type == "observation" {
			value = "" // the hash of a screenshot, which is no word
		}
		for _, part := range [4]string{n.Op, value, n.URL, n.Speaker} {
			if part != "" && !inText[part] && !strings.Contains(n.Text, part) {
				keys = tokenKeys(part, keys)
			}
		}
	}
	return keys
}

// tokenKeys appends the hashed tokens of s: after NFKC and lower case, each run of letters and
// digits (with the marks inside it) is a token; each Han ideograph is one by itself, and each pair
// of adjacent ideographs another, which stands in for word segmentation.
func tokenKeys(s string, keys []uint64) []uint64 {
	s = norm.NFKC.String(s) // returns s itself when it is normal, as ASCII always is
	h, inRun := fnvOffset, false
	var before rune // the ideograph just before, 0 for anything else
	end := func() {
		if inRun {
			keys = append(keys, h)
			h, inRun = fnvOffset, false
		}
	}
	for _, r := range s {
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
				h, inRun = hashByte(h, byte(r)), true
			} else {
				end()
			}
			before = 0
			continue
		}
		switch {
		case unicode.Is(unicode.Han, r) && unicode.IsLetter(r):
			end()
			keys = append(keys, hashRune(fnvOffset, r))
			if before != 0 {
				keys = append(keys, hashRune(hashRune(fnvOffset, before), r))
			}
			before = r
			continue
		case unicode.IsLetter(r), unicode.IsDigit(r), inRun && unicode.IsMark(r):
			h, inRun = hashRune(h, unicode.ToLower(r)), true
		default:
			end()
		}
		before = 0
	}
	end()
	return keys
}

func hashRune(h uint64, r rune) uint64 {
	var b [utf8.UTFMax]byte
	for _, c := range b[:utf8.EncodeRune(b[:], r)] {
		h = hashByte(h, c)
	}
	return h
}
