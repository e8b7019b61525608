package trajectory

import (
	"regexp"
	"strings"
)

// The grammar of the action column (datasets.md, section 1, HF "chat" config). Quotes inside a text
// are not escaped, so a text ends at the last quote that the rest of the call allows: the patterns are
// greedy and tied to the end. uid=None and None for a text occur unquoted.
var (
	chatCall   = regexp.MustCompile(`(?s)^\s*([A-Za-z_]+)\((.*)\)\s*$`)
	chatUID    = regexp.MustCompile(`^uid=(?:None|"([^"]*)")$`)
	chatText   = regexp.MustCompile(`(?s)^(?:text|value|selected|pasted)=(?:None|"(.*)"), uid=(?:None|"([^"]*)")$`)
	chatPlain  = regexp.MustCompile(`(?s)^(?:text|value|selected|pasted)=(?:None|"(.*)")$`)
	chatSay    = regexp.MustCompile(`(?s)^speaker=(?:None|"([^"]*)"), utterance=(?:None|"(.*)")$`)
	chatScroll = regexp.MustCompile(`^x=(None|-?[\d.]+), y=(None|-?[\d.]+)$`)
	chatLoad   = regexp.MustCompile(`(?s)^url=(?:None|"(.*?)")(?:, type=.*)?$`)
	chatTab    = regexp.MustCompile(`^(?:(?:target|origin)=(?:None|-?\d+)(?:, )?)*$`)
)

// chatEscapes are written as two characters in some revisions and as the character in others.
var chatEscapes = strings.NewReplacer(`\n`, "\n", `\t`, "\t")

// parseChatAction reads a call of the action column; uid is the element's id, "" for None. It is not
// ok for a text outside of the grammar.
func parseChatAction(call string) (t turn, uid string, ok bool) {
	m := chatCall.FindStringSubmatch(call)
	if m == nil {
		return t, "", false
	}
	name, args := strings.ToLower(strings.ReplaceAll(m[1], "_", "")), m[2]
	t = turn{kind: "browser", intent: name, hasAction: true}
	switch name {
	case "say":
		if m = chatSay.FindStringSubmatch(args); m != nil {
			return turn{kind: "chat", speaker: m[1], utterance: chatEscapes.Replace(m[2]), hasUtterance: true}, "", true
		}
	case "click", "submit", "hover":
		if m = chatUID.FindStringSubmatch(args); m != nil {
			return t, m[1], true
		}
	case "textinput", "change", "copy", "paste":
		if m = chatText.FindStringSubmatch(args); m == nil && (name == "copy" || name == "paste") {
			m = append(chatPlain.FindStringSubmatch(args), "")
		}
		if len(m) == 3 {
			text := chatEscapes.Replace(m[1])
			t.text, t.value, t.selected, t.pasted = text, text, text, text
			return t, m[2], true
		}
	case "scroll":
		if m = chatScroll.FindStringSubmatch(args); m != nil {
			t.scroll, t.scrollX, t.scrollY = true, strings.TrimPrefix(m[1], "None"), strings.TrimPrefix(m[2], "None")
			return t, "", true
		}
	case "load":
		if m = chatLoad.FindStringSubmatch(args); m != nil {
			t.propertiesURL = m[1]
			return t, "", true
		}
	case "tabcreate", "tabremove", "tabswitch":
		return t, "", chatTab.MatchString(args)
	}
	return t, "", false
}

var (
	saidAt       = regexp.MustCompile(`\[\d{1,3}:\d{2}(?::\d{2})?\]`)
	saidBy       = regexp.MustCompile(`say\(speaker="([^"]*)", utterance="`)
	behindCall   = regexp.MustCompile(`^(?:, timestamp="[^"]*")?\)\s*(?:;|</?s>|\[/?INST\]|[A-Za-z_]+\(|$)`)
	loadedBefore = regexp.MustCompile(`load\(url="([^"]*)"`)
)

