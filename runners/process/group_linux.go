package process

import (
	"errors"
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
