package trajectory

import "strings"

// conformances lists the readers for the suite; a new one adds itself here.
func conformances() []conformance {
	return []conformance{
		weblinxConformance(), weblinxChatConformance(), mind2webConformance(), mind2webRowsConformance(), guiOdysseyConformance(), guiOdysseyFlatConformance(),
		fingertipConformance(), mtMind2WebConformance(),
		episodesConformance(), rolesConformance(), rowsConformance(), tallyConformance(),
	}
}

// line puts a JSON text that is written for people on one line, as the datasets have it.
func line(text string) string {
	var b strings.Builder
	for _, l := range strings.Split(text, "\n") {
		b.WriteString(strings.TrimSpace(l))
	}
	return b.String()
}

func weblinxConformance() conformance {
	replay := line(`{"data":[
		{"type":"chat","timestamp":1,"speaker":"instructor","utterance":"Buy a lamp at wordhost.com"},
		{"type":"browser","timestamp":2,"state":{"screenshot":"wordShot.png","page":"wordPage.html"},"action":{"intent":"load","arguments":{"metadata":{"url":"","tabId":-1},"properties":{"url":"https://wordhost.com/start"}},"element_html":"<b>wordHTML</b>"}},
		{"type":"browser","timestamp":3,"state":null,"action":{"intent":"click","arguments":{"metadata":{"url":"https://wordhost.com/start","mouseX":77177},"element":{"tagName":"A","textContent":"Lamps","attributes":{"href":"https://wordhost.com/l","data-webtasks-id":"wordTask"},"outerHTML":"<a>wordOuter</a>","xpath":"wordXPath"}}}}
	],"status":"checked"}`)
	demo := func(id, form, replay string) map[string]string {
		dir := "demonstrations/" + id + "/"
		return map[string]string{dir + "form.json": form, dir + "metadata.json": `{"userAgent":"wordAgent"}`, dir + "replay.json": replay}
	}
	files := demo("aaaaaaa", `{"annotator":"wordAnnotator","description":"wordDescription","tasks":["wordTasks"],"shortcode":"wordShortcode"}`, replay)
	for name, text := range demo("bbbbbbb", `{"description":"d"}`, `{"data":[{"type":"chat","speaker":"instructor","utterance":"Find news now"}]}`) {
		files[name] = text
	}
	return conformance{
		name: "demonstrations", format: webLINX, files: files, main: "demonstrations/aaaaaaa/replay.json", first: "aaaaaaa",
		planted: map[string]string{"URLs and hosts in every channel": "wordhost.com", "form.description": "wordDescription", "form.tasks": "wordTasks",
			"form.annotator": "wordAnnotator", "form.shortcode": "wordShortcode"},
		constant: map[string]string{"platform": "web"},
		nowhere:  []string{"wordShot", "wordPage", "wordHTML", "wordOuter", "wordXPath", "77177", "wordAgent"},
		noSteps:  demo("ccccccc", `{}`, `{"data":[]}`), noGzip: "a demonstration has files of fixed names",
		fuzz: FuzzReadReplay,
	}
}

func weblinxChatConformance() conformance {
	row := func(turn, action string) string {
		return line(`{"demo":"aaaaaaa","turn":`+turn+`,"action":"`+action+`","action_history":"","utterances":"Buy a lamp at wordhost.com","candidates":"(uid = u1) [[tag]] a [[text]] Lamps [[attributes]] href='https://wordhost.com/l'","clean_html":"<b>wordHTML</b>","viewport":"77177h"}`) + "\n"
	}
	return conformance{
		name: "chat files", format: webLINX, main: "data/chat/train.json", first: "aaaaaaa",
		files: map[string]string{
			"data/chat/train.json": row("2", `load(url=\"https://wordhost.com/\")`) + row("5", `click(uid=\"u1\")`),
			"data/chat/valid.json": `{"demo":"bbbbbbb","turn":1,"action":"say(speaker=\"navigator\", utterance=\"Hi there\")","utterances":"Find news","candidates":""}` + "\n",
		},
		planted:  map[string]string{"URLs and hosts in every channel": "wordhost.com"},
		constant: map[string]string{"platform": "web"},
		nowhere:  []string{"wordHTML", "77177"},
		noCut:    "a file that ends between two turns of a demonstration looks whole",
		fuzz:     FuzzReadWebLINXChat,
	}
}

