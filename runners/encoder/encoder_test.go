package encoder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func loaded(t testing.TB) *Encoder {
	t.Helper()
	e, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The oracle: ids from the tokenizers library 0.23 ([UNK] left out, as model2vec does), the first
// four values computed with numpy from the same int8 table, and from the original float32 table.
var oracle = []struct {
	text      string
	ids       []int32
	int8, f32 [4]float64
}{
	{"search one-way flights from Azerbaijan to Turkey", []int32{2951, 1034, 17, 1132, 6605, 1019, 7371, 1006, 3983},
		[4]float64{0.243933, 0.169593, 0.068904, 0.019830}, [4]float64{0.244071, 0.169879, 0.069424, 0.019864}},
	{"find a single trip flight Baku to Istanbul", []int32{1430, 43, 1315, 3446, 2468, 15813, 1006, 8966},
		[4]float64{0.200786, 0.038463, 0.120501, 0.037481}, [4]float64{0.200596, 0.038375, 0.119884, 0.037618}},
	{"order a pizza", []int32{1350, 43, 9739},
		[4]float64{0.058872, -0.041810, -0.008413, -0.099876}, [4]float64{0.059090, -0.042190, -0.007730, -0.099222}},
	{"naïve café — résumé", []int32{14749, 6674, 523, 12752},
		[4]float64{-0.069413, 0.109898, -0.101964, -0.032958}, [4]float64{-0.069535, 0.110042, -0.101536, -0.032835}},
	{"東京から大阪へ", []int32{885, 761, 657, 29217, 816, 681},
		[4]float64{0.117883, -0.129253, -0.188763, 0.000093}, [4]float64{0.117807, -0.129897, -0.188597, 0.000003}},
	{"😀 ok", []int32{6935},
		[4]float64{-0.232204, 0.056178, -0.153554, -0.073032}, [4]float64{-0.231470, 0.055781, -0.153386, -0.073333}},
	{strings.Repeat("x", 101) + " ok", []int32{6935},
		[4]float64{-0.232204, 0.056178, -0.153554, -0.073032}, [4]float64{-0.231470, 0.055781, -0.153386, -0.073333}},
	{"ﬁ ligature ½", []int32{990, 7024, 10250, 98},
		[4]float64{0.036037, 0.010638, -0.170251, -0.117974}, [4]float64{0.035171, 0.010883, -0.169653, -0.118655}},
	{"hyperparameterisation's U.S.A. $3.50", []int32{22766, 27695, 21834, 5654, 11, 61, 63, 18, 61, 18, 43, 18, 8, 23, 18, 1759},
		[4]float64{0.053749, 0.074164, -0.252460, -0.120483}, [4]float64{0.054378, 0.074597, -0.252243, -0.120030}},
	{"İstanbul ŁÓDŹ straße ΑΒΓ", []int32{8966, 16820, 1364, 26813, 161, 28726, 28727},
		[4]float64{0.337781, -0.100695, 0.001090, -0.073423}, [4]float64{0.338204, -0.100700, 0.000992, -0.073955}},
	{"a\tb\u00a0c\u200bd\x00e", []int32{43, 44, 2735, 1069},
		[4]float64{0.003402, -0.040158, -0.112968, -0.113392}, [4]float64{0.002852, -0.039997, -0.112203, -0.113230}},
	{"预订明天去上海的高铁票", []int32{871, 817, 748, 908, 922, 987},
		[4]float64{-0.080040, 0.060578, -0.141538, -0.095141}, [4]float64{-0.079650, 0.059995, -0.140854, -0.094465}},
	{"Can't stop, won't stop!!!", []int32{1070, 11, 62, 1650, 16, 1186, 11, 62, 1650, 5, 5, 5},
		[4]float64{-0.308603, -0.073708, 0.132458, -0.101132}, [4]float64{-0.308121, -0.073291, 0.133105, -0.101178}},
	{"안녕하세요 world", []int32{469, 29012, 29027, 28998, 29016, 29031, 29011, 29012, 29003, 29015, 29005, 29019, 1094},
		[4]float64{0.083287, -0.189832, -0.280998, -0.029684}, [4]float64{0.083183, -0.190114, -0.280897, -0.030032}},
}

func TestTokensEqualTheReferenceTokeniser(t *testing.T) {
	e := loaded(t)
	for _, c := range oracle {
		got := e.tokens(c.text)
		if len(got) != len(c.ids) {
			t.Errorf("%q: %v, want %v", c.text, got, c.ids)
			continue
		}
		for i := range got {
			if got[i] != c.ids[i] {
				t.Errorf("%q: %v, want %v", c.text, got, c.ids)
				break
			}
		}
	}
}

func TestEmbeddingEqualsTheReferenceToFiveDigits(t *testing.T) {
	e := loaded(t)
	for _, c := range oracle {
		v := e.Embed(c.text)
		for k := range c.int8 {
			if d := math.Abs(float64(v[k]) - c.int8[k]); d > 5e-6 {
				t.Errorf("%q[%d] = %.6f, want %.6f from the same int8 table", c.text, k, v[k], c.int8[k])
			}
			// What eight bits cost a single coordinate, measured: below 9e-4.
			if d := math.Abs(float64(v[k]) - c.f32[k]); d > 1e-3 {
				t.Errorf("%q[%d] = %.6f, too far from %.6f of the float32 table", c.text, k, v[k], c.f32[k])
			}
		}
	}
}

func TestKnownPairsKeepTheirCosines(t *testing.T) {
	e := loaded(t)
	// Computed with numpy and the tokenizers library from the same int8 table.
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"search one-way flights from Azerbaijan to Turkey", "find a single trip flight Baku to Istanbul", 0.7079},
		{"search one-way flights from Azerbaijan to Turkey", "order a pizza", 0.0451},
		{"find a single trip flight Baku to Istanbul", "order a pizza", 0.0095},
		{"flight from Baku to Istanbul", "flight from Istanbul to Baku", 1.0000},
		{"meeting is on Monday", "meeting is on Tuesday", 0.8647},
		{"I like this movie", "I do not like this movie", 0.9087},
		{"yes", "no", 0.3447},
		{"42", "43", 0.5016},
		{"hello", "Hello!", 0.9980},
		{"cancel my order", "please revoke the purchase I made", 0.2308},
	} {
		got, ok := Cosine(e.Embed(c.a), e.Embed(c.b))
		if !ok || math.Abs(got-c.want) > 1e-4 {
			t.Errorf("cosine of %q and %q = %.4f %v, want %.4f", c.a, c.b, got, ok, c.want)
		}
	}
}

