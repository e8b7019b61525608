package matrix

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Format writes an experiment file in the canonical style: HCL as hclwrite does, *.json with two
// blanks of indentation. A file that does not parse is returned as it is, with diagnostics, since
// the formatter itself would rewrite broken text too.
func Format(src []byte, filename string) ([]byte, hcl.Diagnostics) {
	if _, diags := parse(filename, src); diags.HasErrors() {
		return src, firstAtEachPlace(diags)
	}
	if !strings.HasSuffix(filename, ".json") {
		return hclwrite.Format(src), nil
	}
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.TrimSpace(src), "", "  "); err != nil {
		return src, hcl.Diagnostics{errorAt(hcl.Range{Filename: filename}, "Not JSON", "this is not JSON: %s.", err)}
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
