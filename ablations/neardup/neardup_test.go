package neardup

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEqualAfterNormalisation(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		equal      bool
	}{
		{"case, punctuation and blanks", "Find a  hotel, in Ulm!", " find a hotel in ulm", true},
		{"fullwidth forms (NFKC)", "ＡＢＣ１２", "abc12", true},
		{"Chinese punctuation", "打开闹钟，设置一个闹铃", "打开闹钟 设置一个闹铃。", true},
		{"soft hyphen", "book\u00ads a room", "books a room", true},
		{"an accent is a letter's own", "café", "cafe\u0301", true},
		{"another word", "find a hotel", "find a motel", false},
		{"the order of words", "from ulm to bonn", "from bonn to ulm", false},
	} {
		if got := Normalise(c.a) == Normalise(c.b); got != c.equal {
			t.Errorf("%s: %q and %q: equal is %v", c.name, Normalise(c.a), Normalise(c.b), got)
		}
	}
	if n := Normalise(" ,。 \u200d"); n != "" {
		t.Errorf("a text without letters is %q", n)
	}
}

func TestTokensAreWordsOrPairsOfCharacters(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"find a hotel", []string{"find", "a", "hotel"}},
		{"设置闹铃", []string{"设置", "置闹", "闹铃"}},
		{"开 wifi吧x9", []string{"开", "wifi", "吧", "x9"}},
		{"用app听歌", []string{"用", "app", "听歌"}},
		{"", nil},
	} {
		if d := cmp.Diff(c.want, Tokens(c.text)); d != "" {
			t.Errorf("%q: %s", c.text, d)
		}
	}
}

func TestOneWordInTenIsNear(t *testing.T) {
	var s Set
	for i, text := range []string{
		"one two three four five six seven eight nine ten",
		"One, two, three, four, five, six, seven, eight, nine, eleven", // 9 of 11
		"one two three four five six seven eight",                      // 8 of 10 with the first, 8 of 10 with the second
		"ONE two three four five six seven eight nine ten.",
		"ten nine eight seven six five four three two one", // the same words in another order
		"book a hat",
		"buy a hat",
		"...",
	} {
		if want := []int{0, 1, 2, 0, 3, 4, 5, None}[i]; s.Add(text) != want {
			t.Errorf("text %d is not form %d", i, want)
		}
	}
	want := []Edge{{0, 1, 9.0 / 11}, {0, 2, .8}, {0, 3, 1}, {1, 2, .8}, {1, 3, 9.0 / 11}, {2, 3, .8}}
	if d := cmp.Diff(want, s.Near()); d != "" {
		t.Error(d)
	}
}

// The filters may drop no pair: what they find is what comparing all pairs finds.
func TestFiltersLoseNoPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.IntRange(0, 12), 1, 12)
		var s Set
		for range rapid.IntRange(0, 40).Draw(t, "texts") {
			var text []string
			for _, w := range words.Draw(t, "words") {
				text = append(text, fmt.Sprintf("w%d", w))
			}
			s.Add(strings.Join(text, " "))
		}
		var want []Edge
		for a := range s.sets {
			for b := a + 1; b < len(s.sets); b++ {
				shared := 0
				for _, x := range s.sets[a] {
					if slices.Contains(s.sets[b], x) {
						shared++
					}
				}
				if union := len(s.sets[a]) + len(s.sets[b]) - shared; 5*shared >= 4*union {
					want = append(want, Edge{a, b, float64(shared) / float64(union)})
				}
			}
		}
		if d := cmp.Diff(want, s.Near()); d != "" {
			t.Fatal(d)
		}
	})
}

// templates is what real sets look like: many intents of few patterns.
func templates(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	verbs := strings.Fields("find book order check compare cancel track rent buy sell open show")
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		fmt.Fprintf(&b, "%s a %d star hotel in town%d", verbs[r.IntN(len(verbs))], r.IntN(5)+1, r.IntN(2000))
		for range r.IntN(14) {
			fmt.Fprintf(&b, " word%d", int(r.ExpFloat64()*400))
		}
		texts[i] = b.String()
	}
	return texts
}

func BenchmarkNear33000Intents(b *testing.B) {
	texts := templates(33_000)
	var s Set
	for b.Loop() {
		s = Set{}
		for _, t := range texts {
			s.Add(t)
		}
		b.ReportMetric(float64(len(s.Near())), "pairs")
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/1e6, "held-MB")
	runtime.KeepAlive(&s)
	b.ReportMetric(float64(s.Len()), "forms")
}
