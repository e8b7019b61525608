package results

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// onNetwork reports whether the file's folder lies on a file system whose locks SQLite's write-ahead
// log can't trust.
func onNetwork(path string) bool {
	var st unix.Statfs_t
	if unix.Statfs(filepath.Dir(path), &st) != nil {
		return false
	}
	switch uint32(st.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.AFS_SUPER_MAGIC,
		unix.CEPH_SUPER_MAGIC, 0x0BD00BD0 /* lustre */, 0x47504653 /* gpfs */, 0x19830326 /* beegfs */ :
		return true
	}
	return false
}
