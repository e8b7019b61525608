package matrix

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/hashicorp/hcl/v2"
	"github.com/mitchellh/go-wordwrap"
)

// Render writes diagnostics for people: file, line and column with the message, the source line,
// a line of carets under what is meant, and the suggestion on its own line. The carets are padded
// by display width, so that they stand right under Chinese text (HCL's columns count characters).
// Width is the terminal's; 0 wraps nothing. Everything is written at once, and only write errors
// are returned.
func Render(w io.Writer, diags hcl.Diagnostics, src *Sources, colour bool, width int) error {
	var b bytes.Buffer
	for _, d := range diags {
		renderOne(&b, d, src, paint{colour}, width)
	}
	_, err := w.Write(b.Bytes())
	return err
}

type paint struct{ on bool }

func (p paint) in(code, s string) string {
	if !p.on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

const (
	bold   = "1"
	red    = "1;31"
	yellow = "1;33"
	cyan   = "36"
)

func renderOne(b *bytes.Buffer, d *hcl.Diagnostic, src *Sources, p paint, width int) {
	severity, code := "error", red
	if d.Severity == hcl.DiagWarning {
		severity, code = "warning", yellow
	}
	at := ""
	switch {
	case d.Subject == nil:
		at = "intentlab: " // as all that has no place in a file
	case d.Subject.Start.Line == 0: // the whole file
		at = d.Subject.Filename + ": "
	default:
		at = fmt.Sprintf("%s:%d:%d: ", d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column)
	}
	message, hint := splitHint(d)
	text := strings.Split(wrapText(at+severity+": "+message, width), "\n")
	text[0] = strings.Replace(text[0], at+severity+":", p.in(bold, at)+p.in(code, severity+":"), 1)
	for i, line := range text {
		if i > 0 {
			b.WriteString("  ")
		}
		b.WriteString(line + "\n")
	}
	if d.Subject != nil && d.Subject.Start.Line > 0 && src != nil {
		renderSource(b, *d.Subject, src.files[d.Subject.Filename], p, code, width)
	}
	if hint != "" {
		b.WriteString("  " + p.in(cyan, hint) + "\n")
	}
}

// splitHint separates the suggestion from the message; HCL and we put it at the end.
func splitHint(d *hcl.Diagnostic) (message, hint string) {
	message = d.Detail
	if message == "" {
		message = d.Summary
	}
	message = printable(strings.TrimSpace(message))
	if !strings.HasPrefix(message, envPrefix) {
		message = lowerFirst(message)
	}
	if i := strings.Index(message, " Did you mean "); i >= 0 {
		if j := strings.Index(message[i:], "?"); j >= 0 {
			hint = lowerFirst(message[i+1 : i+j+1])
			message = message[:i] + message[i+j+1:]
		}
	}
	return message, hint
}

func wrapText(s string, width int) string {
	if width < 20 {
		return s
	}
	return wordwrap.WrapString(s, uint(width-2))
}

// renderSource prints the line that the range starts on, and carets under the part of the range
// that stands on it. A line wider than the terminal is cut around the carets.
func renderSource(b *bytes.Buffer, rng hcl.Range, src []byte, p paint, code string, width int) {
	start := rng.Start.Byte
	if len(src) == 0 || start < 0 || start > len(src) {
		return
	}
	lineStart := bytes.LastIndexByte(src[:start], '\n') + 1
	lineEnd := len(src)
	if i := bytes.IndexByte(src[start:], '\n'); i >= 0 {
		lineEnd = start + i
	}
	end := min(max(rng.End.Byte, start), lineEnd)
	before, marked, after := string(src[lineStart:start]), string(src[start:end]), strings.TrimRight(string(src[end:lineEnd]), "\r")
	marked = strings.TrimRight(marked, "\r")
	before, marked, after = visible(before), visible(marked), visible(after)
	room := width - 4
	if marked == "" && after == "" {
		room-- // the caret stands behind the line's end
	}
	if width >= 20 {
		before, marked, after = window(before, marked, after, room)
	}
	pad := strings.Repeat(" ", displaywidth.String(before))
	carets := strings.Repeat("^", max(1, displaywidth.String(marked)))
	fmt.Fprintf(b, "    %s%s%s\n    %s%s\n", before, p.in(code, marked), after, pad, p.in(code, carets))
}

// window cuts a long line so that the carets stay in sight.
func window(before, marked, after string, room int) (string, string, string) {
	if displaywidth.String(before+marked+after) <= room {
		return before, marked, after
	}
	if displaywidth.String(marked) > room/2 {
		marked = displaywidth.TruncateString(marked, room/2, "…")
	}
	left := room - displaywidth.String(marked)
	keep := max(left/2, left-displaywidth.String(after))
	for displaywidth.String(before) > keep-1 && before != "" {
		_, size := utf8.DecodeRuneInString(strings.TrimPrefix(before, "…"))
		before = "…" + strings.TrimPrefix(before, "…")[size:]
		if before == "…" {
			break
		}
	}
	return before, marked, displaywidth.TruncateString(after, max(0, room-displaywidth.String(before+marked)), "…")
}

// visible makes a source line safe for a terminal: tabs become four blanks, control characters and
// broken UTF-8 the replacement character.
func visible(s string) string { return printable(strings.ReplaceAll(s, "\t", "    ")) }

func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' || c == 0x7f || c >= 0x80 && c < 0xa0 {
			return utf8.RuneError
		}
		return c
	}, s)
}
