package trajectory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The trees are fixtures, made to the attributes that datasets.md lists.
const uiTree = `<?xml version="1.0" encoding="UTF-8"?>
<hierarchy>
  <node class="android.widget.FrameLayout" bounds="[0,0][1080,2400]" enabled="true" visible="true" clickable="false" text="whole screen">
    <node class="android.widget.Button" bounds="Rect(300, 1200 - 400, 1300)" enabled="true" visible="true" clickable="true" content_desc="添加闹钟">
      <node class="android.widget.ImageView" bounds="[320,1220][380,1280]" enabled="true" visible="true" clickable="false" view_id="icon_add"/>
    </node>
    <node class="Button" bounds="[0,0][1080,100]" enabled="false" visible="true" clickable="true" text="disabled"/>
    <node class="Button" bounds="[0,0][1080,100]" enabled="true" visible="false" clickable="true" text="invisible"/>
    <node class="EditText" bounds="[0,200][1080,300]" enabled="true" visible="true" clickable="true" hint="Search"/>
    <node class="Button" bounds="[0,0][1080,100]" enabled="False" visible="True" clickable="True" text="disabled in Python's spelling"/>
    <node class="First" bounds="[0,400][100,500]" text="first of two"/>
    <node class="Second" bounds="[0,400][100,500]" text="second of two"/>
    <node class="Huge" bounds="[0,0][99999999999,99999999999]" text="wider than any screen"/>
    <node class="TextView" bounds="nowhere" text="no bounds"/>
  </node>
</hierarchy>`

func TestATouchFindsTheNodeItMeant(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tree.xml")
	write(t, path, uiTree)
	for _, c := range []struct {
		x, y int
		want string
	}{
		{336, 1267, "[Button] 添加闹钟"},          // clickable before the smaller picture in it
		{5, 50, "[FrameLayout] whole screen"}, // neither disabled nor invisible ones
		{500, 250, "[EditText] Search"},
		{50, 450, "[First] first of two"},
		{2000, 50, "[Huge] wider than any screen"},
		{-5, 50, ""},
	} {
		got, err := touchedNode(t.Context(), path, c.x, c.y)
		if err != nil || got != c.want {
			t.Errorf("touch at %d, %d: %q, %v; want %q", c.x, c.y, got, err, c.want)
		}
	}
}

// withTree is the raw fixture's episode with a UI tree beside its screenshot.
func withTree(t *testing.T, tree string) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "1", "20250309_133115")
	shots := filepath.Join(dir, "Screenshots_1")
	if err := os.MkdirAll(shots, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "survey_result.json"), `{"user_id":"1","time":"20250309_133115","scenario":"学校","app":"com.huawei.deskclock","intentDescription":"打开闹钟"}`)
	write(t, filepath.Join(dir, "action.jsonl"), `{"1741498279844.jpg": "click(coordinates=(336, 1267), content='蓝色加号按钮')"}`+"\n"+`{"1741498279999.jpg": "press_back()"}`)
	write(t, filepath.Join(shots, "tree_1741498279844.xml"), tree)
	return root
}

func TestFingerTipTreesTellTheClickedNode(t *testing.T) {
	eps, skips, err := collect(Source{Name: "d", Format: "fingertip", Path: withTree(t, uiTree)})
	if err != nil || len(eps) != 1 {
		t.Fatal(err, skips)
	}
	if got := eps[0].Steps[0].Element; got != "[Button] 添加闹钟 蓝色加号按钮 (336, 1267)" {
		t.Errorf("element %q", got)
	}
}

func TestFingerTipTreesThatDoNotParseAreCountedAndTheStepStays(t *testing.T) {
	for _, tree := range []string{"", "  \n", "<!-- nothing -->", "<node", "<a><b></a>", strings.Repeat("<n>", maxTreeDepth+1), `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><node text="&e;" bounds="0 0 999 9999"/>`, "\xff\xfe<node/>"} {
		eps, skips, err := collect(Source{Name: "d", Format: "fingertip", Path: withTree(t, tree)})
		if err != nil || len(eps) != 1 {
			t.Fatalf("%q: %v", tree, err)
		}
		if got := eps[0].Steps[0].Element; got != "蓝色加号按钮 (336, 1267)" {
			t.Errorf("%q: element %q", tree, got)
		}
		if len(skips) != 1 || skips[0].Reason != BrokenTree {
			t.Errorf("%q: skips %+v", tree, skips)
		}
	}
}

func TestATreeOverTheLimitSaysSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tree.xml")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	node := "<node text='" + strings.Repeat("a", 1<<10) + "'/>"
	fmt.Fprint(f, "<hierarchy>")
	for range maxTreeBytes/len(node) + 1 {
		fmt.Fprint(f, node)
	}
	fmt.Fprint(f, "</hierarchy>")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := touchedNode(t.Context(), path, 1, 1); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v", err)
	}
}

func FuzzReadUITree(f *testing.F) {
	f.Add([]byte(uiTree))
	f.Add([]byte(`<node bounds="1 2 3 4"`))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "tree.xml")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		first, err := touchedNode(t.Context(), path, 336, 1267)
		again, err2 := touchedNode(t.Context(), path, 336, 1267)
		if first != again || (err == nil) != (err2 == nil) {
			t.Errorf("%q and %q", first, again)
		}
	})
}
