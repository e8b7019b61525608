package audit

import (
	"net"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isHost reports whether a closed label is a host name or an IP address.
func isHost(label string) bool {
	if net.ParseIP(label) != nil {
		return true
	}
	parts := strings.Split(label, ".")
	if len(parts) < 2 {
		return false
	}
	for i, p := range parts {
		if p == "" || strings.IndexFunc(p, func(r rune) bool { return !inHost(r) }) >= 0 {
			return false
		}
		if i == len(parts)-1 && (utf8.RuneCountInString(p) < 2 || !strings.HasPrefix(p, "xn--") && strings.IndexFunc(p, unicode.IsLetter) != 0) {
			return false // 3.5 is a number
		}
	}
	return true
}

func inHost(r rune) bool {
	return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// secondLevel are the labels under which countries register names ("co" in example.co.uk).
var secondLevel = map[string]bool{"ac": true, "co": true, "com": true, "edu": true, "go": true, "gob": true, "gov": true, "gouv": true,
	"ne": true, "net": true, "nhs": true, "or": true, "org": true}

// registrable is the part of a host that its owner registers: the last two labels, or three where a
// country code follows one of the usual second levels. It stands in for the public suffix list, whose
// rarer entries (github.io, s3.amazonaws.com) it does not know.
func registrable(host string) string {
	if net.ParseIP(host) != nil {
		return host
	}
	parts := strings.Split(host, ".")
	keep := 2
	if n := len(parts); n > 2 && len(parts[n-1]) == 2 && secondLevel[parts[n-2]] {
		keep = 3
	}
	return strings.Join(parts[max(0, len(parts)-keep):], ".")
}

// findHost returns the place of a host in a text of lower case, -1 where there is none. It has to
// begin at the text's start or behind something that is no part of a host name, or behind a dot (a
// subdomain); and must not go on: neither "bbc.com" in "notbbc.com" nor in "bbc.com.au" counts.
func findHost(lower, host string) int {
	for from := 0; ; {
		at := strings.Index(lower[from:], host)
		if at < 0 {
			return -1
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(lower[:at])
		after, size := utf8.DecodeRuneInString(lower[at+len(host):])
		goesOn := inHost(after)
		if after == '.' {
			next, _ := utf8.DecodeRuneInString(lower[at+len(host)+size:])
			goesOn = inHost(next)
		}
		if !inHost(before) && !goesOn {
			return at
		}
		from = at + 1
	}
}
