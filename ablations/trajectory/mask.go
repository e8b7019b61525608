package trajectory

import (
	"net"
	"regexp"
	"strings"
)

// URLMask stands where a URL or host was.
const URLMask = "[url]"

var (
	// A scheme and all up to white space, quotes, angle brackets or full-width punctuation.
	schemeURL = regexp.MustCompile("(?i)[a-z][a-z0-9+.-]*://[^\\s<>\"'`，。；、！？（）「」“”‘’]*")
	// Labels joined by dots; which of them are hosts is decided by their last labels.
	dotted = regexp.MustCompile(`(?i)\blocalhost(?::\d+)|[a-z0-9_-]+(?:\.[a-z0-9_-]+)+`)
	// Port, path, query and fragment behind a host.
	hostTail = regexp.MustCompile("^(?::\\d{1,5})?(?:[/?#][^\\s<>\"'`，。；、！？（）「」“”‘’]*)?")
)

// MaskURLs replaces every URL and every host name or IP address of text by [URLMask]: URLs with a
// scheme, and bare hosts under a known top-level domain, with what follows them (port, path, query).
// It errs on the side of masking: a word such as "main.rs" goes too, and so does the host of a mail
// address. Masking twice changes nothing. The same function serves visibility "safe" of WebLINX and
// the no_url ablation.
func MaskURLs(text string) string {
	if !strings.Contains(text, ".") && !strings.Contains(text, ":") {
		return text
	}
	text = schemeURL.ReplaceAllStringFunc(text, func(url string) string {
		// Sentence punctuation behind a URL belongs to the sentence.
		return URLMask + url[len(strings.TrimRight(url, ".,;:!?)]}")):]
	})
	var b strings.Builder
	for text != "" {
		at := dotted.FindStringIndex(text)
		if at == nil {
			break
		}
		b.WriteString(text[:at[0]])
		token, rest := text[at[0]:at[1]], text[at[1]:]
		switch n := hostLength(token); {
		case n == 0:
			b.WriteString(token)
		case n < len(token):
			// "site.com.Then": the sentence goes on without a blank.
			b.WriteString(URLMask)
			rest = token[n:] + rest
		default:
			b.WriteString(URLMask)
			tail := hostTail.FindString(rest)
			rest = rest[len(strings.TrimRight(tail, ".,;:!?)]}")):]
		}
		text = rest
	}
	b.WriteString(text)
	return b.String()
}

// hostLength is the length of the longest host name at the start of token, 0 when there is none.
func hostLength(token string) int {
	if strings.Contains(token, ":") || net.ParseIP(token) != nil {
		return len(token) // localhost:8080, 192.0.2.1
	}
	for end := len(token); ; {
		dot := strings.LastIndexByte(token[:end], '.')
		if dot <= 0 {
			return 0
		}
		label := token[dot+1 : end]
		if isTopLevel(label) {
			return end
		}
		if n := joined(token[:dot], label); n > 0 {
			return dot + 1 + n
		}
		end = dot
	}
}

// joined is the length of the top-level label that label starts with where "_" or "-" joins something to
// a host, as in ids and file names ("site.com_12"), and 0 otherwise. With less to go by than a common domain,
// "www." or a number, "object.is_valid" would be a host.
func joined(before, label string) int {
	at := strings.IndexAny(label, "_-")
	if at <= 0 || strings.HasPrefix(strings.ToLower(label), "xn--") || !isTopLevel(label[:at]) {
		return 0
	}
	number := strings.Trim(label[at:], "_-0123456789") == "" && strings.ContainsAny(label[at:], "0123456789")
	if number || commonDomains[strings.ToLower(label[:at])] || strings.HasPrefix(strings.ToLower(before), "www.") {
		return at
	}
	return 0
}

// isTopLevel reports whether label ends a host name. Apart from the commonest domains, a label in
// the case of a sentence start ("done.In the") is a word.
func isTopLevel(label string) bool {
	lower := strings.ToLower(label)
	if commonDomains[lower] || strings.HasPrefix(lower, "xn--") {
		return true
	}
	if label != lower && label != strings.ToUpper(label) {
		return false
	}
	return otherDomains[lower]
}

func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

var commonDomains = words("com org net edu gov mil int info biz io")

// otherDomains are the country codes, the generic domains that sites of the WebLINX kind use, and those that
// RFC 2606 keeps for examples and tests.
var otherDomains = words(`
example invalid test
ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd cf cg
ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi
gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky
kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni
nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so
sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye
yt za zm zw
aero agency ai app art asia auto bank bar beauty best bid bike bio black blog blue book business buzz cab cafe camp capital
care careers cars casa cash casino cat center chat church city clinic clothing cloud club codes coffee college community
company computer consulting cool coop courses credit cricket cruises dance date dating deals delivery dental design dev
digital direct directory dog domains download earth education email energy engineering estate events exchange expert express
family fan fans farm fashion film finance financial fish fit fitness flights football forum foundation fun fund fyi gallery
game games garden gift gifts global gold golf graphics green group guide guru hair health healthcare help hockey holiday home
horse hospital host hosting hotel hotels house institute insure international investments jobs kitchen land law lawyer legal
life limited limo link live loan lol love ltd luxury map market marketing markets media men menu mobi mobile moda moe money
movie museum name network news ngo ninja one online page paris partners parts party pet phone photo photography photos pics
pictures pink pizza place plus poker press pro productions properties property pub realestate recipes red rent repair report
restaurant review reviews rocks run sale salon school science security services sex shoes shop shopping show site ski social
software solar solutions space sport sports store stream studio study style support systems taxi team tech technology tel
tennis theater tickets tips tires today tools top tours town toys trade trading training travel tube university vacations
vegas video villas vin vip vision vote voyage watch weather web website wedding wiki win wine work works world xxx xyz yoga zone`)
