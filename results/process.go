package results

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// mark tells a process from every other one that had or will have its pid. Fields that a system
// doesn't tell are empty.
type mark struct {
	boot      string // start of the machine
	namespace string // in which pids are counted: two containers may both have a process 7
	started   string // in clock ticks since the boot
}

// String is the stored form: the fields, separated by blanks, "-" for an empty one.
func (m mark) String() string {
	fields := []string{m.boot, m.namespace, m.started}
	for i, f := range fields {
		if f == "" {
			fields[i] = "-"
		}
	}
	return strings.Join(fields, " ")
}

func parseMark(s string) mark {
	f := append(strings.Fields(s), "-", "-", "-")[:3]
	for i := range f {
		f[i] = strings.TrimPrefix(f[i], "-")
	}
	return mark{f[0], f[1], f[2]}
}

func thisHost() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return host
}

func thisProcess() mark {
	m := mark{boot: bootID()}
	if ns, err := os.Readlink("/proc/self/ns/pid"); err == nil {
		m.namespace = ns
	}
	m.started, _ = processStart(os.Getpid())
	return m
}

// abandoned reports whether the holder of a lease is gone: host and me are ours, the rest is the
// holder's.
func abandoned(host string, me mark, holderHost string, holder mark, pid int, silent time.Duration) bool {
	switch {
	case host != holderHost, me.namespace != holder.namespace && me.boot == holder.boot:
		return silent > stale // it can't be looked at
	case me.boot != holder.boot:
		return true
	}
	started, running := processStart(pid)
	switch {
	case !running:
		return true
	case started == "" || holder.started == "":
		return silent > stale // it may be another process with the same pid
	}
	return started != holder.started
}

// processStart returns when a process of this machine started, in the system's own unit ("" where it
// doesn't tell), and whether it is there at all. One that has ended and waits for its parent is not.
func processStart(pid int) (started string, running bool) {
	if err := syscall.Kill(pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return "", false
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", true
	}
	// The second field is the program's name in parentheses and may hold anything; fields 3 and 22
	// are state and start time (proc_pid_stat(5)).
	s := string(b)
	f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(f) < 20 {
		return "", true
	}
	return f[19], f[0] != "Z" && f[0] != "X"
}

// bootID tells one start of the machine from the next; empty where the system doesn't say.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
