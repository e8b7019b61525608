package trajectory

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/go-faster/jx"

	"intentlab/ablations/task"
)

const mtMind2WebLabels = "mt_mind2web.domain"

var mtMind2Web = Format{
	Name:           "mt_mind2web",
	Summary:        "MT-Mind2Web JSON arrays of conversations",
	Version:        1,
	EpisodeIs:      "a turn of a conversation (task_id#turn, from 0)",
	OpenIntentIs:   "the turn's confirmed_task",
	ClosedIntentIs: "the conversation's domain",
	ClusterIs:      "the conversation",
	StepsAre:       "the turn's own actions; earlier turns (instruction and actions) stand in context_steps",
	LabelSpace:     mtMind2WebLabels,
	VisibleSafe:    []string{"platform", "earlier turns"}, VisibleAsPublished: []string{"platform", "earlier turns", "website"},
	NeverVisible: []string{"domain", "subdomain", "the turn's confirmed_task"},
	SplitUnit:    "conversation",
	Groups:       []string{"conversation", "website"},
	Source:       "Deng et al.: On the Multi-turn Instruction Following for Conversational Web Agents, ACL 2024; CC BY 4.0",
	Read:         LoadMTMind2Web,
	Releases: []Release{{Name: "MT-Mind2Web", Unit: "turns", Episodes: 3521, Known: "as its card says, turns without actions included",
		Lists: []Count{{"train", 2896}, {"test_task", 191}, {"test_website", 218}, {"test_subdomain", 216}}}},
}

// LoadMTMind2Web reads MT-Mind2Web files: every *.json below src.Path whose top level is an array of
// conversations, streamed one conversation at a time.
//
// An episode is a turn; its id is task_id#turn with the turn counted from 0 (percent-encoded as
// task_id%23turn), since annotation_id need not be unique across conversations. The turn's
// confirmed_task is the open intent and never visible in it; earlier turns stand in ContextSteps, each
// as an instructor utterance followed by its actions. A turn without actions is skipped as no_steps
// but remains context of the later ones. Actions are read as those of Mind2Web. Lists hold the split
// folder's name: train, test_task, test_website or test_subdomain.
func LoadMTMind2Web(ctx context.Context, src Source, skipped func(Skip)) iter.Seq2[Episode, error] {
	return stream(ctx, src, skipped, "mt_mind2web", func(ctx context.Context, src Source, out output) error {
		return jsonFiles(ctx, src, out, func(in *input, out output) error {
			return readMTMind2Web(in, src.Visibility, listOf(in.path, "train", "test_task", "test_website", "test_subdomain"), out)
		})
	})
}

func readMTMind2Web(in *input, v Visibility, lists []string, out output) error {
	return streamRecords(in, out, func(d *jx.Decoder, n int) error {
		var id string
		var about webTask // website and domain of the conversation
		var turns []webTask
		hasTurns := false
		_, err := jsonObject(d, func(key string) (err error) {
			switch key {
			case "task_id":
				id, err = jsonText(d)
			case "website", "domain":
				err = about.member(d, key)
			case "turns":
				turns = nil // a repeated key: the last one counts
				hasTurns, err = jsonArray(d, func() error {
					var t webTask
					_, err := jsonObject(d, func(key string) error { return t.member(d, key) })
					turns = append(turns, t)
					return err
				})
			default:
				err = d.Skip()
			}
			return err
		})
		if err != nil {
			return err
		}
		where := fmt.Sprintf("%s: record %d", in.path, n)
		if id == "" || !hasTurns {
			if n == 0 {
				return errOtherShape
			}
			return settled{fmt.Errorf("%s: not a conversation: it lacks task_id or turns", where)}
		}
		return emitTurns(id, about, turns, v, lists, where, out)
	})
}

func emitTurns(id string, about webTask, turns []webTask, v Visibility, lists []string, where string, out output) error {
	var earlier []task.Step
	for i, t := range turns {
		steps, matched := t.steps()
		e := Episode{
			ID: fmt.Sprintf("%s#%d", id, i), ClusterID: id, OpenIntent: strings.TrimSpace(t.goal),
			ClosedIntent: strings.TrimSpace(about.domain), LabelSpace: mtMind2WebLabels,
			Metadata: webMetadata(about.website, v), Lists: lists,
			// The next turn appends to earlier: this episode needs its own copy.
			ContextSteps: append([]task.Step(nil), earlier...), Steps: steps,
			Groups: map[string]string{"conversation": id},
		}
		if about.website != "" {
			e.Groups["website"] = about.website
		}
		if !matched {
			e.Flags = []string{"action_count_mismatch"}
		}
		if err := emitSettled(out, fmt.Sprintf("%s, turn %d", where, i), e); err != nil {
			return err
		}
		if goal := strings.TrimSpace(t.goal); goal != "" {
			earlier = append(earlier, task.Step{Kind: "utterance", Speaker: "instructor", Utterance: goal})
		}
		earlier = append(earlier, steps...)
	}
	return nil
}
