package trajectory

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"

	"intentlab/ablations/task"
)

// Formats holds every supported on-disk format by its name in `dataset { format = … }`.
var Formats = map[string]Format{
	"weblinx":     webLINX,
	"mind2web":    mind2Web,
	"gui_odyssey": guiOdyssey,
	"fingertip":   fingerTip,
	"mt_mind2web": mtMind2Web,
	"episodes":    episodeLines,
}

// FormatNames returns the names of all formats in byte order.
func FormatNames() []string {
	names := make([]string, 0, len(Formats))
	for name := range Formats {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Read streams the episodes of src in file order, whatever its format. It gives every episode the
// dataset's name, percent-encodes its id, leaves out episodes without steps (no_steps) and identical
// records (duplicate), and caps the text of steps ([MaxElement] and its siblings). Two differing
// records under one id, a damaged file and a source without any episode end the stream with an
// error. A cancelled ctx ends it with ctx's error. skipped may be nil; it is called on the
// goroutine of the caller, between the episodes.
func Read(ctx context.Context, src Source, skipped func(Skip)) iter.Seq2[Episode, error] {
	f, ok := Formats[src.Format]
	if !ok {
		err := fmt.Errorf("dataset %q: unknown format %q (known: %s)", src.Name, src.Format, strings.Join(FormatNames(), ", "))
		return func(yield func(Episode, error) bool) { yield(Episode{}, err) }
	}
	return f.Read(ctx, src, skipped)
}

// errStopped travels through a reader when the consumer has broken out of its loop.
var errStopped = errors.New("stopped by the consumer")

// output is where a format's reader puts what it found. emit applies the rules that all formats
// share; where names file and record for messages.
type output struct {
	emit func(where string, e Episode) error
	skip func(Skip)
	// do calls a function in turn with emit and skip, where a reader keeps state over several files.
	do func(func() error) error
}

// load is the part of a reader that knows the format: it pushes records and returns the first
// error. Errors of emit must be returned unchanged.
type load func(ctx context.Context, src Source, out output) error

// stream turns load into a [Reader] and applies the rules that all formats share.
func stream(ctx context.Context, src Source, skipped func(Skip), format string, do load) iter.Seq2[Episode, error] {
	return func(yield func(Episode, error) bool) {
		if src.Format == "" {
			src.Format = format
		}
		g := gate{src: src, seen: map[string]record{}, reasons: map[string]int{}, skipped: skipped, yield: yield}
		err := g.run(ctx, do)
		if err != nil && !errors.Is(err, errStopped) {
			yield(Episode{}, fmt.Errorf("dataset %q: %w", src.Name, err))
		}
	}
}

type record struct{ hash, where string }

// gate holds the state of one pass over a source.
type gate struct {
	src     Source
	seen    map[string]record
	yielded int
	reasons map[string]int
	first   *Skip
	side    *sidecar // nil without observations
	skipped func(Skip)
	yield   func(Episode, error) bool
}

func (g *gate) run(ctx context.Context, do load) error {
	switch g.src.Visibility {
	case "":
		g.src.Visibility = Safe
	case Safe, AsPublished:
	default:
		return fmt.Errorf("visibility %q: want %q or %q", g.src.Visibility, Safe, AsPublished)
	}
	if g.src.Path == "" {
		return errors.New("no path given")
	}
	if _, err := stat(ctx, g.src.Path); errors.Is(err, os.ErrNotExist) {
		return noPathError(g.src.Path)
	} else if err != nil {
		return fmt.Errorf("look at the path: %w", err)
	}
	if err := g.observing(ctx); err != nil {
		return err
	}
	if err := do(ctx, g.src, g.output(ctx)); err != nil {
		return err
	}
	if g.side != nil {
		g.side.unused(g.skip)
	}
	if g.yielded == 0 {
		return fmt.Errorf("no episodes of format %s under %s: %s", g.src.Format, g.src.Path, g.why())
	}
	return nil
}

// output hands everything on at once.
func (g *gate) output(ctx context.Context) output {
	return output{skip: g.skip, do: func(f func() error) error { return f() }, emit: func(where string, e Episode) error { return g.emit(ctx, where, e) }}
}

// noPathError is a source that isn't there; it is an os.ErrNotExist.
type noPathError string

func (e noPathError) Error() string {
	return fmt.Sprintf("there is no %s; put the data there or set `path` to where it is", string(e))
}
func (e noPathError) Unwrap() error { return os.ErrNotExist }

func (g *gate) skip(s Skip) {
	if s.Reason != NoRole { // a field, which explains no missing episode
		g.reasons[s.Reason]++
	}
	if s.Reason != Litter && s.Reason != NoRole && (g.first == nil || g.first.Reason == NotOfThisFormat && s.Reason != NotOfThisFormat) {
		g.first = &s
	}
	if g.skipped != nil {
		g.skipped(s)
	}
}

// why sums up the skips for the error of a source without episodes.
func (g *gate) why() string {
	if len(g.reasons) == 0 {
		return "there is no file of that shape"
	}
	reasons := make([]string, 0, len(g.reasons))
	for r, n := range g.reasons {
		reasons = append(reasons, fmt.Sprintf("%d skipped as %s", n, r))
	}
	sort.Strings(reasons)
	text := strings.Join(reasons, ", ")
	if g.first != nil {
		text += fmt.Sprintf(" (%s: %s)", g.first.Where, g.first.Detail)
	}
	return text
}

func (g *gate) emit(ctx context.Context, where string, e Episode) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("read %s: %w", where, err)
	}
	if e.ID == "" {
		return fmt.Errorf("%s: the record has no id", where)
	}
	if g.src.Format != "episodes" || !isEncodedID(e.ID) {
		e.ID = EncodeID(e.ID)
	}
	e.Dataset = g.src.Name
	// Readers share lists and profiles between episodes; a consumer may change what it gets.
	e.Lists, e.Profile = slices.Clone(e.Lists), maps.Clone(e.Profile)
	if e.ClusterID == "" {
		e.ClusterID = e.ID
	}
	if len(e.Steps) == 0 {
		g.skip(Skip{Where: where, Reason: NoSteps, Detail: "episode " + e.ID + " has no steps"})
		return nil
	}
	if g.side != nil {
		if err := g.side.join(&e); err != nil {
			return err
		}
	}
	e.Mask = nil
	for _, steps := range [][]task.Step{e.ContextSteps, e.Steps} {
		if err := onlyHashes(steps); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		capSteps(steps)
	}
	// List membership is no part of the comparison: copies of one record may lie in two folders.
	bare := e
	bare.Lists = nil
	hash, err := bare.Hash()
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if before, ok := g.seen[e.ID]; ok {
		if before.hash != hash {
			return fmt.Errorf("episode id %q stands for two different records: %s and %s", e.ID, before.where, where)
		}
		g.skip(Skip{Where: where, Reason: Duplicate, Detail: fmt.Sprintf("episode %s is identical to %s", e.ID, before.where)})
		return nil
	}
	g.seen[e.ID] = record{hash, where}
	g.yielded++
	if !g.yield(e, nil) {
		return errStopped
	}
	return nil
}
