package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"intentlab/ablations/task"
)

// quoteLen is how much of a line a message quotes, in bytes.
const quoteLen = 300

// Acquire waits for one of the places that the program offers, until ctx ends or the child is gone
// (then it returns what Ended says). Release gives it back.
func (s *Session) Acquire(ctx context.Context) error {
	select {
	case <-s.Done():
		return s.Ended()
	default:
	}
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-s.Done():
		return s.Ended()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release gives back a place taken by Acquire.
func (s *Session) Release() { <-s.slots }

// Seen reports whether this child was sent the task.
func (s *Session) Seen(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[id] != nil
}

// Ask sends one task and waits for its answer. replay marks a prefix that was answered before the
// child was started; its answer is to be discarded. The error is a *Failure or ctx's.
//
// The answer's time-out counts from the moment of asking. A `lines` program that holds n tasks works
// through them one by one, so the n-th may take n times as long. The first answer of a child may
// take the start time-out in addition, since neither `lines` nor `load` says when loading is over.
func (s *Session) Ask(ctx context.Context, t task.Task, replay bool) (Prediction, error) {
	var message any = taskMessage{Type: "task", Task: wire(t), Replay: replay}
	if s.cfg.Protocol == Lines {
		labels := s.cfg.Labels.Labels
		if labels == nil {
			labels = []string{}
		}
		message = linesTask{wireTask: wire(t), CandidateLabels: labels, Replay: replay}
	}
	line, err := encode(message, "task "+t.ID)
	if err != nil {
		return Prediction{}, err
	}
	a := &asked{reply: make(chan reply, 1)}
	s.mu.Lock()
	s.asked[t.ID] = a
	s.pending++
	within := s.cfg.Timeouts.Answer
	if s.cfg.Protocol == Lines {
		within *= time.Duration(s.pending)
	}
	if !s.settled {
		within += s.cfg.Timeouts.Start
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.pending--
		s.mu.Unlock()
	}()

	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if err := s.child.Send(limited, line); err == nil || errors.Is(err, errInputClosed) {
		select {
		case r := <-a.reply:
			return r.prediction, r.err
		case <-s.child.inputDown: // the program is gone or has closed its stdin
			f := s.inputLost("it answered " + t.ID)
			select { // the answer may have been read just before the end
			case r := <-a.reply:
				return r.prediction, r.err
			default:
				return Prediction{}, f
			}
		case <-limited.Done():
		}
	}
	if ctx.Err() != nil {
		return Prediction{}, ctx.Err()
	}
	return Prediction{}, s.late(t, within, replay)
}

// late ends a child that did not answer in time.
func (s *Session) late(t task.Task, within time.Duration, replay bool) *Failure {
	again := ""
	if replay {
		again = " (a prefix that was sent again after a restart)"
	}
	s.mu.Lock()
	rubbish := ""
	if s.stats.Noise > 0 {
		rubbish = fmt.Sprintf("; of its stdout %d lines are no prediction records, the first is %q", s.stats.Noise, s.firstNoise)
	}
	s.mu.Unlock()
	f := &Failure{Reason: "timeout", Detail: s.child.withStderr(fmt.Sprintf(
		"%q did not answer %s%s within %v; a method must answer each prefix before it sees the next%s",
		s.child.Name(), t.ID, again, within, rubbish))}
	s.child.stop(f)
	return f
}

// line takes one line of stdout. It never waits for anyone, so the program is always read.
func (s *Session) line(b []byte, replaced bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if replaced {
		s.stats.Replaced++
		if s.stats.Replaced == 1 {
			s.cfg.Program.Log.Printf("stdout holds invalid UTF-8; such bytes are read as U+FFFD: %s", clip(string(b), quoteLen))
		}
	}
	if len(b) == 0 {
		return nil
	}
	r, ok := parseRecord(b)
	if !ok {
		s.noise(b)
		return nil
	}
	var kind string
	decode(r.Type, &kind) // a type that is no string is an unknown one
	if s.cfg.Protocol == Worker && len(r.Type) > 0 {
		switch kind {
		case "ready":
			return s.readyLine(r, b)
		case "fitted":
			select {
			case s.fit <- struct{}{}:
			default:
				s.stats.Ignored++
			}
			return nil
		case "prediction", "answer":
		default:
			s.stats.Ignored++
			return nil
		}
	}
	p, err := r.prediction()
	if errors.Is(err, ErrNoRecord) {
		s.noise(b)
		return nil
	}
	return s.answer(p, err, b)
}

func (s *Session) noise(b []byte) {
	s.stats.Noise++
	if s.stats.Noise == 1 {
		s.firstNoise = clip(string(b), 120)
	}
	switch {
	case s.stats.Noise <= noiseShown:
		s.cfg.Program.Log.Printf("stdout, not a record: %s", clip(string(b), quoteLen))
	case s.stats.Noise == noiseShown+1:
		s.cfg.Program.Log.Printf("stdout: further lines that are no records are only counted")
	}
}

func (s *Session) readyLine(r record, b []byte) error {
	info := Ready{Concurrency: 1}
	if !decode(r.Name, &info.Name) || !decode(r.Version, &info.Version) || !decode(r.Fit, &info.Fit) ||
		!decode(r.Concurrency, &info.Concurrency) || info.Concurrency < 1 || info.Concurrency > 1<<16 {
		return &Failure{Reason: "start_failed", ForGood: true, Cell: true, Detail: fmt.Sprintf("the ready message "+
			"wants name and version as strings, fit as true or false and concurrency as a whole number from 1 on: %s", clip(string(b), quoteLen))}
	}
	select {
	case s.ready <- info:
	default:
		s.stats.Ignored++
	}
	return nil
}

// answer files a record under its task. A second answer with other content, or one for a task that
// was never sent, ends the child and the cell.
func (s *Session) answer(p Prediction, bad error, b []byte) error {
	a := s.asked[p.TaskID]
	if a == nil {
		return &Failure{Reason: "unknown_task", ForGood: true, Cell: true, Detail: fmt.Sprintf(
			"the program answered the task %q, which it was not sent: %s", clip(p.TaskID, 200), clip(string(b), quoteLen))}
	}
	sum, err := p.Sum()
	if err != nil {
		return err
	}
	if a.given {
		if a.sum == sum {
			s.stats.Duplicates++
			return nil
		}
		return &Failure{Reason: "contradictory", ForGood: true, Cell: true, Detail: fmt.Sprintf(
			"the program gave two different answers to the task %q: first %s and then %s", p.TaskID, a.line, clip(string(b), quoteLen))}
	}
	a.given, a.sum, a.line = true, sum, clip(string(b), quoteLen)
	s.settled = true
	s.stats.Dropped += p.Dropped
	r := reply{prediction: p}
	if bad != nil {
		r.err = &Failure{Reason: "bad_answer", ForGood: true, Detail: fmt.Sprintf("%v: %s", bad, clip(string(b), quoteLen))}
	}
	a.reply <- r // has room for one, and given lets only one through
	return nil
}
