package neardup

import "slices"

// Text is an episode's intent. Cluster is its unit of resampling.
type Text struct{ Episode, Text, Cluster string }

// Part is a named part of a split.
type Part struct {
	Name  string
	Texts []Text
}

// Crossing counts the texts of one part that stand in another, usually those of a test part in train.
type Crossing struct {
	From string `json:"from"` // the part they stand in too
	In   string `json:"in"`   // the part whose texts are counted
	// Texts are those of In that have content; Equal have an equal text in From, Near a near one but no
	// equal one.
	Texts int `json:"texts"`
	Equal int `json:"equal"`
	Near  int `json:"near"`
	// SameCluster are those among Equal and Near whose match in From is of their own cluster: siblings by
	// design, such as episodes of one meta task, which a split by cluster keeps together.
	SameCluster int     `json:"same_cluster"`
	Examples    []Match `json:"examples"`
}

// Match is a text and what it resembles.
type Match struct {
	Episode    string  `json:"episode"`
	Text       string  `json:"text"`
	Other      string  `json:"other"` // episode
	OtherText  string  `json:"other_text"`
	Similarity float64 `json:"similarity"` // 1 for equal texts
}

const examplesKept = 3

// Across counts, for every later part, which of its texts stand in each earlier one, in the order of
// the parts. Time and memory are those of [Set.Near] over all texts.
func Across(parts []Part) []Crossing {
	var s Set
	forms := make([][]int, len(parts))
	for i, p := range parts {
		forms[i] = make([]int, len(p.Texts))
		for j, t := range p.Texts {
			forms[i][j] = s.Add(t.Text)
		}
	}
	type neighbour struct {
		form       int
		similarity float64
	}
	near := map[int][]neighbour{}
	for _, e := range s.Near() {
		near[e.A] = append(near[e.A], neighbour{e.B, e.Similarity})
		near[e.B] = append(near[e.B], neighbour{e.A, e.Similarity})
	}
	var out []Crossing
	for in := 1; in < len(parts); in++ {
		for from := range in {
			holds := map[int][]int{} // form → places in from
			for j, f := range forms[from] {
				holds[f] = append(holds[f], j)
			}
			c := Crossing{From: parts[from].Name, In: parts[in].Name, Examples: []Match{}}
			for j, f := range forms[in] {
				if f == None {
					continue
				}
				c.Texts++
				similarity, places := 1.0, holds[f]
				for _, n := range near[f] {
					if len(holds[f]) > 0 {
						break
					}
					if len(holds[n.form]) > 0 && (len(places) == 0 || n.similarity > similarity) {
						similarity, places = n.similarity, holds[n.form]
					}
				}
				if len(places) == 0 {
					continue
				}
				if len(holds[f]) > 0 {
					c.Equal++
				} else {
					c.Near++
				}
				own := parts[in].Texts[j]
				if slices.ContainsFunc(places, func(p int) bool { return parts[from].Texts[p].Cluster == own.Cluster }) {
					c.SameCluster++
				}
				if len(c.Examples) < examplesKept {
					other := parts[from].Texts[places[0]]
					c.Examples = append(c.Examples, Match{own.Episode, own.Text, other.Episode, other.Text, similarity})
				}
			}
			out = append(out, c)
		}
	}
	return out
}
