package predictors

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxCommandInputs bounds what the default and a glob may find, so that a script in a home folder
// doesn't make every file below it part of a method.
const maxCommandInputs = 10000

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// CommandInputs lists the files whose contents are part of a command's identity: absolute paths in
// byte order, each once. dir is the experiment's folder. Given globs that match nothing are an error.
// Without globs they are the files that the command names and the sources of the script's kind (same
// extension) below the script's folder; hidden folders, caches and virtual environments are left out.
// A command that names no file has no inputs.
func CommandInputs(l Launch, dir string) ([]string, error) {
	found := map[string]bool{}
	add := func(path string) error {
		found[path] = true
		if len(found) > maxCommandInputs {
			return fmt.Errorf("inputs of %q: more than %d files; name the ones that matter in `inputs`", l.Command, maxCommandInputs)
		}
		return nil
	}
	if len(l.Inputs) > 0 {
		for _, glob := range l.Inputs {
			pattern := glob
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(dir, pattern)
			}
			matches, err := filepath.Glob(pattern)
			if err != nil {
				return nil, fmt.Errorf("inputs %q: %w", glob, err)
			}
			if len(matches) == 0 {
				return nil, fmt.Errorf("inputs %q: no such file in %s", glob, dir)
			}
			for _, m := range matches {
				if err := walkInputs(m, func(string) bool { return true }, add); err != nil {
					return nil, err
				}
			}
		}
		return sortedSet(found), nil
	}
	script := ""
	for i, arg := range commandArgs(l.Command, dir) {
		path := arg
		if flag, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(flag, "-") {
			path = value
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || !filepath.IsAbs(path) {
			continue
		}
		if i == 0 && filepath.IsAbs(l.Command[0]) {
			continue // an interpreter or tool of the machine, not a file of the experiment
		}
		if err := add(path); err != nil {
			return nil, err
		}
		if script == "" && filepath.Ext(path) != "" && !strings.HasPrefix(arg, "-") {
			script = path
		}
	}
	if script != "" {
		ext := filepath.Ext(script)
		same := func(path string) bool { return filepath.Ext(path) == ext }
		if err := walkInputs(filepath.Dir(script), same, add); err != nil {
			return nil, err
		}
	}
	return sortedSet(found), nil
}

func sortedSet(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }

// walkInputs adds root, or the wanted regular files below it; links to folders are not followed.
func walkInputs(root string, wanted func(string) bool, add func(string) error) error {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && passedOver(path, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := os.Stat(path) // through a link to a file
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a dangling link has no contents
		}
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() || path != root && !wanted(path) {
			return nil
		}
		return add(path)
	})
	if err != nil {
		return fmt.Errorf("inputs below %s: %w", root, err)
	}
	return nil
}

// passedOver says whether a folder can't hold a method's own sources.
func passedOver(path, name string) bool {
	if strings.HasPrefix(name, ".") || name == "__pycache__" || name == "node_modules" {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "pyvenv.cfg"))
	return err == nil
}

// commandArgs makes the arguments that name files beside the experiment file absolute, also behind
// `--flag=`. A folder counts only when it is written as a path (it holds a slash), so that a word
// that happens to be a folder's name stays a word.
func commandArgs(command []string, dir string) []string {
	beside := func(arg string) (string, bool) {
		if arg == "" || filepath.IsAbs(arg) {
			return "", false
		}
		path := filepath.Join(dir, arg)
		info, err := os.Stat(path)
		if err != nil || info.IsDir() && !strings.ContainsRune(arg, filepath.Separator) {
			return "", false
		}
		return path, true
	}
	args := slices.Clone(command)
	for i, arg := range args {
		if i == 0 && !strings.ContainsRune(arg, filepath.Separator) {
			continue // a bare name is looked up in PATH, as a shell does it
		}
		if path, ok := beside(arg); ok {
			args[i] = path
			continue
		}
		if flag, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(flag, "-") {
			if path, ok := beside(value); ok {
				args[i] = flag + "=" + path
			}
		}
	}
	return args
}