const m2wTask = `{"annotation_id":"a1","website":"wordwebsite","domain":"wordDomain","subdomain":"wordSubdomain","confirmed_task":"wordGoal please","action_reprs":["[a]  Lamps -> CLICK"],
	"actions":[{"action_uid":"wordUID","raw_html":"<i>wordRaw</i>","cleaned_html":"<i>wordCleaned</i>","operation":{"op":"CLICK","original_op":"CLICK","value":""},
	"pos_candidates":[{"tag":"a","attributes":"{\"backend_node_id\": \"1\", \"bounding_box_rect\": \"77177,1,1,1\"}","is_original_target":true,"backend_node_id":"1"}],
	"neg_candidates":[{"tag":"div","attributes":"{\"title\": \"wordNegative\"}"}]}]}`

func mind2webConformance() conformance {
	return conformance{
		name: "shards", format: mind2Web, main: "train/train_0.json", first: "a1",
		files: map[string]string{
			"train/train_0.json": "[" + line(m2wTask) + `,{"annotation_id":"a2","website":"w","domain":"d","confirmed_task":"x","action_reprs":["[b]  Go -> CLICK"]}]`,
		},
		planted:  map[string]string{"website": "wordwebsite", "domain": "wordDomain", "subdomain": "wordSubdomain", "confirmed_task": "wordGoal"},
		constant: map[string]string{"platform": "web"},
		nowhere:  []string{"wordUID", "wordRaw", "wordCleaned", "wordNegative", "77177"},
		noSteps:  map[string]string{"train/train_1.json": `[{"annotation_id":"a3","confirmed_task":"x","action_reprs":[]}]`},
		fuzz:     FuzzReadMind2Web,
	}
}

func mind2webRowsConformance() conformance {
	row := func(id, index, rest string) string {
		return line(`{"annotation_id":"`+id+`","action_uid":"wordUID","raw_html":"wordRaw","cleaned_html":"wordCleaned","operation":"{\"op\":\"CLICK\",\"value\":\"\"}",
			"pos_candidates":["{\"tag\":\"a\"}"],"neg_candidates":["{\"tag\":\"wordNegative\"}"],"website":"wordwebsite","domain":"wordDomain","subdomain":"wordSubdomain",
			"confirmed_task":"wordGoal","screenshot":null,"action_reprs":["[a]  Lamps -> CLICK"],"target_action_index":"`+index+`"`+rest+`}`) + "\n"
	}
	return conformance{
		name: "multimodal rows", format: mind2Web, main: "train/rows.jsonl", first: "a1",
		files:    map[string]string{"train/rows.jsonl": row("a1", "1", `,"target_action_reprs":"[a]  Lamps -> CLICK"`) + row("a1", "0", `,"target_action_reprs":"[b]  Go -> CLICK"`) + row("a2", "0", "")},
		planted:  map[string]string{"website": "wordwebsite", "domain": "wordDomain", "subdomain": "wordSubdomain", "confirmed_task": "wordGoal"},
		constant: map[string]string{"platform": "web"},
		nowhere:  []string{"wordUID", "wordRaw", "wordCleaned", "wordNegative"},
		noCut:    "a file that ends between two rows of a task looks whole",
		noDouble: "a row that stands twice is an error: which of the two is the step?",
		fuzz:     FuzzReadMultimodalRows,
	}
}

