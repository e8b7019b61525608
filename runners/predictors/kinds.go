package predictors

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Kinds holds every method kind by the name that `uses` gives.
var Kinds = map[string]Kind{
	"command":           commandKind,
	"files":             filesKind,
	"instruction_probe": instructionProbeKind,
	"length_probe":      lengthProbeKind,
	"majority":          majorityKind,
	"metadata_probe":    metadataProbeKind,
	"naive_bayes":       naiveBayesKind,
	"predictions":       predictionsKind,
	"shuffled_labels":   shuffledLabelsKind,
	"stratified_prior":  stratifiedPriorKind,
	"tfidf_knn":         tfidfKNNKind,
	"url_probe":         urlProbeKind,
	"wl_kernel":         wlKernelKind,
}

// Names returns the names of all kinds in byte order.
func Names() []string { return slices.Sorted(maps.Keys(Kinds)) }

// settings returns the decoded options of a kind, or its defaults where there are none. Options
// that matrix would refuse are refused here too, for callers that build a predictor by hand.
func settings[T interface{ Check() map[string]string }](s Setup, defaults T) (T, error) {
	o := defaults
	if s.Options != nil {
		given, ok := s.Options.(T)
		if !ok {
			return o, fmt.Errorf("building a method: settings are %T, want %T", s.Options, defaults)
		}
		o = given
	}
	wrong := o.Check()
	if len(wrong) == 0 {
		return o, nil
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		parts = append(parts, name+" "+wrong[name])
	}
	return o, fmt.Errorf("building a method: %s", strings.Join(parts, "; "))
}
