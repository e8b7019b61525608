package main_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite the generated parts of README.md and docs/")

const root = "../.."

// TestDocumentation runs what the documentation shows:
//
//   - ```console blocks of README.md and of docs/add-a-dataset.md, in order, in one folder each that starts empty. A line "$ command" is
//     given to sh; what follows, up to the next one, is its whole output (stdout and stderr as they
//     came). A line "..." stands for any lines, "..." within a line for any text, and "(exit status N)"
//     as the last line for that status; without it the status is 0. `cd` holds for the commands below.
//   - "<!-- file: PATH -->" before a fenced block writes the block to PATH in that folder first.
//   - "<!-- long -->" before a console block has it run, in a copy of experiments/, only where
//     INTENTLAB_TEST_LONG is set, as .ci/run does.
//   - "<!-- output: COMMAND -->" before a fenced block, in any file, says that the block is that command's
//     output; -update-docs rewrites it.
//   - docs/language.md is the output of `intentlab docs`, whole.
func TestDocumentation(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the documentation's commands, with a program built apart, for some 20 s")
	}
	bin := t.TempDir()
	// Without -race and without stamping: it is the program that a reader builds, whatever tests it.
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(bin, "intentlab"), ".").CombinedOutput(); err != nil {
		t.Fatalf("building intentlab: %v\n%s", err, out)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"INTENTLAB_VAR_data", "INTENTLAB_VAR_limit", "GOFLAGS"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	files := documents(t)
	for _, file := range []string{"README.md", "docs/add-a-dataset.md"} {
		t.Run(file+" shows what the commands print", func(t *testing.T) { commands(t, file) })
	}
	t.Run("language.md is what intentlab docs prints", language)
	for _, file := range files {
		t.Run("generated blocks of "+filepath.Base(file), func(t *testing.T) { generated(t, file) })
		t.Run("links of "+filepath.Base(file), func(t *testing.T) { links(t, file) })
	}
}

func documents(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents below docs: %v", err)
	}
	return append(files, filepath.Join(root, "README.md"), filepath.Join(root, "experiments", "README.md"))
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sh runs one command line and returns its whole output and exit status.
func sh(t *testing.T, dir, line string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	status := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return string(out), status
}

// block is a fenced block with the comment line that stands before it, if one does.
var block = regexp.MustCompile("(?m)(?:^<!-- (file|output|long)(?:: (.*?))? -->\n+)?^```(\\w*)\n((?s:.*?))^```$")

func commands(t *testing.T, file string) {
	dir := t.TempDir()
	at, long, ran := dir, "", 0
	for _, m := range block.FindAllStringSubmatch(read(t, filepath.Join(root, filepath.FromSlash(file))), -1) {
		mark, arg, language, body := m[1], m[2], m[3], m[4]
		switch {
		case mark == "file":
			path := filepath.Join(dir, filepath.FromSlash(arg))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		case language == "console" && mark == "long":
			if os.Getenv("INTENTLAB_TEST_LONG") == "" {
				continue
			}
			if long == "" {
				long = t.TempDir()
				if err := os.CopyFS(filepath.Join(long, "experiments"), os.DirFS(filepath.Join(root, "experiments"))); err != nil {
					t.Fatal(err)
				}
			}
			console(t, long, body)
		case language == "console":
			at = console(t, at, body)
			ran++
		}
	}
	if ran == 0 {
		t.Errorf("%s holds no console block", file)
	}
}

// console runs the commands of a block in dir and returns the folder that it ends in.
func console(t *testing.T, dir, body string) string {
	t.Helper()
	for _, part := range strings.Split("\n"+body, "\n$ ")[1:] {
		line, want, _ := strings.Cut(part, "\n")
		if to, ok := strings.CutPrefix(line, "cd "); ok {
			dir = filepath.Join(dir, to)
			continue
		}
		out, status := sh(t, dir, line)
		wanted := 0
		if m := regexp.MustCompile(`(?m)^\(exit status (\d+)\)\n?\z`).FindStringSubmatch(want); m != nil {
			want = strings.TrimSuffix(want, m[0])
			for _, c := range m[1] {
				wanted = wanted*10 + int(c-'0')
			}
		}
		if status != wanted {
			t.Errorf("$ %s\nexit status %d, the README says %d:\n%s", line, status, wanted, out)
		}
		if !pattern(want).MatchString(strings.TrimRight(trimLines(out), "\n")) {
			t.Errorf("$ %s\nprinted\n%s\nand the README shows\n%s", line, out, want)
		}
	}
	return dir
}

