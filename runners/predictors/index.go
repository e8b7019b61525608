package predictors

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"intentlab/ablations/task"
)

// posting says how often a term occurs in an example.
type posting struct{ example, count uint32 }

// trained is what is kept of an example beside its terms. Label and open are indices, -1 for none;
// examples of one episode are adjacent and share its ordinal.
type trained struct {
	label, open, episode int32
	weight, norm         float64
}

// index is an inverted index over the training examples: for each term, in the order of its hash,
// the examples that hold it. It is read-only once built. Memory is 8 bytes a posting (a distinct
// term in an example), 32 bytes an example and some 40 bytes a term.
type index struct {
	space    featureSpace
	labels   []string // in byte order
	opens    []string // in byte order
	examples []trained
	episodes int
	terms    []uint64  // ascending
	starts   []uint32  // terms+1 offsets into postings
	postings []posting // per term in example order

	lookup map[uint64]uint32
	weight []float64 // of each term: idf, or 1
	unseen float64   // weight of a term that no example holds
	both   bool      // every example has both intents
	prior  prior
	pool   sync.Pool // *scratch
}

// scratch is the memory of one query. dots is all zero between queries.
type scratch struct {
	keys []uint64
	bag  []feature
	dots []float64
}

// buildIndex streams the examples once.
func buildIndex(ctx context.Context, space featureSpace, train task.Examples) (*index, error) {
	ix := &index{space: space}
	ids := map[uint64]uint32{}
	var lists [][]posting
	var labels, opens []string // of each example
	var keys []uint64
	var terms []feature
	dataset, episode := "", ""
	for ex, err := range train(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading training examples: %w", err)
		}
		if err := checkWeight(&ex); err != nil {
			return nil, err
		}
		n := len(ix.examples)
		if n == 0 || ex.Task.Dataset != dataset || ex.Task.EpisodeID != episode {
			ix.episodes++
			dataset, episode = ex.Task.Dataset, ex.Task.EpisodeID
		}
		ix.examples = append(ix.examples, trained{episode: int32(ix.episodes - 1), weight: ex.Weight})
		labels, opens = append(labels, ex.ClosedIntent), append(opens, ex.OpenIntent)
		keys = space.keys(&ex.Task, keys[:0])
		terms = bag(keys, terms[:0])
		for _, f := range terms {
			id, known := ids[f.key]
			if !known {
				id = uint32(len(lists))
				ids[f.key] = id
				lists = append(lists, nil)
				ix.terms = append(ix.terms, f.key)
			}
			lists[id] = append(lists[id], posting{uint32(n), f.count})
		}
	}
	slices.Sort(ix.terms)
	ix.starts = append(ix.starts, 0)
	for _, key := range ix.terms {
		id := ids[key]
		ix.postings = append(ix.postings, lists[id]...)
		lists[id] = nil
		if uint64(len(ix.postings)) > math.MaxUint32 {
			return nil, fmt.Errorf("indexing training examples: more than 2^32 terms; use a limit on the dataset")
		}
		ix.starts = append(ix.starts, uint32(len(ix.postings)))
	}
	ix.labels, ix.opens = distinct(labels), distinct(opens)
	for i := range ix.examples {
		ix.examples[i].label = position(ix.labels, labels[i])
		ix.examples[i].open = position(ix.opens, opens[i])
	}
	ix.derive()
	return ix, nil
}

func distinct(values []string) []string {
	out := slices.DeleteFunc(slices.Clone(values), func(s string) bool { return s == "" })
	slices.Sort(out)
	return slices.Compact(out)
}

func position(sorted []string, s string) int32 {
	if i, ok := slices.BinarySearch(sorted, s); ok {
		return int32(i)
	}
	return -1
}

