package judge

import (
	"container/list"
	"sync"
)

// remembered is a bounded memory of a pure function of a text, the least recently used text being
// forgotten first. Concurrent callers of one text compute it once.
type remembered[V any] struct {
	limit   int
	compute func(string) V

	mu     sync.Mutex
	order  *list.List // of *entry[V]; front: used last
	byText map[string]*list.Element
}

type entry[V any] struct {
	text  string
	once  sync.Once
	value V
}

func newRemembered[V any](limit int, compute func(string) V) *remembered[V] {
	return &remembered[V]{limit: limit, compute: compute, order: list.New(), byText: map[string]*list.Element{}}
}

func (m *remembered[V]) get(text string) V {
	e := m.entry(text)
	e.once.Do(func() { e.value = m.compute(text) })
	return e.value
}

func (m *remembered[V]) entry(text string) *entry[V] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at, ok := m.byText[text]; ok {
		m.order.MoveToFront(at)
		return at.Value.(*entry[V])
	}
	e := &entry[V]{text: text}
	m.byText[text] = m.order.PushFront(e)
	if m.order.Len() > m.limit {
		last := m.order.Back()
		m.order.Remove(last)
		delete(m.byText, last.Value.(*entry[V]).text)
	}
	return e
}
