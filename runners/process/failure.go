package process

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Failure is what went wrong with a program or one of its answers. The reasons are start_failed,
// crashed, timeout, line_too_long, input_too_long, bad_answer, contradictory, unknown_task,
// no_artifact and stopped.
type Failure struct {
	Reason string
	Detail string
	// ForGood failures would come again; others are owed to circumstance (a crash, a time-out).
	ForGood bool
	// Cell means that nothing more can be asked of this program.
	Cell bool
}

// Error is the reason and the detail.
func (f *Failure) Error() string { return f.Reason + ": " + f.Detail }

// messageLine is how much of a line of stderr a message quotes, in bytes.
const messageLine = 200

// withStderr adds the first and the last line of what the child printed to a sentence, which stays
// one line; the whole is in the log.
func (c *Child) withStderr(sentence string) string {
	var lines []string
	for line := range strings.Lines(c.Stderr().String()) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, clip(line, messageLine))
		}
	}
	switch n := len(lines); n {
	case 0:
		return sentence + "; it printed nothing to stderr"
	case 1:
		return sentence + "; its stderr: " + lines[0]
	case 2:
		return sentence + "; its stderr: " + lines[0] + " / " + lines[1]
	default:
		return sentence + "; its stderr: " + lines[0] + " … " + lines[n-1]
	}
}

// ended says how a child that is gone ended, for one who still waited for it to do something.
func (c *Child) ended(waitedFor string) *Failure {
	cause := c.Cause()
	var f *Failure
	switch {
	case errors.As(cause, &f) && f.Cell:
		return f
	case errors.As(cause, &f):
		return &Failure{Reason: f.Reason, Detail: "the process was ended before " + waitedFor + ", because " + f.Detail}
	case errors.Is(cause, ErrLineTooLong):
		return &Failure{Reason: "line_too_long", Detail: c.withStderr(fmt.Sprintf(
			"%q was ended before %s: %v on its stdout", c.Name(), waitedFor, cause))}
	case errors.Is(cause, context.Canceled):
		return &Failure{Reason: "stopped", Detail: "the process was stopped before " + waitedFor}
	case cause != nil:
		return &Failure{Reason: "crashed", Detail: c.withStderr(fmt.Sprintf(
			"%q was ended before %s: %v", c.Name(), waitedFor, cause))}
	}
	status := "exit status 0"
	if err := c.Exit(); err != nil {
		status = strings.TrimPrefix(err.Error(), "exec: ")
	}
	return &Failure{Reason: "crashed", Detail: c.withStderr(fmt.Sprintf(
		"%q ended (%s) before %s", c.Name(), status, waitedFor))}
}
