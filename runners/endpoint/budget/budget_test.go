package budget

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"intentlab/runners/endpoint"
)

func usd(x float64) *float64 { return &x }

// reserve wants room.
func reserve(t testing.TB, b *Book, payer string, tokens int, price *float64) endpoint.Hold {
	t.Helper()
	h, err := b.Reserve(payer, tokens, price)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	return h
}

// refused wants none, with these words.
func refused(t testing.TB, err error, want string) {
	t.Helper()
	e, ok := errors.AsType[*endpoint.Error](err)
	if !ok || e.Reason != endpoint.Budget || e.Detail != want {
		t.Errorf("got %#v, want a refusal:\n%s", err, want)
	}
}

func TestALimitIsNamedWithItsScopeAndFiguresOnceItIsReached(t *testing.T) {
	b := New([]Limit{{Scope: "method zero_shot", Requests: 2000}}, map[string]Spent{"method zero_shot": {Requests: 1999}})
	reserve(t, b, "method zero_shot", 10, nil).Settle(9, nil)
	_, err := b.Reserve("method zero_shot", 10, nil)
	refused(t, err, "the budget of method zero_shot is used up: 2,000 of 2,000 requests")
	reserve(t, b, "method few_shot", 10, nil) // another payer's is untouched
}

func TestTheRunPaysForEveryPayer(t *testing.T) {
	b := New([]Limit{{Scope: Run, USD: 1}}, nil)
	for _, payer := range []string{"method a", "judge b", "", "method a"} {
		reserve(t, b, payer, 5, usd(0.25)).Settle(5, usd(0.25))
	}
	_, err := b.Reserve("method c", 5, usd(0.25))
	refused(t, err, "the budget of the run is used up: 1.00 of 1.00 USD")
}

func TestManySmallPricesAddUpToTheLimitExactly(t *testing.T) {
	b := New([]Limit{{Scope: Run, USD: 10}}, nil)
	for range 100 { // 100 floats of 0.1 are not 10
		reserve(t, b, "method a", 0, usd(0.1)).Settle(0, usd(0.1))
	}
	_, err := b.Reserve("method a", 0, usd(0.0000001))
	refused(t, err, "the budget of the run is used up: 10.00 of 10.00 USD")
}

func TestWhatIsInFlightCountsAndTheRefusalSaysSo(t *testing.T) {
	b := New([]Limit{{Scope: "judge r", Tokens: 10_000}}, nil)
	reserve(t, b, "judge r", 2_000, nil).Settle(1_500, nil)
	h := reserve(t, b, "judge r", 6_000, nil)
	_, err := b.Reserve("judge r", 3_000, nil)
	refused(t, err, "the budget of judge r leaves no room: 1,500 of 10,000 tokens are used and 6,000 set aside for requests in flight; the next needs 3,000")
	h.Settle(1_000, nil) // cheaper than thought
	reserve(t, b, "judge r", 3_000, nil).Release()
	_, err = b.Reserve("judge r", 8_000, nil)
	refused(t, err, "the budget of judge r leaves no room: 2,500 of 10,000 tokens are used, and the next request may need 8,000")
}

func TestEachFurtherAttemptIsARequestAndMayBeRefused(t *testing.T) {
	b := New([]Limit{{Scope: Run, Requests: 3}}, nil)
	h := reserve(t, b, "method a", 100, usd(0.5))
	for range 2 {
		if err := h.Again(); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, h.Again(), "the budget of the run leaves no room: 0 of 3 requests are used and 3 set aside for requests in flight; the next needs 1")
	h.Release()
	want := []Entry{{"method a", Spent{Requests: 3}}}
	if d := cmp.Diff(want, b.Settled()); d != "" {
		t.Error(d)
	}
	refused(t, func() error { _, err := b.Reserve("method a", 0, nil); return err }(), "the budget of the run is used up: 3 of 3 requests")
}

func TestAnUnknownPriceIsCountedAndNeverGuessed(t *testing.T) {
	b := New([]Limit{{Scope: Run, USD: 0.001}}, nil)
	for range 3 {
		reserve(t, b, "method a", 10, nil).Settle(12, nil)
	}
	want := []Spend{
		{Scope: Run, Requests: 3, Tokens: 36, Unpriced: 3, LimitUSD: 0.001},
		{Scope: "method a", Requests: 3, Tokens: 36, Unpriced: 3},
	}
	if d := cmp.Diff(want, b.Spend()); d != "" {
		t.Error(d)
	}
}

