package trajectory

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// multimodalColumns are the columns of a published shard.
type multimodalColumns struct {
	ActionUID     string   `parquet:"action_uid,optional" json:"action_uid"`
	RawHTML       string   `parquet:"raw_html,optional" json:"raw_html"`
	CleanedHTML   string   `parquet:"cleaned_html,optional" json:"cleaned_html"`
	Operation     *string  `parquet:"operation,optional" json:"operation"`
	Positive      []string `parquet:"pos_candidates,list" json:"pos_candidates"`
	Negative      []string `parquet:"neg_candidates,list" json:"neg_candidates"`
	Website       string   `parquet:"website,optional,dict" json:"website"`
	Domain        *string  `parquet:"domain,optional,dict" json:"domain"`
	Subdomain     string   `parquet:"subdomain,optional" json:"subdomain"`
	AnnotationID  string   `parquet:"annotation_id,optional,dict" json:"annotation_id"`
	ConfirmedTask string   `parquet:"confirmed_task,optional" json:"confirmed_task"`
	Screenshot    struct {
		Bytes []byte `parquet:"bytes,optional" json:"bytes"`
		Path  string `parquet:"path,optional" json:"path"`
	} `parquet:"screenshot,optional" json:"screenshot"`
	Reprs []string `parquet:"action_reprs,list" json:"action_reprs"`
	Index *string  `parquet:"target_action_index,optional" json:"target_action_index"`
	Repr  string   `parquet:"target_action_reprs,optional" json:"target_action_reprs"`
}