// derive computes what follows from the stored part. The smoothed inverse document frequency is
// ln((1+N)/(1+df)) + 1 with N training episodes of which df hold the term in any prefix: an episode
// counts once, however many prefixes it has.
func (ix *index) derive() {
	n := float64(ix.episodes)
	ix.lookup = make(map[uint64]uint32, len(ix.terms))
	ix.weight = make([]float64, len(ix.terms))
	ix.unseen = 1
	if ix.space.idf {
		ix.unseen = math.Log(1+n) + 1
	}
	for id, key := range ix.terms {
		ix.lookup[key] = uint32(id)
		list := ix.list(id)
		ix.weight[id] = 1
		if ix.space.idf {
			df, last := 0, int32(-1)
			for _, p := range list {
				if e := ix.examples[p.example].episode; e != last {
					df, last = df+1, e
				}
			}
			ix.weight[id] = math.Log((1+n)/(1+float64(df))) + 1
		}
		for _, p := range list {
			x := ix.weight[id] * float64(p.count)
			ix.examples[p.example].norm += float64(x * x) // no fused multiply-add: equal bits everywhere
		}
	}
	labels, opens := tally{}, tally{}
	ix.both = true
	for i := range ix.examples {
		ex := &ix.examples[i]
		ix.both = ix.both && ex.label >= 0 && ex.open >= 0
		ex.norm = math.Sqrt(ex.norm)
		if ex.label >= 0 {
			labels.add(ix.labels[ex.label], ex.weight)
		}
		if ex.open >= 0 {
			opens.add(ix.opens[ex.open], ex.weight)
		}
	}
	ix.prior = newPrior(labels, opens)
	ix.pool.New = func() any { return &scratch{dots: make([]float64, len(ix.examples))} }
}

func (ix *index) list(term int) []posting {
	return ix.postings[ix.starts[term]:ix.starts[term+1]]
}

// query counts the task's terms and multiplies them with every example that shares one. It returns
// the length of the query vector, 0 for a task without terms. release gives the scratch back.
func (ix *index) query(t *task.Task) (s *scratch, length float64) {
	s = ix.pool.Get().(*scratch)
	s.keys = ix.space.keys(t, s.keys[:0])
	s.bag = bag(s.keys, s.bag[:0])
	for _, f := range s.bag {
		id, known := ix.lookup[f.key]
		w := ix.unseen
		if known {
			w = ix.weight[id]
		}
		q := w * float64(f.count)
		length += float64(q * q)
		if !known {
			continue
		}
		q *= w
		for _, p := range ix.list(int(id)) {
			s.dots[p.example] += float64(q * float64(p.count))
		}
	}
	return s, math.Sqrt(length)
}

func (ix *index) release(s *scratch) {
	clear(s.dots)
	ix.pool.Put(s)
}

// neighbour is the nearest prefix of a training episode, with its cosine.
type neighbour struct {
	example int
	cosine  float64
}

// nearest returns the k episodes whose nearest kept prefix is nearest, the nearest first and equal
// ones in example order. An episode is one neighbour however many of its prefixes are near, or the
// prefixes of one episode would fill every neighbourhood. Episodes that share no term are none.
func (ix *index) nearest(s *scratch, length float64, k int, keep func(*trained) bool) []neighbour {
	var found []neighbour
	offer := func(n neighbour) {
		if n.cosine == 0 || len(found) == k && n.cosine <= found[k-1].cosine {
			return
		}
		at := len(found)
		for at > 0 && found[at-1].cosine < n.cosine {
			at--
		}
		if len(found) == k {
			found = found[:k-1]
		}
		found = slices.Insert(found, at, n)
	}
	best, episode := neighbour{}, int32(-1)
	for i, dot := range s.dots {
		if dot == 0 {
			continue
		}
		ex := &ix.examples[i]
		if !keep(ex) {
			continue
		}
		if ex.episode != episode {
			offer(best)
			best, episode = neighbour{}, ex.episode
		}
		if c := min(1, dot/(length*ex.norm)); c > best.cosine {
			best = neighbour{i, c}
		}
	}
	offer(best)
	return found
}

func hasLabel(ex *trained) bool { return ex.label >= 0 }
func hasOpen(ex *trained) bool  { return ex.open >= 0 }