func TestSpendGoesOnWhereTheLastInvocationEndedAndSettledStartsAnew(t *testing.T) {
	b := New([]Limit{{Scope: "method a", Requests: 10}, {Scope: "judge z", USD: 2}},
		map[string]Spent{"method a": {USD: 0.5, Requests: 4, Tokens: 100}, "": {Requests: 1}})
	reserve(t, b, "method a", 50, usd(0.25)).Settle(40, usd(0.2))
	reserve(t, b, "", 50, usd(0.25)).Settle(1, usd(0.1))
	want := []Spend{
		{Scope: Run, USD: 0.8, Requests: 7, Tokens: 141},
		{Scope: "judge z", LimitUSD: 2},
		{Scope: "method a", USD: 0.7, Requests: 5, Tokens: 140, LimitRequest: 10},
	}
	if d := cmp.Diff(want, b.Spend()); d != "" {
		t.Error(d)
	}
	a := Entry{"method a", Spent{USD: 0.2, Requests: 1, Tokens: 40}}
	if d := cmp.Diff([]Entry{{"", Spent{USD: 0.1, Requests: 1, Tokens: 1}}, a}, b.Settled()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Entry{a}, b.Settled("method a", "method none", Run)); d != "" {
		t.Error(d)
	}
}

func TestAHoldEndsOnce(t *testing.T) {
	b := New(nil, nil)
	h := reserve(t, b, "method a", 5, usd(1))
	h.Settle(5, usd(1))
	h.Settle(5, usd(1))
	h.Release()
	if err := h.Again(); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]Entry{{"method a", Spent{USD: 1, Requests: 1, Tokens: 5}}}, b.Settled()); d != "" {
		t.Error(d)
	}
}

func TestAPriceThatIsNoneCostsNothing(t *testing.T) {
	b := New([]Limit{{Scope: Run, USD: 1}}, nil)
	for _, x := range []float64{math.NaN(), math.Inf(-1), -3} {
		reserve(t, b, "method a", -5, &x).Settle(-5, &x)
	}
	if d := cmp.Diff([]Entry{{"method a", Spent{Requests: 3}}}, b.Settled()); d != "" {
		t.Error(d)
	}
	_, err := b.Reserve("method a", 0, usd(math.Inf(1)))
	if err == nil {
		t.Error("there is room for a price without end")
	}
}

