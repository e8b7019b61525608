package predictors

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclparse"
)

func TestCommandOptionsKeepTheirDefaultsThroughDecoding(t *testing.T) {
	for text, change := range map[string]func(*CommandOptions){
		`command = ["python3", "x.py"]`: func(*CommandOptions) {},
		`command = ["python3", "x.py"]
		 workers = 2
		 uses_labels = false
		 timeouts { answer = "30s" }`: func(o *CommandOptions) {
			o.Workers, o.UsesLabels, o.Timeouts = 2, false, &CommandTimeouts{Answer: "30s"}
		},
	} {
		file, diags := hclparse.NewParser().ParseHCL([]byte(text), "x.hcl")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		got := newCommandOptions().(*CommandOptions)
		if diags := gohcl.DecodeBody(file.Body, nil, got); diags.HasErrors() {
			t.Fatal(diags)
		}
		want := newCommandOptions().(*CommandOptions)
		want.Command = []string{"python3", "x.py"}
		change(want)
		if got.Timeouts == nil {
			got.Timeouts = &CommandTimeouts{} // an absent block and an empty one mean the same
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s\n%s", text, d)
		}
	}
}
