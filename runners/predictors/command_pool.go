package predictors

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"intentlab/ablations/task"
	"intentlab/runners/process"
)

// pool keeps the copies of one command running. An episode stays with one copy; a copy that ended is
// started again when it is next needed, as long as the restarts of the cell last.
type pool struct {
	cfg      process.Config
	restarts int
	workers  []*commandWorker

	mu       sync.Mutex
	episodes map[string]*commandWorker
	used     int              // restarts so far
	stats    process.Stats    // of the copies that ended
	dead     *process.Failure // nothing more can be asked
	told     bool             // some caller has been given dead
	hurry    bool             // a caller was cancelled, so closing doesn't wait
	holds    int              // tasks that a worker said it takes at once; 0 before one is ready
	fatal    map[string]bool  // tasks that a copy was asked when it ended
	artifact string           // folder that every new copy loads; "" without one
}

// commandWorker is one place for a copy of the program.
type commandWorker struct {
	turn    chan struct{} // holds one token: who has it may start or replace the session
	session *process.Session
	started bool
	calls   int // in flight; guarded by pool.mu
}

func newPool(cfg process.Config, workers, restarts int) *pool {
	p := &pool{cfg: cfg, restarts: restarts, episodes: map[string]*commandWorker{}, fatal: map[string]bool{}}
	for range workers {
		p.workers = append(p.workers, &commandWorker{turn: make(chan struct{}, 1)})
	}
	return p
}

// pick returns the episode's worker, the least busy one for a new episode.
func (p *pool) pick(episode string) *commandWorker {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.episodes[episode]
	if w == nil {
		w = p.workers[0]
		for _, other := range p.workers[1:] {
			if other.calls < w.calls {
				w = other
			}
		}
		p.episodes[episode] = w
	}
	w.calls++
	return w
}

func (p *pool) unpick(w *commandWorker) {
	p.mu.Lock()
	w.calls--
	p.mu.Unlock()
}

// ask sends t to the episode's worker, after the earlier prefixes that this worker has not seen.
func (p *pool) ask(ctx context.Context, t task.Task, earlier []task.Task) (process.Prediction, error) {
	w := p.pick(t.Dataset + "\x00" + t.EpisodeID)
	defer p.unpick(w)
	for {
		s, err := p.session(ctx, w)
		if err != nil {
			return process.Prediction{}, p.note(ctx, err)
		}
		if err := s.Acquire(ctx); err != nil {
			// The copy ended while this task waited for a place: it was not asked, so nothing of it failed.
			var f *process.Failure
			if ctx.Err() == nil && errors.As(err, &f) && !f.Cell {
				continue
			}
			return process.Prediction{}, p.note(ctx, err)
		}
		prediction, err := p.converse(ctx, s, t, earlier)
		s.Release()
		if err != nil {
			return process.Prediction{}, p.note(ctx, err)
		}
		return prediction, nil
	}
}

// converse replays and asks. A prefix that a copy died of, or may have, is not replayed: it has no
// answer, and sending it again would kill one copy for each later prefix of its episode.
func (p *pool) converse(ctx context.Context, s *process.Session, t task.Task, earlier []task.Task) (process.Prediction, error) {
	for _, e := range earlier {
		if s.Seen(e.ID) || p.killer(e.ID) {
			continue
		}
		_, err := s.Ask(ctx, e, true)
		var f *process.Failure
		if errors.As(err, &f) && f.Reason == "bad_answer" {
			continue // the answer would be discarded anyway
		}
		if err != nil {
			return process.Prediction{}, p.blame(e.ID, err)
		}
	}
	prediction, err := s.Ask(ctx, t, false)
	return prediction, p.blame(t.ID, err)
}

// blame remembers the task that was asked when the copy ended.
func (p *pool) blame(id string, err error) error {
	var f *process.Failure
	if errors.As(err, &f) && !f.ForGood {
		p.mu.Lock()
		p.fatal[id] = true
		p.mu.Unlock()
	}
	return err
}

func (p *pool) killer(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fatal[id]
}

// session returns the worker's running copy and starts one where there is none.
func (p *pool) session(ctx context.Context, w *commandWorker) (*process.Session, error) {
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-w.turn }()
	if f := p.over(); f != nil {
		return nil, f
	}
	if w.session != nil {
		select {
		case <-w.session.Done():
			if err := p.retire(w); err != nil {
				return nil, err
			}
		default:
			return w.session, nil
		}
	}
	if err := p.mayStart(w); err != nil {
		return nil, err
	}
	s, err := process.Open(ctx, p.cfg)
	if err != nil {
		return nil, err
	}
	w.started = true
	p.mu.Lock()
	p.holds = s.Ready().Concurrency
	p.mu.Unlock()
	if r := s.Ready(); r.Name != "" || r.Version != "" {
		p.cfg.Program.Log.Printf("worker %q, version %q, is ready for %d tasks at once", r.Name, r.Version, r.Concurrency)
	}
	if p.artifact != "" {
		if err := s.Load(ctx, p.artifact); err != nil {
			return nil, errors.Join(err, s.Close(true))
		}
	}
	w.session = s
	return s, nil
}

// retire takes the counts of a copy that has ended. The error is its reason where that ends the cell.
func (p *pool) retire(w *commandWorker) error {
	ended := w.session.Ended()
	p.cfg.Program.Log.Printf("%s", ended.Detail)
	err := w.session.Close(true)
	stats := w.session.Stats()
	w.session = nil
	p.mu.Lock()
	p.stats.Add(stats)
	p.mu.Unlock()
	if err == nil && p.restartsLeft() == 0 {
		detail := ended.Detail
		if p.restarts > 0 {
			detail = fmt.Sprintf("the program was started again %s and ended once more: %s", times(p.restarts), detail)
		}
		return &process.Failure{Reason: ended.Reason, Cell: true, Detail: detail}
	}
	return err
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (p *pool) restartsLeft() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.restarts - p.used
}

// over is the failure that ended the cell, nil while it goes on.
func (p *pool) over() *process.Failure {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// mayStart counts a start and refuses it when the restarts are used up.
func (p *pool) mayStart(w *commandWorker) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !w.started:
		return nil
	case p.used >= p.restarts:
		return &process.Failure{Reason: "crashed", Cell: true, Detail: fmt.Sprintf("the program was started again %s, which is the limit (restarts)", times(p.restarts))}
	}
	p.used++
	return nil
}

// note remembers what ends the cell and that a caller was cancelled.
func (p *pool) note(ctx context.Context, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		p.hurry = true
		return ctx.Err()
	}
	var f *process.Failure
	if errors.As(err, &f) && f.Cell {
		if p.dead == nil {
			p.dead = f
		}
		p.told = true
	}
	return err
}

// close ends all copies at once and waits for them. The error is a failure of the cell that no
// caller has been told.
func (p *pool) close() error {
	p.mu.Lock()
	hurry := p.hurry || p.dead != nil
	p.mu.Unlock()
	errs := make([]error, len(p.workers))
	var all sync.WaitGroup
	for i, w := range p.workers {
		all.Go(func() {
			w.turn <- struct{}{} // whoever is starting a copy finishes first
			defer func() { <-w.turn }()
			if w.session == nil {
				return
			}
			errs[i] = w.session.Close(hurry)
			stats := w.session.Stats()
			w.session = nil
			p.mu.Lock()
			p.stats.Add(stats)
			p.mu.Unlock()
		})
	}
	all.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead == nil {
		p.dead = &process.Failure{Reason: "stopped", Detail: "the method was closed", Cell: true}
	}
	if p.told {
		return nil
	}
	return errors.Join(errs...)
}