// multimodalRows are n tasks of up to four actions with the quirks of the published rows.
func multimodalRows(n int, html string) (rows []multimodalColumns) {
	text := func(s string) *string { return &s }
	for i := range n {
		for k := i % 4; k >= 0; k-- { // backwards
			r := multimodalColumns{
				RawHTML: html, CleanedHTML: html, Negative: []string{html}, Website: fmt.Sprint("site", i%3), AnnotationID: fmt.Sprint("task ", i),
				ConfirmedTask: fmt.Sprintf(" Mar 30, 202\n%d £", i), Index: text(fmt.Sprint(k)), Repr: fmt.Sprintf("[button]  Go %d -> CLICK", k),
				Operation: text(`{"original_op": "HOVER", "value": "", "op": "CLICK"}`), Domain: text("Travel"),
				Positive: []string{
					`{"tag": "b", "attributes": "{\"title\": \"first\"}", "is_original_target": false, "is_top_level_target": true}`,
					`{"tag": "svg", "attributes": "{\"aria_label\": \"\\u00a3\"}", "is_original_target": true}`, "{broken",
				},
			}
			switch i % 5 {
			case 1:
				r.Positive, r.Domain = nil, nil
			case 2:
				r.Operation, r.Repr = nil, "[input]   -> TYPE: text"
			case 3:
				r.Repr = "[svg]   -> CLICK"
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func writeParquet[T any](t testing.TB, path string, rows []T, options ...parquet.WriterOption) {
	t.Helper()
	var b bytes.Buffer
	options = append([]parquet.WriterOption{parquet.SkipPageBounds("raw_html"), parquet.SkipPageBounds("cleaned_html"), parquet.SkipPageBounds("neg_candidates", "list", "element")}, options...)
	w := parquet.NewGenericWriter[T](&b, options...)
	for i := range rows {
		if _, err := w.Write(rows[i : i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, b.String())
}

func writeRowLines(t *testing.T, path string, rows []multimodalColumns) {
	t.Helper()
	var lines strings.Builder
	for _, r := range rows {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(b, '\n'))
	}
	write(t, path, lines.String())
}

func TestMultimodalParquetReadsAsItsJSONLinesDo(t *testing.T) {
	rows := multimodalRows(60, "<html>")
	lines, shards := t.TempDir(), t.TempDir()
	writeRowLines(t, filepath.Join(lines, "test_domain/rows.jsonl"), rows)
	// Shards under their names on the hub; tasks go on from one to the next.
	writeParquet(t, filepath.Join(shards, "data/test_domain-00000-of-00002-5d1f0c8e7a2b3c4d.parquet"), rows[:71], parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(20))
	writeParquet(t, filepath.Join(shards, "data/test_domain-00001-of-00002-5d1f0c8e7a2b3c4e.parquet"), rows[71:], parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1))
	want, _ := mustCollect(t, Source{Format: "mind2web", Path: lines})
	got, skips := mustCollect(t, Source{Format: "mind2web", Path: shards})
	if len(skips) != 0 || len(want) != 60 {
		t.Errorf("%d episodes, skips %v", len(want), skips)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-JSON lines +Parquet):\n%s", d)
	}
}

func TestListsOfMind2WebFilesFollowTheirNames(t *testing.T) {
	for name, want := range map[string]string{
		"train-00000-of-00027-5d1f0c8e7a2b3c4d.parquet": "train", "test_task-00003-of-00005.parquet": "test_task", "data/test_website-00000-of-00001-00aa.parquet": "test_website",
		"test_domain_3.json": "test_domain", "train/part.parquet": "train", "training-00000-of-00001.parquet": "",
	} {
		if got := strings.Join(listOf(filepath.Join("set", name), "train", "test_task", "test_website", "test_domain"), " "); got != want {
			t.Errorf("%s is of list %q, want %q", name, got, want)
		}
	}
}

func TestMultimodalParquetErrorsNameFileAndRow(t *testing.T) {
	rows := multimodalRows(4, "")
	other := "Else"
	another := append(multimodalRows(4, ""), multimodalRows(4, "")[9])
	another[10].ConfirmedTask, another[10].Index = other, &other
	moved := append(multimodalRows(4, ""), multimodalRows(4, "")[9])
	moved[10].Domain = &other
	null := multimodalRows(4, "")
	null[5].Index = nil
	for _, c := range []struct {
		name  string
		write func(path string)
		want  string
	}{
		{"a null index", func(p string) { writeParquet(t, p, null) }, "rows.parquet: row 5: not an action"},
		{"an index that is no number", func(p string) { writeParquet(t, p, another) }, "rows.parquet: row 10: not an action"},
		{"two rows of one index", func(p string) { writeParquet(t, p, append(rows, rows[9])) }, "rows.parquet: row 9 and"},
		{"another domain", func(p string) { writeParquet(t, p, moved) }, "rows.parquet: row 10: task task 3 has another confirmed_task, domain or website than at"},
		{"columns that are missing", func(p string) {
			writeParquet(t, p, []struct {
				ID    string `parquet:"annotation_id"`
				Index string `parquet:"target_action_index"`
			}{{"a", "0"}})
		}, "rows.parquet: no Multimodal-Mind2Web rows: it lacks the columns website, domain, confirmed_task, target_action_reprs, operation, pos_candidates"},
		{"another table", func(p string) {
			writeParquet(t, p, []struct {
				Text string `parquet:"text"`
			}{{"a"}})
		}, "1 skipped as not_of_this_format"},
		{"no Parquet", func(p string) { write(t, p, "<html>not found</html>") }, "rows.parquet: no Parquet file: it does not begin with PAR1"},
		{"a pointer", func(p string) { write(t, p, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 4\n") }, "rows.parquet is a Git LFS pointer"},
		{"a file that is cut off", func(p string) {
			writeParquet(t, p, rows)
			b, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			write(t, p, string(b[:len(b)*9/10]))
		}, "rows.parquet: the Parquet file is cut off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			c.write(filepath.Join(dir, "train/rows.parquet"))
			if _, _, err := collect(Source{Format: "mind2web", Path: dir}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestMultimodalParquetInsideGzipIsRefused(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "rows.parquet.gz"), b.String())
	if _, _, err := collect(Source{Format: "mind2web", Path: dir}); err == nil || !strings.Contains(err.Error(), "rows.parquet.gz: Parquet files are not read inside gzip") {
		t.Errorf("error %v", err)
	}
}

// TestMultimodalParquetHoldsNoHTML: what is allocated doesn't grow with columns that aren't read.
func TestMultimodalParquetHoldsNoHTML(t *testing.T) {
	allocated := func(html string) uint64 {
		dir := t.TempDir()
		writeParquet(t, filepath.Join(dir, "train/rows.parquet"), multimodalRows(20, html), parquet.MaxRowsPerRowGroup(20))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		mustCollect(t, Source{Format: "mind2web", Path: dir})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated("") // pools are filled
	small, large := allocated("<html>"), allocated(strings.Repeat("<div>", 40_000))
	t.Logf("%d kB without, %d kB with 200 kB of HTML in three cells of 50 rows", small>>10, large>>10)
	if large > small+1<<20 {
		t.Errorf("%d bytes were allocated, %d without HTML", large, small)
	}
}

// TestMultimodalParquetOfPyArrow reads what the library writes with which the published files were made.
func TestMultimodalParquetOfPyArrow(t *testing.T) {
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import pyarrow.parquet").Run(); err != nil {
		t.Skip("there is no python3 with pyarrow (PYTHON names another)")
	}
	rows := multimodalRows(60, "<html>")
	lines := t.TempDir()
	writeRowLines(t, filepath.Join(lines, "train/rows.jsonl"), rows)
	want, _ := mustCollect(t, Source{Format: "mind2web", Path: lines})
	for _, options := range []string{
		"", "compression='zstd', row_group_size=50", "compression='gzip', use_dictionary=False", "data_page_version='2.0', data_page_size=100",
		"use_compliant_nested_type=False, version='1.0'", "compression='none', write_page_checksum=True, write_page_index=True",
	} {
		t.Run(options, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "data"), 0o755); err != nil {
				t.Fatal(err)
			}
			program := "import json, sys, pyarrow as pa, pyarrow.parquet as pq\n" +
				"rows = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]\n" +
				"pq.write_table(pa.Table.from_pylist(rows), sys.argv[2], " + options + ")\n"
			out, err := exec.Command(python, "-c", program, filepath.Join(lines, "train/rows.jsonl"), filepath.Join(dir, "data/train-00000-of-00001.parquet")).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			got, _ := mustCollect(t, Source{Format: "mind2web", Path: dir})
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-JSON lines +Parquet):\n%s", d)
			}
		})
	}
}

func FuzzReadMultimodalParquet(f *testing.F) {
	path := filepath.Join(f.TempDir(), "rows.parquet")
	writeParquet(f, path, multimodalRows(5, ""), parquet.Compression(&parquet.Snappy))
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-9])
	fuzzFormat(f, func(in *input, out output) error {
		var b bytes.Buffer
		if _, err := b.ReadFrom(in.r); err != nil {
			return err
		}
		rows := webRows{tasks: map[string]*rowTask{}}
		if err := rows.readColumns("f", cancellable{context.Background(), bytes.NewReader(b.Bytes())}, int64(b.Len()), nil, out); err != nil {
			return err
		}
		return rows.emit(AsPublished, out)
	})
}
