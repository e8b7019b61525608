package trajectory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"intentlab/ablations/trajectory/columnar"
)

// webColumns are the columns of Multimodal-Mind2Web that are read, in the order in which webRowOf takes
// them. The others (HTML, negative candidates, screenshots) are more than 99 % of a file.
var webColumns = []columnar.Column{
	{Name: "annotation_id"}, {Name: "target_action_index"}, {Name: "website"}, {Name: "domain"}, {Name: "confirmed_task"},
	{Name: "target_action_reprs"}, {Name: "operation"}, {Name: "pos_candidates", List: true},
}

// readParquet reads Parquet files of rows.
func (w *webRows) readParquet(in *input, lists []string, out output) error {
	if strings.HasSuffix(strings.ToLower(in.path), ".gz") {
		return fmt.Errorf("%s: Parquet files are not read inside gzip: unpack it", in.path)
	}
	info, err := in.file.Stat()
	if err != nil {
		return fmt.Errorf("look at a data file: %w", err)
	}
	ctx := in.read.ctx
	err = w.readColumns(in.path, cancellable{ctx, in.file}, info.Size(), lists, out)
	if cerr := ctx.Err(); err != nil && cerr != nil {
		return fmt.Errorf("read %s: %w", in.path, cerr)
	}
	return err
}

// cancellable fails once its context has ended.
type cancellable struct {
	ctx context.Context
	r   io.ReaderAt
}

func (c cancellable) ReadAt(p []byte, at int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.ReadAt(p, at)
}

func (w *webRows) readColumns(path string, r io.ReaderAt, size int64, lists []string, out output) (err error) {
	file, err := columnar.Open(r, size)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var missing []string
	for _, c := range webColumns {
		if !file.Has(c.Name) {
			missing = append(missing, c.Name)
		}
	}
	switch {
	case !file.Has("annotation_id") && !file.Has("target_action_index"):
		out.skip(Skip{Where: path, Reason: NotOfThisFormat, Detail: "it has neither a column annotation_id nor target_action_index"})
		return nil
	case missing != nil:
		return fmt.Errorf("%s: no Multimodal-Mind2Web rows: it lacks the columns %s", path, strings.Join(missing, ", "))
	}
	rows, err := file.Rows(webColumns...)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() {
		if cerr := rows.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("close %s: %w", path, cerr)
		}
	}()
	for {
		where := path + ": " + rows.Where()
		texts, err := rows.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", where, err)
		}
		t, row, ok := webRowOf(texts)
		if !ok {
			return fmt.Errorf("%s: not an action: it lacks annotation_id or a numeric target_action_index", where)
		}
		row.where = where
		if err := out.do(func() error { return w.add(t, row, lists) }); err != nil {
			return err
		}
	}
}

// webRowOf makes a row of the texts of webColumns; null reads as empty.
func webRowOf(texts [][]string) (t webTask, row webRow, ok bool) {
	single := func(i int) string {
		return strings.ToValidUTF8(strings.Join(texts[i], ""), "\uFFFD")
	}
	var a webAction
	for _, s := range texts[6] {
		a.operationText([]byte(s))
	}
	for _, s := range texts[7] {
		a.positiveText([]byte(s))
	}
	t = webTask{id: single(0), website: single(2), domain: single(3), goal: single(4)}
	index, err := strconv.Atoi(strings.TrimSpace(single(1)))
	return t, webRow{index: index, step: webStep(single(5), a)}, err == nil && t.id != ""
}
