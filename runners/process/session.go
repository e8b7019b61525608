package process

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"intentlab/ablations/task"
)

// Protocol is how a program is spoken to.
type Protocol string

// The two protocols.
const (
	Lines  Protocol = "lines"
	Worker Protocol = "worker"
)

// Timeouts are the waiting times of a program; none is ever 0 when a session opens.
type Timeouts struct {
	Start  time.Duration // until `ready`; also added to the first answer, which may load a model
	Fit    time.Duration // from the first example to `fitted`
	Answer time.Duration // of one answer
	Finish time.Duration // to end by itself once stdin is closed
}

// Config is everything that a session is opened with.
type Config struct {
	Program  Program // Line is set by the session
	Protocol Protocol
	Seed     int64
	Ablation string
	Labels   task.LabelSpace
	Timeouts Timeouts
	// Concurrency is how many tasks a `lines` program may hold at once; a worker says it itself.
	Concurrency int
}

// Ready is what a worker says about itself.
type Ready struct {
	Name        string
	Version     string
	Fit         bool
	Concurrency int // at least 1
}

// Stats counts what was odd in a session's output.
type Stats struct {
	Noise      int // lines on stdout that are no record
	Ignored    int // messages of unknown type
	Duplicates int // answers given twice with equal content
	Replaced   int // lines with invalid UTF-8
	Dropped    int // confidences and other numbers out of their range
}

// Add adds another session's counts.
func (s *Stats) Add(o Stats) {
	s.Noise += o.Noise
	s.Ignored += o.Ignored
	s.Duplicates += o.Duplicates
	s.Replaced += o.Replaced
	s.Dropped += o.Dropped
}

// noiseShown is how many noise lines are copied to the log; the rest are counted.
const noiseShown = 100

// Session is a conversation with one running child. Its methods are safe for concurrent use, but
// Fit and Load come before the first Ask.
type Session struct {
	cfg   Config
	child *Child
	ready chan Ready
	fit   chan struct{}
	slots chan struct{} // one token per task that the program may hold

	mu      sync.Mutex
	info    Ready
	asked   map[string]*asked
	pending int
	settled bool // the first answer has come, so loading is over
	stats   Stats

	firstNoise string // clipped, for messages
}

// asked is what is remembered of a task that this child was sent.
type asked struct {
	reply chan reply // takes one value
	given bool
	sum   [sha256.Size]byte
	line  string // clipped, to quote when a second answer contradicts it
}

type reply struct {
	prediction Prediction
	err        error
}

// Open starts the program and, for a worker, waits for its `ready`. A program that does not start
// is a *Failure with Cell set. ctx bounds the opening only: the child lives until Close.
func Open(ctx context.Context, cfg Config) (*Session, error) {
	s := &Session{cfg: cfg, ready: make(chan Ready, 1), fit: make(chan struct{}, 1), asked: map[string]*asked{},
		info: Ready{Concurrency: max(1, cfg.Concurrency)}}
	cfg.Program.Line = s.line
	cfg.Program.Env = append([]string{fmt.Sprintf("INTENTLAB_SEED=%d", cfg.Seed)}, cfg.Program.Env...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	child, err := Start(context.WithoutCancel(ctx), cfg.Program)
	if err != nil {
		return nil, &Failure{Reason: "start_failed", Detail: err.Error(), Cell: true}
	}
	s.child = child // never used by line, which may run already
	if cfg.Protocol == Worker {
		if err := s.greet(ctx); err != nil {
			child.Stop()
			return nil, err
		}
	}
	s.slots = make(chan struct{}, s.info.Concurrency)
	return s, nil
}

func (s *Session) greet(ctx context.Context) error {
	spaces := map[string]task.LabelSpace{}
	if space := s.cfg.Labels; space.Name != "" {
		// Copies that are never nil, so that a program always meets lists.
		space.Labels = append([]string{}, space.Labels...)
		space.SeenInTrain = append([]string{}, space.SeenInTrain...)
		spaces[space.Name] = space
	}
	err := s.tell(ctx, s.cfg.Timeouts.Start, helloMessage{Type: "hello", Protocol: 1, Seed: s.cfg.Seed,
		Ablation: s.cfg.Ablation, LabelSpaces: spaces}, "the greeting")
	if err == nil {
		var info Ready
		if info, err = await(ctx, s, s.ready, s.cfg.Timeouts.Start, "it said it was ready"); err == nil {
			s.mu.Lock()
			s.info = info
			s.mu.Unlock()
			return nil
		}
	}
	var f *Failure
	if errors.As(err, &f) && f.Reason != "stopped" {
		return &Failure{Reason: "start_failed", Detail: f.Detail, ForGood: f.ForGood, Cell: true}
	}
	return err
}

// await waits for a message of the program, its end, or the time-out, which ends the program.
func await[T any](ctx context.Context, s *Session, ch <-chan T, within time.Duration, what string) (T, error) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	var zero T
	select {
	case v := <-ch:
		return v, nil
	case <-s.child.Done():
		select { // the last line may have been read just before the end
		case v := <-ch:
			return v, nil
		default:
			return zero, s.child.ended(what)
		}
	case <-ctx.Done():
		return zero, ctx.Err()
	case <-timer.C:
		f := &Failure{Reason: "timeout", Detail: s.child.withStderr(fmt.Sprintf(
			"%q took longer than %v before %s", s.child.Name(), within, what))}
		s.child.stop(f)
		return zero, f
	}
}

