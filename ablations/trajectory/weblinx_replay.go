package trajectory

import (
	"fmt"
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
	d := jx.Decode(in.r, min(64<<10, in.r.Size()))
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

// webLINXEpisode makes an episode, without id and lists, of the turns. first is a URL from before all
// turns, where the source tells one.
func webLINXEpisode(turns []turn, v Visibility, first string) Episode {
	e := Episode{LabelSpace: webLINXLabels, Metadata: map[string]string{"platform": "web"}}
	var requests []string
	hosts := map[string]bool{}
	if h := hostOf(first); h != "" {
		hosts[h], e.ClosedIntent = true, h
	}
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
	}
	e.OpenIntent = joinRequests(requests)
	if e.ClosedIntent != "" {
		e.ClusterID, e.Groups = e.ClosedIntent, map[string]string{"website": e.ClosedIntent}
	}
	if v != AsPublished {
		e.Mask = hostMask(hosts)
	}
	for _, t := range turns {
		if e.Mask != nil {
			t.mask(e.Mask)
		}
		e.Steps = append(e.Steps, t.step())
	}
	return e
}

// mask masks every text of a turn, before any of it is cut: half a host would pass.
func (t *turn) mask(mask func(string) string) {
	for _, field := range []*string{&t.speaker, &t.utterance, &t.intent, &t.text, &t.value, &t.selected, &t.pasted,
		&t.scrollX, &t.scrollY, &t.propertiesURL, &t.metadataURL, &t.tag, &t.content} {
		*field = mask(*field)
	}
	masked := make(map[string]string, len(t.attrs))
	for k, v := range t.attrs {
		masked[k] = mask(v)
	}
	t.attrs = masked
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
