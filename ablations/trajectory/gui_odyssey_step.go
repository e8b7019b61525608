package trajectory

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-faster/jx"

	"intentlab/ablations/task"
)

type point struct{ x, y float64 }

func (p point) String() string { return fmt.Sprintf("(%s, %s)", shortest(p.x), shortest(p.y)) }

func shortest(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// mobileStep is a step of GUI-Odyssey; info is a union of a text and a list of points.
type mobileStep struct {
	action, info string
	points       []point
	screenshot   string // file name
}

func readMobileStep(d *jx.Decoder) (mobileStep, error) {
	var s mobileStep
	_, err := jsonObject(d, func(key string) (err error) {
		switch key {
		case "action":
			s.action, err = jsonText(d)
		case "info":
			s.info, s.points = "", nil // a repeated key: the last one counts
			if d.Next() != jx.Array {
				s.info, err = jsonText(d)
				return err
			}
			s.points, err = readPoints(d)
		case "screenshot":
			s.screenshot, err = jsonText(d)
		default:
			err = d.Skip() // ps is the path as text; the others tell the goal
		}
		return err
	})
	return s, err
}

// readPoints reads [[x,y],…], and also a single [x,y].
func readPoints(d *jx.Decoder) ([]point, error) {
	var points []point
	var lone []float64
	_, err := jsonArray(d, func() error {
		if d.Next() == jx.Array {
			var xy []float64
			_, err := jsonArray(d, func() error {
				f, ok, err := jsonNumber(d)
				if ok {
					xy = append(xy, f)
				}
				return err
			})
			if len(xy) == 2 {
				points = append(points, point{xy[0], xy[1]})
			}
			return err
		}
		f, ok, err := jsonNumber(d)
		if ok {
			lone = append(lone, f)
		}
		return err
	})
	if len(points) == 0 && len(lone) == 2 {
		points = []point{{lone[0], lone[1]}}
	}
	return points, err
}

// jsonNumber reads a number; ok is false for any other type, or beyond float64.
func jsonNumber(d *jx.Decoder) (f float64, ok bool, err error) {
	if d.Next() != jx.Number {
		return 0, false, d.Skip()
	}
	n, err := d.Num()
	if err != nil {
		return 0, false, err
	}
	f, perr := strconv.ParseFloat(strings.Trim(string(n), `"`), 64)
	return f, perr == nil && !math.IsInf(f, 0), nil
}

// step normalises the two spellings (datasets.md, section 3, quirk 2).
func (s mobileStep) step() task.Step {
	action := strings.ToUpper(strings.TrimSpace(s.action))
	switch action {
	case "CLICK":
		if op, key := keyPress(s.info); op != "" {
			return pressStep(op, key)
		}
		return actionStep("click", s.first(), strings.TrimSpace(s.info))
	case "LONG_PRESS":
		return actionStep("long_press", s.first(), strings.TrimSpace(s.info))
	case "SCROLL":
		return s.scroll()
	case "TEXT", "TYPE":
		return actionStep("type", "", s.info)
	case "COMPLETE":
		return actionStep("complete", "", "")
	case "INCOMPLETE", "IMPOSSIBLE":
		return actionStep("incomplete", "", "")
	}
	if op, key := keyPress(action); op != "" {
		return pressStep(op, key)
	}
	op := strings.ToLower(action)
	if op == "" {
		op = "action"
	}
	return actionStep(op, s.first(), s.info)
}

func (s mobileStep) first() string {
	if len(s.points) == 0 {
		return ""
	}
	return s.points[0].String()
}

// scroll names the direction of the finger by the dominant axis; y grows downwards.
func (s mobileStep) scroll() task.Step {
	if len(s.points) < 2 {
		return actionStep("scroll", s.first(), strings.ToLower(strings.TrimSpace(s.info)))
	}
	from, to := s.points[0], s.points[len(s.points)-1]
	dx, dy := to.x-from.x, to.y-from.y
	direction := "down"
	switch {
	case math.Abs(dx) > math.Abs(dy) && dx < 0:
		direction = "left"
	case math.Abs(dx) > math.Abs(dy):
		direction = "right"
	case dy < 0:
		direction = "up"
	}
	return actionStep("scroll", from.String()+" to "+to.String(), direction)
}

// keyPress recognises the system keys under all their names.
func keyPress(name string) (op, key string) {
	switch strings.ToUpper(strings.TrimSpace(name)) {
	case "KEY_HOME", "HOME", "PRESS_HOME":
		return "press_home", "KEY_HOME"
	case "KEY_BACK", "BACK", "PRESS_BACK":
		return "press_back", "KEY_BACK"
	case "KEY_APPSELECT", "APPSELECT", "KEY_RECENT", "RECENT", "PRESS_RECENT":
		return "press_recent", "KEY_APPSELECT"
	}
	return "", ""
}

// pressStep is a key press: which key it is belongs to the operation, there being no element.
func pressStep(op, key string) task.Step {
	s := actionStep(op, "", "")
	s.Action = "press " + key
	return s
}
