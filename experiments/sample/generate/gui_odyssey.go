package main

import (
	"fmt"
	"strings"
)

// metaTask is one template of GUI-Odyssey. A step is a button name, "HOME", "BACK", "RECENT",
// "SCROLL UP", "HOLD button" or `TYPE text`. Buttons of one category lie at the same places.
type metaTask struct {
	category, meta, instruction string
	apps                        []string
	values                      []string // fill {}
	steps                       []string
}

// The six categories are the dataset's own; apps, tasks and places are invented.
var metaTasks = []metaTask{
	{"General_Tool", "Set an alarm for {} and name it.", "Open Chimely and set an alarm for {} with a name.", []string{"Chimely"}, []string{"6:30", "7:15", "21:00"},
		[]string{"plus", "TYPE {}", "confirm", "name field", "TYPE alarm for {}", "switch", "confirm"}},
	{"General_Tool", "Turn {} on in the system settings.", "Go to the settings of the phone and turn {} on.", []string{"Settings"}, []string{"bluetooth", "dark mode", "battery saver"},
		[]string{"search field", "TYPE {} settings", "first result", "switch", "confirm", "SCROLL UP"}},
	{"General_Tool", "Calculate {} percent of a bill.", "Use Tallypad to calculate {} percent of the bill.", []string{"Tallypad"}, []string{"10", "15", "18"},
		[]string{"digit", "TYPE {} percent of 84", "switch", "confirm", "HOLD result"}},
	{"General_Tool", "Free space by removing {} files.", "Open the settings and remove {} files to free storage space.", []string{"Settings"}, []string{"temporary", "duplicate", "download"},
		[]string{"search field", "TYPE storage {} files", "first result", "HOLD row", "switch", "confirm"}},
	{"Information_Management", "Write a note about {} and pin it.", "Make a note about {} in Leafnote and pin it on top.", []string{"Leafnote"}, []string{"the garden", "the meeting", "a recipe"},
		[]string{"new page", "TYPE note about {}", "tag", "TYPE list", "pin", "save page"}},
	{"Information_Management", "Add {} to the calendar with a reminder.", "Put {} into Daygrid and add a reminder one hour before.", []string{"Daygrid"}, []string{"the dentist", "the meeting", "a birthday"},
		[]string{"new page", "TYPE {}", "date", "time wheel", "SCROLL UP", "tag", "save page"}},
	{"Information_Management", "Collect a to-do list for {} and tick one item.", "Write a to-do list for {} with Leafnote and tick its first item.", []string{"Leafnote"}, []string{"the move", "the garden", "the trip"},
		[]string{"new page", "TYPE list for {}", "tag", "TYPE second item of list", "box", "save page"}},
	{"Web_Shopping", "Find a cheap {} and put it in the basket.", "Search Pinecart for a cheap {} and put it in the basket.", []string{"Pinecart"}, []string{"phone case", "desk lamp", "rain jacket"},
		[]string{"shop search", "TYPE cheap {}", "sort", "lowest price", "SCROLL UP", "product", "to basket"}},
	{"Web_Shopping", "Compare prices of a {} in two shops.", "Compare the price of a {} in Pinecart with the one in Market Owl.", []string{"Pinecart", "Market Owl"}, []string{"desk lamp", "backpack", "teapot"},
		[]string{"shop search", "TYPE {} price", "product", "HOME", "shop search", "TYPE {} price", "sort", "product"}},
	{"Web_Shopping", "Track the order of a {}.", "See in Market Owl where the ordered {} is.", []string{"Market Owl"}, []string{"backpack", "rain jacket", "teapot"},
		[]string{"orders", "SCROLL UP", "shop search", "TYPE order {}", "product", "parcel"}},
	{"Media_Entertainment", "Play a song by {} and like it.", "Play a song by {} in Humbox and like it.", []string{"Humbox"}, []string{"Orla Venn", "Brass Meridian", "DJ Saltbox"},
		[]string{"lens", "TYPE {} song", "play", "SCROLL UP", "heart", "HOLD track"}},
	{"Media_Entertainment", "Watch a video on {} and subscribe.", "Watch a video on {} in Viewmill and subscribe to its channel.", []string{"Viewmill"}, []string{"knots", "bread", "bonsai"},
		[]string{"lens", "TYPE video about {}", "SCROLL UP", "SCROLL UP", "play", "bell"}},
	{"Media_Entertainment", "Download a podcast episode about {}.", "Find a podcast about {} in Humbox and download an episode.", []string{"Humbox"}, []string{"history", "bread", "space"},
		[]string{"lens", "TYPE podcast {}", "SCROLL UP", "play", "HOLD track", "arrow down"}},
	{"Social_Sharing", "Send a message about {} to a friend.", "Write to a friend about {} in Pigeonhole.", []string{"Pigeonhole"}, []string{"the party", "lunch", "the trip"},
		[]string{"contact", "TYPE Mira", "bubble", "TYPE hey, about {}", "send", "smile"}},
	{"Social_Sharing", "Post a photo of {} with a caption.", "Post a photo of {} on Commons Square with a caption.", []string{"Commons Square"}, []string{"the sunset", "lunch", "my cat"},
		[]string{"camera", "photo grid", "bubble", "TYPE look at {}", "smile", "send"}},
	{"Social_Sharing", "Invite a friend to {}.", "Invite a friend to {} with a group message in Pigeonhole.", []string{"Pigeonhole"}, []string{"the party", "a hike", "game night"},
		[]string{"contact", "contact", "bubble", "TYPE hey, come to {}", "send", "BACK", "smile"}},
	{"Multi_Apps", "Search for {} and note what you find.", "Look {} up in Foxtrail and write the result down in Leafnote.", []string{"Foxtrail", "Leafnote"}, []string{"train times", "opening hours", "a recipe"},
		[]string{"address bar", "TYPE {}", "first link", "HOLD text", "HOME", "RECENT", "new page", "TYPE found {}", "save page"}},
	{"Multi_Apps", "Share a video on {} with a friend.", "Find a video on {} in Viewmill and send it to a friend by Pigeonhole.", []string{"Viewmill", "Pigeonhole"}, []string{"bread", "knots", "space"},
		[]string{"lens", "TYPE {}", "play", "HOLD link", "HOME", "RECENT", "contact", "TYPE watch this about {}", "send"}},
	{"Multi_Apps", "Check the weather in {} and plan an outing.", "See the weather of {} in Cloudlet, then put an outing into Daygrid.", []string{"Cloudlet", "Daygrid"}, []string{"Dunmere", "Highmoor", "Sandwick"},
		[]string{"address bar", "TYPE weather {}", "SCROLL UP", "HOME", "RECENT", "new page", "TYPE outing to {}", "save page"}},
	{"Multi_Apps", "Translate a {} and send it.", "Translate a {} with Twotongue and send it by Pigeonhole.", []string{"Twotongue", "Pigeonhole"}, []string{"greeting", "menu", "street sign"},
		[]string{"address bar", "TYPE translate {}", "HOLD text", "HOME", "RECENT", "contact", "bubble", "TYPE the {}", "send"}},
}

