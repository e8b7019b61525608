package trajectory

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// captured is what was recorded beside the actions of an episode folder: the files in its folders
// Screenshots*, pictures and UI trees.
type captured struct{ images }

// findCaptured looks for screenshots and for tree_<ms>.xml in the folders Screenshots*.
func findCaptured(ctx context.Context, dir string) (captured, error) {
	entries, err := readDir(ctx, dir)
	if err != nil {
		return captured{}, fmt.Errorf("list an episode folder: %w", err)
	}
	all := captured{images{}}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "Screenshots") {
			continue
		}
		found, err := findImages(ctx, filepath.Join(dir, e.Name()), "")
		if err != nil {
			return captured{}, err
		}
		maps.Copy(all.images, found)
	}
	return all, nil
}

// tree returns the UI tree that belongs to an action with coordinates.
func (c captured) tree(a actionCall) (path string, x, y int, ok bool) {
	ms, _, _ := strings.Cut(filepath.Base(a.image), ".")
	if path = c.images["tree_"+ms+".xml"]; path == "" {
		return "", 0, 0, false
	}
	x, y, ok = a.at()
	return path, x, y, ok
}

// uiNode is what is kept of a node of a UI tree.
type uiNode struct {
	area      float64
	clickable bool
	text      string
}

const (
	maxTreeBytes = 16 << 20 // a tree is some hundred kilobytes
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
	limited := &io.LimitedReader{R: &meter{ctx: ctx, r: f}, N: maxTreeBytes}
	d := xml.NewDecoder(limited)
	var best *uiNode
	depth, nodes := 0, 0
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) && nodes > 0 && depth == 0 {
			break
		}
		if err != nil && limited.N <= 0 {
			return "", fmt.Errorf("the UI tree is larger than %d bytes", maxTreeBytes)
		}
		if errors.Is(err, io.EOF) {
			return "", errors.New("the UI tree is empty")
		}
		if err != nil {
			return "", fmt.Errorf("the UI tree does not parse: %w", err)
		}
		switch el := tok.(type) {
		case xml.StartElement:
			nodes++
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
	if strings.EqualFold(attr["enabled"], "false") || strings.EqualFold(attr["visible"], "false") {
		return uiNode{}, false
	}
	var b [4]float64
	numbers := fourNumbers.FindAllString(attr["bounds"], -1)
	if len(numbers) != 4 {
		return uiNode{}, false
	}
	for i, s := range numbers {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return uiNode{}, false
		}
		b[i] = n
	}
	if px, py := float64(x), float64(y); px < b[0] || px > b[2] || py < b[1] || py > b[3] {
		return uiNode{}, false
	}
	n := uiNode{area: (b[2] - b[0]) * (b[3] - b[1]), clickable: strings.EqualFold(attr["clickable"], "true"), text: nodeText(attr)}
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
