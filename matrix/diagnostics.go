package matrix

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/hcl/v2"
)

// suggest returns the known name nearest to given, at most two edits away, or "". Of equally near
// names the first wins.
func suggest(given string, known []string) string {
	best, bestDistance := "", 3
	for _, k := range known {
		d := levenshtein.Distance(strings.ToLower(given), strings.ToLower(k), nil)
		if d < bestDistance && d < len(given) {
			best, bestDistance = k, d
		}
	}
	return best
}

// noSuch says that there is no what called name, and what was probably meant; without a near miss
// it lists the known names when they are few.
func noSuch(what, name string, known []string) string {
	msg := fmt.Sprintf("There is no %s %q.", what, name)
	if s := suggest(name, known); s != "" {
		return msg + fmt.Sprintf(" Did you mean %q?", s)
	}
	if len(known) == 0 {
		return msg
	}
	if len(known) > 12 {
		known = append(append([]string(nil), known[:12]...), "…")
	}
	return msg + " Known: " + strings.Join(known, ", ") + "."
}

// noSuchValue is noSuch for the value of an attribute with a fixed set.
func noSuchValue(attr, value string, allowed []string) string {
	msg := fmt.Sprintf("%q can't be %q.", attr, value)
	if s := suggest(value, allowed); s != "" {
		return msg + fmt.Sprintf(" Did you mean %q?", s)
	}
	return msg + " It is one of " + strings.Join(allowed, ", ") + "."
}

func errorAt(rng hcl.Range, summary, format string, args ...any) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(format, args...), Subject: rng.Ptr()}
}

func (r *reader) errorAt(rng hcl.Range, summary, format string, args ...any) {
	r.add(errorAt(rng, summary, format, args...))
}

func (r *reader) warnAt(rng hcl.Range, summary, format string, args ...any) {
	d := errorAt(rng, summary, format, args...)
	d.Severity = hcl.DiagWarning
	r.add(d)
}

func (r *reader) add(d ...*hcl.Diagnostic) { r.diags = append(r.diags, d...) }

// finished sorts the diagnostics by file and position, drops repeats and follow-ups of earlier
// mistakes, and hides secrets.
func (r *reader) finished() hcl.Diagnostics {
	order := map[string]int{}
	for i, f := range r.sources.order {
		order[f] = i + 1
	}
	place := func(d *hcl.Diagnostic) (int, int) {
		if d.Subject == nil {
			return 0, 0
		}
		return order[d.Subject.Filename], d.Subject.Start.Byte
	}
	all := append(hcl.Diagnostics(nil), r.diags...)
	sort.SliceStable(all, func(i, j int) bool {
		fi, bi := place(all[i])
		fj, bj := place(all[j])
		if fi != fj {
			return fi < fj
		}
		return bi < bj
	})
	known := false // gohcl adds "value must be known" to whatever failed to evaluate
	for _, d := range all {
		if d.Severity == hcl.DiagError && !isFollowUp(d) {
			known = true
		}
	}
	var out hcl.Diagnostics
	seen := map[string]bool{}
	for _, d := range all {
		if known && isFollowUp(d) {
			continue
		}
		d.Detail = r.redact(argumentPrefix.ReplaceAllString(d.Detail, ""))
		key := d.Summary + "\x00" + d.Detail
		if d.Subject != nil {
			key += "\x00" + d.Subject.String()
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, d)
		}
	}
	return out
}

// argumentPrefix is what HCL puts before a function's own message about an argument, which names a
// parameter that the reader can't know.
var argumentPrefix = regexp.MustCompile(`^Invalid value for "\w+" parameter: `)

func isFollowUp(d *hcl.Diagnostic) bool { return strings.HasSuffix(d.Detail, "value must be known") }

// redact takes secrets out of a message; functions quote their arguments in errors.
func (r *reader) redact(s string) string {
	for _, secret := range r.secrets {
		if secret != "" {
			s = strings.ReplaceAll(s, secret, "(secret)")
		}
	}
	return s
}