// habits are runs of steps that are typical of a category and say nothing in words.
var habits = map[string][]string{
	"General_Tool": {"HOLD icon", "HOLD icon"}, "Information_Management": {"BACK", "HOLD row"}, "Web_Shopping": {"SCROLL UP", "BACK"},
	"Media_Entertainment": {"SCROLL UP", "SCROLL UP", "SCROLL UP"}, "Social_Sharing": {"TYPE ok", "TYPE yes"}, "Multi_Apps": {"RECENT", "HOME"},
}

// Shapes of annotations/<id>.json (datasets.md, section 3).
type annotation struct {
	EpisodeID  string     `json:"episode_id"`
	DeviceInfo deviceInfo `json:"device_info"`
	TaskInfo   taskInfo   `json:"task_info"`
	StepLength int        `json:"step_length"`
	Steps      []guiStep  `json:"steps"`
}

type deviceInfo struct {
	Product        string `json:"product"`
	ReleaseVersion string `json:"release_version"`
	SDKVersion     string `json:"sdk_version"`
	H              int    `json:"h"`
	W              int    `json:"w"`
	DeviceName     string `json:"device_name"`
}

type taskInfo struct {
	Category    string   `json:"category"`
	App         []string `json:"app"`
	MetaTask    string   `json:"meta_task"`
	Task        string   `json:"task"`
	Instruction string   `json:"instruction"`
}

