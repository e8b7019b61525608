// Package process runs a method's program as a child process and speaks the two protocols of a
// `command` method with it (benchmark.md, "The protocol of a `command` method").
//
// The one rule: what is started here is gone when Close or the context ends it, with everything
// that it forked (on Linux also what left its process group), and nothing that it prints can grow memory without bound.
// The package is a leaf: of this module it imports ablations/task only.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// DefaultGrace is how long a process may take to end after SIGTERM before it gets SIGKILL.
const DefaultGrace = 5 * time.Second

// drainTime bounds how long the output of a dead process is still read: a grandchild that left the
// process group may hold the pipe open for ever.
const drainTime = 2 * time.Second

// errInputClosed is returned by Send when the program has closed its stdin.
var errInputClosed = errors.New("the program closed its stdin")

// Program is what a child is started with.
type Program struct {
	// Args is the command line; Args[0] is a path or a name that is looked up in the child's PATH.
	Args []string
	// Name stands for the command in messages; "" takes Args.
	Name string
	// Env holds NAME=VALUE entries that are added to, and win over, the scrubbed environment.
	Env []string
	// Log receives stderr (capped) and whatever else the package notes; nil drops it.
	Log *Log
	// Grace is the time between SIGTERM and SIGKILL; 0 takes DefaultGrace.
	Grace time.Duration
	// Line is called for every line of stdout, without its line end, valid UTF-8, in order and by one
	// goroutine. replaced says that invalid bytes became U+FFFD. The slice is reused after the call.
	// An error ends the child.
	Line func(line []byte, replaced bool) error
}

// Child is a running child process in its own process group and its own private folder.
type Child struct {
	prog    Program
	private *PrivateFolder
	dir     string // of private
	cmd     *exec.Cmd
	stderr  *Capture

	in        chan []byte   // lines for the writer goroutine
	inputEnd  chan struct{} // closed by CloseInput
	inputDown chan struct{} // closed by the writer when nothing more can be written
	stopping  chan struct{} // closed by Stop
	exited    chan struct{} // closed when the process itself has ended
	done      chan struct{} // closed when everything is joined and the folder is removed

	inputOnce, stopOnce sync.Once

	mu     sync.Mutex
	reaped bool  // the group id may belong to somebody else from now on
	cause  error // why we ended it, if we did
	exit   error // how it ended; nil is exit status 0
}

// Start starts the program in a fresh private folder. When ctx ends the process group gets SIGTERM
// and, after the grace period, SIGKILL. The caller must wait for Done, by Stop or Finish.
func Start(ctx context.Context, p Program) (*Child, error) {
	if len(p.Args) == 0 {
		return nil, errors.New("start a program: the command is empty")
	}
	if p.Grace <= 0 {
		p.Grace = DefaultGrace
	}
	private, err := NewPrivateFolder("method")
	if err != nil {
		return nil, fmt.Errorf("make a working folder for %s: %w", p.Args[0], err)
	}
	c := &Child{
		prog: p, private: private, dir: private.Path, stderr: NewCapture(p.Log),
		in: make(chan []byte), inputEnd: make(chan struct{}), inputDown: make(chan struct{}),
		stopping: make(chan struct{}), exited: make(chan struct{}), done: make(chan struct{}),
	}
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(err, private.Remove())
	}
	return c, nil
}

