package matrix

import (
	"errors"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"pgregory.net/rapid"
)

func TestCaretsStandUnderWideCharacters(t *testing.T) {
	src := newSources()
	line := "路径 = \"数据\" # 一\n"
	src.put("x.hcl", []byte("a\n"+line))
	start := 2 + strings.Index(line, "\"数据")
	d := errorAt(hcl.Range{Filename: "x.hcl", Start: hcl.Pos{Line: 2, Column: 6, Byte: start}, End: hcl.Pos{Line: 2, Column: 10, Byte: start + len("\"数据\"")}}, "s", "Wrong.")
	want := `x.hcl:2:6: error: wrong.
    路径 = "数据" # 一
           ^^^^^^
`
	if d := cmp.Diff(want, rendered(t, hcl.Diagnostics{d}, src)); d != "" {
		t.Error(d)
	}
}

func TestColourIsOnlyWhereAskedFor(t *testing.T) {
	_, src, diags := load(t, testInputs(), "experimnt \"e\" {}\n")
	plain := rendered(t, diags, src)
	if strings.Contains(plain, "\x1b") {
		t.Errorf("%q", plain)
	}
	var b strings.Builder
	if err := Render(&b, diags, src, true, 0); err != nil {
		t.Fatal(err)
	}
	stripped := b.String()
	for _, code := range []string{bold, red, cyan} {
		if !strings.Contains(stripped, "\x1b["+code+"m") {
			t.Errorf("no colour %s in %q", code, stripped)
		}
		stripped = strings.ReplaceAll(stripped, "\x1b["+code+"m", "")
	}
	if d := cmp.Diff(plain, strings.ReplaceAll(stripped, "\x1b[0m", "")); d != "" {
		t.Error(d)
	}
}

func TestControlCharactersDoNotReachTheTerminal(t *testing.T) {
	_, src, diags := load(t, testInputs(), "experimnt \"e\x1b[31m\" {}\nb = \"\u009b31m\n")
	if got := rendered(t, diags, src); strings.ContainsAny(got, "\x1b\u009b") {
		t.Errorf("%q", got)
	}
}

func TestLinesFitTheTerminalAndKeepTheCarets(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		line := strings.ReplaceAll(rapid.StringMatching(`[a-z数据 \t"]{0,300}`).Draw(rt, "line"), "\n", "")
		from := rapid.IntRange(0, len(line)).Draw(rt, "from")
		to := rapid.IntRange(from, len(line)).Draw(rt, "to")
		width := rapid.IntRange(20, 120).Draw(rt, "width")
		for from > 0 && from < len(line) && line[from]&0xc0 == 0x80 {
			from--
		}
		for to < len(line) && line[to]&0xc0 == 0x80 {
			to++
		}
		src := newSources()
		src.put("x", []byte(line+"\n"))
		d := errorAt(hcl.Range{Filename: "x", Start: hcl.Pos{Line: 1, Column: 1, Byte: from}, End: hcl.Pos{Line: 1, Column: 1, Byte: to}}, "s", "Wrong")
		var b strings.Builder
		if err := Render(&b, hcl.Diagnostics{d}, src, false, width); err != nil {
			rt.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) < 3 || !strings.Contains(lines[len(lines)-1], "^") {
			rt.Fatalf("no carets in %q", b.String())
		}
		for _, l := range lines[len(lines)-2:] {
			if w := displaywidth.String(l); w > width {
				rt.Fatalf("a line is %d wide, not %d: %q", w, width, l)
			}
		}
	})
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestRenderReturnsWriteErrors(t *testing.T) {
	if err := Render(failing{}, hcl.Diagnostics{errorAt(hcl.Range{}, "s", "x")}, nil, false, 0); err == nil {
		t.Error("no error")
	}
}
