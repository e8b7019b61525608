package judge

import (
	"context"
	"fmt"
)

// lexicalVersion changes whenever the verdicts of the kind may change.
const lexicalVersion = 1

var lexicalKind = Kind{
	Name:    "lexical",
	Summary: "overlap of the words or characters: token F1, ROUGE-L or chrF",
	Doc: `measure = "token_f1" (default): F1 over the bags of tokens; explains itself, blind to order and paraphrase.
measure = "rouge_l": F1 over the longest common subsequence of tokens; sees order partly.
measure = "chrf": character n-grams 1 to 6, beta = 2, no white space, case kept; for Chinese and mixed text.
Tokens: NFKC, lower case, runs of letters and digits, every ideograph by itself. Reads every script.
Source: metrics-and-judge.md B6, vector V40; Lin 2004; Popovic 2015 with the effective order of sacrebleu.
O(m n) for rouge_l with texts of m and n tokens, else linear.`,
	Options:     func() any { return &lexicalOptions{Measure: "token_f1"} },
	CodeVersion: lexicalVersion,
	New:         newLexical,
}

type lexicalOptions struct {
	Measure string `hcl:"measure,optional" enum:"token_f1,rouge_l,chrf" doc:"token_f1, rouge_l or chrf (Chinese, mixed text)"`
}

// Check says which setting is wrong and why.
func (o *lexicalOptions) Check() map[string]string {
	if _, ok := measures[o.Measure]; !ok {
		return map[string]string{"measure": fmt.Sprintf("is %q, must be token_f1, rouge_l or chrf", o.Measure)}
	}
	return nil
}

// measure compares two normalised texts, 0..1; tokens says whether it needs tokens.
type measure struct {
	compare func(gold, predicted string) float64
	tokens  bool
}

var measures = map[string]measure{
	"token_f1": {tokenF1, true},
	"rouge_l":  {rougeL, true},
	"chrf":     {chrF, false},
}

type lexical struct {
	measured
	measure measure
}

func newLexical(s Setup) (Judge, error) {
	o := &lexicalOptions{Measure: "token_f1"}
	if s.Options != nil {
		given, ok := s.Options.(*lexicalOptions)
		if !ok {
			return nil, fmt.Errorf("building judge kind lexical: settings are %T, want %T", s.Options, o)
		}
		o = given
	}
	if wrong := o.Check(); len(wrong) > 0 {
		return nil, fmt.Errorf("building judge kind lexical: measure %s", wrong["measure"])
	}
	m, err := newMeasured("lexical", lexicalVersion, s, map[string]any{"measure": o.Measure})
	if err != nil {
		return nil, err
	}
	return &lexical{m, measures[o.Measure]}, nil
}

// Unsupported reports a text without a single token, such as one of emoji only: as gold it allows no
// score, while such a prediction simply shares nothing and scores 0.
func (j *lexical) Unsupported(text string) bool {
	return j.measure.tokens && len(tokens(text)) == 0
}

// Judge scores one pair.
func (j *lexical) Judge(ctx context.Context, q Question) (Verdict, error) {
	p, final, err := prepare(ctx, q, j.Unsupported, nil)
	if err != nil {
		return Verdict{}, fmt.Errorf("judging by word overlap: %w", err)
	}
	if final != nil {
		return *final, nil
	}
	if p.gold == p.predicted {
		return *p.flag(same()), nil
	}
	return *p.flag(j.verdict(j.measure.compare(p.gold, p.predicted), 0)), nil
}
