package budget

import (
	"intentlab/runners/endpoint"
)

// hold is what is set aside for one call: its attempts so far, each with the estimate of one.
type hold struct {
	book  *Book
	payer string
	one   amount // the estimate of one attempt
	sent  int64  // attempts
	ended bool
}

// Again sets aside one more attempt where every limit leaves room for it.
func (h *hold) Again() error {
	b := h.book
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.ended {
		return nil
	}
	more := h.one
	if h.sent > 0 {
		// An attempt that failed has used no tokens that anybody knows of: the call's own are set aside
		// already.
		more = amount{requests: 1}
	}
	for _, s := range []string{Run, h.payer} {
		if err := b.account(s).refuse(s, more); err != nil {
			return err
		}
	}
	for _, s := range []string{Run, h.payer} {
		b.account(s).reserved.add(more)
	}
	h.sent++
	return nil
}

// Settle books the attempts, and the tokens and the price of the answer.
func (h *hold) Settle(tokens int, usd *float64) { h.end(answer(tokens, usd)) }

// Release books the attempts only.
func (h *hold) Release() { h.end(amount{}) }

// end books what was used besides the attempts; a second end does nothing.
func (h *hold) end(used amount) {
	b := h.book
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.ended {
		return
	}
	h.ended = true
	used.requests = h.sent
	aside := h.one
	aside.requests = h.sent
	for _, s := range []string{Run, h.payer} {
		a := b.account(s)
		a.reserved.sub(aside)
		a.settled.add(used)
	}
}

var _ endpoint.Hold = (*hold)(nil)
