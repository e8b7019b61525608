package judge

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"intentlab/ablations/task"
)

// Kinds holds every judge kind by the name that `uses` gives.
var Kinds = map[string]Kind{
	"embedding": embeddingKind,
	"lexical":   lexicalKind,
	"fixture":   fixtureKind,
}

// Names returns the names of all kinds in byte order.
func Names() []string { return slices.Sorted(maps.Keys(Kinds)) }

// Reader is a judge that can't read every text.
type Reader interface {
	// Unsupported reports that the judge would give no score because of this text alone.
	Unsupported(text string) bool
}

// Unsupported reports that j can't read text, so that a plan can count gold texts before anything
// runs. Judges that read everything, and empty texts, are never unsupported.
func Unsupported(j Judge, text string) bool {
	r, ok := j.(Reader)
	text = Normalise(text)
	return ok && !blank(text) && r.Unsupported(text)
}

// measured is what all kinds here share: calibration and identity.
type measured struct {
	lo, hi      float64
	identity    map[string]any
	fingerprint string
}

// newMeasured completes identity and hashes it. Anchors that are both zero mean 0 and 1.
func newMeasured(kind string, version int, s Setup, identity map[string]any) (measured, error) {
	lo, hi := s.Lo, s.Hi
	if lo == 0 && hi == 0 {
		hi = 1
	}
	if !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return measured{}, fmt.Errorf("building judge kind %s: lo (%v) must be below hi (%v)", kind, lo, hi)
	}
	identity["kind"], identity["code_version"] = kind, version
	identity["lo"], identity["hi"] = lo, hi
	identity["normalisation_version"] = normaliseVersion
	identity["prediction_limit"] = MaxPrediction
	hash, err := task.Hash(identity)
	if err != nil {
		return measured{}, fmt.Errorf("hashing the identity of judge kind %s: %w", kind, err)
	}
	return measured{lo: lo, hi: hi, identity: identity, fingerprint: hash}, nil
}

// Fingerprint identifies everything that decides a verdict except the two texts.
func (m *measured) Fingerprint() string { return m.fingerprint }

// Identity is the canonical input of the fingerprint. The caller owns the copy.
func (m *measured) Identity() map[string]any { return maps.Clone(m.identity) }

// verdict turns a raw measurement into a score, (raw - lo) / (hi - lo) cut to [0, 1] (B6, vector
// V47). A measurement outside [least, 1], or none, is a bad score and never clamped into one.
func (m *measured) verdict(raw, least float64) Verdict {
	text := strconv.FormatFloat(raw, 'g', -1, 64)
	if !(raw >= least && raw <= 1) {
		return Verdict{State: BadScore, Raw: text, Reason: fmt.Sprintf("%s is not between %v and 1", text, least)}
	}
	return Verdict{State: Scored, Score: calibrate(raw, m.lo, m.hi), Raw: text}
}

// same is the verdict on equal texts, whatever the anchors.
func same() Verdict { return Verdict{State: Scored, Score: 1, Raw: "1"} }

func calibrate(raw, lo, hi float64) float64 {
	return max(0, min(1, (raw-lo)/(hi-lo)))
}