func guiOdysseyFlatConformance() conformance {
	return conformance{
		name: "flat rows", format: guiOdyssey, main: "all_anno.json", first: "0001",
		files: map[string]string{
			"all_anno.json": "[" + line(`{"episode_id":"0001","h":5511,"w":1155,"device_name":"wordDevice","category":"wordCategory","app":"['wordApp']","meta_task":"wordMeta","task":"wordTask",
				"instruction":"wordInstruction","step_length":1,"steps":"[{'step': 0, 'screenshot': 'wordShot.png', 'action': 'TEXT', 'info': 'lamp', 'ps': 'wordPS', 'intention': \"wordIntention\"}]"}`) +
				`,{"episode_id":"0002","instruction":"x","steps":"[{'action': 'CLICK', 'info': 'KEY_HOME'}]"}]`,
		},
		planted: map[string]string{"device": "wordDevice", "screen": "1155x5511", "apps": "wordApp", "category": "wordCategory", "meta_task": "wordMeta", "task": "wordTask",
			"instruction": "wordInstruction", "step: intention": "wordIntention"},
		nowhere: []string{"wordPS"},
		noSteps: map[string]string{"all_anno.json": "[" + line(`{"episode_id":"0001","h":5511,"w":1155,"device_name":"wordDevice","category":"wordCategory","app":"['wordApp']","meta_task":"wordMeta","task":"wordTask",
				"instruction":"wordInstruction","step_length":1,"steps":"[{'step': 0, 'action': 'TEXT', 'info': 'lamp'}]"}`) +
			`,{"episode_id":"0002","instruction":"x","steps":"[{'action': 'CLICK', 'info': 'KEY_HOME'}]"},{"episode_id":"0003","instruction":"x","steps":"[]"}]`},
		fuzz: FuzzReadGUIOdyssey,
	}
}

func guiOdysseyConformance() conformance {
	return conformance{
		name: "annotations", format: guiOdyssey, main: "annotations/0001.json", first: "0001",
		files: map[string]string{
			"annotations/0001.json": line(`{"episode_id":"0001","device_info":{"product":"wordProduct","release_version":"wordVersion","sdk_version":"wordSDK","h":5511,"w":1155,"device_name":"wordDevice"},
				"task_info":{"category":"wordCategory","app":["wordApp"],"meta_task":"wordMeta","task":"wordTask","instruction":"wordInstruction"},"step_length":1,
				"steps":[{"step":0,"screenshot":"wordShot.png","action":"TEXT","info":"lamp","ps":"wordPS","description":"wordStepDescription","intention":"wordIntention","context":"wordContext","low_level_instruction":"wordLowLevel","sam2_bbox":[77177]}]}`),
			"annotations/0002.json": `{"episode_id":"0002","task_info":{"instruction":"x"},"steps":[{"action":"CLICK","info":"KEY_HOME"}]}`,
		},
		planted: map[string]string{"device": "wordDevice", "os_version": "wordVersion", "screen": "1155x5511", "apps": "wordApp", "category": "wordCategory", "meta_task": "wordMeta",
			"task": "wordTask", "instruction": "wordInstruction", "step: description": "wordStepDescription", "step: intention": "wordIntention", "step: context": "wordContext",
			"step: low_level_instruction": "wordLowLevel"},
		nowhere: []string{"wordProduct", "wordSDK", "wordPS", "77177"},
		noSteps: map[string]string{"annotations/0003.json": `{"episode_id":"0003","task_info":{"instruction":"x"},"steps":[]}`},
		fuzz:    FuzzReadGUIOdyssey,
	}
}

