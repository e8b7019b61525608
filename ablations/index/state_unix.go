//go:build unix

package index

import (
	"os"
	"syscall"
)

// stateOf is what the file system says of a file, links followed.
func stateOf(path string) (mark, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return mark{}, false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return mark{}, false
	}
	return mark{Size: info.Size(), MTime: info.ModTime().UnixNano(), CTime: changed(s), Inode: s.Ino}, true
}
