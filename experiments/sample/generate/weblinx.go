package main

import (
	"fmt"
	"strings"
)

// Shapes of replay.json (datasets.md, section 1); only what a recorder always writes.
type replay struct {
	Data   []any  `json:"data"`
	Status string `json:"status"`
}

type chatTurn struct {
	Timestamp float64 `json:"timestamp"`
	Speaker   string  `json:"speaker"`
	Utterance string  `json:"utterance"`
	Type      string  `json:"type"`
}

type browserTurn struct {
	Type      string        `json:"type"`
	Timestamp float64       `json:"timestamp"`
	State     state         `json:"state"`
	Action    browserAction `json:"action"`
}

type state struct {
	Screenshot *string `json:"screenshot"`
	Page       *string `json:"page"`
}

type browserAction struct {
	Intent           string    `json:"intent"`
	Arguments        arguments `json:"arguments"`
	EventID          int       `json:"event_id"`
	ElementHTML      *string   `json:"element_html"`
	ScreenshotEffect *string   `json:"screenshot_effect"`
}

type arguments struct {
	Metadata   tabMetadata    `json:"metadata"`
	Properties map[string]any `json:"properties"`
	Element    *element       `json:"element,omitempty"`
	Text       string         `json:"text,omitempty"`
	Value      string         `json:"value,omitempty"`
	ScrollX    *int           `json:"scrollX,omitempty"`
	ScrollY    *int           `json:"scrollY,omitempty"`
	Selected   string         `json:"selected,omitempty"`
	Pasted     string         `json:"pasted,omitempty"`
}

type tabMetadata struct {
	MouseX         int    `json:"mouseX"`
	MouseY         int    `json:"mouseY"`
	TabID          int    `json:"tabId"`
	Timestamp      int64  `json:"timestamp"`
	URL            string `json:"url"`
	ViewportHeight int    `json:"viewportHeight"`
	ViewportWidth  int    `json:"viewportWidth"`
	ZoomLevel      int    `json:"zoomLevel"`
}

type element struct {
	Attributes  map[string]string  `json:"attributes"`
	BBox        map[string]float64 `json:"bbox"`
	InnerHTML   string             `json:"innerHTML"`
	OuterHTML   string             `json:"outerHTML"`
	TagName     string             `json:"tagName"`
	TextContent string             `json:"textContent"`
	XPath       string             `json:"xpath"`
}

// recording builds one replay turn after another.
type recording struct {
	e     episode
	turns []any
	clock float64
	url   string
}

var smallTalk = []string{"Hello", "Hi", "Hi there", "Good morning"}
var assent = []string{"Sure.", "Okay.", "Alright.", "On it.", "One moment."}

// webLINX writes the demonstration folders and splits.json.
func webLINX(w *writer) {
	hosts := []int{0, 1, 2, 3, 4, 7, 8}
	splits := map[string][]string{}
	for i, label := range deal(72, []int{7, 6, 6, 5, 4, 4, 4}) {
		e := compose("weblinx", i, topics[hosts[label]], lengthOf(i))
		id := demoName(i)
		r := record(e)
		dir := "weblinx/demonstrations/" + id + "/"
		w.json(dir+"replay.json", replay{Data: r.turns, Status: "checked"}, "")
		w.json(dir+"form.json", map[string]any{"annotator": "Sample", "description": e.goal.intent, "tasks": []string{e.topic.subdomain},
			"navigator_name": "Navigator", "instructor_name": "Instructor", "instructor_sees_screen": i%3 == 0, "shortcode": id,
			"upload_date": fmt.Sprintf("2026-01-%02d 09:%02d:00", 1+i%28, i%60), "uses_ai_generated_output": false}, "")
		w.json(dir+"metadata.json", map[string]any{"recordingId": fmt.Sprintf("sample-%03d", i), "recordingStart": startOf(i),
			"recordingEnd": startOf(i) + int64(r.clock*1000), "timezoneOffsetMinutes": 0, "user": nil, "userAgent": "Mozilla/5.0 (sample)", "version": "1.8.2"}, " ")
		list := []string{"train", "train", "train", "valid", "test_iid"}[i%5]
		splits[list] = append(splits[list], id)
	}
	w.json("weblinx/splits.json", splits, " ")
}

// demoName makes seven letters that begin with smp.
func demoName(i int) string {
	rng := source("weblinx name", fmt.Sprint(i))
	name := []byte("smp")
	for range 4 {
		name = append(name, byte('a'+rng.Intn(26)))
	}
	return string(name)
}

func startOf(i int) int64 { return 1767254400000 + int64(i)*3600_000 }

