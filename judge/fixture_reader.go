package judge

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"intentlab/ablations/task"
)

// fixtureLine is the longest line that a fixture file may hold, in bytes.
const fixtureLine = 1 << 20

// fixtureScore is one entry; raw is the literal of the file.
type fixtureScore struct {
	score       float64
	valid       bool
	raw, reason string
	line        int
}

// PairKey identifies a question by its normalised texts and platform, without any judge: the key of
// a fixture line that must not show its texts. The prediction is cut as judges cut it.
func PairKey(q Question) (string, error) {
	predicted := cut(Normalise(q.Predicted), MaxPrediction)
	return task.Hash(map[string]string{"gold": Normalise(q.Gold), "predicted": predicted, "platform": q.Platform})
}

// readFixture reads a fixture file into key → score and returns the hash of its content. Errors name
// file and line.
func readFixture(name string, r io.Reader) (map[string]fixtureScore, string, error) {
	hash := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(r, hash))
	lines.Buffer(make([]byte, 0, 64<<10), fixtureLine)
	scores := map[string]fixtureScore{}
	n := 0
	for lines.Scan() {
		n++
		text := lines.Bytes()
		if n == 1 {
			text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		key, s, err := parseFixture(text)
		if err != nil {
			return nil, "", fmt.Errorf("%s:%d: %w", name, n, err)
		}
		s.line = n
		if before, ok := scores[key]; ok {
			if before.valid != s.valid || before.score != s.score || !s.valid && before.raw != s.raw {
				return nil, "", fmt.Errorf("%s:%d: the pair has score %s here and %s in line %d", name, n, s.raw, before.raw, before.line)
			}
			continue
		}
		scores[key] = s
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, "", fmt.Errorf("%s:%d: line is longer than %d bytes", name, n+1, fixtureLine)
	} else if err != nil {
		return nil, "", fmt.Errorf("reading %s after line %d: %w", name, n, err)
	}
	if len(scores) == 0 {
		return nil, "", fmt.Errorf("%s: holds no score", name)
	}
	return scores, hex.EncodeToString(hash.Sum(nil)), nil
}

func parseFixture(text []byte) (string, fixtureScore, error) {
	var line struct {
		Key       *string         `json:"key"`
		Gold      *string         `json:"gold"`
		Predicted *string         `json:"predicted"`
		Platform  string          `json:"platform"`
		Score     json.RawMessage `json:"score"`
		Reason    string          `json:"reason"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&line); err != nil {
		return "", fixtureScore{}, fmt.Errorf("read pair: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return "", fixtureScore{}, errors.New("read pair: more than one JSON value in the line")
	}
	var key string
	switch {
	case line.Key != nil && (line.Gold != nil || line.Predicted != nil || line.Platform != ""):
		return "", fixtureScore{}, errors.New("read pair: key stands for the texts, so it can't stand beside them")
	case line.Key != nil:
		key = *line.Key
		if b, err := hex.DecodeString(key); err != nil || len(b) != sha256.Size || hex.EncodeToString(b) != key {
			return "", fixtureScore{}, fmt.Errorf("read pair: key %.80q is not 64 lower-case hex digits", key)
		}
	case line.Gold == nil || line.Predicted == nil:
		return "", fixtureScore{}, errors.New(`read pair: wants "gold" and "predicted", or "key"`)
	default:
		if err := CheckGold(*line.Gold); err != nil {
			return "", fixtureScore{}, fmt.Errorf("read pair: %w", err)
		}
		var err error
		if key, err = PairKey(Question{Gold: *line.Gold, Predicted: *line.Predicted, Platform: line.Platform}); err != nil {
			return "", fixtureScore{}, fmt.Errorf("read pair: %w", err)
		}
	}
	if line.Score == nil {
		return "", fixtureScore{}, errors.New(`read pair: has no "score"`)
	}
	s := fixtureScore{raw: string(line.Score), reason: line.Reason}
	// Only a JSON number is a score; "0.5" in quotes, true and null are somebody's mistake.
	if x, err := strconv.ParseFloat(s.raw, 64); err == nil && json.Valid(line.Score) && x >= 0 && x <= 1 {
		s.score, s.valid = x+0, true // -0 is 0
	}
	return key, s, nil
}
