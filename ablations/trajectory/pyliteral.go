package trajectory

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-faster/jx"
)

// maxPythonDepth bounds the nesting of a literal; real ones have four levels.
const maxPythonDepth = 100

// pythonJSON rewrites a Python literal as JSON: what repr writes of strings in either quote, numbers,
// True, False, None, lists, tuples and dicts, so that the JSON readers serve for both. Tuples become
// arrays; keys that are no strings, their text; nan and inf, null. JSON itself passes as well. Errors
// name the byte of src, from 0. Bytes and lone surrogates that UTF-8 can't hold become U+FFFD.
// Source: The Python Language Reference, sections 2.4 and 6.2; ast.literal_eval without sets, bytes
// and complex numbers.
func pythonJSON(src string) ([]byte, error) {
	p := pythonLiteral{src: src}
	p.space()
	if err := p.value(0); err != nil {
		return nil, err
	}
	if p.space(); p.at < len(src) {
		return nil, p.wrong("more text after the end of the value")
	}
	return p.out.Bytes(), nil
}

type pythonLiteral struct {
	src string
	at  int
	out jx.Encoder
}

func (p *pythonLiteral) wrong(what string) error {
	return fmt.Errorf("broken Python literal at byte %d: %s", p.at, what)
}

func (p *pythonLiteral) space() {
	p.at += len(p.src[p.at:]) - len(strings.TrimLeft(p.src[p.at:], " \t\r\n\f"))
}

func (p *pythonLiteral) peek() byte {
	if p.at == len(p.src) {
		return 0
	}
	return p.src[p.at]
}

func (p *pythonLiteral) value(depth int) error {
	if depth > maxPythonDepth {
		return p.wrong("nested too deeply")
	}
	switch c := p.peek(); {
	case c == '\'' || c == '"' || (c == 'u' || c == 'U') && strings.IndexAny(p.src[p.at+1:], `'"`) == 0:
		s, err := p.text()
		p.out.Str(s)
		return err
	case c == '[':
		return p.list(']', depth)
	case c == '(':
		return p.list(')', depth)
	case c == '{':
		return p.dict(depth)
	}
	return p.word(func(w string) { p.out.Raw([]byte(w)) })
}

// list reads a list or a tuple. A lone value in brackets without a comma is that value.
func (p *pythonLiteral) list(end byte, depth int) error {
	p.at++
	from := len(p.out.Bytes())
	p.out.ArrStart()
	n, comma := 0, false
	for {
		p.space()
		if p.peek() == end {
			p.at++
			break
		}
		if n > 0 && !comma {
			return p.wrong("want a comma or the end of the list")
		}
		if err := p.value(depth + 1); err != nil {
			return err
		}
		n, comma = n+1, false
		if p.space(); p.peek() == ',' {
			p.at++
			comma = true
		}
	}
	p.out.ArrEnd()
	if end == ')' && n == 1 && !comma {
		// The encoder keeps what was written: only the brackets go, by writing blanks over them.
		b := p.out.Bytes()
		b[from+strings.IndexByte(string(b[from:]), '[')], b[len(b)-1] = ' ', ' '
	}
	return nil
}

func (p *pythonLiteral) dict(depth int) error {
	p.at++
	p.out.ObjStart()
	for n, comma := 0, false; ; n++ {
		p.space()
		if p.peek() == '}' {
			p.at++
			p.out.ObjEnd()
			return nil
		}
		if n > 0 && !comma {
			return p.wrong("want a comma or the end of the dict")
		}
		var err error
		if c := p.peek(); c == '\'' || c == '"' {
			var key string
			key, err = p.text()
			p.out.FieldStart(key)
		} else {
			err = p.word(func(w string) { p.out.FieldStart(w) })
		}
		if err != nil {
			return err
		}
		if p.space(); p.peek() != ':' {
			return p.wrong("want a colon behind the key")
		}
		p.at++
		p.space()
		if err := p.value(depth + 1); err != nil {
			return err
		}
		comma = false
		if p.space(); p.peek() == ',' {
			p.at++
			comma = true
		}
	}
}