func fingertipConformance() conformance {
	return conformance{
		name: "tables and folders", format: fingerTip, main: "total.csv", first: "4177_20250309_133115",
		files: map[string]string{
			"total.csv": "user_id,time,scenario,app,intentDescription,intentClass,remark,action_length\n" +
				"4177,20250309_133115,wordScenario,word.app,\"wordGoal，\nnow\",wordClass,wordRemark,2\n5,20250310_080500,s,a,x,c,r,12\n",
			"user_profile.csv":                                 "user_id,sex,age,occupation,address,family,phone,secret\n4177,f,21,wordOccupation,here,alone,P,wordSecret\n",
			"Raw/4177/4177/20250309_133115/action.jsonl":       `{"1.jpg": "click(coordinates=(3, 4), content='plus')"}` + "\n",
			"Raw/4177/4177/20250309_133115/survey_result.json": `{"user_id":"4177","time":"20250309_133115","scenario":"wordScenario","app":"word.app","intentDescription":"wordGoal"}`,
		},
		planted: map[string]string{"scenario": "wordScenario", "weekday": "Sunday", "hour": `"13"`, "profile": "wordOccupation", "apps": "word.app", "intentDescription": "wordGoal",
			"intentClass": "wordClass", "user_id": "4177"},
		nowhere:  []string{"wordRemark", "wordSecret"},
		noSteps:  map[string]string{"more.csv": "user_id,time,scenario,app,intentDescription,intentClass,action_length\n6,20250310_080500,s,a,x,c,0\n"},
		noCut:    "a table may end within its last cell, or without the lines to come, and look whole",
		noDouble: "equal rows of several tables are one episode that stands in several lists, and only repeats within a table are duplicates",
		fuzz:     FuzzReadFingerTipCSV,
	}
}

func mtMind2WebConformance() conformance {
	turn := strings.Replace(m2wTask, `"website":"wordwebsite","domain":"wordDomain","subdomain":"wordSubdomain",`, "", 1)
	earlier := strings.NewReplacer("wordGoal", "wordEarlier", `"a1"`, `"a0"`).Replace(turn)
	return conformance{
		name: "conversations", format: mtMind2Web, main: "train/train_0.json", first: "c1%231",
		files: map[string]string{
			"train/train_0.json": "[" + line(`{"task_id":"c1","website":"wordwebsite","domain":"wordDomain","subdomain":"wordSubdomain","turns":[`+earlier+","+turn+"]}") +
				`,{"task_id":"c2","website":"w","domain":"d","turns":[{"confirmed_task":"x","action_reprs":["[b]  Go -> CLICK"]}]}]`,
		},
		planted: map[string]string{"website": "wordwebsite", "domain": "wordDomain", "subdomain": "wordSubdomain", "earlier turns": "wordEarlier",
			"the turn's confirmed_task": "wordGoal"},
		constant: map[string]string{"platform": "web"},
		nowhere:  []string{"wordUID", "wordRaw", "wordCleaned", "wordNegative", "77177"},
		noSteps:  map[string]string{"train/train_1.json": `[{"task_id":"c3","turns":[{"confirmed_task":"x","action_reprs":[]}]}]`},
		fuzz:     FuzzReadMTMind2Web,
	}
}

func episodesConformance() conformance {
	return conformance{
		name: "benchmark form", format: episodeLines, main: "e.jsonl", first: "a",
		files: map[string]string{
			"e.jsonl": line(`{"episode_id":"a","cluster_id":"wordCluster","open_intent":"wordGoal","closed_intent":"wordLabel","closed_label_space":"wordSpace","metadata":{"platform":"wordPlatform"},
				"apps":["wordApp"],"profile":{"age":"wordAge"},"groups":{"user":"wordUser"},"lists":["wordList"],"flags":["wordFlag"],"note":"wordNote",
				"context_steps":[{"utterance":"wordBefore"}],"steps":[{"op":"click","element":"Go"}]}`) + "\n" + `{"episode_id":"b","steps":[{"op":"click"}]}` + "\n",
		},
		planted: map[string]string{"metadata": "wordPlatform", "profile": "wordAge", "context_steps": "wordBefore", "apps": "wordApp", "open_intent": "wordGoal", "closed_intent": "wordLabel",
			"groups": "wordUser", "lists": "wordList"},
		nowhere: []string{"wordCluster", "wordSpace", "wordFlag", "wordNote"},
		noSteps: map[string]string{"f.jsonl": `{"episode_id":"c","steps":[]}`},
		fuzz:    FuzzReadEpisodeLines,
		quirks: map[string]string{
			"6.2 unions: values of another kind than expected": "TestEpisodesNameTheLineOfDamage",
			"6.8 litter": "TestLitterIsSkippedOncePerEntry",
		},
	}
}