type guiStep struct {
	Step       int    `json:"step"`
	Screenshot string `json:"screenshot"`
	Action     string `json:"action"`
	Info       any    `json:"info"` // a string or two points
	PS         string `json:"ps"`
}

// Two invented devices.
var devices = []deviceInfo{
	{"sample_phone", "14", "34", 2400, 1080, "Sample Phone"},
	{"sample_tablet", "13", "33", 1600, 2560, "Sample Tablet"},
}

// guiOdyssey writes annotations and the random split.
func guiOdyssey(w *writer) {
	split := map[string][]string{}
	for i := range 80 {
		id := fmt.Sprintf("%016d", 9900000000000000+int64(i))
		a := annotate(i, id)
		w.json("gui_odyssey/annotations/"+id+".json", a, "")
		list := []string{"train", "train", "train", "test"}[i%4]
		split[list] = append(split[list], id+".json")
	}
	w.json("gui_odyssey/splits/random_split.json", split, " ")
}

func annotate(i int, id string) annotation {
	m := metaTasks[i%len(metaTasks)]
	rng := source("gui_odyssey", fmt.Sprint(i))
	value := pick(rng, m.values)
	with := func(s string) string { return strings.ReplaceAll(s, "{}", value) }
	a := annotation{EpisodeID: id, DeviceInfo: pick(rng, devices), TaskInfo: taskInfo{m.category, m.apps, m.meta, with(m.meta), with(m.instruction)}}
	add := func(action string, info any, ps string) {
		n := len(a.Steps)
		a.Steps = append(a.Steps, guiStep{n, fmt.Sprintf("%s_%d.png", id, n), action, info, ps})
	}
	tap := func(action, layout, button string) {
		x, y := place(layout, button)
		if chance(rng, 35) { // fingers are not exact
			x, y = x+rng.Intn(9)-4, y+rng.Intn(9)-4
		}
		add(action, [][2]int{{x, y}, {x, y}}, fmt.Sprintf("[(%d, %d)]", x, y))
	}
	scroll := func() {
		x, y := 400+rng.Intn(200), 700+rng.Intn(100)
		add("SCROLL", [][2]int{{x, y}, {x, y - 400}}, fmt.Sprintf("[(%d, %d), (%d, %d)]", x, y, x, y-400))
	}
	stray := func() { // what people do on any phone before they get to it
		switch rng.Intn(10) {
		case 0:
			add("CLICK", "KEY_HOME", "")
		case 1:
			add("CLICK", "KEY_BACK", "")
		case 2:
			scroll()
		default:
			tap("CLICK", "launcher", fmt.Sprint("icon ", rng.Intn(12)))
		}
	}
	stretch := lengthOf(i)
	if stretch == single {
		add("TEXT", with(strings.TrimPrefix(m.steps[1], "TYPE ")), "")
		return finish(a)
	}
	strays := rng.Intn(4)
	if stretch == wandering {
		strays = 25 + rng.Intn(8)
	}
	for range strays {
		stray()
	}
	tap("CLICK", "launcher", m.apps[0])
	do := func(step string) {
		switch name, rest, _ := strings.Cut(step, " "); name {
		case "TYPE":
			add("TEXT", rest, "")
		case "HOLD":
			tap("LONG_PRESS", m.category, rest)
		case "SCROLL":
			scroll()
		case "HOME", "BACK":
			add("CLICK", "KEY_"+name, "")
		case "RECENT":
			add("CLICK", "KEY_APPSELECT", "")
		default:
			tap("CLICK", m.category, step)
		}
	}
	for _, s := range m.steps {
		if chance(rng, 20) {
			stray()
		}
		do(with(s))
		if chance(rng, 30) {
			for _, h := range habits[m.category] {
				do(h)
			}
		}
	}
	add("COMPLETE", "", "")
	return finish(a)
}

func finish(a annotation) annotation {
	a.StepLength = len(a.Steps)
	return a
}

// place is where a button lies, in thousandths of the screen, on a grid of 40.
func place(layout, button string) (x, y int) {
	rng := source("place", layout, button)
	return 40 + 40*rng.Intn(23), 40 + 40*rng.Intn(23)
}