func (c *Child) start(ctx context.Context) error {
	env, err := environment(c.dir, c.prog.Env)
	if err != nil {
		return err
	}
	path, err := lookUp(c.prog.Args[0], env)
	if err != nil {
		return err
	}
	var files []*os.File
	closeFiles := func(fs ...*os.File) {
		for _, f := range fs {
			f.Close() // closing a pipe end that nobody has written to can't lose data
		}
	}
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeFiles(files...)
			return fmt.Errorf("start %s: %w", c.prog.Args[0], err)
		}
		files = append(files, r, w)
	}
	inR, inW, outR, outW, errR, errW := files[0], files[1], files[2], files[3], files[4], files[5]
	c.cmd = &exec.Cmd{Path: path, Args: c.prog.Args, Env: env, Dir: c.dir,
		Stdin: inR, Stdout: outW, Stderr: errW, SysProcAttr: groupAttr()}

	started := make(chan error, 1)
	var helpers sync.WaitGroup
	helpers.Add(3)
	go func() {
		// The kernel's parent-death signal is tied to the thread that started the child, so that thread
		// stays here until the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := c.cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		c.reap()
		killMarked(mark(c.dir))
		deadline := time.Now().Add(drainTime)
		// A pipe always takes a deadline; should it not, the reader ends at end of file.
		_ = outR.SetReadDeadline(deadline)
		_ = errR.SetReadDeadline(deadline)
		helpers.Wait()
		<-c.inputDown
		closeFiles(outR, errR)
		c.stderr.Flush()
		if err := c.private.Remove(); err != nil {
			c.prog.Log.Printf("working folder: %v", err)
		}
		close(c.done)
	}()
	if err := <-started; err != nil {
		closeFiles(files...)
		return fmt.Errorf("start %s: %w", c.prog.Args[0], err)
	}
	closeFiles(inR, outW, errW)
	go func() { defer helpers.Done(); c.readStdout(outR) }()
	go func() { defer helpers.Done(); c.readStderr(errR) }()
	go func() { defer helpers.Done(); c.ward(ctx) }()
	go c.writeStdin(inW)
	return nil
}

// ward ends the group when the context or Stop says so.
func (c *Child) ward(ctx context.Context) {
	select {
	case <-c.exited:
		return
	case <-ctx.Done():
		c.setCause(context.Cause(ctx))
	case <-c.stopping:
	}
	c.signal(syscall.SIGTERM)
	timer := time.NewTimer(c.prog.Grace)
	defer timer.Stop()
	select {
	case <-c.exited:
	case <-timer.C:
		c.signal(syscall.SIGKILL)
	}
}

func (c *Child) signal(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		// ESRCH means that the group has just ended, which is what is wanted.
		_ = syscall.Kill(-c.cmd.Process.Pid, s)
	}
}

// reap waits for the process, kills what it left in its group, and collects its exit status.
func (c *Child) reap() {
	waitable := awaitExit(c.cmd.Process.Pid)
	c.mu.Lock()
	if waitable {
		// The leader is a zombie, so the group's id can't have been given to anyone else.
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
		c.exit = c.cmd.Wait()
	} else {
		c.mu.Unlock()
		err := c.cmd.Wait()
		c.mu.Lock()
		c.exit = err
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	}
	c.reaped = true
	c.mu.Unlock()
	close(c.exited)
}

// stop asks for the end of the group for the given cause, without waiting. The first cause counts.
func (c *Child) stop(cause error) {
	c.setCause(cause)
	c.stopOnce.Do(func() { close(c.stopping) })
}

// Stop ends the process group (SIGTERM, then SIGKILL) and waits until everything is joined.
func (c *Child) Stop() {
	c.stop(nil)
	<-c.done
}

// Finish closes stdin, gives the program the time to end by itself, and then stops it. It reports
// whether the program ended by itself.
func (c *Child) Finish(within time.Duration) bool {
	c.CloseInput()
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-c.done:
		return true
	case <-timer.C:
		c.Stop()
		return false
	}
}

// Done is closed when the process is gone, its output is read to the end, every goroutine is joined
// and the private folder is removed.
func (c *Child) Done() <-chan struct{} { return c.done }

func (c *Child) setCause(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		c.cause = err
	}
}

// Cause is why this side ended the process; nil when it ended by itself or by Stop.
func (c *Child) Cause() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// Exit is how the process ended: nil for exit status 0. Call it after Done.
func (c *Child) Exit() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exit
}

// Stderr is what the program has printed to stderr so far, capped.
func (c *Child) Stderr() *Capture { return c.stderr }

// Name is the command for messages, clipped.
func (c *Child) Name() string {
	if c.prog.Name != "" {
		return clip(c.prog.Name, 120)
	}
	return clip(strings.Join(c.prog.Args, " "), 120)
}
