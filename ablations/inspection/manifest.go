package inspection

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"intentlab/ablations/task"
	"intentlab/ablations/trajectory"
)

// manifestVersion rises when an older manifest can't be compared any more.
const manifestVersion = 1

// Manifest identifies a copy of a dataset, episode by episode, without any text of it, so that two
// copies can be compared where only one may leave the house. It holds ids and hashes; a hash confirms a
// text to somebody who has it or guesses it.
type Manifest struct {
	ManifestHead
	Episodes []EpisodeHashes // in byte order of ids
}

// ManifestHead says what was read and how: only manifests that agree in it can be compared.
type ManifestHead struct {
	Manifest     int                   `json:"intentlab_manifest"` // the version
	Format       string                `json:"format"`
	Reader       int                   `json:"reader"` // the reader's version
	Visibility   trajectory.Visibility `json:"visibility"`
	Settings     json.RawMessage       `json:"settings,omitempty"` // of the format
	Observations bool                  `json:"observations,omitempty"`
	Count        int                   `json:"episodes"`
	Lists        []trajectory.Count    `json:"lists"`
	// Fingerprint is the hash of all ids and hashes, whatever the order of the files.
	Fingerprint string `json:"fingerprint"`
}

// EpisodeHashes identify one episode. Hash is that of [trajectory.Episode.Hash]; the others, the first
// 16 digits of SHA-256, tell which part of an episode differs.
type EpisodeHashes struct {
	ID       string `json:"id"`
	Hash     string `json:"hash"`
	Steps    string `json:"steps"`    // context steps included
	Intents  string `json:"intents"`  // open, closed, label space
	Metadata string `json:"metadata"` // metadata, apps, profile, flags
	Lists    string `json:"lists"`    // official lists, cluster, fields to split by
}

// NewManifest begins the manifest of a source.
func NewManifest(src trajectory.Source) (*Manifest, error) {
	m := &Manifest{ManifestHead: ManifestHead{Manifest: manifestVersion, Format: src.Format, Reader: trajectory.Formats[src.Format].Version,
		Visibility: cmp.Or(src.Visibility, trajectory.Safe), Observations: src.Observations != ""}}
	if src.Options == nil {
		return m, nil
	}
	settings, err := task.Canonical(src.Options)
	if err != nil {
		return nil, fmt.Errorf("writing down the settings of %s: %w", src.Format, err)
	}
	m.Settings = settings
	return m, nil
}

// Add takes the next episode.
func (m *Manifest) Add(e trajectory.Episode) error {
	hash, err := e.Hash()
	if err != nil {
		return err
	}
	h := EpisodeHashes{ID: e.ID, Hash: hash}
	for _, part := range []struct {
		to *string
		of any
	}{
		{&h.Steps, []any{e.ContextSteps, e.Steps}},
		{&h.Intents, []string{e.OpenIntent, e.ClosedIntent, e.LabelSpace}},
		{&h.Metadata, []any{e.Metadata, e.Apps, e.Profile, e.Flags}},
		{&h.Lists, []any{e.Lists, e.ClusterID, e.Groups}},
	} {
		sum, err := task.Hash(part.of)
		if err != nil {
			return fmt.Errorf("hash a part of episode %s: %w", e.ID, err)
		}
		*part.to = sum[:16]
	}
	m.Episodes = append(m.Episodes, h)
	return nil
}

// Close orders the episodes and fills in the head.
func (m *Manifest) Close(lists []trajectory.Count) error {
	slices.SortFunc(m.Episodes, func(a, b EpisodeHashes) int { return strings.Compare(a.ID, b.ID) })
	m.Count, m.Lists = len(m.Episodes), lists
	pairs := make([][2]string, len(m.Episodes))
	for i, e := range m.Episodes {
		pairs[i] = [2]string{e.ID, e.Hash}
	}
	var err error
	if m.Fingerprint, err = task.Hash(pairs); err != nil {
		return fmt.Errorf("hash the list of episodes: %w", err)
	}
	return nil
}

// Write writes the manifest as JSON lines: the head, then an episode a line.
func (m *Manifest) Write(w io.Writer) error {
	buf := bufio.NewWriter(w)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m.ManifestHead); err != nil {
		return fmt.Errorf("write the head of the manifest: %w", err)
	}
	for _, e := range m.Episodes {
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("write episode %s into the manifest: %w", e.ID, err)
		}
	}
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	return nil
}

// manifestStart is how every manifest begins, and nothing else does.
var manifestStart = []byte(`{"intentlab_manifest":`)

// ReadManifest reads what [Manifest.Write] wrote. is is false, without an error, where path is something
// else: a folder, or a file of data.
func ReadManifest(path string) (m *Manifest, is bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, fmt.Errorf("look at what to compare with: %w", err)
	}
	if info.IsDir() {
		return nil, false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false, fmt.Errorf("open what to compare with: %w", err)
	}
	defer f.Close() //nolint:errcheck // opened for reading
	r := bufio.NewReader(f)
	if start, err := r.Peek(len(manifestStart)); err != nil || !bytes.Equal(start, manifestStart) {
		return nil, false, nil //nolint:nilerr // shorter than any manifest
	}
	m, err = readManifest(r)
	if err != nil {
		return nil, true, fmt.Errorf("manifest %s: %w", path, err)
	}
	return m, true, nil
}

func readManifest(r io.Reader) (*Manifest, error) {
	d := json.NewDecoder(r)
	m := &Manifest{}
	if err := d.Decode(&m.ManifestHead); err != nil {
		return nil, fmt.Errorf("line 1 is no head of a manifest: %w", err)
	}
	if m.Manifest != manifestVersion {
		return nil, fmt.Errorf("it is of version %d; this program reads version %d", m.Manifest, manifestVersion)
	}
	for line := 2; ; line++ {
		var e EpisodeHashes
		err := d.Decode(&e)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || e.ID == "" || e.Hash == "" {
			return nil, fmt.Errorf("line %d is no episode with id and hash", line)
		}
		m.Episodes = append(m.Episodes, e)
	}
	head := m.ManifestHead
	if err := m.Close(head.Lists); err != nil {
		return nil, err
	}
	if m.Count != head.Count || m.Fingerprint != head.Fingerprint {
		return nil, fmt.Errorf("its head says %d episodes and another content than its %d lines have: it is cut or was changed", head.Count, m.Count)
	}
	return m, nil
}
