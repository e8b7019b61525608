package trajectory

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func hashOf(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }

func TestAScreenshotThatIsNoHashIsRefused(t *testing.T) {
	for _, bad := range []string{"shots/1.png", "sha256:abc", "SHA256:" + strings.Repeat("a", 64)} {
		path := filepath.Join(t.TempDir(), "e.jsonl")
		write(t, path, fmt.Sprintf(`{"episode_id":"a","open_intent":"o","steps":[{"op":"click"}],"context_steps":[{"op":"click","screenshot":%q}]}`, bad))
		if _, _, err := collect(Source{Name: "d", Format: "episodes", Path: path}); err == nil || !strings.Contains(err.Error(), "e.jsonl:1: step 0: screenshot") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// pictured writes an annotation of three steps, of which two have pictures in the given folder.
func pictured(t *testing.T, pictures string) string {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "annotations", "0000000000000001.json"), `{"episode_id":"0000000000000001","task_info":{"category":"A","instruction":"o"},"step_length":3,"steps":[
		{"screenshot":"1_0.png","action":"CLICK","info":[[1,2],[1,2]]},{"screenshot":"../annotations/1_1.png","action":"TEXT","info":"x"},{"screenshot":"1_2.png","action":"COMPLETE","info":""}]}`)
	write(t, filepath.Join(root, filepath.FromSlash(pictures), "1_0.png"), "first")
	write(t, filepath.Join(root, filepath.FromSlash(pictures), "1_1.png"), "second")
	return root
}

func TestGUIOdysseyScreenshotsAreHashedOnRequest(t *testing.T) {
	for _, folder := range []string{"screenshots", "screenshots/data_3"} {
		root := pictured(t, folder)
		for _, path := range []string{root, filepath.Join(root, "annotations"), filepath.Join(root, "annotations", "0000000000000001.json")} {
			eps, skips, err := collect(Source{Name: "d", Format: "gui_odyssey", Path: path, Options: &GUIOdysseyOptions{Screenshots: true}})
			if err != nil || len(eps) != 1 {
				t.Fatalf("%s: %v, %+v", path, err, skips)
			}
			s := eps[0].Steps
			if s[0].Screenshot != hashOf("first") || s[1].Screenshot != hashOf("second") || s[2].Screenshot != "" {
				t.Errorf("%s: %+v", path, s)
			}
			if len(skips) != 1 || skips[0].Reason != NoScreenshot || !strings.HasPrefix(skips[0].Detail, "1 of 3 screenshots are not there, first 1_2.png") {
				t.Errorf("%s: %+v", path, skips)
			}
		}
		// Without the option, pictures are neither read nor reported.
		eps, skips, err := collect(Source{Name: "d", Format: "gui_odyssey", Path: root})
		if err != nil || len(skips) != 0 || eps[0].Steps[0].Screenshot != "" {
			t.Errorf("%v, %+v, %+v", err, skips, eps)
		}
	}
}

func TestGUIOdysseyRowsHaveScreenshotsToo(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "all_anno.json"), `[{"episode_id":"0000000000000001","category":"A","instruction":"o","app":"['B']","steps":"[{'screenshot': '1_0.png', 'action': 'CLICK', 'info': [[1, 2], [1, 2]]}]"}]`)
	write(t, filepath.Join(root, "data", "screenshots", "1_0.png"), "first")
	eps, skips, err := collect(Source{Name: "d", Format: "gui_odyssey", Path: root, Options: &GUIOdysseyOptions{Screenshots: true}})
	if err != nil || len(skips) != 0 || eps[0].Steps[0].Screenshot != hashOf("first") {
		t.Errorf("%v, %+v, %+v", err, skips, eps)
	}
}

func TestFingerTipScreenshotsAreHashedOnRequest(t *testing.T) {
	root := withTree(t, uiTree)
	write(t, filepath.Join(root, "1", "20250309_133115", "Screenshots_1", "1741498279844.jpg"), "first")
	eps, skips, err := collect(Source{Name: "d", Format: "fingertip", Path: root, Options: &FingerTipOptions{Screenshots: true}})
	if err != nil || len(skips) != 1 || skips[0].Reason != NoScreenshot || !strings.HasPrefix(skips[0].Detail, "1 of 2 screenshots are not there, first 1741498279999.jpg") {
		t.Fatal(err, skips)
	}
	if s := eps[0].Steps; s[0].Screenshot != hashOf("first") || s[1].Screenshot != "" {
		t.Errorf("%+v", s)
	}
	eps, skips, err = collect(Source{Name: "d", Format: "fingertip", Path: root})
	if err != nil || len(skips) != 0 || eps[0].Steps[0].Screenshot != "" {
		t.Errorf("%v, %+v, %+v", err, skips, eps)
	}
}

func TestAPointerInPlaceOfAScreenshotSaysGitLFS(t *testing.T) {
	root := pictured(t, "screenshots")
	write(t, filepath.Join(root, "screenshots", "1_0.png"), lfsPointer+"\noid sha256:00\nsize 1\n")
	_, _, err := collect(Source{Name: "d", Format: "gui_odyssey", Path: root, Options: &GUIOdysseyOptions{Screenshots: true}})
	if err == nil || !strings.Contains(err.Error(), "run git lfs pull") || strings.Count(err.Error(), "0000000000000001.json") != 1 {
		t.Error(err)
	}
}

func TestReadingScreenshotsIsTraced(t *testing.T) {
	root := pictured(t, "screenshots")
	trace := NewTrace()
	for _, err := range Read(trace.With(t.Context()), Source{Name: "d", Format: "gui_odyssey", Path: root, Options: &GUIOdysseyOptions{Screenshots: true}}, nil) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if trace.Files()[filepath.Join(root, "screenshots", "1_0.png")] == "" {
		t.Errorf("files %v", trace.Files())
	}
	if _, err := os.Stat(filepath.Join(root, "screenshots")); err != nil || !Lists(trace.Looked()[filepath.Join(root, "screenshots")]) {
		t.Errorf("looked up %v", trace.Looked())
	}
}
