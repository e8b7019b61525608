package predictors

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestKindsDescribeThemselves(t *testing.T) {
	if !slices.IsSorted(Names()) || len(Names()) != len(Kinds) {
		t.Errorf("names %v", Names())
	}
	for name, k := range Kinds {
		if k.Name != name || k.Summary == "" || strings.HasSuffix(k.Summary, ".") || k.CodeVersion < 1 || k.New == nil {
			t.Errorf("kind %s: incomplete: %+v", name, k)
		}
		if k.Options == nil {
			continue
		}
		o := reflect.TypeOf(k.Options()).Elem()
		for i := range o.NumField() {
			if f := o.Field(i); f.Tag.Get("hcl") == "" || f.Tag.Get("doc") == "" && !strings.Contains(f.Tag.Get("hcl"), ",block") {
				t.Errorf("kind %s: option %s lacks an hcl or doc tag", name, f.Name)
			}
		}
	}
	for _, name := range learners {
		for _, word := range []string{"Source:", "Complexity:", "Memory:"} {
			if !strings.Contains(Kinds[name].Doc, word) {
				t.Errorf("kind %s: doc lacks %q", name, word)
			}
		}
		if c, ok := defaultsOf(name).(interface{ Check() map[string]string }); ok && len(c.Check()) > 0 {
			t.Errorf("kind %s: its defaults are refused: %v", name, c.Check())
		}
	}
}

func defaultsOf(name string) any {
	if Kinds[name].Options == nil {
		return nil
	}
	return Kinds[name].Options()
}

func TestSettingsOutOfBoundsAreRefused(t *testing.T) {
	for _, c := range []struct {
		kind    string
		options any
		word    string
	}{
		{"tfidf_knn", &tfidfKNNOptions{K: 0}, "k must be at least 1"},
		{"tfidf_knn", &naiveBayesOptions{Alpha: 1}, "settings are"},
		{"naive_bayes", &naiveBayesOptions{}, "alpha must be"},
		{"naive_bayes", &naiveBayesOptions{Alpha: 2000}, "alpha must be"},
		{"wl_kernel", &wlKernelOptions{Iterations: 11, K: 1}, "iterations must lie between 0 and 10"},
		{"wl_kernel", &wlKernelOptions{Iterations: -1}, "iterations must lie between 0 and 10; k must be at least 1"},
	} {
		if _, err := Kinds[c.kind].New(Setup{Options: c.options}); err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s with %+v: %v, want %q", c.kind, c.options, err, c.word)
		}
	}
}
