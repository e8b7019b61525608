package results

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// within fails the test when f takes so long that it must hang.
func within(t *testing.T, d time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatal("hangs")
	}
}

func TestOneBadRequestDoesNotTakeTheOthersDown(t *testing.T) {
	s := fresh(t)
	r, _, id := aRun(t, s)
	// The writer is held up until all requests wait, so that they come as one batch.
	hold := make(chan struct{})
	held := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		must(t, s.put(context.Background(), false, func(*tx) error { close(held); <-hold; return nil }))
	})
	<-held
	errs := make([]error, 40)
	for i := range errs {
		all.Go(func() {
			p := Prediction{Key: fmt.Sprint(i), Identity: id, State: PredictionAnswered}
			if i%10 == 3 {
				p.Identity = 999 // there is no such identity
			}
			errs[i] = s.Put(context.Background(), r.Generation, Batch{Predictions: []Prediction{p}})
		})
	}
	for len(s.writer.in) < len(errs) {
		time.Sleep(time.Millisecond)
	}
	close(hold)
	all.Wait()
	for i, err := range errs {
		if bad := i%10 == 3; bad != (err != nil) {
			t.Errorf("request %d: %v", i, err)
		} else if bad && !strings.Contains(err.Error(), "FOREIGN KEY") {
			t.Errorf("request %d: %v, want the reason of the refusal", i, err)
		}
	}
	if n := count(t, s, "select count(*) from prediction"); n != 36 {
		t.Errorf("%d rows, want 36", n)
	}
}

func TestABatchThatFailsIsRolledBackWhole(t *testing.T) {
	s := fresh(t)
	r, cells, id := aRun(t, s)
	err := s.Put(context.Background(), r.Generation, Batch{Cell: cells[0].ID, Predictions: []Prediction{{Key: "k", Identity: id, State: PredictionAnswered}},
		Scores: []ScoreRow{{Task: "t", Judge: 77, State: "scored", Score: ptr(1.0)}}})
	if err == nil {
		t.Fatal("a score of an unknown judge was stored")
	}
	if n := count(t, s, "select count(*) from prediction"); n != 0 {
		t.Error("half of the batch is stored")
	}
}

func TestAFullDiskIsAnErrorAndNoHang(t *testing.T) {
	s := fresh(t)
	r, _, id := aRun(t, s)
	_, err := s.write.Exec("pragma max_page_count = 40")
	must(t, err)
	within(t, 30*time.Second, func() {
		var all sync.WaitGroup
		var mu sync.Mutex
		var failed error
		good := map[string]bool{}
		for g := range 4 {
			all.Go(func() {
				for i := range 20 {
					key := fmt.Sprintf("%d-%d", g, i)
					err := s.Put(context.Background(), r.Generation, Batch{Predictions: []Prediction{{Key: key, Identity: id, State: PredictionAnswered, Detail: strings.Repeat("x", 10000)}}})
					mu.Lock()
					if good[key] = err == nil; err != nil {
						failed = err
					}
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if failed == nil || !strings.Contains(failed.Error(), "full") {
			t.Errorf("got %v, want the disk to be full", failed)
		}
		if failed != nil && strings.Contains(failed.Error(), "rollback") {
			t.Errorf("the message speaks of the rollback: %v", failed)
		}
		for key, ok := range good {
			if n := count(t, s, "select count(*) from prediction where key = ?", key); (n == 1) != ok {
				t.Errorf("row %s: acknowledged %v, stored %d times", key, ok, n)
			}
		}
		// With room again it goes on.
		_, err := s.write.Exec("pragma max_page_count = 100000")
		must(t, err)
		must(t, s.Put(context.Background(), r.Generation, Batch{Predictions: []Prediction{{Key: "later", Identity: id, State: PredictionAnswered}}}))
	})
}

func TestAWriterWhoseDatabaseIsGoneReturnsErrors(t *testing.T) {
	s := fresh(t)
	must(t, s.write.Close())
	within(t, 20*time.Second, func() {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := s.Put(context.Background(), 0, Batch{}); err == nil {
					t.Error("acknowledged without a database")
				}
			})
		}
		all.Wait()
		if err := s.Close(); err == nil {
			t.Error("Close says nothing of it")
		}
	})
}

func TestACancelledCallerIsRefusedBeforeItIsQueuedAndServedAfter(t *testing.T) {
	s := fresh(t)
	r, _, id := aRun(t, s)
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	put := func() error {
		return s.Put(ctx, r.Generation, Batch{Predictions: []Prediction{{Key: "k", Identity: id, State: PredictionAnswered}}})
	}
	hold, held, answered := make(chan struct{}), make(chan struct{}), make(chan error)
	var all sync.WaitGroup
	all.Go(func() {
		must(t, s.put(context.Background(), false, func(*tx) error { close(held); <-hold; return nil }))
	})
	<-held
	go func() { answered <- put() }()
	for len(s.writer.in) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel(why)
	close(hold)
	if err := <-answered; err != nil {
		t.Errorf("a queued request was dropped: %v", err)
	}
	if err := put(); !errors.Is(err, why) {
		t.Errorf("got %v, want the cause of the cancellation", err)
	}
	all.Wait()
}

func TestPutWhileClosingIsStoredOrRefused(t *testing.T) {
	for range 10 {
		s := fresh(t)
		r, _, id := aRun(t, s)
		var all sync.WaitGroup
		for g := range 8 {
			all.Go(func() {
				for i := range 50 {
					err := s.Put(context.Background(), r.Generation, Batch{Predictions: []Prediction{{Key: fmt.Sprint(g, i), Identity: id, State: PredictionAnswered}}})
					if err != nil && !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
				}
			})
		}
		within(t, 20*time.Second, func() { must(t, s.Close()) })
		all.Wait()
	}
}

// BenchmarkPut measures acknowledged batches of one episode (ten predictions and tasks) from several
// goroutines:
//
//	go test ./results -run '^$' -bench Put -benchmem
func BenchmarkPut(b *testing.B) {
	for _, senders := range []int{1, 8} {
		b.Run(fmt.Sprintf("senders=%d", senders), func(b *testing.B) {
			s := fresh(b)
			r, cells, id := aRun(b, s)
			work := make(chan int, senders)
			var all sync.WaitGroup
			for range senders {
				all.Go(func() {
					for n := range work {
						x := Batch{Cell: cells[0].ID}
						for i := range 10 {
							key := fmt.Sprintf("%064d", n*10+i)
							x.Predictions = append(x.Predictions, Prediction{Key: key, Identity: id, Visible: key, State: PredictionAnswered, ClosedIntent: "label", PredictedIntent: "an open intent of a few words"})
							x.Tasks = append(x.Tasks, TaskRow{Task: "d:" + key, State: TaskAnswered, Key: key})
						}
						if err := s.Put(context.Background(), r.Generation, x); err != nil {
							b.Error(err)
						}
					}
				})
			}
			b.ResetTimer()
			for n := range b.N {
				work <- n
			}
			close(work)
			all.Wait()
			b.ReportMetric(float64(b.N*10)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
