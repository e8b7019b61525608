package predictors

import (
	"io"
	"math"
)

const indexArtifact = "intentlab index 1"

// save writes labels, intents, examples and posting lists; the rest follows from them. Prefixes of
// an episode are adjacent, so most gaps between postings are 1 and a posting takes two bytes.
func (ix *index) save(w io.Writer) error {
	enc := newArtifactWriter(w, indexArtifact)
	enc.str(ix.space.name)
	for _, table := range [2][]string{ix.labels, ix.opens} {
		enc.uvarint(uint64(len(table)))
		for _, s := range table {
			enc.str(s)
		}
	}
	enc.uvarint(uint64(len(ix.examples)))
	episode := int32(-1)
	for i := range ix.examples {
		ex := &ix.examples[i]
		enc.uvarint(uint64(ex.label + 1))
		enc.uvarint(uint64(ex.open + 1))
		enc.uvarint(uint64(ex.episode - episode))
		episode = ex.episode
		enc.float(ex.weight)
	}
	enc.uvarint(uint64(len(ix.terms)))
	for id, key := range ix.terms {
		enc.fixed(key)
		list := ix.list(id)
		enc.uvarint(uint64(len(list)))
		last := -1
		for _, p := range list {
			enc.uvarint(uint64(int(p.example) - last - 1))
			enc.uvarint(uint64(p.count - 1))
			last = int(p.example)
		}
	}
	return enc.close()
}

func loadIndex(r io.Reader, space featureSpace) (*index, error) {
	dec, err := newArtifactReader(r, indexArtifact)
	if err != nil {
		return nil, err
	}
	if got := dec.str(); dec.err == nil && got != space.name {
		dec.fail("it was fitted with other settings: " + got)
	}
	ix := &index{space: space, labels: readTable(dec), opens: readTable(dec)}
	readExamples(dec, ix)
	readPostings(dec, ix)
	if err := dec.close(); err != nil {
		return nil, err
	}
	ix.derive()
	return ix, nil
}

func readTable(dec *artifactReader) []string {
	n := dec.count(1)
	var out []string
	for range n {
		s := dec.str()
		if s == "" || len(out) > 0 && out[len(out)-1] >= s {
			dec.fail("a table of strings is not in byte order")
		}
		if dec.err != nil {
			return nil
		}
		out = append(out, s)
	}
	return out
}

func readExamples(dec *artifactReader, ix *index) {
	n := dec.count(11)
	if n > math.MaxInt32 {
		dec.fail("too many examples")
		return
	}
	for i := range n {
		label := dec.below(uint64(len(ix.labels)+1), "label")
		open := dec.below(uint64(len(ix.opens)+1), "intent")
		step := dec.below(2, "episode step")
		weight := dec.float()
		if i == 0 && step != 1 {
			dec.fail("the first example begins no episode")
		}
		if !usable(weight) {
			dec.fail("the weight of an example is out of range")
		}
		if dec.err != nil {
			return
		}
		ix.episodes += int(step)
		ix.examples = append(ix.examples, trained{label: int32(label) - 1, open: int32(open) - 1,
			episode: int32(ix.episodes - 1), weight: weight})
	}
}

func readPostings(dec *artifactReader, ix *index) {
	n := dec.count(9)
	ix.starts = append(ix.starts, 0)
	for i := range n {
		key := dec.fixed()
		if i > 0 && key <= ix.terms[i-1] {
			dec.fail("terms are not in order")
		}
		length := dec.count(2)
		if dec.err == nil && length == 0 {
			dec.fail("a term occurs nowhere")
		}
		next := uint64(0)
		for range length {
			at := next + dec.below(uint64(len(ix.examples))-min(next, uint64(len(ix.examples))), "example")
			count := dec.below(math.MaxUint32, "count") + 1
			if dec.err != nil {
				return
			}
			ix.postings = append(ix.postings, posting{uint32(at), uint32(count)})
			next = at + 1
		}
		if dec.err != nil {
			return
		}
		ix.terms = append(ix.terms, key)
		ix.starts = append(ix.starts, uint32(len(ix.postings)))
	}
}