var (
	pythonWord   = regexp.MustCompile(`^[A-Za-z_]+|^[-+]?(?:inf|nan)\b|^[-+]?[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|^[-+]?\.[0-9]+(?:[eE][-+]?[0-9]+)?`)
	pythonNames  = map[string]string{"None": "null", "null": "null", "nan": "null", "inf": "null", "-inf": "null", "+inf": "null", "-nan": "null", "+nan": "null", "True": "true", "true": "true", "False": "false", "false": "false"}
	jsonNumberRE = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$`)
)

// word reads a name or a number and hands it to put as JSON.
func (p *pythonLiteral) word(put func(string)) error {
	w := pythonWord.FindString(p.src[p.at:])
	if w == "" {
		if p.at == len(p.src) {
			return p.wrong("the text ends in the middle of a value")
		}
		r, _ := utf8.DecodeRuneInString(p.src[p.at:])
		return p.wrong("unexpected " + strconv.QuoteRune(r))
	}
	text, ok := pythonNames[w]
	if !ok {
		if text = w; !jsonNumberRE.MatchString(w) {
			f, err := strconv.ParseFloat(strings.ReplaceAll(w, "_", ""), 64)
			if err != nil {
				return p.wrong("unknown name or number " + strconv.Quote(capText(w, 40)))
			}
			text = strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
	p.at += len(w)
	put(text)
	return nil
}

// text reads a string, with its quote and prefix u.
func (p *pythonLiteral) text() (string, error) {
	if c := p.peek(); c == 'u' || c == 'U' {
		p.at++
	}
	quote := p.src[p.at]
	p.at++
	var b strings.Builder
	for {
		n := strings.IndexAny(p.src[p.at:], `\`+string(quote))
		if n < 0 {
			p.at = len(p.src)
			return "", p.wrong("the text ends in the middle of a string")
		}
		b.WriteString(p.src[p.at : p.at+n])
		p.at += n
		if p.src[p.at] == quote {
			p.at++
			return strings.ToValidUTF8(b.String(), "\uFFFD"), nil
		}
		if err := p.escape(&b); err != nil {
			return "", err
		}
	}
}

var pythonEscapes = map[byte]string{'\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v", '\n': ""}

func (p *pythonLiteral) escape(b *strings.Builder) error {
	if p.at+1 == len(p.src) {
		return p.wrong("the text ends in the middle of a string")
	}
	c := p.src[p.at+1]
	if s, ok := pythonEscapes[c]; ok {
		b.WriteString(s)
		p.at += 2
		return nil
	}
	width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	switch {
	case width > 0:
		r, err := p.hex(p.at+2, width)
		if err != nil {
			return p.wrong("broken escape")
		}
		p.at += 2 + width
		// Python keeps surrogates apart; a pair of them is one character that was cut in two.
		if utf16.IsSurrogate(r) && strings.HasPrefix(p.src[p.at:], `\u`) {
			if low, err := p.hex(p.at+2, 4); err == nil {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					r, p.at = pair, p.at+6
				}
			}
		}
		b.WriteRune(r)
	case c >= '0' && c <= '7':
		n := 1
		for n < 3 && p.at+1+n < len(p.src) && p.src[p.at+1+n] >= '0' && p.src[p.at+1+n] <= '7' {
			n++
		}
		v, err := strconv.ParseUint(p.src[p.at+1:p.at+1+n], 8, 16)
		if err != nil {
			return p.wrong("broken escape")
		}
		b.WriteRune(rune(v))
		p.at += 1 + n
	default:
		b.WriteByte('\\') // an unknown escape stands for itself
		p.at++
	}
	return nil
}

var errNoHex = errors.New("no hexadecimal digits")

func (p *pythonLiteral) hex(at, width int) (rune, error) {
	if at+width > len(p.src) {
		return 0, errNoHex
	}
	raw, err := hex.DecodeString(p.src[at : at+width])
	if err != nil {
		return 0, errNoHex
	}
	var r uint32
	for _, c := range raw {
		r = r<<8 | uint32(c)
	}
	if r > utf8.MaxRune {
		return 0, errNoHex
	}
	return rune(r), nil
}
