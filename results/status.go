package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Status is where a run stands, counted from the rows.
type Status struct {
	Doing        string         `json:"doing"` // what the newest invocation does or how it ended
	Cells        map[string]int `json:"cells"`
	Tasks        map[string]int `json:"tasks"`
	Stored       int            `json:"stored"`
	Expected     int            `json:"expected"`
	Predictions  int            `json:"predictions"` // distinct answers behind the tasks
	InputTokens  int            `json:"input_tokens"`
	OutputTokens int            `json:"output_tokens"`
	CostUSD      float64        `json:"cost_usd"`
	Failures     []Cell         `json:"failures,omitempty"` // cells that failed or hold failed tasks
	// Live is the progress of the process that is at work, not older than a heartbeat; absent when none is.
	Live json.RawMessage `json:"live,omitempty"`
}

// Status counts a run.
func (s *Store) Status(ctx context.Context, run int64) (Status, error) {
	st := Status{Cells: map[string]int{}, Tasks: map[string]int{}}
	if err := s.query(ctx, func(r *sql.Rows) error {
		var state string
		var n, tasks int
		if err := r.Scan(&state, &n, &tasks); err != nil {
			return err
		}
		st.Cells[state] = n
		if state != CellNA && state != CellExcluded {
			st.Expected += tasks
		}
		return nil
	}, "select state, count(*), sum(tasks) from cell where run = ? group by state", run); err != nil {
		return st, err
	}
	if err := s.query(ctx, func(r *sql.Rows) error {
		var state string
		var n int
		if err := r.Scan(&state, &n); err != nil {
			return err
		}
		st.Tasks[state] = n
		st.Stored += n
		return nil
	}, "select t.state, count(*) from task t join cell c on c.id = t.cell where c.run = ? group by t.state", run); err != nil {
		return st, err
	}
	if err := s.query(ctx, func(r *sql.Rows) error {
		return r.Scan(&st.Predictions, &st.InputTokens, &st.OutputTokens, &st.CostUSD)
	}, `select count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cost_usd), 0.0) from prediction
		where id in (select t.prediction from task t join cell c on c.id = t.cell where c.run = ?)`, run); err != nil {
		return st, err
	}
	if err := s.query(ctx, func(r *sql.Rows) error {
		c, err := scanCell(r)
		st.Failures = append(st.Failures, c)
		return err
	}, "select "+cellColumns+" from cell where run = ? and (state = 'failed' or state = 'done' and reason <> '') order by position", run); err != nil {
		return st, err
	}
	var err error
	st.Doing, st.Live, err = s.doing(ctx, run)
	return st, err
}

// Output returns what is kept of the output of a cell's programs, and the stacks of panics in it, by
// the newest invocation in which there was any; "" where there was none.
func (s *Store) Output(ctx context.Context, cell int64) (string, error) {
	var out strings.Builder
	err := s.query(ctx, func(r *sql.Rows) error {
		var text string
		err := r.Scan(&text)
		out.WriteString(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			out.WriteByte('\n')
		}
		return err
	}, "select text from event where cell = ?1 and invocation = (select max(invocation) from event where cell = ?1) order by id", cell)
	return out.String(), err
}

// interrupted is what a run is whose process ended without recording how.
const interrupted = "interrupted; run again to go on"

// doing describes the newest invocation: an open one is running while it is the store's newest and
// its lease is held by a process that lives, by the test with which a lease is taken over.
func (s *Store) doing(ctx context.Context, run int64) (string, json.RawMessage, error) {
	var outcome sql.NullString
	var newest bool
	err := s.read.QueryRowContext(ctx, "select outcome, id = (select max(id) from invocation) from invocation where run = ? order by id desc limit 1", run).Scan(&outcome, &newest)
	if errors.Is(err, sql.ErrNoRows) {
		return "not started", nil, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading store %s: %w", s.path, err)
	}
	if outcome.Valid {
		return outcome.String, nil, nil
	}
	if !newest {
		return interrupted, nil, nil
	}
	var pid int
	var host, boot, live string
	var beat int64
	err = s.read.QueryRowContext(ctx, "select pid, host, boot, heartbeat_ms, live from lease where id = 1").Scan(&pid, &host, &boot, &beat, &live)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return interrupted, nil, nil
	case err != nil:
		return "", nil, fmt.Errorf("reading store %s: %w", s.path, err)
	case abandoned(thisHost(), thisProcess(), host, parseMark(boot), pid, time.Since(time.UnixMilli(beat))):
		return interrupted, nil, nil
	}
	var shown json.RawMessage
	if json.Valid([]byte(live)) {
		shown = json.RawMessage(live)
	}
	return fmt.Sprintf("running in process %d on %s", pid, host), shown, nil
}
