package predictors

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"intentlab/ablations/task"
)

// FuzzLoad damages artefacts below their checksum, which is made right again: what loads has to
// answer, save and load once more; what doesn't has to be an error.
func FuzzLoad(f *testing.F) {
	for _, kind := range learners {
		for _, exs := range [][]task.Example{nil, letters(), china()} {
			b := saved(f, fitted(f, kind, nil, exs...))
			f.Add(b[:len(b)-crc32.Size])
		}
	}
	graph := saved(f, fitted(f, "wl_kernel", nil, task.Example{Task: graphTask("1", "click", "type"), ClosedIntent: "A", Weight: 1}))
	f.Add(graph[:len(graph)-crc32.Size])
	probe := graphTask("q", "click", "type")
	probe.ObservedSteps = textTask("q", "a b Chinese Tokyo").ObservedSteps
	f.Fuzz(func(t *testing.T, body []byte) {
		whole := binary.LittleEndian.AppendUint32(bytes.Clone(body), crc32.Checksum(body, castagnoli))
		for _, kind := range learners {
			m := built(t, kind, nil)
			if m.Load(bytes.NewReader(whole)) != nil {
				continue
			}
			a := ask(t, m, probe)
			if a.ClosedConfidence != nil && !(*a.ClosedConfidence >= 0 && *a.ClosedConfidence <= 1) {
				t.Fatalf("%s: confidence %v", kind, *a.ClosedConfidence)
			}
			if err := built(t, kind, nil).Load(bytes.NewReader(saved(t, m))); err != nil {
				t.Fatalf("%s: what was loaded is saved, but not loaded again: %v", kind, err)
			}
		}
	})
}

// FuzzTokens reads any string without a panic, alike whether or not it was normal before.
func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "Click [a] Questions", "打开微信 ＷＥＣＨＡＴ", "e\u0301\u0301", "\xff\xfe", "ﷺ İı ǅ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if a, b := tokenKeys(s, nil), tokenKeys(s, nil); len(a) != len(b) {
			t.Fatalf("%q: %d and %d tokens", s, len(a), len(b))
		}
		if n := len(tokenKeys("x "+s+" y", nil)); n < 2 {
			t.Fatalf("%q swallows its neighbours: %d tokens", s, n)
		}
	})
}
