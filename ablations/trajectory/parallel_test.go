package trajectory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { loadChild(); goleak.VerifyTestMain(m) }

// scripted is a job that finds so many things and then ends, well or not.
type scripted struct {
	finds int
	fails bool
	walk  bool // the walk itself finds one thing, between the jobs
}

// playback collects what comes out of jobs, through inOrder or one after the other.
func playback(ctx context.Context, jobs []scripted, run func(ctx context.Context, out output, walk func(add func(job) error, out output) error) error) (found []string, err error) {
	out := output{
		skip: func(s Skip) { found = append(found, "skip "+s.Where) },
		emit: func(where string, _ Episode) error { found = append(found, "episode "+where); return nil },
		do:   func(f func() error) error { return f() },
	}
	err = run(ctx, out, func(add func(job) error, out output) error {
		for i, j := range jobs {
			if j.walk {
				out.skip(Skip{Where: fmt.Sprint("before ", i)})
			}
			err := add(func(ctx context.Context, out output) error {
				for n := range j.finds {
					where := fmt.Sprintf("%d.%d", i, n)
					switch n % 3 {
					case 0:
						if err := out.emit(where, Episode{}); err != nil {
							return err
						}
					case 1:
						out.skip(Skip{Where: where})
					default:
						if err := out.do(func() error { found = append(found, "row "+where); return nil }); err != nil {
							return err
						}
					}
				}
				if j.fails {
					return fmt.Errorf("job %d fails", i)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

func oneByOne(ctx context.Context, out output, walk func(add func(job) error, out output) error) error {
	return walk(func(j job) error { return j(ctx, out) }, out)
}

func TestFilesReadAtOnceComeOutAsIfReadOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) scripted {
			return scripted{finds: rapid.IntRange(0, 3*pending).Draw(t, "finds"), fails: rapid.IntRange(0, 9).Draw(t, "fails") == 0, walk: rapid.Bool().Draw(t, "walk")}
		}), 0, 12).Draw(t, "jobs")
		want, wantErr := playback(context.Background(), jobs, oneByOne)
		got, gotErr := playback(context.Background(), jobs, inOrder)
		if d := cmp.Diff(want, got); d != "" || fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
			t.Fatalf("error %v, want %v (-one by one +at once):\n%s", gotErr, wantErr, d)
		}
	})
}

func TestJobsAheadWaitForTheirTurn(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	if runtime.GOMAXPROCS(0) < 2 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	}
	var ahead atomic.Int64
	release := make(chan struct{})
	out := output{emit: func(string, Episode) error { return nil }, skip: func(Skip) {}, do: func(f func() error) error { return f() }}
	err := inOrder(context.Background(), out, func(add func(job) error, out output) error {
		if err := add(func(context.Context, output) error { <-release; return nil }); err != nil {
			return err
		}
		return add(func(ctx context.Context, out output) error {
			go func() { time.Sleep(50 * time.Millisecond); close(release) }()
			for range 10 * pending {
				select {
				case <-release:
				default:
					ahead.Add(1)
				}
				if err := out.emit("", Episode{}); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil || ahead.Load() > pending+1 {
		t.Errorf("%d episodes were made ahead of their turn, error %v", ahead.Load(), err)
	}
}

func TestAStoppedReaderLeavesNoGoroutine(t *testing.T) {
	dir := t.TempDir()
	for f := range 12 {
		var records []string
		for r := range 3 * pending {
			records = append(records, fmt.Sprintf(`{"annotation_id":"%d-%d","action_reprs":["a -> CLICK"],"domain":"d"}`, f, r))
		}
		write(t, filepath.Join(dir, fmt.Sprintf("train_%d.json", f)), "["+strings.Join(records, ",")+"]")
	}
	src := Source{Name: "d", Format: "mind2web", Path: dir}
	for _, after := range []int{0, 1, 40, 200} {
		t.Run(fmt.Sprint("broken off after ", after), func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			n := 0
			for _, err := range Read(context.Background(), src, nil) {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n > after {
					break
				}
			}
		})
		t.Run(fmt.Sprint("cancelled after ", after), func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			n := 0
			var last error
			for _, err := range Read(ctx, src, nil) {
				if last = err; err == nil {
					if n++; n > after {
						cancel()
					}
				}
			}
			if !errors.Is(last, context.Canceled) || n != after+1 {
				t.Errorf("%d episodes, then %v", n, last)
			}
		})
	}
}

func TestTheFirstDamagedFileInFileOrderIsTheError(t *testing.T) {
	dir := t.TempDir()
	for f := range 8 {
		text := fmt.Sprintf(`[{"annotation_id":"%d","action_reprs":["a -> CLICK"],"domain":"d"}`, f)
		switch {
		case f == 3: // found late, since it is long
			text += `,{"annotation_id":"x","action_reprs":["a"],"html":"` + strings.Repeat("x", 4<<20)
		case f > 3:
			text = "[{" // found at once
		default:
			text += "]"
		}
		write(t, filepath.Join(dir, fmt.Sprintf("train_%d.json", f)), text)
	}
	for range 20 {
		episodes, _, err := collect(Source{Format: "mind2web", Path: dir})
		if err == nil || !strings.Contains(err.Error(), "train_3.json") || len(episodes) != 4 {
			t.Fatalf("%d episodes, error %v", len(episodes), err)
		}
	}
}
