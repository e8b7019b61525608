package trajectory

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// uiTrees finds the UI trees of an episode folder by the moment of their screenshot.
type uiTrees map[string]string

// findTrees looks for tree_<ms>.xml in the folders Screenshots*.
func findTrees(ctx context.Context, dir string) (uiTrees, error) {
	entries, err := readDir(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("list an episode folder: %w", err)
	}
	trees := uiTrees{}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "Screenshots") || !e.IsDir() {
			continue
		}
		inner := filepath.Join(dir, e.Name())
		files, err := readDir(ctx, inner)
		if err != nil {
			return nil, fmt.Errorf("list the screenshots: %w", err)
		}
		for _, f := range files {
			if ms, ok := strings.CutPrefix(f.Name(), "tree_"); ok && strings.HasSuffix(ms, ".xml") {
				trees[strings.TrimSuffix(ms, ".xml")] = filepath.Join(inner, f.Name())
			}
		}
	}
	return trees, nil
}

// of returns the tree that belongs to an action with coordinates.
func (t uiTrees) of(c actionCall) (path string, x, y int, ok bool) {
	ms, _, _ := strings.Cut(filepath.Base(c.image), ".")
	if path = t[ms]; path == "" {
		return "", 0, 0, false
	}
	x, y, ok = c.at()
	return path, x, y, ok
}

// uiNode is what is kept of a node of a UI tree.
type uiNode struct {
	area      int
	clickable bool
	text      string
}

const (
	maxTreeBytes = 64 << 20
	maxTreeDepth = 1000
)

var fourNumbers = regexp.MustCompile(`-?\d+`)

// touchedNode describes the node of a UI tree (XML, datasets.md section 4) that stands at a point: of
// the enabled, visible nodes that contain it and say anything, a clickable one before others, then the
// smallest, then the first. "" where there is none. The tree is streamed; its bounds are any text with
// four whole numbers: left, top, right, bottom.
func touchedNode(ctx context.Context, path string, x, y int) (string, error) {
	f, err := open(ctx, path)
	if err != nil {
		return "", fmt.Errorf("open the UI tree: %w", err)
	}
	defer f.Close() //nolint:errcheck // opened for reading
	d := xml.NewDecoder(io.LimitReader(&meter{ctx: ctx, r: f}, maxTreeBytes))
	var best *uiNode
	depth := 0
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) && depth == 0 {
			break
		}
		if err != nil {
			return "", fmt.Errorf("the UI tree does not parse: %w", err)
		}
		switch el := tok.(type) {
		case xml.StartElement:
			if depth++; depth > maxTreeDepth {
				return "", errors.New("the UI tree is nested too deeply")
			}
			if n, ok := nodeAt(el, x, y); ok && n.before(best) {
				best = &n
			}
		case xml.EndElement:
			depth--
		}
	}
	if best == nil {
		return "", nil
	}
	return best.text, nil
}

// before reports whether n is the better answer than the one found so far.
func (n uiNode) before(best *uiNode) bool {
	switch {
	case best == nil:
		return true
	case n.clickable != best.clickable:
		return n.clickable
	}
	return n.area < best.area
}

func nodeAt(el xml.StartElement, x, y int) (uiNode, bool) {
	attr := make(map[string]string, len(el.Attr))
	for _, a := range el.Attr {
		attr[a.Name.Local] = a.Value
	}
	if attr["enabled"] == "false" || attr["visible"] == "false" {
		return uiNode{}, false
	}
	var b [4]int
	numbers := fourNumbers.FindAllString(attr["bounds"], -1)
	if len(numbers) != 4 {
		return uiNode{}, false
	}
	for i, s := range numbers {
		n, err := strconv.Atoi(s)
		if err != nil {
			return uiNode{}, false
		}
		b[i] = n
	}
	if x < b[0] || x > b[2] || y < b[1] || y > b[3] {
		return uiNode{}, false
	}
	n := uiNode{area: (b[2] - b[0]) * (b[3] - b[1]), clickable: attr["clickable"] == "true", text: nodeText(attr)}
	return n, n.text != ""
}

// nodeText is the node's class and what names it: its text, else its description, hint or view id.
func nodeText(attr map[string]string) string {
	name := ""
	for _, key := range []string{"text", "content_desc", "hint", "view_id"} {
		if name = oneLine(attr[key], MaxElement); name != "" {
			break
		}
	}
	if name == "" {
		return ""
	}
	class := attr["class"]
	class = class[strings.LastIndexByte(class, '.')+1:]
	if class == "" {
		return name
	}
	return "[" + class + "] " + name
}
