package inspection

import (
	"bytes"
	"fmt"
	"strings"
)

// Difference is what two copies of a dataset do not share, by episode hash. All lists are in byte order
// of ids.
type Difference struct {
	With         string    `json:"with"`     // what the copy was compared with
	Episodes     int       `json:"episodes"` // here
	Others       int       `json:"others"`   // there
	Equal        int       `json:"equal"`
	MissingHere  []string  `json:"missing_here"`
	MissingThere []string  `json:"missing_there"`
	Changed      []Changed `json:"changed"`
}

// Changed is an episode that differs, and the parts in which it does: steps, intents, metadata, lists.
type Changed struct {
	ID    string   `json:"id"`
	Parts []string `json:"parts"`
}

// None reports whether the copies are equal.
func (d Difference) None() bool {
	return len(d.MissingHere)+len(d.MissingThere)+len(d.Changed) == 0
}

// Compare compares this copy with another. It is an error where the two were not read alike, since
// every hash would differ for that reason.
func Compare(here, there *Manifest) (Difference, error) {
	d := Difference{Episodes: len(here.Episodes), Others: len(there.Episodes), MissingHere: []string{}, MissingThere: []string{}, Changed: []Changed{}}
	for _, x := range []struct {
		what        string
		here, there any
		differ      bool
	}{
		{"format", here.Format, there.Format, here.Format != there.Format},
		{"reader version", here.Reader, there.Reader, here.Reader != there.Reader},
		{"visibility", here.Visibility, there.Visibility, here.Visibility != there.Visibility},
		{"settings", string(here.Settings), string(there.Settings), !bytes.Equal(here.Settings, there.Settings)},
		{"observations", here.Observations, there.Observations, here.Observations != there.Observations},
	} {
		if x.differ {
			return d, fmt.Errorf("the two were not read alike: %s %v here, %v there", x.what, x.here, x.there)
		}
	}
	i, j := 0, 0
	for i < len(here.Episodes) || j < len(there.Episodes) {
		order := 0
		switch {
		case i == len(here.Episodes):
			order = 1
		case j == len(there.Episodes):
			order = -1
		default:
			order = strings.Compare(here.Episodes[i].ID, there.Episodes[j].ID)
		}
		switch {
		case order < 0:
			d.MissingThere = append(d.MissingThere, here.Episodes[i].ID)
			i++
		case order > 0:
			d.MissingHere = append(d.MissingHere, there.Episodes[j].ID)
			j++
		default:
			if here.Episodes[i].Hash == there.Episodes[j].Hash {
				d.Equal++
			} else {
				d.Changed = append(d.Changed, changed(here.Episodes[i], there.Episodes[j]))
			}
			i++
			j++
		}
	}
	return d, nil
}

func changed(a, b EpisodeHashes) Changed {
	c := Changed{ID: a.ID}
	for _, part := range []struct {
		name string
		same bool
	}{{"steps", a.Steps == b.Steps}, {"intents", a.Intents == b.Intents}, {"metadata", a.Metadata == b.Metadata}, {"lists", a.Lists == b.Lists}} {
		if !part.same {
			c.Parts = append(c.Parts, part.name)
		}
	}
	return c
}
