package budget

import (
	"fmt"
	"math"
	"strconv"

	"intentlab/runners/endpoint"
)

// amount is an exact sum, whatever the order in which it was added up: money is whole picodollars.
type amount struct {
	picodollars, requests, tokens, unpriced int64
}

const perDollar = 1e12

// most is what one figure of one request is taken for at most (nine thousand dollars): so a thousand
// absurd ones can be in flight before a sum of what is set aside wraps.
const most = math.MaxInt64 / 1024

// answer is what an answer took; nil is a price that is not known.
func answer(tokens int, usd *float64) amount {
	a := amount{tokens: min(int64(max(tokens, 0)), most)}
	if usd == nil {
		a.unpriced = 1
	} else {
		a.picodollars = min(picodollars(*usd), most)
	}
	return a
}

// picodollars converts dollars; what is no price (negative, not a number) is 0, what is beyond nine
// million is that.
func picodollars(usd float64) int64 {
	x := math.Round(usd * perDollar)
	switch {
	case !(x > 0):
		return 0
	case x >= math.MaxInt64:
		return math.MaxInt64
	}
	return int64(x)
}

// plus adds without wrapping.
func plus(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (a *amount) add(b amount) {
	a.picodollars = plus(a.picodollars, b.picodollars)
	a.requests = plus(a.requests, b.requests)
	a.tokens = plus(a.tokens, b.tokens)
	a.unpriced = plus(a.unpriced, b.unpriced)
}

func (a *amount) sub(b amount) {
	a.picodollars -= b.picodollars
	a.requests -= b.requests
	a.tokens -= b.tokens
	a.unpriced -= b.unpriced
}

func (a amount) spent() Spent {
	return Spent{float64(a.picodollars) / perDollar, a.requests, a.tokens, a.unpriced}
}

// refuse is an error where a limit of the account leaves no room for more.
func (a *account) refuse(scope string, more amount) error {
	used := a.used()
	for _, f := range []struct {
		limit, used, reserved, more int64
		unit                        string
		show                        func(int64) string
	}{
		{a.limit.requests, used.requests, a.reserved.requests, more.requests, "requests", grouped},
		{a.limit.tokens, used.tokens, a.reserved.tokens, more.tokens, "tokens", grouped},
		{a.limit.picodollars, used.picodollars, a.reserved.picodollars, more.picodollars, "USD", dollars},
	} {
		if f.limit == 0 || f.used < f.limit && plus(plus(f.used, f.reserved), f.more) <= f.limit {
			continue
		}
		name := scope
		if scope == Run {
			name = "the run"
		}
		of := f.show(f.used) + " of " + f.show(f.limit) + " " + f.unit
		var text string
		switch {
		case f.used >= f.limit:
			text = fmt.Sprintf("the budget of %s is used up: %s", name, of)
		case f.reserved > 0:
			text = fmt.Sprintf("the budget of %s leaves no room: %s are used and %s set aside for requests in flight; the next needs %s",
				name, of, f.show(f.reserved), f.show(f.more))
		default:
			text = fmt.Sprintf("the budget of %s leaves no room: %s are used, and the next request may need %s", name, of, f.show(f.more))
		}
		return &endpoint.Error{Reason: endpoint.Budget, Detail: text}
	}
	return nil
}

// grouped writes a count with commas between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// dollars shows money with two decimals, and a small sum with as many as it takes for two digits.
func dollars(picodollars int64) string {
	usd := float64(picodollars) / perDollar
	decimals := 2
	if usd > 0 && usd < 0.1 {
		decimals = min(1-int(math.Floor(math.Log10(usd))), 12)
	}
	return strconv.FormatFloat(usd, 'f', decimals, 64)
}