// tell sends one message within the given time.
func (s *Session) tell(ctx context.Context, within time.Duration, message any, what string) error {
	line, err := encode(message, what)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	switch err := s.child.Send(limited, line); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errInputClosed):
		return s.inputLost("it had read " + what)
	default:
		f := &Failure{Reason: "timeout", Detail: s.child.withStderr(fmt.Sprintf(
			"%q did not read %s within %v", s.child.Name(), what, within))}
		s.child.stop(f)
		return f
	}
}

// inputLost is called when the program reads no more. Mostly it has ended or is about to, and its exit
// status says more than the broken pipe.
func (s *Session) inputLost(before string) *Failure {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-s.child.Done():
	case <-timer.C:
		s.child.stop(errInputClosed)
		<-s.child.Done()
	}
	return s.child.ended(before)
}

// Ready is what the worker said; for the protocol lines only Concurrency is set.
func (s *Session) Ready() Ready {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// Done is closed when the child is gone.
func (s *Session) Done() <-chan struct{} { return s.child.Done() }

// Ended says why the session's child is gone. Call it after Done.
func (s *Session) Ended() *Failure { return s.child.ended("it was asked") }

// Stats returns the counts so far.
func (s *Session) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Fit sends the examples (training, then dev) and waits until the worker has left its artefact in
// dir. The time-out covers all of it.
func (s *Session) Fit(ctx context.Context, train, dev task.Examples, dir string) error {
	start := time.Now()
	left := func() time.Duration { return max(time.Millisecond, s.cfg.Timeouts.Fit-time.Since(start)) }
	for _, part := range []struct {
		split    string
		examples task.Examples
	}{{"train", train}, {"dev", dev}} {
		if part.examples == nil {
			continue
		}
		for e, err := range part.examples(ctx) {
			if err != nil {
				return fmt.Errorf("read the %s examples: %w", part.split, err)
			}
			m := exampleMessage{Type: "example", Split: part.split, Task: wire(e.Task),
				ClosedIntent: e.ClosedIntent, OpenIntent: e.OpenIntent, Weight: e.Weight}
			if err := s.tell(ctx, left(), m, "example "+e.Task.ID); err != nil {
				return err
			}
		}
	}
	if err := s.tell(ctx, left(), artifactMessage{Type: "fit", ArtifactDir: dir}, "the request to fit"); err != nil {
		return err
	}
	_, err := await(ctx, s, s.fit, left(), "it had fitted")
	return err
}

// Load tells a worker to read the artefact in dir. The protocol has no answer to it; the first
// answer may take the start time-out in addition.
func (s *Session) Load(ctx context.Context, dir string) error {
	return s.tell(ctx, s.cfg.Timeouts.Start, artifactMessage{Type: "load", ArtifactDir: dir}, "the request to load")
}

// Close ends the session: politely (bye, end of stdin, time to finish), or at once when hurry is
// set. It waits until the child is gone. The error is a *Failure for what only came out at the end,
// such as a late contradictory answer; an exit status is only logged, as nothing was unanswered.
func (s *Session) Close(hurry bool) error {
	log := s.cfg.Program.Log
	if hurry {
		s.child.Stop()
	} else {
		if s.cfg.Protocol == Worker {
			// A worker that no longer reads is stopped below all the same.
			_ = s.tell(context.Background(), s.cfg.Timeouts.Finish, byeMessage{Type: "bye"}, "the farewell")
		}
		if !s.child.Finish(s.cfg.Timeouts.Finish) {
			log.Printf("%q did not end within %v of the end of its input and was stopped", s.child.Name(), s.cfg.Timeouts.Finish)
		} else if err := s.child.Exit(); err != nil {
			log.Printf("%q ended with %v", s.child.Name(), err)
		}
	}
	if st := s.Stats(); st != (Stats{}) {
		log.Printf("%q: %d noise lines on stdout, %d messages of unknown type, %d identical duplicate answers, "+
			"%d lines with invalid UTF-8, %d numbers out of range dropped",
			s.child.Name(), st.Noise, st.Ignored, st.Duplicates, st.Replaced, st.Dropped)
	}
	var f *Failure
	if errors.As(s.child.Cause(), &f) && f.Cell {
		return f
	}
	return nil
}
