package judge

import (
	"context"
	"fmt"

	"intentlab/runners/encoder"
)

// maxUnknown is the share of letters outside the encoder's vocabulary above which a text is
// unsupported.
const maxUnknown = 0.2

// rememberedTexts bounds the embeddings kept in memory: about 1.2 kB each.
const rememberedTexts = 16384

// embeddingVersion changes whenever the verdicts of the kind may change.
const embeddingVersion = 1

var embeddingKind = Kind{
	Name:    "embedding",
	Summary: "cosine of sentence embeddings, by the encoder inside the binary (the default)",
	Doc: `Cosine of the two texts' embeddings (potion-base-8M, a static table; docs/encoder.md), rescaled by
the anchors lo and hi: score = (cosine - lo) / (hi - lo), cut to [0, 1]. Case and outer punctuation don't
count; texts that are equal then score exactly 1. Reads English: a text of which more than a fifth of the
letters lie outside the vocabulary (Chinese, Cyrillic …) is unsupported, never a number.
Blind to word order, so to direction ("to Baku" for "from Baku"), and nearly so to negation and numbers:
show it beside a lexical or rubric judge, and calibrate lo and hi on labelled pairs (docs/judges.md).
Source: metrics-and-judge.md B6, vector V47; model2vec. About 15 microseconds a new text.`,
	CodeVersion: embeddingVersion,
	New: func(s Setup) (Judge, error) {
		e, err := encoder.Load()
		if err != nil {
			return nil, fmt.Errorf("building judge kind embedding: %w", err)
		}
		return newEmbedding(s, e)
	},
}

// textEncoder is what the judge needs of an encoder.
type textEncoder interface {
	Embed(text string) []float32
	Unknown(text string) float64
	Identity() map[string]any
}

type embedding struct {
	measured
	texts *remembered[reading]
}

// reading is one text as the encoder sees it.
type reading struct {
	vector  []float32
	unknown float64
}

func newEmbedding(s Setup, e textEncoder) (Judge, error) {
	m, err := newMeasured("embedding", embeddingVersion, s, map[string]any{
		"encoder": e.Identity(), "max_unknown": maxUnknown, "fold": "lower case, outer punctuation"})
	if err != nil {
		return nil, err
	}
	return &embedding{m, newRemembered(rememberedTexts, func(text string) reading {
		return reading{e.Embed(text), e.Unknown(text)}
	})}, nil
}

// Unsupported reports a text that the encoder can't read.
func (j *embedding) Unsupported(text string) bool {
	return j.texts.get(fold(Normalise(text))).unknown > maxUnknown
}

// Judge scores one pair.
func (j *embedding) Judge(ctx context.Context, q Question) (Verdict, error) {
	p, final, err := prepare(ctx, q, j.Unsupported, j.Unsupported)
	if err != nil {
		return Verdict{}, fmt.Errorf("judging by embedding: %w", err)
	}
	if final != nil {
		return *final, nil
	}
	gold, predicted := fold(p.gold), fold(p.predicted)
	if gold == predicted {
		return *p.flag(same()), nil
	}
	cosine, ok := encoder.Cosine(j.texts.get(gold).vector, j.texts.get(predicted).vector)
	if !ok {
		return *p.flag(Verdict{State: UnsupportedText, Reason: "a text holds no token that the encoder knows"}), nil
	}
	return *p.flag(j.verdict(cosine, -1)), nil
}
