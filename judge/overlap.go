package judge

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// tokens are the words of a text (metrics-and-judge.md B6): NFKC, lower case, runs of letters and
// digits with their combining marks, every ideograph by itself.
func tokens(text string) []string {
	var out []string
	text = strings.ToLower(norm.NFKC.String(text))
	start := -1
	flush := func(end int) {
		if start >= 0 {
			out = append(out, text[start:end])
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			flush(i)
			out = append(out, string(r))
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) && start >= 0:
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return out
}

// tokenF1 is the harmonic mean of precision and recall over the bags of tokens. Symmetric.
func tokenF1(gold, predicted string) float64 {
	g, p := tokens(gold), tokens(predicted)
	counts := map[string]int{}
	for _, w := range g {
		counts[w]++
	}
	shared := 0
	for _, w := range p {
		if counts[w] > 0 {
			counts[w]--
			shared++
		}
	}
	return f1(shared, len(g), len(p))
}

// rougeL is the same over the longest common subsequence (Lin 2004, sentence level, beta = 1).
func rougeL(gold, predicted string) float64 {
	g, p := tokens(gold), tokens(predicted)
	row := make([]int, len(p)+1)
	for _, w := range g {
		diagonal := 0
		for k, v := range p {
			above := row[k+1]
			if w == v {
				row[k+1] = diagonal + 1
			} else {
				row[k+1] = max(above, row[k])
			}
			diagonal = above
		}
	}
	return f1(row[len(p)], len(g), len(p))
}

// f1 is 2 shared / (m + n), which equals 2pr/(p+r) and can't leave [0, 1] by rounding.
func f1(shared, m, n int) float64 {
	if m+n == 0 {
		return 0
	}
	return float64(2*shared) / float64(m+n)
}

const (
	chrOrder = 6
	chrBeta2 = 4 // beta squared
)

// chrF averages precision and recall over character n-grams of 1 to 6, white space removed, and
// takes their F with recall counted twice as important (Popovic 2015). Orders that either text is
// too short for are left out, as in sacrebleu. Not symmetric.
func chrF(gold, predicted string) float64 {
	g, p := visible(gold), visible(predicted)
	var precision, recall float64
	orders := 0
	for n := 1; n <= chrOrder && n <= len(g) && n <= len(p); n++ {
		counts := make(map[string]int, len(g))
		for i := range len(g) - n + 1 {
			counts[string(g[i:i+n])]++
		}
		shared := 0
		for i := range len(p) - n + 1 {
			if gram := string(p[i : i+n]); counts[gram] > 0 {
				counts[gram]--
				shared++
			}
		}
		precision += float64(shared) / float64(len(p)-n+1)
		recall += float64(shared) / float64(len(g)-n+1)
		orders++
	}
	if precision+recall == 0 {
		return 0
	}
	precision, recall = precision/float64(orders), recall/float64(orders)
	return min(1, float64((1+chrBeta2)*float64(precision*recall))/(float64(chrBeta2*precision)+recall))
}

func visible(text string) []rune {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		if !unicode.IsSpace(r) {
			out = append(out, r)
		}
	}
	return out
}
