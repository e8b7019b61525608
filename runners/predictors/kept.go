package predictors

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Kept is the place of a finished predictions file until its answers are stored, so that a crash in
// between costs no second run of the program. The name is the fingerprint of what produced the file and
// the SHA-256 of its content; a file that is no longer what its name says is not taken.
type Kept struct {
	Dir         string // made when it is first needed
	Fingerprint string // hex
}

const keptSuffix, tempPattern = ".jsonl", ".tmp-*"

func (k Kept) all() ([]string, error) {
	found, err := filepath.Glob(filepath.Join(globLiteral(k.Dir), k.Fingerprint+"-*"+keptSuffix))
	if err != nil {
		return nil, fmt.Errorf("look for kept predictions: %w", err)
	}
	return found, nil
}

// globLiteral quotes what Glob would read as a pattern.
func globLiteral(path string) string {
	var out []rune
	for _, r := range path {
		switch r {
		case '*', '?', '[', '\\':
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}

// Find returns the file that was kept, "" for none.
func (k Kept) Find() (string, error) {
	found, err := k.all()
	if err != nil {
		return "", err
	}
	for _, path := range found {
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("read kept predictions: %w", err)
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		f.Close() // only read
		if err != nil {
			return "", fmt.Errorf("read kept predictions %s: %w", path, err)
		}
		if path == k.path(hex.EncodeToString(sum.Sum(nil))) {
			return path, nil
		}
	}
	return "", nil
}

func (k Kept) path(sum string) string {
	return filepath.Join(k.Dir, k.Fingerprint+"-"+sum+keptSuffix)
}

// Put copies a finished file to its place, durably, and returns where it is then: the file system of the
// program's folder may be another.
func (k Kept) Put(from string) (string, error) {
	path, err := k.put(from)
	if err != nil {
		return "", fmt.Errorf("keep the predictions until they are stored: %w", err)
	}
	return path, nil
}

func (k Kept) put(from string) (string, error) {
	if err := os.MkdirAll(k.Dir, 0o755); err != nil {
		return "", err
	}
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close() // only read
	out, err := os.CreateTemp(k.Dir, tempPattern)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, sum), in)
	if err == nil {
		err = out.Sync()
	}
	path := k.path(hex.EncodeToString(sum.Sum(nil)))
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(out.Name()))
	}
	dir, err := os.Open(k.Dir)
	if err != nil {
		return "", err
	}
	return path, errors.Join(dir.Sync(), dir.Close())
}

// Remove removes what is kept, and the folder once it is empty.
func (k Kept) Remove() error {
	found, err := k.all()
	if err != nil {
		return err
	}
	for _, path := range found {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove kept predictions: %w", err)
		}
	}
	return removeEmpty(k.Dir)
}

// removeEmpty removes a folder unless something is in it.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || len(entries) > 0 {
		return nil
	}
	if err == nil {
		err = os.Remove(dir)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the folder of kept predictions: %w", err)
	}
	return nil
}

// RemoveKept removes all that is kept in a folder, and the folder: once nothing is left to do, it is of
// programs and inputs that are no longer asked for.
func RemoveKept(dir string) error {
	for _, pattern := range []string{"*-*" + keptSuffix, tempPattern} {
		found, err := filepath.Glob(filepath.Join(globLiteral(dir), pattern))
		if err != nil {
			return fmt.Errorf("look for kept predictions: %w", err)
		}
		for _, path := range found {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove kept predictions: %w", err)
			}
		}
	}
	return removeEmpty(dir)
}