func TestSmallSumsAreShownWithTheirDigits(t *testing.T) {
	for x, want := range map[float64]string{0: "0.00", 0.1: "0.10", 12.345: "12.35", 0.0123: "0.012", 0.00005: "0.000050", 1e-12: "0.000000000001"} {
		if got := dollars(picodollars(x)); got != want {
			t.Errorf("%v is shown as %s, want %s", x, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is shown as %s", n, got)
		}
	}
}

// TestNoHistoryPassesALimit plays random histories against a model: what is used and set aside never
// passes a limit but by what answers took beyond their estimates.
func TestNoHistoryPassesALimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := []Limit{
			{Scope: Run, USD: float64(rapid.IntRange(0, 40).Draw(t, "run usd")) / 4, Requests: int64(rapid.IntRange(0, 30).Draw(t, "run requests"))},
			{Scope: "method a", Requests: int64(rapid.IntRange(0, 12).Draw(t, "a requests")), Tokens: int64(rapid.IntRange(0, 500).Draw(t, "a tokens"))},
		}
		before := map[string]Spent{"method a": {Requests: int64(rapid.IntRange(0, 5).Draw(t, "before"))}}
		b := New(limits, before)
		type open struct {
			h     endpoint.Hold
			payer string
			one   amount
			sent  int64
		}
		var holds []open
		used := map[string]amount{Run: {requests: before["method a"].Requests}, "method a": {requests: before["method a"].Requests}}
		aside := map[string]amount{}
		var over amount // by which answers passed their estimates
		change := func(m map[string]amount, payer string, by amount, sign int64) {
			for _, s := range []string{Run, payer} {
				a := m[s]
				a.picodollars += sign * by.picodollars
				a.requests += sign * by.requests
				a.tokens += sign * by.tokens
				m[s] = a
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			step := rapid.IntRange(0, 3).Draw(t, "step")
			if step == 0 || len(holds) == 0 {
				payer := rapid.SampledFrom([]string{"method a", "judge b"}).Draw(t, "payer")
				one := amount{requests: 1, tokens: int64(rapid.IntRange(0, 90).Draw(t, "tokens")), picodollars: perDollar / 4 * int64(rapid.IntRange(0, 8).Draw(t, "quarters"))}
				h, err := b.Reserve(payer, int(one.tokens), usd(float64(one.picodollars)/perDollar))
				if err == nil {
					holds = append(holds, open{h, payer, one, 1})
					change(aside, payer, one, 1)
				}
			} else {
				i := rapid.IntRange(0, len(holds)-1).Draw(t, "hold")
				o := &holds[i]
				if step == 1 {
					if o.h.Again() == nil {
						o.sent++
						change(aside, o.payer, amount{requests: 1}, 1)
					}
					continue
				}
				took := amount{requests: o.sent}
				if step == 2 {
					took.tokens = int64(rapid.IntRange(0, 120).Draw(t, "took tokens"))
					took.picodollars = perDollar / 4 * int64(rapid.IntRange(0, 9).Draw(t, "took quarters"))
					over.tokens += max(0, took.tokens-o.one.tokens)
					over.picodollars += max(0, took.picodollars-o.one.picodollars)
					o.h.Settle(int(took.tokens), usd(float64(took.picodollars)/perDollar))
				} else {
					o.h.Release()
				}
				was := o.one
				was.requests = o.sent
				change(aside, o.payer, was, -1)
				change(used, o.payer, took, 1)
				holds = append(holds[:i], holds[i+1:]...)
			}
			for _, l := range limits {
				u, r := used[l.Scope], aside[l.Scope]
				if l.Requests > 0 && u.requests+r.requests > max(l.Requests, before["method a"].Requests) {
					t.Fatalf("%s: %d requests used and %d set aside of %d", l.Scope, u.requests, r.requests, l.Requests)
				}
				if l.Tokens > 0 && u.tokens+r.tokens > l.Tokens+over.tokens {
					t.Fatalf("%s: %d tokens used and %d set aside of %d", l.Scope, u.tokens, r.tokens, l.Tokens)
				}
				if m := picodollars(l.USD); m > 0 && u.picodollars+r.picodollars > m+over.picodollars {
					t.Fatalf("%s: %d used and %d set aside of %d", l.Scope, u.picodollars, r.picodollars, m)
				}
				a := b.account(l.Scope)
				if got := a.used(); got != u || a.reserved != r {
					t.Fatalf("%s: the book says %+v and %+v set aside, want %+v and %+v", l.Scope, got, a.reserved, u, r)
				}
			}
		}
	})
}

func TestALimitHoldsForManyCallersAtOnce(t *testing.T) {
	const limit = 500
	b := New([]Limit{{Scope: Run, Requests: limit}, {Scope: "method a", Tokens: 100_000}}, nil)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := range 100 {
				h, err := b.Reserve("method a", 10, usd(0.001))
				if err != nil {
					continue
				}
				if i%5 == 0 {
					_ = h.Again() // a refusal counts nothing
				}
				if i%7 == 0 {
					h.Release()
				} else {
					h.Settle(9, usd(0.0009))
				}
				b.Settled("method a")
				b.Spend()
			}
		})
	}
	wg.Wait()
	if got := b.Spend()[0]; got.Requests != limit {
		t.Errorf("%d requests of %d", got.Requests, limit)
	}
	if r := b.account(Run).reserved; r != (amount{}) {
		t.Errorf("%+v is set aside for nothing", r)
	}
}

func BenchmarkReserveAndSettle(b *testing.B) {
	book := New([]Limit{{Scope: Run, USD: 1e6, Requests: 1 << 40}, {Scope: "method a", Tokens: 1 << 50}}, nil)
	price := usd(0.0001)
	for b.Loop() {
		h, err := book.Reserve("method a", 10, price)
		if err != nil {
			b.Fatal(err)
		}
		h.Settle(10, price)
	}
}
