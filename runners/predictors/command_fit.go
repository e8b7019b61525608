package predictors

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"intentlab/ablations/task"
	"intentlab/runners/process"
)

// fit has the first worker fit and ends it.
func (p *pool) fit(ctx context.Context, train, dev task.Examples, dir string) error {
	w := p.workers[0]
	s, err := p.session(ctx, w)
	if err != nil {
		return err
	}
	fitErr := s.Fit(ctx, train, dev, dir)
	closeErr := s.Close(fitErr != nil)
	stats := s.Stats()
	p.mu.Lock()
	p.stats.Add(stats)
	p.mu.Unlock()
	w.session, w.started = nil, false
	if err := errors.Join(fitErr, closeErr); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read the artefact folder: %w", err)
	}
	if len(entries) == 0 {
		return &process.Failure{Reason: "no_artifact", ForGood: true, Cell: true, Detail: "the worker says it has fitted but left nothing in artifact_dir, " +
			"from which every worker that predicts is loaded"}
	}
	p.artifact = dir
	return nil
}

// load has the workers that run load the artefact, and those that start later too.
func (p *pool) load(dir string) error {
	p.artifact = dir
	for _, w := range p.workers {
		if w.session == nil {
			continue
		}
		// Load has no context in the interface of learners; the start time-out bounds it.
		if err := w.session.Load(context.Background(), dir); err != nil {
			return err
		}
	}
	return nil
}

// packFolder writes the folder as a deterministic tar: names in byte order, no times or owners.
func packFolder(w io.Writer, dir string) error {
	if dir == "" {
		return errors.New("save the artefact: nothing has been fitted or loaded")
	}
	tw := tar.NewWriter(w)
	// WalkDir goes in lexical order of each folder's names, which is a fixed order.
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: filepath.ToSlash(rel), Mode: 0o644, ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg, Size: info.Size()}
		switch {
		case info.IsDir():
			h.Name, h.Mode, h.Typeflag, h.Size = h.Name+"/", 0o755, tar.TypeDir, 0
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is neither a file nor a folder; an artefact can't hold it", rel)
		case info.Mode()&0o100 != 0:
			h.Mode = 0o755
		}
		if err := tw.WriteHeader(h); err != nil || info.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(tw, f)
		return errors.Join(err, f.Close())
	})
	if err == nil {
		err = tw.Close()
	}
	if err != nil {
		return fmt.Errorf("save the artefact: %w", err)
	}
	return nil
}

// unpackFolder reads what packFolder wrote into dir, and nothing outside of it.
func unpackFolder(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("load the artefact: %w", err)
	}
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = unpackEntry(root, h, tr)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("load the artefact: %w", err), root.Close())
		}
	}
	if err := root.Close(); err != nil {
		return fmt.Errorf("load the artefact: %w", err)
	}
	return nil
}

func unpackEntry(root *os.Root, h *tar.Header, r io.Reader) error {
	name := filepath.FromSlash(filepath.Clean(h.Name))
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeReg:
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fs.FileMode(h.Mode&0o755))
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return errors.Join(err, f.Close())
	}
	return fmt.Errorf("%s: an artefact holds files and folders only", h.Name)
}
