package partition

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"intentlab/ablations/trajectory"
)

// The units that every format has. Any other unit is one of the episode's Groups.
const (
	ByEpisode = "episode"
	ByCluster = "cluster"
	// byConversation is the unit of formats whose episodes quote one another: the context of a later
	// turn holds the intents of the earlier ones.
	byConversation = "conversation"
)

// unit is what is never divided: the episodes that share a key.
type unit struct {
	key      string
	stratum  string // majority closed label, "" when not stratified
	hash     uint64
	episodes []int // ascending
}

// hashOf is the place of a key in a seeded order: the first eight bytes of the SHA-256 of purpose,
// seed and key. The purpose keeps sample and split apart: were they one order, the first 50 of 500
// would all be training episodes of the 500, and a larger limit would move tested episodes to train.
func hashOf(purpose string, seed uint64, key string) uint64 {
	b := binary.BigEndian.AppendUint64(append([]byte(purpose), 0), seed)
	sum := sha256.Sum256(append(b, key...))
	return binary.BigEndian.Uint64(sum[:8])
}

// keyOf names the unit that e belongs to.
func keyOf(e trajectory.Episode, by string) (string, error) {
	var key string
	switch by {
	case "", ByEpisode:
		key = e.ID
	case ByCluster:
		key = e.ClusterID
	default:
		key = e.Groups[by]
	}
	if key == "" {
		return "", fmt.Errorf("episode %q has no %s to divide by", e.ID, by)
	}
	return key, nil
}

// unitsOf groups the episodes idx of eps by key and sorts the units by hash, then key. An id that
// occurs twice is an error, since nothing after this could tell the two apart.
func unitsOf(eps []trajectory.Episode, idx []int, by, purpose string, seed uint64, stratify bool) ([]unit, error) {
	at := make(map[string]int, len(idx))
	ids := make(map[string]bool, len(idx))
	var units []unit
	for _, i := range idx {
		if ids[eps[i].ID] {
			return nil, fmt.Errorf("episode id %q occurs twice in dataset %q", eps[i].ID, eps[i].Dataset)
		}
		ids[eps[i].ID] = true
		key, err := keyOf(eps[i], by)
		if err != nil {
			return nil, err
		}
		j, ok := at[key]
		if !ok {
			j = len(units)
			at[key] = j
			units = append(units, unit{key: key, hash: hashOf(purpose, seed, key)})
		}
		units[j].episodes = append(units[j].episodes, i)
	}
	for j := range units {
		slices.Sort(units[j].episodes)
		if stratify {
			units[j].stratum = majority(eps, units[j].episodes)
		}
	}
	slices.SortFunc(units, byHash)
	return units, nil
}

// byHash orders units by hash, and by key should two hashes ever be equal.
func byHash(a, b unit) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), strings.Compare(a.key, b.key))
}

// majority is the most frequent closed label of the episodes, the first in byte order among equals.
// It must not depend on file order, so it is not the first episode's label.
func majority(eps []trajectory.Episode, idx []int) string {
	counts := map[string]int{}
	best := ""
	for _, i := range idx {
		counts[eps[i].ClosedIntent]++
	}
	for label, n := range counts { // the order of the map does not matter: ties go by the label
		if n > counts[best] || n == counts[best] && label < best {
			best = label
		}
	}
	return best
}

// allOf returns 0 … n-1.
func allOf(n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	return idx
}
