package process

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestFoldersOfKilledProcessesAreRemovedAndThoseInUseAreNot(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host := exec.Command(self)
	host.Env = append(os.Environ(), "FAKE_HOST=1")
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	mine, err := NewPrivateFolder("test")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(tmp, "intentlab-of-somebody"), 0o700); err != nil {
		t.Fatal(err)
	}
	there := func() int {
		t.Helper()
		if err := RemoveAbandoned(); err != nil {
			t.Error(err)
		}
		entries, err := os.ReadDir(tmp)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if n := there(); n != 3 {
		t.Errorf("%d folders while the host runs, want 3", n)
	}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := host.Wait(); err == nil {
		t.Error("the host ended by itself")
	}
	if n := there(); n != 2 {
		t.Errorf("%d folders after the host was killed, want 2", n)
	}
	if _, err := os.Stat(mine.Path); err != nil {
		t.Error(err)
	}
	if err := mine.Remove(); err != nil {
		t.Error(err)
	}
	if n := there(); n != 1 {
		t.Errorf("%d folders after it was removed, want 1", n)
	}
}