func TestEmbeddedFilesHaveTheStatedHashes(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want string
	}{"weights": {weights, WeightsSHA256}, "vocabulary": {[]byte(vocabulary), VocabularySHA256}} {
		if sum := sha256.Sum256(c.data); hex.EncodeToString(sum[:]) != c.want {
			t.Errorf("%s: SHA-256 %x, the package says %s", name, sum, c.want)
		}
	}
}

func TestLoadRefusesDamagedWeights(t *testing.T) {
	flipped := bytes.Clone(weights)
	flipped[len(flipped)/2] ^= 1
	for name, c := range map[string]struct {
		blob  []byte
		vocab string
		want  string
	}{
		"nothing":         {nil, vocabulary, "format"},
		"another file":    {[]byte(strings.Repeat("?", 4096)), vocabulary, "format"},
		"cut":             {weights[:len(weights)-1], vocabulary, "do not hold"},
		"one bit":         {flipped, vocabulary, "checksum"},
		"vocabulary lost": {weights, "a\nb\n", "2 pieces"},
	} {
		if _, err := load(c.blob, c.vocab); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func TestUnknownMeasuresWhatCanNotBeRead(t *testing.T) {
	e := loaded(t)
	for text, want := range map[string]float64{
		"": 0, "  ": 0, "?!": 0,
		"book a flight to Zürich, 2 adults": 0,
		"预订明天去上海的高铁票":                       1,
		"東京から大阪へ":                           1,
		"забронировать рейс":                1,
		"😀":                                 1,
		"order a pizza 🍕":                   0,
		"打开 YouTube 搜索 music":               4.0 / 16,
		"ab" + strings.Repeat("x", 99):      1,
	} {
		if got := e.Unknown(text); math.Abs(got-want) > 1e-12 {
			t.Errorf("Unknown(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestTextWithoutKnownTokenGivesTheZeroVectorAndNoCosine(t *testing.T) {
	e := loaded(t)
	for _, text := range []string{"", " ", "😀", "\x00", "\xff"} {
		v := e.Embed(text)
		for _, x := range v {
			if x != 0 {
				t.Fatalf("Embed(%q) is not zero", text)
			}
		}
		if _, ok := Cosine(v, e.Embed("ok")); ok {
			t.Errorf("a cosine with the zero vector of %q", text)
		}
	}
	if _, ok := Cosine([]float32{1}, []float32{1, 0}); ok {
		t.Error("a cosine of vectors of different lengths")
	}
}

func TestTokensStopAtTheLimit(t *testing.T) {
	e := loaded(t)
	long := strings.Repeat("hyperparameterisation ", 2000)
	if n := len(e.tokens(long)); n != maxTokens {
		t.Errorf("%d tokens, want %d", n, maxTokens)
	}
}

func TestEmbeddingIsTheSameBitsOnAnyNumberOfGoroutines(t *testing.T) {
	e := loaded(t)
	want := make([][]float32, len(oracle))
	for i, c := range oracle {
		want[i] = e.Embed(c.text)
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i, c := range oracle {
				for k, x := range e.Embed(c.text) {
					if math.Float32bits(x) != math.Float32bits(want[i][k]) {
						t.Errorf("%q[%d] differs", c.text, k)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// The bits of a whole vector, so that another architecture or compiler that rounds differently fails.
func TestEmbeddingBitsNeverChange(t *testing.T) {
	e := loaded(t)
	h := sha256.New()
	for _, c := range oracle {
		for _, x := range e.Embed(c.text) {
			b := math.Float32bits(x)
			h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)})
		}
	}
	const want = "5c68959dafcd56cecac8b555915edd36936cf81fe9ed0f18864b6c0d73155e02"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("hash of the oracle embeddings = %s, want %s", got, want)
	}
}

func TestEmbeddingInvariants(t *testing.T) {
	e := loaded(t)
	rapid.Check(t, func(t *rapid.T) {
		check(t, e, rapid.String().Draw(t, "text"))
	})
}

func check(t interface{ Fatalf(string, ...any) }, e *Encoder, text string) {
	v := e.Embed(text)
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if n := len(e.tokens(text)); n == 0 && squares != 0 || n > 0 && math.Abs(squares-1) > 1e-5 {
		t.Fatalf("%q: %d tokens, squared length %v", text, n, squares)
	}
	if u := e.Unknown(text); !(u >= 0 && u <= 1) {
		t.Fatalf("Unknown(%q) = %v", text, u)
	}
	if c, ok := Cosine(v, v); ok && math.Abs(c-1) > 1e-6 {
		t.Fatalf("%q is %v similar to itself", text, c)
	}
}

func FuzzTokeniser(f *testing.F) {
	for _, c := range oracle {
		f.Add(c.text)
	}
	f.Add("\xff\xfe[UNK] ##s")
	e := loaded(f)
	f.Fuzz(func(t *testing.T, text string) {
		check(t, e, text)
		for _, id := range e.tokens(text) {
			if id < 0 || int(id) >= len(e.scales) {
				t.Fatalf("token %d outside the table", id)
			}
		}
	})
}

func BenchmarkEmbed(b *testing.B) {
	e := loaded(b)
	for b.Loop() {
		e.Embed("search one-way flights from Azerbaijan to Turkey for two adults")
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := load(weights, vocabulary); err != nil {
			b.Fatal(err)
		}
	}
}