// record plays the episode: greetings, the first page, then each stage's request before its actions.
// The first request comes late, after some browsing, in a third of the demonstrations, as in real ones.
func record(e episode) *recording {
	r := &recording{e: e, clock: -12, url: "https://" + e.topic.host + "/"}
	if len(e.script) == 1 { // cut short: what was wanted was said, the page was opened, no more
		r.say("instructor", e.goal.stages[1].say)
		r.browse(action{op: "LOAD"})
		return r
	}
	r.say("instructor", pick(e.rng, smallTalk))
	r.say("navigator", pick(e.rng, smallTalk))
	r.browse(action{op: "LOAD"})
	said := -1
	if chance(e.rng, 65) {
		said = 0
		r.say("instructor", e.goal.stages[0].say)
	}
	for _, a := range e.script {
		for said < a.stage {
			said++
			r.say("instructor", pick(e.rng, []string{"", "", "Now, please: ", "Next: "})+e.goal.stages[said].say)
			if chance(e.rng, 70) {
				r.say("navigator", pick(e.rng, assent))
			}
		}
		if chance(e.rng, 18) {
			r.browse(action{op: "SCROLL"})
		}
		if chance(e.rng, 5) {
			r.browse(action{op: "TABCREATE"})
		}
		r.browse(a)
	}
	if chance(e.rng, 60) {
		r.say("navigator", "Done.")
		r.say("instructor", pick(e.rng, []string{"Thank you", "Thanks, that's all", "Great, thanks"}))
	}
	return r
}

func (r *recording) tick() float64 {
	r.clock += 2 + float64(r.e.rng.Intn(9000))/1000
	return r.clock
}

func (r *recording) say(speaker, text string) {
	r.turns = append(r.turns, chatTurn{Timestamp: r.tick(), Speaker: speaker, Utterance: text, Type: "chat"})
}

// browse appends one browser event; typing and choosing move no page, clicking links does.
func (r *recording) browse(a action) {
	t := browserTurn{Type: "browser", Timestamp: r.tick()}
	t.Action.EventID = len(r.turns)
	arg := &t.Action.Arguments
	arg.Metadata = tabMetadata{MouseX: 20 + r.e.rng.Intn(1300), MouseY: 20 + r.e.rng.Intn(600), TabID: 9000 + r.e.number,
		Timestamp: startOf(r.e.number) + int64(r.clock*1000), URL: r.url, ViewportHeight: 651, ViewportWidth: 1366, ZoomLevel: 1}
	arg.Properties = map[string]any{"timeStamp": int64(r.clock * 1000)}
	tag := strings.ToUpper(map[string]string{"link": "a", "button": "button", "combobox": "select", "textbox": "input", "searchbox": "input",
		"checkbox": "input", "radio": "input", "img": "img", "svg": "svg"}[a.role])
	if tag == "" {
		tag = "DIV"
	}
	switch a.op {
	case "LOAD":
		t.Action.Intent = "load"
		arg.Properties = map[string]any{"tabId": arg.Metadata.TabID, "transitionType": "typed", "transitionQualifiers": []string{"from_address_bar"}, "url": r.url}
	case "SCROLL":
		t.Action.Intent = "scroll"
		x, y := 0, 100*(1+r.e.rng.Intn(12))
		arg.ScrollX, arg.ScrollY = &x, &y
	case "TABCREATE":
		t.Action.Intent = "tabcreate"
		arg.Metadata.URL, arg.Metadata.TabID, arg.Metadata.ViewportHeight, arg.Metadata.ViewportWidth = "", -1, -1, -1
		arg.Properties = map[string]any{"tabId": 9500 + r.e.number}
	case "TYPE":
		t.Action.Intent, arg.Text = "textInput", a.value
		arg.Element = node(tag, a)
	case "SELECT":
		t.Action.Intent, arg.Value = "change", a.value
		arg.Element = node(tag, a)
	case "HOVER":
		t.Action.Intent = "hover"
		arg.Element = node(tag, a)
	default:
		t.Action.Intent = "click"
		arg.Element = node(tag, a)
		if a.role == "link" {
			r.url = "https://" + r.e.topic.host + "/" + slug(a.name)
		}
	}
	if arg.Element != nil {
		html := arg.Element.OuterHTML
		t.Action.ElementHTML = &html
	}
	r.turns = append(r.turns, t)
}

// node is the element of an action; inputs carry their name as a label, others as text.
func node(tag string, a action) *element {
	el := &element{Attributes: map[string]string{"data-webtasks-id": "sample-" + slug(a.name)}, TagName: tag,
		BBox:  map[string]float64{"x": 10, "y": 20, "width": 120, "height": 24, "top": 20, "right": 130, "bottom": 44, "left": 10},
		XPath: "/html/body/" + strings.ToLower(tag) + "[1]"}
	if tag == "INPUT" || tag == "SELECT" || tag == "IMG" {
		el.Attributes["aria-label"] = a.name
		el.OuterHTML = fmt.Sprintf("<%s aria-label=%q>", strings.ToLower(tag), a.name)
		return el
	}
	el.InnerHTML, el.TextContent = a.name, a.name
	el.OuterHTML = fmt.Sprintf("<%s>%s</%s>", strings.ToLower(tag), a.name, strings.ToLower(tag))
	return el
}

// slug makes a path segment of a name.
func slug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }), "-")
}