// trimLines drops blanks at line ends, which editors drop from the README too.
func trimLines(s string) string { return regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(s, "") }

// pattern makes a regular expression of expected output with its "..." wildcards.
func pattern(want string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`\A`)
	for i, line := range strings.Split(strings.TrimRight(trimLines(want), "\n"), "\n") {
		if line == "..." {
			b.WriteString(`(?:(?:\n|\A)[^\n]*)*`)
			continue
		}
		if i > 0 {
			b.WriteString(`\n?`) // optional only after a leading "..." that matched nothing
		}
		b.WriteString(`(?m:^)`)
		for j, part := range strings.Split(line, "...") {
			if j > 0 {
				b.WriteString(`[^\n]*?`)
			}
			b.WriteString(regexp.QuoteMeta(part))
		}
		b.WriteString(`(?m:$)`)
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String())
}

func TestConsolePatternHoldsLinesToWhatIsShown(t *testing.T) {
	for _, c := range []struct {
		want, got string
		match     bool
	}{
		{"a\nb\n", "a\nb", true},
		{"a\nb\n", "a\nc", false},
		{"a\nb\n", "a\n\nb", false},
		{"a\nb\n", "ab", false},
		{"a\n", "a\nb", false},
		{"", "", true},
		{"", "a", false},
		{"...\nb\n", "a\nb", true},
		{"...\nb\n", "b", true},
		{"...\nb\n", "xb", false},
		{"a\n...\n", "a", true},
		{"a\n...\n", "a\nb\nc", true},
		{"a\n...\n", "ab", false},
		{"a\n...\nd\n", "a\nb\n\nc\nd", true},
		{"a\n...\nd\n", "a\nd", true},
		{"a\n...\nd\n", "a\nb", false},
		{"a ... c\n", "a b c", true},
		{"a ... c\n", "a b\nc", false},
	} {
		if got := pattern(c.want).MatchString(c.got); got != c.match {
			t.Errorf("%q against %q: match is %t", c.got, c.want, got)
		}
	}
}

func language(t *testing.T) {
	file := filepath.Join(root, "docs", "language.md")
	out, status := sh(t, t.TempDir(), "intentlab docs")
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, out)
	}
	if *updateDocs {
		if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, file) != out {
		t.Errorf("%s is not what `intentlab docs` prints; go test ./cmd/intentlab -run Documentation -update-docs rewrites it", file)
	}
}

// generated holds the blocks that are a command's output to it.
func generated(t *testing.T, file string) {
	text := read(t, file)
	renewed := block.ReplaceAllStringFunc(text, func(s string) string {
		m := block.FindStringSubmatch(s)
		if m[1] != "output" {
			return s
		}
		out, status := sh(t, t.TempDir(), m[2])
		if status != 0 {
			t.Fatalf("%s: exit status %d: %s", m[2], status, out)
		}
		return strings.TrimSuffix(s, m[4]+"```") + out + "```"
	})
	if renewed == text {
		return
	}
	if !*updateDocs {
		t.Errorf("generated blocks of %s are old; go test ./cmd/intentlab -run Documentation -update-docs renews them", file)
		return
	}
	if err := os.WriteFile(file, []byte(renewed), 0o644); err != nil {
		t.Fatal(err)
	}
}

// links checks that relative links lead to files.
func links(t *testing.T, file string) {
	for _, m := range regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(read(t, file), -1) {
		if strings.Contains(m[1], "://") {
			continue
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("%s links to %s: %v", file, m[1], err)
		}
	}
}

func TestEveryModuleInTheBinaryHasItsLicenceListed(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("listing the modules: %v", err)
	}
	text := read(t, filepath.Join(root, "docs", "licences.md"))
	modules := strings.Fields(string(out))
	if len(modules) == 0 {
		t.Fatal("no module is listed")
	}
	for _, m := range modules {
		if !strings.Contains(text, "| "+m+" | ") {
			t.Errorf("docs/licences.md doesn't list %s", m)
		}
	}
}
