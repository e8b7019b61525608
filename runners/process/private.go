package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// folderPrefix begins the name of every private folder.
const folderPrefix = "intentlab-"

// ownerFile lies in a private folder and is locked for as long as its owner lives. The kernel gives
// the lock back however the owner ends, so that the next run can tell a folder that was left behind
// from one in use, also in another container.
const ownerFile = ".owner"

// PrivateFolder is a folder of this process in the system's place for temporary files.
type PrivateFolder struct {
	Path  string
	owner *os.File
}

// NewPrivateFolder makes one; what is part of its name. The caller removes it.
func NewPrivateFolder(what string) (*PrivateFolder, error) {
	for {
		dir, err := os.MkdirTemp("", folderPrefix+what+"-")
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, ownerFile)
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		if err := lock(f, 0); err != nil {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close(), os.RemoveAll(dir))
		}
		// Between its creation and the lock another process may have taken it for one left behind.
		if !names(path, f) {
			f.Close() // nothing was written
			continue
		}
		return &PrivateFolder{Path: dir, owner: f}, nil
	}
}

// names reports whether path still is the open file.
func names(path string, f *os.File) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}

func lock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Remove removes the folder and all below it.
func (p *PrivateFolder) Remove() error {
	err := removeAll(p.Path)
	p.owner.Close() // nothing was written; closing gives the lock back
	return err
}

// RemoveAbandoned removes the private folders whose owners were killed, and kills what programs of
// theirs still run. Folders of other users, and those in use, are left alone.
func RemoveAbandoned() error {
	found, err := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*", ownerFile))
	if err != nil {
		return fmt.Errorf("looking for folders that were left behind: %w", err)
	}
	var errs []error
	for _, path := range found {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if lock(f, syscall.LOCK_NB) == nil {
			dir := filepath.Dir(path)
			killMarked(mark(dir))
			errs = append(errs, removeAll(dir))
		}
		f.Close() // nothing was written
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("removing folders that were left behind: %w", err)
	}
	return nil
}