// saidBefore lists what the instructor had said before a turn, as far as its row tells, in order: the
// column utterances, "[00:07] Hello [00:13] Open …", holds the earlier ones, the column action_history
// the latest among the previous turns.
func saidBefore(utterances, history string) []string {
	var said []string
	add := func(s string) {
		if s = strings.TrimSpace(chatEscapes.Replace(s)); s != "" {
			said = append(said, s)
		}
	}
	marks := saidAt.FindAllStringIndex(utterances, -1)
	for i, m := range marks {
		end := len(utterances)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		add(strings.TrimSuffix(strings.TrimSpace(utterances[m[1]:end]), ";"))
	}
	for {
		m := saidBy.FindStringSubmatchIndex(history)
		if m == nil {
			return said
		}
		speaker, rest := history[m[2]:m[3]], history[m[1]:]
		// Quotes inside are not escaped: the text ends at the first quote with the end of a call behind.
		end := -1
		for at := strings.IndexByte(rest, '"'); at >= 0; {
			if behindCall.MatchString(rest[at+1:]) {
				end = at
				break
			}
			next := strings.IndexByte(rest[at+1:], '"')
			if next < 0 {
				break
			}
			at += 1 + next
		}
		if end < 0 {
			return said
		}
		if strings.EqualFold(speaker, "instructor") {
			add(rest[:end])
		}
		history = rest[end+1:]
	}
}

// sameSaying compares two utterances either of which may be cut with "..." .
func sameSaying(a, b string) bool {
	x, y := strings.TrimSuffix(a, "..."), strings.TrimSuffix(b, "...")
	switch {
	case len(x) < len(a) && len(y) < len(b):
		return strings.HasPrefix(x, strings.TrimSpace(y)) || strings.HasPrefix(y, strings.TrimSpace(x))
	case len(x) < len(a):
		return strings.HasPrefix(b, strings.TrimSpace(x))
	case len(y) < len(b):
		return strings.HasPrefix(a, strings.TrimSpace(y))
	}
	return a == b
}

// newSayings are the utterances of now that come after those of before. Rows hold the first and the
// last few only, so the two are laid over each other where the longest run before some point of now is
// the end of before; without any such point all of now is new.
func newSayings(before, now []string) []string {
	best, from := 0, 0
	for end := 1; end <= len(now); end++ {
		n := 0
		for n < end && n < len(before) && sameSaying(now[end-1-n], before[len(before)-1-n]) {
			n++
		}
		if n > best {
			best, from = n, end
		}
	}
	return now[from:]
}

var (
	candidateField = regexp.MustCompile(`\[\[(\w+)\]\]\s?([^\[\n]*)`)
	candidateAttr  = regexp.MustCompile(`([\w-]+)='([^']*)'`)
)

// resolve takes tag, text and attributes of the element with this uid from the column candidates,
// "(uid = …) [[tag]] a [[xpath]] … [[text]] … [[bbox]] … [[attributes]] k='v' …".
func (t *turn) resolve(uid, candidates string) {
	if uid == "" {
		return
	}
	at := strings.Index(candidates, "(uid = "+uid+")")
	if at < 0 {
		return
	}
	entry := candidates[at+len("(uid = )")+len(uid):]
	if next := strings.Index(entry, "(uid = "); next >= 0 {
		entry = entry[:next]
	}
	for _, m := range candidateField.FindAllStringSubmatch(entry, -1) {
		switch m[1] {
		case "tag":
			t.tag = strings.Clone(strings.TrimSpace(m[2])) // not the whole column
		case "text":
			t.content = oneLine(m[2], MaxElement)
		case "attributes":
			t.attrs = map[string]string{}
			for _, a := range candidateAttr.FindAllStringSubmatch(m[2], -1) {
				if key := strings.ReplaceAll(a[1], "-", "_"); webLINXAttributes[key] {
					t.attrs[key] = strings.Clone(a[2])
				}
			}
		}
	}
}
