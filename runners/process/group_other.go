//go:build unix && !linux

package process

import "syscall"

// groupAttr puts the child into its own process group.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit can't wait without reaping here.
func awaitExit(int) bool { return false }

// killMarked can't look into other processes here.
func killMarked(string) {}
