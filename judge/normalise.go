package judge

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxPrediction and MaxGold are lengths in characters (metrics-and-judge.md B4.2): a longer
// prediction is cut and flagged, a longer gold text is an error of the benchmark.
const (
	MaxPrediction = 600
	MaxGold       = 2000
)

// normaliseVersion is part of every judge's identity.
const normaliseVersion = 1

// PredictionTruncated is the flag of a verdict on a prediction that was cut.
const PredictionTruncated = "prediction_truncated"

// Normalise is the form of a text that judges see and verdict keys hold: valid UTF-8, NFC, runs of
// white space as one space, none at the ends. Case and punctuation stay. It is idempotent.
func Normalise(text string) string {
	return norm.NFC.String(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " "))
}

// CheckGold reports a gold text that is too long to be judged.
func CheckGold(text string) error {
	if n := utf8.RuneCountInString(Normalise(text)); n > MaxGold {
		return fmt.Errorf("gold intent of %d characters is longer than %d: %.40q…", n, MaxGold, text)
	}
	return nil
}

// pair is a question made ready: both texts normalised, the prediction cut.
type pair struct {
	gold, predicted string
	truncated       bool
}

// prepare normalises and cuts. The verdict it returns, if any, is final: gold_missing or
// method_empty; noGold and noPrediction say of a text that the judge can't read it as gold or as
// prediction (nil: it reads everything). What takes a task out for all methods is looked at before what a method did.
func prepare(ctx context.Context, q Question, noGold, noPrediction func(string) bool) (pair, *Verdict, error) {
	if err := ctx.Err(); err != nil {
		return pair{}, nil, err
	}
	if err := CheckGold(q.Gold); err != nil {
		return pair{}, nil, err
	}
	p := pair{gold: Normalise(q.Gold), predicted: Normalise(q.Predicted)}
	if utf8.RuneCountInString(p.predicted) > MaxPrediction {
		p.predicted, p.truncated = cut(p.predicted, MaxPrediction), true
	}
	switch {
	case blank(p.gold):
		return p, &Verdict{State: GoldMissing, Reason: "the gold text is empty"}, nil
	case noGold != nil && noGold(p.gold):
		return p, &Verdict{State: UnsupportedGold, Reason: "the judge can't read the gold text"}, nil
	case blank(p.predicted):
		return p, &Verdict{State: MethodEmpty, Reason: "the predicted text is empty"}, nil
	case noPrediction != nil && noPrediction(p.predicted):
		return p, p.flag(Verdict{State: UnsupportedText, Reason: "the judge can't read the predicted text"}), nil
	}
	return p, nil, nil
}

// flag marks a verdict on a prediction that was cut.
func (p pair) flag(v Verdict) *Verdict {
	if p.truncated {
		v.Flags = append(v.Flags, PredictionTruncated)
		if v.Reason == "" {
			v.Reason = fmt.Sprintf("the prediction was cut at %d characters", MaxPrediction)
		}
	}
	return &v
}

// cut keeps the first n characters, and no space at the end.
func cut(text string, n int) string {
	for i := range text {
		if n == 0 {
			return Normalise(text[:i])
		}
		n--
	}
	return text
}

// blank reports that nothing but white space, punctuation and invisible characters is left: no
// answer, whatever a measure would make of it.
func blank(text string) bool {
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) && r != '\uFFFD' {
			return false
		}
	}
	return true
}

const (
	opening = "\"'`“”‘’«»‹›„‚「『《〈（(【[{<*•·–—…¿¡"
	closing = "\"'`“”‘’«»‹›„‚」』》〉）)】]}>*•·–—….,;:!?。，、；：！？"
)

// fold is the form that similarity is measured on: lower case, without punctuation around the text.
// Marks that change a meaning (%, #, +, $, a leading minus or dot) stay.
func fold(text string) string {
	folded := strings.TrimLeft(strings.ToLower(text), opening+" ")
	folded = strings.TrimRight(folded, closing+" ")
	if folded == "" {
		return text
	}
	return Normalise(folded)
}
