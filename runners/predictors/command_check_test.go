package predictors

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckCommandNamesTheProgramOrScriptThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"here.py": 0o644, "tool": 0o755, "notes": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		command, want string // blanks separate the arguments; "" is no error
	}{
		{"sh here.py", ""},
		{"sh -m package.py here.py", ""},
		{"sh -c echo>x.py", ""},
		{"sh --config=nothere.py", ""},
		{"sh here.py out.js", ""}, // the script is the first
		{"sh word", ""},
		{"./tool nothere.txt", ""},
		{"sh nothere.py", `there is no script "nothere.py" in ` + dir},
		{"sh run scripts/nothere.py here.py", `there is no script "scripts/nothere.py" in`},
		{"sh /no/such/x.py", `there is no script "/no/such/x.py"`},
		{"no-such-program-here x", `there is no program "no-such-program-here" in PATH`},
		{"./nothere", `there is no program "./nothere" in ` + dir},
		{"./notes", `program "./notes" can't be run: start `},
		{"tool", `there is no program "tool" in PATH`},
	} {
		err := CheckCommand(Launch{Command: strings.Fields(c.command)}, dir, nil)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.command, err, c.want)
		}
	}
	if err := CheckCommand(Launch{Command: []string{"tool"}}, dir, []string{"PATH=" + dir}); err != nil {
		t.Errorf("with a PATH of its own: %v", err)
	}
}
