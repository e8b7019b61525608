package progress

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"
)

func TestARunIsCountedByMethodAndReason(t *testing.T) {
	m := New(nil)
	m.Expect("knn", 100, 20)
	m.Expect("chat", 50, 0)
	m.Expect("knn", 100, 0)
	m.Did("knn", 10, 7, nil)
	m.Did("chat", 10, 10, []string{"timeout", "bad_answer", "timeout"})
	s := m.Snapshot()
	if s.Total != 250 || s.Done != 20 || s.Before != 20 || s.Asked != 17 || s.Failed != 3 {
		t.Errorf("%+v", s)
	}
	if len(s.Methods) != 2 || s.Methods[0] != (Method{"knn", 10, 200, 7, 0}) || s.Methods[1] != (Method{"chat", 10, 50, 10, 3}) {
		t.Errorf("%+v", s.Methods)
	}
	if len(s.Failures) != 2 || s.Failures[0] != (FailureCount{"timeout", 2}) {
		t.Errorf("%+v", s.Failures)
	}
}

func TestTheRateIsThatOfTheLastMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(nil)
		m.Expect("x", 100000, 0)
		for range 600 { // ten minutes at 10/s
			time.Sleep(time.Second)
			m.Did("x", 10, 10, nil)
			m.Snapshot()
		}
		for range 120 { // two minutes at 100/s
			time.Sleep(time.Second)
			m.Did("x", 100, 100, nil)
			m.Snapshot()
		}
		s := m.Snapshot()
		if s.Rate < 98 || s.Rate > 102 {
			t.Errorf("rate %v, want about 100", s.Rate)
		}
		if s.Left == nil || *s.Left < 800 || *s.Left > 850 {
			t.Errorf("left %v", s.Left)
		}
		time.Sleep(2 * time.Minute) // the service is silent
		m.Snapshot()
		time.Sleep(2 * time.Minute)
		if s := m.Snapshot(); s.Rate != 0 || s.Left != nil {
			t.Errorf("a silent service: rate %v, left %v", s.Rate, s.Left)
		}
	})
}

func crowded() Snapshot {
	left := 3723.0
	s := Snapshot{Done: 1234, Total: 36000, Rate: 9.5, Left: &left, Failed: 3, Before: 12,
		Endpoints: []Endpoint{{Name: "实验室", InFlight: 12, Limit: 16, Ceiling: 32, Waiting: 3, RequestsPerMinute: 570, TokensPerMinute: 120000, Retries: map[string]int{"429": 3, "500": 1}, Parked: "quota used up"}},
		Spend:     []Spend{{Scope: "run", USD: 1.2, LimitUSD: 25, Requests: 3100, LimitRequest: 200000, Unpriced: 2}},
		Failures:  []FailureCount{{"timeout", 2}, {"bad_answer", 1}}}
	for _, name := range []string{"majority", "knn-k1", "零样本", "zero_shot", "a", "b", "c", "d", "e", "f"} {
		s.Methods = append(s.Methods, Method{Name: name, Done: 100, Total: 3600})
	}
	s.Methods[0].Done = 3600
	return s
}

func TestABlockFitsTheTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(20, 200).Draw(t, "width")
		for _, l := range crowded().Block(width) {
			if displaywidth.String(l) >= width {
				t.Fatalf("%d columns at a width of %d: %q", displaywidth.String(l), width, l)
			}
		}
	})
}

func TestABlockSaysWhatMatters(t *testing.T) {
	got := strings.Join(crowded().Block(160), "\n")
	for _, want := range []string{"1234 of 36000 tasks", "about 1 h 02 min left", "1 done, 9 at work", "实验室: 12 in flight (limit 16 of 32), 3 waiting", "retries: 429 3, 500 1", "parked: quota used up",
		"spent (run): 1.20 of 25.00 USD, 3100 of 200000 requests, price unknown for 2 requests", "failed: 2 timeout, 1 bad_answer"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing from:\n%s", want, got)
		}
	}
}

// safeBuffer is a buffer for two goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}
func (s *safeBuffer) String() string { s.mu.Lock(); defer s.mu.Unlock(); return s.b.String() }

func TestPlainLinesComeEveryIntervalAndOnceAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out safeBuffer
		m := New(nil)
		m.Expect("x", 10, 0)
		stop := m.Show(Screen{W: &out, Interval: 10 * time.Second})
		time.Sleep(25 * time.Second)
		m.Say("a word in between")
		m.Did("x", 10, 10, nil)
		stop()
		stop()
		m.Say("a word after")
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 5 || lines[2] != "a word in between" || !strings.HasPrefix(lines[3], "10 of 10 tasks") || lines[4] != "a word after" {
			t.Errorf("%q", lines)
		}
	})
}

func TestATerminalIsRepaintedInPlaceAndLeftWithOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out safeBuffer
		m := New(nil)
		m.Expect("x", 10, 0)
		m.Did("x", 4, 4, nil)
		stop := m.Show(Screen{W: &out, Width: func() int { return 80 }, Interval: 10 * time.Second})
		time.Sleep(time.Second)
		m.Say("note")
		time.Sleep(time.Second)
		stop()
		got := out.String()
		if strings.Count(got, "\x1b[2A\r\x1b[J") < 4 && strings.Count(got, "\x1b[1A\r\x1b[J") < 4 {
			t.Errorf("not repainted in place: %q", got)
		}
		if i := strings.LastIndex(got, "\x1b[J"); strings.Count(got[i:], "\n") != 1 {
			t.Errorf("what is left is not one line: %q", got[i:])
		}
	})
}

func TestEventsAreJSONLinesWithTimeAndKind(t *testing.T) {
	var out bytes.Buffer
	e := NewEvents(&out)
	m := New(e)
	m.Expect("x", 3, 0)
	m.Event("cell", map[string]any{"cell": "d/a/x/1", "state": "done"})
	m.Say("hello \"there\"\n")
	stop := m.Show(Screen{W: &safeBuffer{}, Interval: time.Hour})
	stop()
	var kinds []string
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var o struct {
			At       time.Time
			Event    string
			Progress *Snapshot
		}
		if err := json.Unmarshal([]byte(line), &o); err != nil || o.At.IsZero() {
			t.Fatalf("%q: %v", line, err)
		}
		if o.Event == "progress" && (o.Progress == nil || o.Progress.Total != 3) {
			t.Errorf("%q", line)
		}
		kinds = append(kinds, o.Event)
	}
	if strings.Join(kinds, " ") != "cell notice progress" || e.Err() != nil {
		t.Errorf("%v, %v", kinds, e.Err())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAFullDiskOfTheLogIsKeptAndStopsNothing(t *testing.T) {
	e := NewEvents(fullDisk{})
	m := New(e)
	m.Say("a")
	m.Say("b")
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), "writing events") {
		t.Errorf("%v", err)
	}
}
