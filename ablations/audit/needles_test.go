package audit

import (
	"strings"
	"testing"
)

func TestLabelStandsAsWholeTokensOnly(t *testing.T) {
	for _, c := range []struct {
		label, text string
		want        string // the excerpt; "" for no match
	}{
		{"Travel", "Book travel now", "Book ‹travel› now"},
		{"Travel", "TRAVEL", "‹TRAVEL›"},
		{"Travel", "travelling", ""},
		{"Travel", "timetravel", ""},
		{"Car rental", "cheap car-rental, today", "cheap ‹car-rental›, today"},
		{"Car rental", "car of a rental", ""},
		{"Car rental", "https://x.org/car_rental?a=1", "https://x.org/‹car_rental›?a=1"},
		{"Café", "the cafe\u0301 here", "the ‹café› here"},
		{"Ｓｈｏｐ", "a shop", "a ‹shop›"},
		{"Shop", "a S\u200bho\u00adp", "a ‹S\u200bho\u00adp›"},
		{"Straße", "in der STRASSE", ""},
		{"天气", "今天天气很好", "今天‹天气›很好"},
		{"天气", "今天空气", ""},
		{"음악", "음악 듣기", "‹음악› 듣기"},
		{"Travel", "a%20travel%20page", "a ‹travel› page"},
		{"Travel", "100%tra%zz %", ""},
		{"Q&A", "the q, and a", ""},
		// Too short to be anything but chance.
		{"a", "a b c", ""},
		{"C#", "C# and C", ""},
		{"IT", "it is", ""},
		{"图", "图", ""},
		{"", "anything", ""},
		{"--", "--", ""},
	} {
		if got := NewNeedles(c.label, "").search(c.text).label; got != c.want {
			t.Errorf("label %q in %q: %q, want %q", c.label, c.text, got, c.want)
		}
	}
}

func TestShortLabelsAreSaidNotToBeSearched(t *testing.T) {
	for label, want := range map[string]bool{"": false, "a": false, "it": false, "A b": false, "C#": false, "map": true, "a b c": true, "图": false, "天气": true, "bbc.com": true, "x.co": true} {
		if got := NewNeedles(label, "").SearchesLabel(); got != want {
			t.Errorf("label %q: searched %v, want %v", label, got, want)
		}
	}
	for open, want := range map[string]bool{"": false, "Go": false, "Go home": true, "天气图": false, "天气图好": true} {
		if got := NewNeedles("", open).SearchesIntent(); got != want {
			t.Errorf("intent %q: searched %v, want %v", open, got, want)
		}
	}
}

func TestHostLabelsAreFoundWithinTheirBoundaries(t *testing.T) {
	for _, c := range []struct{ label, text, kind string }{
		{"www.bbc.com", "https://www.bbc.com/news", "label"},
		{"www.bbc.com", "HTTPS://WWW.BBC.COM", "label"},
		{"www.bbc.com", "https://bbc.com/", "host"},
		{"www.bbc.com", "see bbc.com.", "host"},
		{"www.bbc.com", "user@bbc.com", "host"},
		{"mail.bbc.co.uk", "news.bbc.co.uk", "host"},
		{"mail.bbc.co.uk", "example.co.uk", ""},
		{"bbc.com", "https://www.bbc.com/", "label"}, // with a subdomain the label still stands
		{"bbc.com", "notbbc.com", ""},
		{"bbc.com", "my-bbc.com", ""},
		{"bbc.com", "bbc.com.au", ""},
		{"bbc.com", "bbc.community", ""},
		{"bbc.com", "bbc com", ""},
		{"bbc.com", "?next=https%3A%2F%2Fbbc.com%2Fnews", "label"},
		{"bbc.com", "bbc.com.Then go on", ""},
		{"bbc.com", "a notbbc.com and bbc.com too", "label"},
		{"10.0.0.1", "http://10.0.0.1:80", "label"},
		{"bücher.de", "http://BÜCHER.de/", "label"},
		{"bbc.com", "İ see bbc.com", "label"},
		{"3.5", "version 3.5 it is", ""},
	} {
		m := NewNeedles(c.label, "").search(c.text)
		got := ""
		switch {
		case m.label != "":
			got = "label"
		case m.host != "":
			got = "host"
		}
		if got != c.kind {
			t.Errorf("host %q in %q: found %q (%+v), want %q", c.label, c.text, got, m, c.kind)
		}
	}
}

func TestRegistrablePartOfHosts(t *testing.T) {
	for in, want := range map[string]string{"www.bbc.com": "bbc.com", "a.b.bbc.co.uk": "bbc.co.uk", "bbc.com": "bbc.com", "co.uk": "co.uk", "a.google.co": "google.co",
		"192.168.0.1": "192.168.0.1", "localhost": "localhost"} {
		if got := registrable(in); got != want {
			t.Errorf("registrable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestIntentIsFoundByFiveWordsOrEightCharacters(t *testing.T) {
	const open = "Find the cheapest flight from Paris to Rome in May"
	for _, c := range []struct {
		name, open, text, want string
	}{
		{"five words", open, "what is the cheapest flight from Paris", "what is ‹the cheapest flight from Paris›"},
		{"four words", open, "is the cheapest flight from", ""},
		{"punctuation and case do not matter", open, "CHEAPEST, flight: from-Paris (to)", "‹CHEAPEST, flight: from-Paris (to›)"},
		{"a word between breaks the piece", open, "the cheapest morning flight from Paris", ""},
		{"the longest piece is shown", open, "flight from paris to rome; the cheapest flight from Paris to Rome in May", "…ght from paris to rome; ‹the cheapest flight from Paris to Rome in May›"},
		{"of a query string", open, "?q=cheapest+flight+from+Paris+to", "?q=‹cheapest+flight+from+Paris+to›"},
		{"a short intent as a whole", "Book a flight", "please book a flight now", "please ‹book a flight› now"},
		{"a short intent in part", "Book a flight", "please book a table", ""},
		{"one word is no intent to search for", "Go", "go go go", ""},
		{"eight characters", "在淘宝上搜索跑步鞋并加入购物车", "我要搜索跑步鞋并加入", "我要‹搜索跑步鞋并加入›"},
		{"seven characters", "在淘宝上搜索跑步鞋并加入购物车", "我要搜索跑步鞋并加", ""},
		{"a mixture", "用 Google Maps 搜索火车站", "打开 Google Maps 搜索火车站", "打开 ‹Google Maps 搜索火车站›"},
		{"a short one of characters", "查看天气", "请查看天气吧", "请‹查看天气›吧"},
	} {
		if got := NewNeedles("", c.open).search(c.text).intent; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestExcerptsAreOneShortLine(t *testing.T) {
	long := strings.Repeat("word ", 40)
	got := NewNeedles("Travel", "").search(long + "\n\ttravel\r\n" + long).label
	if strings.ContainsAny(got, "\n\r\t") || len([]rune(got)) > 2*margin+longestShow+6 || !strings.Contains(got, " ‹travel› ") || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") {
		t.Errorf("excerpt %q", got)
	}
	if got := NewNeedles("", long).search(long).intent; len([]rune(got)) > longestShow+2 {
		t.Errorf("a long match is shown whole: %q", got)
	}
}
