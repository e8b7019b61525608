package partition

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Scores are on the trace judge's scale (decisions.md, "Score files").
const (
	minScore = 1
	maxScore = 5
)

// maxScoreLine bounds a line of a score file in bytes, as benchmark.md bounds every JSON line.
const maxScoreLine = 8 << 20

// scoreLine is what is read of a line; the trace judge writes more fields, which are ignored.
type scoreLine struct {
	EpisodeID string   `json:"episode_id"`
	Score     *float64 `json:"score"`
}

// ReadScores reads a JSONL score file into episode id → score. A line whose score is null or absent
// (the judge failed on it) is as good as no line. Errors name file and line: a line that is no JSON
// object, has no episode_id, is off the scale of 1 to 5, or contradicts an earlier line.
func ReadScores(ctx context.Context, path string) (map[string]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open scores: %w", err)
	}
	defer f.Close() // read only: closing can lose nothing
	scores, err := parseScores(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("read scores: %s:%w", path, err)
	}
	return scores, nil
}

// parseScores reads score lines; its errors start with the line number.
func parseScores(ctx context.Context, r io.Reader) (map[string]float64, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxScoreLine)
	scores := map[string]float64{}
	line := 0
	for lines.Scan() {
		line++
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%d: %w", line, err)
		}
		text := bytes.TrimSpace(lines.Bytes())
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if len(text) == 0 {
			continue
		}
		var s scoreLine
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, fmt.Errorf("%d: not a score object: %w", line, err)
		}
		if s.EpisodeID == "" {
			return nil, fmt.Errorf("%d: no episode_id", line)
		}
		if s.Score == nil {
			continue
		}
		if *s.Score < minScore || *s.Score > maxScore {
			return nil, fmt.Errorf("%d: score %v of episode %q is outside the scale of %d to %d", line, *s.Score, s.EpisodeID, minScore, maxScore)
		}
		if old, ok := scores[s.EpisodeID]; ok && old != *s.Score {
			return nil, fmt.Errorf("%d: episode %q has score %v here and %v before", line, s.EpisodeID, *s.Score, old)
		}
		scores[s.EpisodeID] = *s.Score
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line is longer than %d bytes", maxScoreLine)
		}
		return nil, fmt.Errorf("%d: %w", line+1, err)
	}
	return scores, nil
}
