package trajectory

import (
	"regexp"
	"sort"
	"strings"
)

// hostOf is the host of an http(s) URL in lower case without user and port, or "". It reads by hand,
// since recorded URLs hold characters that net/url refuses.
func hostOf(url string) string {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(url), "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#\\"); end >= 0 {
		rest = rest[:end]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if end := strings.IndexByte(rest, ']'); strings.HasPrefix(rest, "[") && end > 0 {
		return strings.ToLower(rest[:end+1])
	}
	host, _, _ := strings.Cut(rest, ":")
	return strings.ToLower(strings.TrimSpace(host))
}

// hostMask is [MaskURLs], and beyond it masks the given hosts of an episode, so that a host under a
// domain that MaskURLs does not know is found as well.
func hostMask(own map[string]bool) func(string) string {
	var rare []string
	for h := range own {
		if MaskURLs(h) != URLMask {
			rare = append(rare, regexp.QuoteMeta(h))
		}
	}
	if len(rare) == 0 {
		return MaskURLs
	}
	// The longest first: a host may be the end of another.
	sort.Slice(rare, func(i, j int) bool {
		return len(rare[i]) > len(rare[j]) || len(rare[i]) == len(rare[j]) && rare[i] < rare[j]
	})
	re := regexp.MustCompile("(?i)" + strings.Join(rare, "|"))
	return func(s string) string { return re.ReplaceAllLiteralString(MaskURLs(s), URLMask) }
}