// roleFields are the settings of both forms that are read by roles.
func roleFields() *EpisodeFields {
	return &EpisodeFields{ID: "id", Open: "goal", Closed: "label", Cluster: "user", Lists: "list", Groups: map[string]string{"site": "site"},
		Visible: []string{"device.name"}, Profile: []string{"age"}, Target: []string{"template"}, Determines: []string{"package"}, Future: []string{"length"}, Apps: "apps"}
}

func rolePlants() map[string]string {
	return map[string]string{"fields.visible": "wordDevice", "fields.profile": "wordAge", "fields.determines": "wordPackage", "fields.future": "wordLength", "fields.apps": "wordApp",
		"fields.target": "wordTemplate", "fields without a role": "wordOther", "open_intent": "wordGoal", "closed_intent": "wordLabel", "groups": "wordSite", "lists": "wordList"}
}

const roleHead = `"goal":"wordGoal","label":"wordLabel","user":"wordUser","list":"wordList","site":"wordSite","device":{"name":"wordDevice","serial":"wordSerial"},"age":"wordAge",
	"template":"wordTemplate","package":"wordPackage","length":"wordLength","apps":["wordApp"],"other":{"x":["wordOther"]}`

func rolesConformance() conformance {
	f := roleFields()
	f.Steps, f.Step = "steps", &StepFields{Op: "op", Element: "node.text", URL: "url", Target: []string{"thought"}, Determines: []string{"url"}}
	return conformance{
		name: "roles", format: episodeLines, options: &EpisodesOptions{Fields: f}, main: "e.json", first: "17",
		files: map[string]string{
			"e.json": line(`[{"id":17,` + roleHead + `,"steps":[{"op":"click","node":{"text":"Go","xpath":"wordXPath"},"url":"wordPackage","thought":"wordTemplate","x":77177}]},
				{"id":"b","steps":"[{\"op\":\"wait\"}]"}]`),
		},
		planted: rolePlants(), nowhere: []string{"wordUser", "wordSerial", "wordXPath", "77177"},
		noSteps: map[string]string{"f.jsonl": `{"id":"c","steps":[]}` + "\n"},
		fuzz:    FuzzReadByRoles,
		quirks: map[string]string{
			"6.2 missing and extra keys, nulls":           "TestRolesShowWhatTheySay",
			"6.3 JSON in strings":                         "TestRolesReadTheFormsOfNeighbouringDatasets",
			"7 AITW: an id that tells the goal":           "TestRolesReadTheFormsOfNeighbouringDatasets",
			"7 AITW: a record a step":                     "TestRolesReadTheFormsOfNeighbouringDatasets",
			"7 AndroidControl: parallel lists":            "TestRolesReadTheFormsOfNeighbouringDatasets",
			"7 AgentNet: steps whose numbers have gaps":   "TestRolesReadTheFormsOfNeighbouringDatasets",
			"7 AgentNet: thoughts that paraphrase a goal": "TestRolesShowWhatTheySay",
		},
	}
}

func rowsConformance() conformance {
	f := roleFields()
	f.Rows, f.Step = "step", &StepFields{Index: "n", Op: "op", Target: []string{"thought"}}
	row := func(rest string) string { return line(`{`+roleHead+rest) + "\n" }
	return conformance{
		name: "rows of steps", format: episodeLines, options: &EpisodesOptions{Fields: f}, main: "e.jsonl", first: "17",
		files: map[string]string{
			"e.jsonl": row(`,"id":17,"n":1,"op":"click","thought":"wordTemplate","x":77177}`) + row(`,"id":17,"n":0,"op":"type"}`) + `{"id":"b","n":0,"op":"wait"}` + "\n",
		},
		planted: rolePlants(), nowhere: []string{"wordUser", "wordSerial", "77177"},
		noSteps:  nil,
		noCut:    "a file that ends between two rows of an episode looks whole",
		noDouble: "rows of one episode stand together: a copy elsewhere is an error",
		fuzz:     FuzzReadByRoles,
	}
}
