package trajectory

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMaskURLsMasksURLsAndHostsAndNothingElse(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"Open the second one.":            "Open the second one.",
		"https://stackexchange.com/":      "[url]",
		"see https://a.b.org/x?y=1#z, ok": "see [url], ok",
		"(http://localhost:8080/a)":       "([url])",
		"open stackexchange.com":          "open [url]",
		"open www.Shop.Example.COM:8443/a/b?c today":      "open [url] today",
		"go to bbc.co.uk.":                                "go to [url].",
		"open foo.com.Then search":                        "open [url].Then search",
		"打开google.com，然后搜索":                               "打开[url]，然后搜索",
		"打开https://a.cn/路径，好":                             "打开[url]，好",
		"mail allan.smith@gmail.com now":                  "mail allan.smith@[url] now",
		"It is done.In the end":                           "It is done.In the end",
		"2 vs. 1.005^200 at 5 p.m. e.g. this":             "2 vs. 1.005^200 at 5 p.m. e.g. this",
		"10.1371/journal.pbio.3002149":                    "10.1371/journal.pbio.3002149",
		"router 192.168.0.1:80/x":                         "router [url]",
		"localhost:3000/a":                                "[url]",
		"q=https%3A%2F%2Fwww.plos.org%2Fone":              "q=https%3A%2F%[url]%2Fone",
		"chrome://newtab and ftp://x":                     "[url] and [url]",
		"stackexchange.com/questions/1 and law.se.com":    "[url] and [url]",
		"“https://a.com” ‘b.net’":                         "“[url]” ‘[url]’",
		"a [url] b":                                       "a [url] b",
		"scroll x=0, y=700":                               "scroll x=0, y=700",
		"shop.pots.example, done.Test the":                "[url], done.Test the",
		"xn--bcher-kva.xn--p1ai":                          "[url]",
		"www.shop.example.com_12":                         "[url]_12",
		"site.de_3 and www.site.de-home":                  "[url]_3 and [url]-home",
		"demo-site.com_a.json":                            "[url]_a.json",
		"object.is_valid and main.in-place":               "object.is_valid and main.in-place",
		"https://en.wikipedia.org/wiki/Foo_(bar)/baz end": "[url] end",
	} {
		if got := MaskURLs(in); got != want {
			t.Errorf("MaskURLs(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMaskURLsIsIdempotentAndLeavesNoScheme(t *testing.T) {
	part := rapid.SampledFrom([]string{"https://", "http://", "a.com", "www.", "x.org", ".", "/", ":80", " ", "?q=", "b.c.net", "句", "，", "[url]", "Then", "co.uk", "@", "(", ")", "\n", "1.2.3.4", "e.g.", "_1", "-x"})
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "parts"), "")
		once := MaskURLs(in)
		if twice := MaskURLs(once); twice != once {
			t.Fatalf("%q masks to %q, then to %q", in, once, twice)
		}
		for _, host := range []string{"a.com", "x.org", "c.net", "co.uk", "1.2.3.4"} {
			if strings.Contains(once, " "+host+" ") || once == host {
				t.Fatalf("%q masks to %q, which holds %s", in, once, host)
			}
		}
	})
}

func FuzzMaskURLs(f *testing.F) {
	f.Add("see https://a.b.org/x, or a.com.Then")
	f.Add("http://\xff.com ... a..com")
	f.Fuzz(func(t *testing.T, in string) {
		once := MaskURLs(in)
		if MaskURLs(once) != once {
			t.Errorf("%q masks to %q, then to %q", in, once, MaskURLs(once))
		}
	})
}

func TestEncodeIDKeepsIDsApartAndFreeOfSpecials(t *testing.T) {
	for in, want := range map[string]string{"a": "a", "a:b": "a%3Ab", "a%3Ab": "a%253Ab", "c/1#2": "c%2F1%232", "\t学": "%09学", "\xff": "%FF", "\u0085": "%C2%85"} {
		if got := EncodeID(in); got != want {
			t.Errorf("EncodeID(%q) = %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.StringOfN(rapid.SampledFrom([]rune(":/%#a3A2F\n\x00é学")), 0, 8, -1)
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		if (EncodeID(a) == EncodeID(b)) != (a == b) {
			t.Fatalf("%q and %q give %q and %q", a, b, EncodeID(a), EncodeID(b))
		}
		if strings.ContainsAny(EncodeID(a), ":/#\n\x00") {
			t.Fatalf("%q gives %q", a, EncodeID(a))
		}
		if !isEncodedID(EncodeID(a)) {
			t.Fatalf("%q is not recognised as encoded", EncodeID(a))
		}
	})
}
