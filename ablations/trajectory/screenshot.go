package trajectory

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"intentlab/ablations/task"
)

// screenshotHash is the only form in which a screenshot is visible: a path would tell where the data
// lie, and often more.
var screenshotHash = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// onlyHashes refuses a step whose screenshot is no hash.
func onlyHashes(steps []task.Step) error {
	for i := range steps {
		if s := steps[i].Screenshot; s != "" && !screenshotHash.MatchString(s) {
			return fmt.Errorf("step %d: screenshot %q is no hash (sha256: and 64 hex digits); files are named in an observation sidecar", i, capText(s, 80))
		}
	}
	return nil
}

// hashImage names a screenshot by its content: "sha256:" and the digest of the file's bytes.
func hashImage(ctx context.Context, path string) (string, error) {
	if info, err := stat(ctx, path); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no regular file", path) // a pipe or a device may have no end
	}
	f, err := open(ctx, path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	r := bufio.NewReaderSize(&meter{ctx: ctx, r: f}, 64<<10)
	if head, _ := r.Peek(len(lfsPointer)); string(head) == lfsPointer {
		return "", fmt.Errorf("%s is a Git LFS pointer, not the picture: run git lfs pull", path)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// images are the pictures of a dataset or an episode by file name.
type images map[string]string

// findImages lists the pictures in dir, and in its folders where their names start with sub; none where
// there is no such folder.
func findImages(ctx context.Context, dir, sub string) (images, error) {
	found := images{}
	if !isFolder(ctx, dir) {
		return found, nil
	}
	entries, err := readDir(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("list the screenshots: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case sub != "" && strings.HasPrefix(e.Name(), sub) && isFolder(ctx, path):
			inner, err := findImages(ctx, path, "")
			if err != nil {
				return nil, err
			}
			for name, p := range inner {
				found[name] = p
			}
		case !e.IsDir():
			found[e.Name()] = path
		}
	}
	return found, nil
}

// put hashes the pictures that the steps name, names[i] being that of step i and "" none, and returns a
// skip that counts those which are not there.
func (m images) put(ctx context.Context, steps []task.Step, names []string, where string) (absent *Skip, err error) {
	named, missing, first := 0, 0, ""
	for i, name := range names {
		if name == "" {
			continue
		}
		named++
		path := m[filepath.Base(name)]
		if path == "" {
			if missing++; missing == 1 {
				first = filepath.Base(name)
			}
			continue
		}
		if steps[i].Screenshot, err = hashImage(ctx, path); err != nil {
			return nil, fmt.Errorf("screenshot of step %d: %w", i, err)
		}
	}
	if missing == 0 {
		return nil, nil
	}
	return &Skip{Where: where, Reason: NoScreenshot, Detail: fmt.Sprintf("%d of %d screenshots are not there, first %s; the steps are kept", missing, named, first)}, nil
}
