package trajectory

// The reasons of a [Skip] that all formats share, and those of single formats.
const (
	NoSteps         = "no_steps"           // T = 0: nothing could be observed
	Duplicate       = "duplicate"          // identical to a record that was read before
	Litter          = "litter"             // what tools leave beside data: .cache, .DS_Store, *.lock, …
	NotOfThisFormat = "not_of_this_format" // a file or folder of another shape
	NoRole          = "no_role"            // episodes: a field that has no role and is not shown
	// ObservationWithoutEpisode: lines of an observation sidecar for an episode that was not read.
	ObservationWithoutEpisode = "observation_without_episode"
	// NoScreenshot: pictures that the steps of an episode name and that are not there; the steps are kept.
	NoScreenshot = "no_screenshot"
	Superseded   = "superseded" // the same episodes stand beside it in a fuller form

	NoReplay             = "no_replay"             // weblinx: the demonstration lacks replay.json
	NoForm               = "no_form"               // weblinx: it lacks form.json
	NoMetadata           = "no_metadata"           // weblinx: it lacks metadata.json
	InvalidDemonstration = "invalid_demonstration" // weblinx: it has invalid.json
	UnknownTurn          = "unknown_turn"          // weblinx: neither chat nor browser; the episode is kept
	BadLength            = "bad_length"            // fingertip: the action length is no usable number
	NoIntent             = "no_intent"             // fingertip: a folder without survey and without CSV row
	BrokenTree           = "broken_tree"           // fingertip: a UI tree that does not parse; the step stays as it was logged
	UnusedFolder         = "unused_folder"         // fingertip: a further folder of a row that has one
)
