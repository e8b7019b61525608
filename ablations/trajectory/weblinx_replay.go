package trajectory

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/go-faster/jx"

	"intentlab/ablations/task"
)

// turn holds what is kept of one turn of replay.json; the HTML of elements and pages is passed over
// without being decoded.
type turn struct {
	kind, speaker, utterance        string
	intent                          string
	text, value, selected, pasted   string
	scrollX, scrollY                string
	propertiesURL, metadataURL      string
	tag, content                    string
	attrs                           map[string]string
	hasUtterance, hasAction, scroll bool
}

var webLINXAttributes = func() map[string]bool {
	keep := map[string]bool{"role": true, "contenteditable": true}
	for _, k := range labelAttributes {
		keep[k] = true
	}
	return keep
}()

// readReplay reads {"data":[turn, …], …}. Elements that are neither chat nor browser turns are
// skipped with a report.
func readReplay(in *input, skip func(Skip)) ([]turn, error) {
	d := jx.Decode(in.r, 64<<10)
	var turns []turn
	found := false
	isObject, err := jsonObject(d, func(key string) error {
		if key != "data" {
			return d.Skip()
		}
		turns = nil // a repeated key: the last one counts
		n := 0
		var err error
		found, err = jsonArray(d, func() error {
			t, err := readTurn(d)
			if err != nil {
				return err
			}
			if t.kind != "chat" && t.kind != "browser" {
				skip(Skip{Where: fmt.Sprintf("%s: turn %d", in.path, n), Reason: UnknownTurn, Detail: fmt.Sprintf("type %q is neither chat nor browser", t.kind)})
			} else {
				turns = append(turns, t)
			}
			n++
			return nil
		})
		return err
	})
	if err == nil {
		err = jsonEnd(d)
	}
	if err != nil {
		return nil, in.jsonError(err)
	}
	if !isObject || !found {
		return nil, fmt.Errorf("%s: want an object with a list \"data\"", in.path)
	}
	return turns, nil
}

func readTurn(d *jx.Decoder) (turn, error) {
	var t turn
	_, err := jsonObject(d, func(key string) (err error) {
		switch key {
		case "type":
			t.kind, err = jsonText(d)
		case "speaker":
			t.speaker, err = jsonText(d)
		case "utterance":
			t.hasUtterance = true
			t.utterance, err = jsonText(d)
		case "action":
			t.hasAction, err = jsonObject(d, func(key string) (err error) {
				switch key {
				case "intent":
					t.intent, err = jsonText(d)
				case "arguments":
					_, err = jsonObject(d, func(key string) error { return t.argument(d, key) })
				default:
					err = d.Skip()
				}
				return err
			})
		default:
			err = d.Skip()
		}
		return err
	})
	t.kind = strings.ToLower(t.kind)
	if t.kind == "" && t.hasAction {
		t.kind = "browser"
	} else if t.kind == "" && t.hasUtterance {
		t.kind = "chat"
	}
	return t, err
}

func (t *turn) argument(d *jx.Decoder, key string) (err error) {
	switch key {
	case "text":
		t.text, err = jsonText(d)
	case "value":
		t.value, err = jsonText(d)
	case "selected":
		t.selected, err = jsonText(d)
	case "pasted":
		t.pasted, err = jsonText(d)
	case "scrollX":
		t.scroll = true
		t.scrollX, err = jsonText(d)
	case "scrollY":
		t.scroll = true
		t.scrollY, err = jsonText(d)
	case "properties":
		t.propertiesURL, err = urlMember(d)
	case "metadata":
		t.metadataURL, err = urlMember(d)
	case "element":
		_, err = jsonObject(d, func(key string) (err error) {
			switch key {
			case "tagName":
				t.tag, err = jsonText(d)
			case "textContent":
				t.content, err = jsonText(d)
				t.content = oneLine(t.content, MaxElement)
			case "attributes":
				t.attrs, err = jsonAttributes(d, webLINXAttributes)
			default:
				err = d.Skip() // innerHTML and outerHTML can hold a whole page
			}
			return err
		})
	default:
		err = d.Skip()
	}
	return err
}

