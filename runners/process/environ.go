package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// environment builds the scrubbed environment of a child whose private folder is dir: a search
// path, a home and a temporary folder inside dir, UTF-8 everywhere, and the extra entries, which
// win. Nothing else of this process's environment is passed on.
func environment(dir string, extra []string) ([]string, error) {
	tmp := filepath.Join(dir, ".tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	env := []string{
		"PATH=" + searchPath(), "HOME=" + dir, "PWD=" + dir, "TMPDIR=" + tmp,
		mark(dir), "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		"PYTHONUNBUFFERED=1", "PYTHONIOENCODING=utf-8", "PYTHONUTF8=1", "PYTHONDONTWRITEBYTECODE=1",
	}
	for _, kv := range extra {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("environment entry %q: want NAME=VALUE", clip(kv, 40))
		}
		kept := env[:0]
		for _, e := range env {
			if !strings.HasPrefix(e, name+"=") {
				kept = append(kept, e)
			}
		}
		env = append(kept, kv)
	}
	return env, nil
}

// mark is the environment entry by which everything that a child started can be told.
func mark(dir string) string { return "INTENTLAB_CHILD=" + filepath.Base(dir) }

// Find reports an error where a program can't be started for want of an executable file: it is looked
// up as for a child that is given the entries env.
func Find(name string, env []string) error {
	path := "PATH=" + searchPath()
	for _, e := range env {
		if strings.HasPrefix(e, "PATH=") {
			path = e
		}
	}
	_, err := lookUp(name, []string{path})
	return err
}

func searchPath() string {
	if path := os.Getenv("PATH"); path != "" {
		return path
	}
	return "/usr/local/bin:/usr/bin:/bin"
}

// lookUp finds the program in the child's own PATH, which may differ from ours.
func lookUp(name string, env []string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		if err := executable(name); err != nil {
			return "", fmt.Errorf("start %s: %w", name, err)
		}
		return name, nil
	}
	for _, e := range env {
		path, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			if full := filepath.Join(dir, name); filepath.IsAbs(full) && executable(full) == nil {
				return full, nil
			}
		}
	}
	return "", fmt.Errorf("start %s: %w", name, exec.ErrNotFound)
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return errors.New("not an executable file")
	}
	return nil
}

// removeAll removes a folder tree even where the program took away its own permissions.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			if cerr := os.Chmod(path, 0o700); cerr != nil {
				return cerr
			}
			if err != nil {
				return filepath.SkipDir // unreadable until now; the second pass sees what is below
			}
		}
		return err
	})
	return errors.Join(os.RemoveAll(dir), err)
}
