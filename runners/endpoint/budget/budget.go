// Package budget keeps the books of a run's requests, tokens and money, and refuses a request for
// which a declared limit leaves no room, before it is sent.
//
// An amount is set aside when a request is sent and settled when the answer is there, so that a limit
// holds however many requests are in flight. What is set aside is an estimate. Where it is too high,
// a request may be refused although the answers in flight will turn out cheaper than what was set
// aside for them: the refusal then says how much is set aside, and a run that pauses over it goes on
// from there when it is started again. Where it is too low, the limit is passed by the difference of
// the requests that were in flight, and by no more: what was really used counts from then on.
package budget

import (
	"maps"
	"slices"
	"sync"

	"intentlab/runners/endpoint"
)

// Run is the scope that every request counts for.
const Run = "run"

// Limit is the most that a scope may use: [Run], "method NAME" or "judge NAME". 0 is no limit. Money is
// counted in millionths of a millionth of a dollar, up to nine million dollars.
type Limit struct {
	Scope            string
	USD              float64
	Requests, Tokens int64
}

// Spent is what a payer has used. Unpriced counts the answers whose price is not known: they are in no
// USD, and no price is guessed for them.
type Spent struct {
	USD              float64
	Requests, Tokens int64
	Unpriced         int64
}

// Entry is what a payer has used since the book was opened.
type Entry struct {
	Payer string
	Spent
}

// Spend is a scope's state as the progress view shows it; what is set aside for requests in flight is
// not in it.
type Spend struct {
	Scope        string
	USD          float64
	Requests     int
	Tokens       int
	LimitUSD     float64
	LimitRequest int
	LimitTokens  int
	Unpriced     int
}

// account is one scope.
type account struct {
	limit    amount
	before   amount // used by earlier invocations
	settled  amount // used since the book was opened
	reserved amount // set aside for what is in flight
}

// Book is the [endpoint.Purse] of one run. It is safe for concurrent use.
type Book struct {
	mu       sync.Mutex
	accounts map[string]*account
}

var _ endpoint.Purse = (*Book)(nil)

// New opens the book of a run with its limits and with what its payers have spent before, so that a
// budget holds over restarts. The run has spent what its payers have; [Run] is no payer, and "" is that
// of requests for which nobody is named.
func New(limits []Limit, spent map[string]Spent) *Book {
	b := &Book{accounts: map[string]*account{Run: {}}}
	for _, l := range limits {
		b.account(l.Scope).limit = amount{picodollars: picodollars(l.USD), requests: l.Requests, tokens: l.Tokens}
	}
	for payer, s := range spent {
		was := amount{picodollars(s.USD), s.Requests, s.Tokens, s.Unpriced}
		b.account(payer).before = was
		b.account(Run).before.add(was)
	}
	return b
}

// account finds or opens a scope's account; b.mu is held once others know the book.
func (b *Book) account(scope string) *account {
	a := b.accounts[scope]
	if a == nil {
		a = &account{}
		b.accounts[scope] = a
	}
	return a
}

// Reserve sets aside a request of payer, an estimate of its tokens and of its price (nil: unknown,
// which no limit of money can hold back). It never waits: where the run's limits or the payer's leave
// no room it returns an [*endpoint.Error] with the reason Budget that names the scope and its figures.
func (b *Book) Reserve(payer string, tokens int, usd *float64) (endpoint.Hold, error) {
	h := &hold{book: b, payer: payer, one: answer(tokens, usd)}
	h.one.requests, h.one.unpriced = 1, 0
	if err := h.Again(); err != nil {
		return nil, err
	}
	return h, nil
}

// Settled returns what the named payers have used since the book was opened, or all payers, in order
// of their names. The figures only grow, and hold every answer whose call has returned: a store that
// keeps the largest it was given for each payer, in the transaction of the answers, counts nothing
// twice and loses nothing that it has the answer of.
func (b *Book) Settled(payers ...string) []Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(payers) == 0 {
		payers = slices.Sorted(maps.Keys(b.accounts))
	}
	var out []Entry
	for _, p := range payers {
		if a := b.accounts[p]; p != Run && a != nil && a.settled != (amount{}) {
			out = append(out, Entry{p, a.settled.spent()})
		}
	}
	return out
}

// Spend lists the run and then, in order of their names, the scopes that have a limit or have used
// something, over all invocations of the run.
func (b *Book) Spend() []Spend {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Spend
	for _, scope := range slices.SortedFunc(maps.Keys(b.accounts), runFirst) {
		a := b.accounts[scope]
		used := a.used()
		if scope == "" || used == (amount{}) && a.limit == (amount{}) {
			continue
		}
		s, l := used.spent(), a.limit.spent()
		out = append(out, Spend{Scope: scope, USD: s.USD, Requests: int(s.Requests), Tokens: int(s.Tokens), LimitUSD: l.USD,
			LimitRequest: int(l.Requests), LimitTokens: int(l.Tokens), Unpriced: int(s.Unpriced)})
	}
	return out
}

func (a *account) used() amount {
	u := a.before
	u.add(a.settled)
	return u
}

// runFirst orders scopes.
func runFirst(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == Run || b != Run && a < b:
		return -1
	}
	return 1
}
