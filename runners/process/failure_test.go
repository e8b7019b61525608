package process

import "testing"

func TestFailuresQuoteTheFirstAndTheLastLineOfStderr(t *testing.T) {
	for printed, want := range map[string]string{
		"":         "it ended; it printed nothing to stderr",
		"\n \n":    "it ended; it printed nothing to stderr",
		"one\n":    "it ended; its stderr: one",
		"one\ntwo": "it ended; its stderr: one / two",
		"Traceback:\n  File \"x.py\"\n    foo()\nValueError:  no\tway\n\n": "it ended; its stderr: Traceback: … ValueError: no way",
	} {
		c := &Child{stderr: NewCapture(nil)}
		if _, err := c.stderr.Write([]byte(printed)); err != nil {
			t.Fatal(err)
		}
		if got := c.withStderr("it ended"); got != want {
			t.Errorf("%q gives %q, want %q", printed, got, want)
		}
	}
}
