package ablations

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// MaskedInstruction stands where no_initial_instruction hides a request.
const MaskedInstruction = "[masked]"

// maskFirstRequest returns ep with the first request of the instructor masked: the first utterance of
// the instructor that is no small talk ([trajectory.IsSmallTalk]: recorded dialogues open with
// "Hello"), and what the instructor adds to it before anything is done. Earlier turns come before the
// steps. An utterance without a speaker counts as the instructor's. What is masked depends on no later
// step.
func maskFirstRequest(ep trajectory.Episode) trajectory.Episode {
	found := false
	for _, list := range []*[]task.Step{&ep.ContextSteps, &ep.Steps} {
		*list = slices.Clone(*list)
		for i := range *list {
			s := &(*list)[i]
			if found && s.Utterance == "" {
				return ep
			}
			if s.Utterance != "" && (s.Speaker == "" || s.Speaker == "instructor") && (found || !trajectory.IsSmallTalk(s.Utterance)) {
				s.Utterance, found = MaskedInstruction, true
			}
		}
		if found {
			return ep
		}
	}
	return ep
}

// maskURLs returns ep with every URL and host masked in every channel, earlier turns included.
func maskURLs(ep trajectory.Episode) trajectory.Episode {
	ep.Metadata, ep.Profile = maskValues(ep.Metadata), maskValues(ep.Profile)
	ep.Apps = slices.Clone(ep.Apps)
	for i, a := range ep.Apps {
		ep.Apps[i] = trajectory.MaskURLs(a)
	}
	for _, list := range []*[]task.Step{&ep.ContextSteps, &ep.Steps} {
		*list = slices.Clone(*list)
		for i := range *list {
			s := &(*list)[i]
			for _, text := range []*string{&s.Speaker, &s.Utterance, &s.Action, &s.Op, &s.Element, &s.URL, &s.Value, &s.App, &s.Observation} {
				*text = trajectory.MaskURLs(*text)
			}
		}
	}
	return ep
}

// maskValues masks values and keys. Keys that look the same then are numbered in byte order of what they
// were, so that no field is lost.
func maskValues(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	var hosts []string
	for k, v := range m {
		if trajectory.MaskURLs(k) != k {
			hosts = append(hosts, k)
			continue
		}
		out[k] = trajectory.MaskURLs(v)
	}
	slices.Sort(hosts)
	for _, k := range hosts {
		masked := trajectory.MaskURLs(k)
		name := masked
		for n := 2; ; n++ {
			if _, taken := out[name]; !taken {
				break
			}
			name = fmt.Sprintf("%s#%d", masked, n)
		}
		out[name] = trajectory.MaskURLs(m[k])
	}
	return out
}

// shuffle orders steps by SHA-256 of seed, episode, part and place, so that the order is a function
// of these alone and the order of a longer prefix extends that of a shorter one.
func shuffle(list []seen, seed uint64, ep trajectory.Episode, part string) {
	type keyed struct {
		key [sha256.Size]byte
		s   seen
	}
	ks := make([]keyed, len(list))
	for i, s := range list {
		ks[i] = keyed{sha256.Sum256(fmt.Appendf(nil, "shuffled_steps\x00%d\x00%s\x00%s\x00%s\x00%d", seed, ep.Dataset, ep.ID, part, s.raw)), s}
	}
	sort.Slice(ks, func(i, j int) bool { return bytes.Compare(ks[i].key[:], ks[j].key[:]) < 0 })
	for i := range ks {
		list[i] = ks[i].s
	}
}

// HidesID reports whether the tasks of ep have neutral ids under s: always under hide_ratio, and under
// no_url where the id of the episode holds a host.
func (s Spec) HidesID(ep trajectory.Episode) bool {
	return s.HideRatio || s.hidesEpisodeID(ep)
}

// hidesEpisodeID reports whether the id of ep itself would show what the ablation hides.
func (s Spec) hidesEpisodeID(ep trajectory.Episode) bool {
	return s.NoURL && trajectory.MaskURLs(ep.ID) != ep.ID
}

// neutralEpisodeID stands for an episode's id where that is hidden.
func neutralEpisodeID(ep trajectory.Episode, salt string) string {
	sum := sha256.Sum256([]byte("neutral episode id\x00" + salt + "\x00" + ep.ID))
	return hex.EncodeToString(sum[:8])
}

// NeutralID is the task id where it is hidden: the dataset and 16 hex digits. The digest covers all
// steps of the episode, so a method that sees a prefix can't find the ratio by trying all ten, and
// no intent, so nothing about the answer can be found by trying all labels.
func NeutralID(ep trajectory.Episode, r task.Ratio) (string, error) {
	salt, err := neutralSalt(ep)
	if err != nil {
		return "", err
	}
	return neutralID(ep, salt, r), nil
}

func neutralSalt(ep trajectory.Episode) (string, error) {
	salt, err := task.Hash([]any{ep.Metadata, ep.ContextSteps, ep.Steps})
	if err != nil {
		return "", fmt.Errorf("neutral id of %s:%s: %w", ep.Dataset, ep.ID, err)
	}
	return salt, nil
}

func neutralID(ep trajectory.Episode, salt string, r task.Ratio) string {
	sum := sha256.Sum256([]byte("neutral task id\x00" + salt + "\x00" + task.ID(ep.Dataset, ep.ID, r)))
	return ep.Dataset + ":" + hex.EncodeToString(sum[:8])
}
