package trajectory

import (
	"context"
	"sort"
	"strings"
)

// Summary is what is in a dataset: the data behind `intentlab inspect`. Lists of counts are ordered
// by falling count, then by name in byte order.
type Summary struct {
	Dataset      string      `json:"dataset"`
	Format       string      `json:"format"`
	Path         string      `json:"path"`
	Visibility   Visibility  `json:"visibility"`
	LabelSpaces  []Count     `json:"label_spaces"`
	Episodes     int         `json:"episodes"`
	Steps        int         `json:"steps"`
	ContextSteps int         `json:"context_steps"`
	Utterances   int         `json:"utterances"`    // steps of kind utterance
	Evident      int         `json:"evident_steps"` // steps that show more than an operation and a position ([Evidence])
	Clusters     int         `json:"clusters"`
	Labels       []Count     `json:"labels"`           // closed intents
	NoClosed     int         `json:"no_closed_intent"` // episodes without a closed intent
	NoOpen       int         `json:"no_open_intent"`   // episodes without an open intent
	Lengths      Lengths     `json:"lengths"`          // steps per episode
	Operations   []Count     `json:"operations"`       // steps by kind, and operation or speaker: "action click"
	Duplicates   int         `json:"duplicates"`       // identical records left out
	Skips        []SkipCount `json:"skips"`            // duplicates included
	NoRole       []Count     `json:"no_role"`          // fields without a role, and in how many places they stood
	Flags        []Count     `json:"flags"`            // e.g. placeholder_steps
	Lists        []Count     `json:"lists"`            // official lists and how many episodes stand in each
	Groups       []Count     `json:"groups"`           // split fields and how many distinct values each has
	Examples     []Episode   `json:"examples"`         // the first three in file order
}

type set map[string]bool

// Count is a name and how often it occurs.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Lengths describes the distribution of steps per episode; quantiles are nearest-rank.
type Lengths struct {
	Min    int     `json:"min"`
	Q1     int     `json:"q1"`
	Median int     `json:"median"`
	Q3     int     `json:"q3"`
	Max    int     `json:"max"`
	Mean   float64 `json:"mean"`
	// Counts is the whole distribution, by ascending number of steps.
	Counts []LengthCount `json:"counts"`
}

// LengthCount is how many episodes have a number of steps.
type LengthCount struct {
	Steps    int `json:"steps"`
	Episodes int `json:"episodes"`
}

// SkipCount is a reason with the number of records or files that were left out for it, and the first
// three of them.
type SkipCount struct {
	Reason   string `json:"reason"`
	Count    int    `json:"count"`
	Examples []Skip `json:"examples"`
}

// summaryExamples is how many examples a summary holds of anything.
const summaryExamples = 3

// Summarise reads a whole source and counts, holding no episode but the examples. each, if not nil, is
// called for every episode. On an error it returns what was counted before it.
func Summarise(ctx context.Context, src Source, each func(Episode) error) (Summary, error) {
	if src.Visibility == "" {
		src.Visibility = Safe
	}
	s := Summary{Dataset: src.Name, Format: src.Format, Path: src.Path, Visibility: src.Visibility, Examples: []Episode{}}
	c := counter{labels: map[string]int{}, spaces: map[string]int{}, flags: map[string]int{}, lists: map[string]int{},
		clusters: set{}, groups: map[string]set{}, skips: map[string]*SkipCount{}, noRole: map[string]int{}, operations: map[string]int{}}
	var err error
	for e, readErr := range Read(ctx, src, c.skip) {
		if readErr != nil {
			err = readErr
			break
		}
		c.add(&s, e)
		if each == nil {
			continue
		}
		if err = each(e); err != nil {
			break
		}
	}
	c.finish(&s)
	return s, err
}

type counter struct {
	labels, spaces, flags, lists map[string]int
	clusters                     set
	groups                       map[string]set
	skips                        map[string]*SkipCount
	noRole, operations           map[string]int
	lengths                      []int
}

func (c *counter) skip(k Skip) {
	if k.Reason == NoRole {
		c.noRole[k.Where] = k.Count
		return
	}
	s := c.skips[k.Reason]
	if s == nil {
		s = &SkipCount{Reason: k.Reason}
		c.skips[k.Reason] = s
	}
	if s.Count++; len(s.Examples) < summaryExamples {
		s.Examples = append(s.Examples, k)
	}
}

func (c *counter) add(s *Summary, e Episode) {
	s.Episodes++
	s.Steps += len(e.Steps)
	s.ContextSteps += len(e.ContextSteps)
	for _, step := range e.Steps {
		what := step.Op
		if step.Kind == "utterance" {
			s.Utterances++
			what = step.Speaker
		}
		c.operations[strings.TrimSpace(step.Kind+" "+what)]++
		if Evidence(step) {
			s.Evident++
		}
	}
	c.lengths = append(c.lengths, len(e.Steps))
	c.clusters[e.ClusterID] = true
	c.spaces[e.LabelSpace]++
	if e.ClosedIntent == "" {
		s.NoClosed++
	} else {
		c.labels[e.ClosedIntent]++
	}
	if e.OpenIntent == "" {
		s.NoOpen++
	}
	for _, f := range e.Flags {
		c.flags[f]++
	}
	for _, l := range e.Lists {
		c.lists[l]++
	}
	for k, v := range e.Groups {
		if c.groups[k] == nil {
			c.groups[k] = set{}
		}
		c.groups[k][v] = true
	}
	if len(s.Examples) < summaryExamples {
		s.Examples = append(s.Examples, e)
	}
}

func (c *counter) finish(s *Summary) {
	s.Clusters = len(c.clusters)
	s.Labels, s.LabelSpaces, s.Flags, s.Lists = counts(c.labels), counts(c.spaces), counts(c.flags), counts(c.lists)
	distinct := map[string]int{}
	for k, v := range c.groups {
		distinct[k] = len(v)
	}
	s.Groups = counts(distinct)
	s.Skips = []SkipCount{}
	reasons := map[string]int{}
	for r, k := range c.skips {
		reasons[r] = k.Count
	}
	for _, r := range counts(reasons) {
		s.Skips = append(s.Skips, *c.skips[r.Name])
	}
	s.NoRole, s.Operations = counts(c.noRole), counts(c.operations)
	s.Duplicates = reasons[Duplicate]
	s.Lengths = lengths(c.lengths)
}

func counts(m map[string]int) []Count {
	list := make([]Count, 0, len(m))
	for name, n := range m {
		list = append(list, Count{name, n})
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].Count > list[j].Count || list[i].Count == list[j].Count && list[i].Name < list[j].Name
	})
	return list
}

func lengths(n []int) Lengths {
	if len(n) == 0 {
		return Lengths{}
	}
	sort.Ints(n)
	sum := 0
	for _, x := range n {
		sum += x
	}
	// Nearest rank: the ceil(q·N)-th of the sorted values.
	rank := func(quarters int) int { return n[max(1, (quarters*len(n)+3)/4)-1] }
	l := Lengths{Min: n[0], Q1: rank(1), Median: rank(2), Q3: rank(3), Max: n[len(n)-1], Mean: float64(sum) / float64(len(n))}
	for _, x := range n {
		if last := len(l.Counts) - 1; last >= 0 && l.Counts[last].Steps == x {
			l.Counts[last].Episodes++
		} else {
			l.Counts = append(l.Counts, LengthCount{x, 1})
		}
	}
	return l
}