func urlMember(d *jx.Decoder) (url string, err error) {
	_, err = jsonObject(d, func(key string) (err error) {
		if key != "url" {
			return d.Skip()
		}
		url, err = jsonText(d)
		return err
	})
	return url, err
}

// webLINXEpisode makes an episode, without id and lists, of the turns.
func webLINXEpisode(turns []turn, v Visibility) Episode {
	e := Episode{LabelSpace: webLINXLabels, Metadata: map[string]string{"platform": "web"}}
	var requests []string
	hosts := map[string]bool{}
	for _, t := range turns {
		for _, u := range []string{t.propertiesURL, t.metadataURL} {
			if h := hostOf(u); h != "" {
				hosts[h] = true
				if e.ClosedIntent == "" {
					e.ClosedIntent = h
				}
			}
		}
		if t.kind == "chat" && strings.EqualFold(t.speaker, "instructor") {
			requests = append(requests, t.utterance)
		}
		e.Steps = append(e.Steps, t.step())
	}
	e.OpenIntent = joinRequests(requests)
	if e.ClosedIntent != "" {
		e.ClusterID, e.Groups = e.ClosedIntent, map[string]string{"website": e.ClosedIntent}
	}
	if v != AsPublished {
		maskSteps(e.Steps, hosts)
	}
	return e
}

func (t turn) step() task.Step {
	if t.kind == "chat" {
		return task.Step{Kind: "utterance", Speaker: strings.ToLower(t.speaker), Utterance: t.utterance}
	}
	op := strings.ToLower(t.intent)
	if op == "" {
		op = "action"
	}
	element, value := elementText(t.tag, t.content, t.attrs), ""
	switch op {
	case "load":
		url := t.propertiesURL
		if url == "" {
			url = t.metadataURL
		}
		s := actionStep(op, element, "")
		s.URL = url
		if url != "" {
			s.Action += " " + url
		}
		return s
	case "scroll":
		if t.scroll {
			value = "x=" + orZero(t.scrollX) + ", y=" + orZero(t.scrollY)
		}
	case "textinput":
		if t.typable() {
			value = t.text
		}
	case "change":
		value = t.value
	case "copy":
		value = t.selected
	case "paste":
		value = t.pasted
	}
	s := actionStep(op, element, value)
	s.URL = t.metadataURL
	return s
}

func orZero(s string) string {
	if s == "" {
		return "0"
	}
	return s
}

// typable tells typing from the textInput events that fire on ordinary page elements when text is
// selected (datasets.md, section 1, quirk 6).
func (t turn) typable() bool {
	switch strings.ToLower(t.tag) {
	case "", "input", "textarea", "select":
		return true
	}
	switch strings.ToLower(t.attrs["role"]) {
	case "textbox", "searchbox", "combobox":
		return true
	}
	editable, ok := t.attrs["contenteditable"]
	return ok && !strings.EqualFold(editable, "false")
}

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

// maskSteps masks every field of every step; own are the hosts of the episode, so that a host under
// a domain that [MaskURLs] does not know is found as well.
func maskSteps(steps []task.Step, own map[string]bool) {
	var rare []string
	for h := range own {
		if MaskURLs(h) != URLMask {
			rare = append(rare, regexp.QuoteMeta(h))
		}
	}
	// The longest first: a host may be the end of another.
	sort.Slice(rare, func(i, j int) bool {
		return len(rare[i]) > len(rare[j]) || len(rare[i]) == len(rare[j]) && rare[i] < rare[j]
	})
	mask := MaskURLs
	if len(rare) > 0 {
		re := regexp.MustCompile("(?i)" + strings.Join(rare, "|"))
		mask = func(s string) string { return re.ReplaceAllLiteralString(MaskURLs(s), URLMask) }
	}
	for i := range steps {
		s := &steps[i]
		for _, field := range []*string{&s.Speaker, &s.Utterance, &s.Action, &s.Op, &s.Element, &s.URL, &s.Value} {
			*field = mask(*field)
		}
	}
}
