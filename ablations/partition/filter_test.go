package partition

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// stream yields episodes with 1, 2, 3 … steps, then err if it is not nil.
func stream(n int, err error) iter.Seq2[trajectory.Episode, error] {
	return func(yield func(trajectory.Episode, error) bool) {
		for i, e := range many(n, "a") {
			e.Steps = make([]task.Step, i+1)
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(trajectory.Episode{}, err)
		}
	}
}

func scoreFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scores.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFilterCountsEachEpisodeUnderItsFirstReason(t *testing.T) {
	scores := scoreFile(t, "\ufeff"+`{"episode_id":"e0001","score":2.5,"votes":[2,3]}`+"\n\n"+
		`{"episode_id":"e0002","score":3}`+"\r\n"+`{"episode_id":"e0003","score":null}`+"\n"+`{"episode_id":"elsewhere","score":5}`)
	kept, drops, err := Apply(context.Background(), stream(6, nil), Filter{MinSteps: 2, MaxSteps: 5, Scores: scores, MinScore: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) != 1 || kept[0].ID != "e0002" {
		t.Errorf("kept %v", kept)
	}
	if want := (Drops{{TooShort, 1}, {TooLong, 1}, {NoScore, 2}, {LowScore, 1}}); !slices.Equal(drops, want) || drops.Total() != 5 {
		t.Errorf("drops %v, want %v", drops, want)
	}
}

func TestEmptyFilterKeepsAll(t *testing.T) {
	kept, drops, err := Apply(context.Background(), stream(6, nil), Filter{})
	if err != nil || len(kept) != 6 || drops != nil || !(Filter{}).Empty() {
		t.Errorf("%d kept, %v dropped, %v", len(kept), drops, err)
	}
}

func TestFilterFailsOnErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	broken := errors.New("shard 3: byte 17: unexpected end")
	for name, c := range map[string]struct {
		ctx  context.Context
		eps  iter.Seq2[trajectory.Episode, error]
		f    Filter
		want string
	}{
		"reader":              {context.Background(), stream(2, broken), Filter{}, "shard 3: byte 17"},
		"cancelled":           {ctx, stream(2, nil), Filter{}, "canceled"},
		"no such file":        {context.Background(), stream(2, nil), Filter{Scores: "nowhere.jsonl"}, "nowhere.jsonl"},
		"broken line":         {context.Background(), stream(2, nil), Filter{Scores: scoreFile(t, "{\"episode_id\":\"e0000\",\"score\":3}\n{\"ep")}, "scores.jsonl:2: not a score object"},
		"no id":               {context.Background(), stream(2, nil), Filter{Scores: scoreFile(t, `{"score":3}`)}, "scores.jsonl:1: no episode_id"},
		"off the scale":       {context.Background(), stream(2, nil), Filter{Scores: scoreFile(t, `{"episode_id":"a","score":0.8}`)}, "outside the scale of 1 to 5"},
		"contradiction":       {context.Background(), stream(2, nil), Filter{Scores: scoreFile(t, "{\"episode_id\":\"a\",\"score\":3}\n{\"episode_id\":\"a\",\"score\":4}")}, ":2: episode \"a\" has score 4 here and 3 before"},
		"other dataset":       {context.Background(), stream(2, nil), Filter{Scores: scoreFile(t, `{"episode_id":"a","score":3}`)}, "belongs to any of the 2 episodes"},
		"crossed":             {context.Background(), stream(2, nil), Filter{MinSteps: 3, MaxSteps: 2}, "no episode can pass"},
		"negative":            {context.Background(), stream(2, nil), Filter{MinSteps: -1}, "negative"},
		"score without file":  {context.Background(), stream(2, nil), Filter{MinScore: 3}, "needs scores"},
		"score off the scale": {context.Background(), stream(2, nil), Filter{MinScore: 0.5, Scores: "x"}, "outside the scale"},
	} {
		if _, _, err := Apply(c.ctx, c.eps, c.f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestStreamStopsWhenItsReaderStops(t *testing.T) {
	n := 0
	for range Stream(context.Background(), stream(10, errors.New("read too far")), Filter{MinSteps: 2}, nil) {
		n++
		if n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("read %d", n)
	}
}

func FuzzScores(f *testing.F) {
	f.Add(`{"episode_id":"a","score":3}`)
	f.Add("\ufeff{\"episode_id\":\"a\",\"score\":1e0}\r\n\n{\"episode_id\":\"b\"}")
	f.Add(`{"episode_id":"a","score":"3"}`)
	f.Add(`[1]`)
	f.Fuzz(func(t *testing.T, text string) {
		scores, err := parseScores(context.Background(), strings.NewReader(text))
		if err != nil && scores != nil {
			t.Error("scores beside an error")
		}
		for id, s := range scores {
			if id == "" || s < minScore || s > maxScore {
				t.Errorf("accepted %q = %v", id, s)
			}
		}
	})
}
