package runners

import (
	"fmt"
	"path/filepath"
	"strings"

	"intentlab/ablations/audit"
	"intentlab/runners/predictors"
)

// goldPaths lists what names a place that holds gold (the store, a dataset's files, a gold folder of
// `generate`) among the arguments and environment entries of programs that methods start. Values are not
// quoted; they may be secrets.
func (g *Engine) goldPaths() []audit.Fault {
	faults := []audit.Fault{}
	for _, m := range g.Exp.Methods {
		o, ok := m.Options.(predictors.Launcher)
		if !ok {
			continue
		}
		launch := o.Launch()
		note := func(what, value string) {
			if place := g.goldIn(value); place != "" {
				faults = append(faults, audit.Fault{Rule: audit.GoldPath, Detail: fmt.Sprintf("method %s: %s names %s", m.ID, what, place)})
			}
		}
		for i, arg := range launch.Command {
			note(fmt.Sprintf("argument %d of its command", i), arg)
		}
		for _, entry := range predictors.CommandEnv(launch, g.getenv) {
			name, value, _ := strings.Cut(entry, "=")
			note("variable "+name+" of its environment", value)
		}
	}
	return faults
}

// goldIn says which place with gold a text names, "" for none. Every word of a shell line counts.
func (g *Engine) goldIn(text string) string {
	words := append(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r'\"`=:;<>|&(),", r) }), text)
	for _, w := range words {
		if w == "" {
			continue
		}
		path := filepath.Clean(w)
		if !filepath.IsAbs(path) {
			path = filepath.Join(g.Exp.Dir, path)
		}
		for _, part := range strings.Split(filepath.ToSlash(path), "/") {
			if strings.HasSuffix(part, ".gold") || part == "gold.jsonl" {
				return "a gold folder or file"
			}
		}
		if path == g.Exp.Store {
			return "the store"
		}
		for _, d := range g.Exp.Datasets {
			// A dataset whose folder holds the experiment holds the programs too.
			if path == d.Path || within(path, d.Path) && !within(g.Exp.Dir, d.Path) && g.Exp.Dir != d.Path {
				return "the files of dataset " + d.ID
			}
		}
	}
	return ""
}

// within reports whether path lies below dir.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
