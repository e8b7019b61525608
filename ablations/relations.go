package ablations

import (
	"strconv"

	"intentlab/ablations/trajectory"
)

// The further local relations of the graph, off unless Spec.ExtraEdges names them. Each links a step
// to the latest earlier step that it is related to, and sees only what the graph's channels show, so
// a removed channel relates nothing.
const (
	SameElement    = "same_element"    // equal element text (channel observation)
	SameApp        = "same_app"        // equal foreground app (channel metadata)
	SamePage       = "same_page"       // equal URL (channel observation)
	RepeatedAction = "repeated_action" // equal operation and action text (channel action)
	CopyPaste      = "copy_paste"      // the last copy before a paste (channel action)
)

// Relations lists the names that Spec.ExtraEdges may hold.
func Relations() []string {
	return []string{CopyPaste, RepeatedAction, SameApp, SameElement, SamePage}
}

func (b *graphBuilder) relate(list []seen, names []string) {
	for _, name := range names {
		latest := map[string]int{}
		for i, s := range list {
			st := s.step
			var key string
			switch name {
			case SameElement:
				key = st.Element
			case SameApp:
				key = st.App
			case SamePage:
				if st.URL != trajectory.URLMask { // masked pages all look the same
					key = st.URL
				}
			case RepeatedAction:
				if st.Op != "" || st.Action != "" {
					key = st.Op + "\x00" + st.Action
				}
			case CopyPaste:
				if st.Op == "copy" {
					latest["copy"] = i
				}
				if st.Op == "paste" {
					key = "copy"
				}
			}
			if key == "" {
				continue
			}
			if j, ok := latest[key]; ok {
				b.edge("step:"+strconv.Itoa(j), "step:"+strconv.Itoa(i), name)
			}
			if name != CopyPaste {
				latest[key] = i
			}
		}
	}
}
