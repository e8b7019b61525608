package index

import "syscall"

// changed is the moment of the last change of content or attributes, in nanoseconds.
func changed(s *syscall.Stat_t) int64 { return s.Ctimespec.Nano() }
