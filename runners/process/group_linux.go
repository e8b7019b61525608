package process

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttr puts the child into its own process group and has the kernel kill it should this
// process be killed without a chance to clean up.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit waits until pid has ended and leaves it unreaped; false where that can't be done.
func awaitExit(pid int) bool {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// killMarked kills every process whose environment holds the entry: what a child started and moved
// out of its process group (setsid). A pidfd makes sure that the process killed is the one looked at.
// What hides its environment from us, or cleared it, is out of reach.
func killMarked(entry string) {
	for range 10 { // a process may fork while the list is read
		found := false
		dir, err := os.Open("/proc")
		if err != nil {
			return // without /proc there is nothing to look at
		}
		names, err := dir.Readdirnames(-1)
		dir.Close() // opened for reading only
		if err != nil {
			return
		}
		for _, name := range names {
			pid, err := strconv.Atoi(name)
			if err != nil || pid == os.Getpid() || !marked(pid, entry) {
				continue
			}
			fd, err := unix.PidfdOpen(pid, 0)
			if err != nil {
				continue // it has ended
			}
			if marked(pid, entry) && unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil {
				found = true
			}
			unix.Close(fd) // a pidfd has nothing to flush
		}
		if !found {
			return
		}
	}
}

func marked(pid int, entry string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false // gone, or another user's
	}
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if string(kv) == entry {
			return true
		}
	}
	return false
}
