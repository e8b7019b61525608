package matrix

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"net/url"
	"path"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// pureFunctions depend on their arguments only.
func pureFunctions() map[string]function.Function {
	return map[string]function.Function{
		// numeric
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc, "int": stdlib.IntFunc,
		"log": stdlib.LogFunc, "max": stdlib.MaxFunc, "min": stdlib.MinFunc, "parseint": stdlib.ParseIntFunc,
		"pow": stdlib.PowFunc, "signum": stdlib.SignumFunc, "sum": sumFunc,
		// string
		"chomp": stdlib.ChompFunc, "format": stdlib.FormatFunc, "formatlist": stdlib.FormatListFunc, "indent": stdlib.IndentFunc,
		"join": stdlib.JoinFunc, "lower": stdlib.LowerFunc, "upper": stdlib.UpperFunc, "title": stdlib.TitleFunc,
		"regex": stdlib.RegexFunc, "regexall": stdlib.RegexAllFunc, "regex_replace": stdlib.RegexReplaceFunc,
		"replace": stdlib.ReplaceFunc, "split": stdlib.SplitFunc, "strlen": stdlib.StrlenFunc, "strrev": stdlib.ReverseFunc,
		"substr": stdlib.SubstrFunc, "trim": stdlib.TrimFunc, "trimprefix": stdlib.TrimPrefixFunc,
		"trimspace": stdlib.TrimSpaceFunc, "trimsuffix": stdlib.TrimSuffixFunc,
		"startswith": stringTest(strings.HasPrefix), "endswith": stringTest(strings.HasSuffix),
		// collection
		"chunklist": stdlib.ChunklistFunc, "coalesce": stdlib.CoalesceFunc, "coalescelist": stdlib.CoalesceListFunc,
		"compact": stdlib.CompactFunc, "concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc, "distinct": stdlib.DistinctFunc,
		"element": stdlib.ElementFunc, "flatten": stdlib.FlattenFunc, "index": stdlib.IndexFunc, "keys": stdlib.KeysFunc,
		"length": stdlib.LengthFunc, "lookup": stdlib.LookupFunc, "merge": stdlib.MergeFunc, "range": stdlib.RangeFunc,
		"reverse": stdlib.ReverseListFunc, "setintersection": stdlib.SetIntersectionFunc, "setproduct": stdlib.SetProductFunc,
		"setsubtract": stdlib.SetSubtractFunc, "setunion": stdlib.SetUnionFunc, "slice": stdlib.SliceFunc,
		"sort": stdlib.SortFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,
		// conversion
		"tobool": stdlib.MakeToFunc(cty.Bool), "tonumber": stdlib.MakeToFunc(cty.Number), "tostring": stdlib.MakeToFunc(cty.String),
		"tolist": stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)), "tomap": stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
		"toset": stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
		// encoding
		"base64decode": textFunc(decodeBase64), "base64encode": textFunc(func(s string) (string, error) {
			return base64.StdEncoding.EncodeToString([]byte(s)), nil
		}),
		"csvdecode": stdlib.CSVDecodeFunc, "jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc,
		"urlencode": textFunc(func(s string) (string, error) { return url.QueryEscape(s), nil }),
		// paths
		"basename": textFunc(func(s string) (string, error) { return path.Base(s), nil }),
		"dirname":  textFunc(func(s string) (string, error) { return path.Dir(s), nil }),
		// control
		"can": tryfunc.CanFunc, "try": tryfunc.TryFunc,
	}
}

// functions are those of the file: the pure ones and those that read files and the environment.
func (r *reader) functions() map[string]function.Function {
	fs := pureFunctions()
	fs["env"] = r.envFunc(false)
	fs["file"] = textFunc(func(name string) (string, error) { return r.readText(name) })
	fs["fileexists"] = function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}}, Type: function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(r.isFile(args[0].AsString())), nil
		},
	})
	fs["glob"] = function.New(&function.Spec{
		Params: []function.Parameter{{Name: "pattern", Type: cty.String}}, Type: function.StaticReturnType(cty.List(cty.String)),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			names, err := r.glob(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			if len(names) == 0 {
				return cty.ListValEmpty(cty.String), nil
			}
			vals := make([]cty.Value, len(names))
			for i, n := range names {
				vals[i] = cty.StringVal(n)
			}
			return cty.ListVal(vals), nil
		},
	})
	fs["templatefile"] = r.templateFunc(fs)
	return fs
}

// functionNames lists all functions, for the reference.
func functionNames() []string {
	return sortedKeys((&reader{}).functions())
}

// envFunc reads the environment. The lenient form gives a marked unknown for an unset name.
func (r *reader) envFunc(lenient bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "name", Type: cty.String}}, Type: function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name := args[0].AsString()
			if r.in.Getenv != nil {
				if v, ok := r.in.Getenv(name); ok {
					return cty.StringVal(v), nil
				}
			}
			if lenient {
				return cty.UnknownVal(cty.String).Mark(unsetEnv(name)), nil
			}
			return cty.NilVal, function.NewArgErrorf(0, "the environment variable %s is not set", name)
		},
	})
}

// templateFunc evaluates a file as an HCL template with the given variables; templatefile itself is
// not among its functions, so it can't recurse.
func (r *reader) templateFunc(fs map[string]function.Function) function.Function {
	inner := make(map[string]function.Function, len(fs))
	for name, f := range fs { // order is immaterial: a copy
		inner[name] = f
	}
	render := func(args []cty.Value) (cty.Value, error) {
		name := args[0].AsString()
		text, err := r.readText(name)
		if err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		if !args[1].Type().IsObjectType() && !args[1].Type().IsMapType() {
			return cty.NilVal, function.NewArgErrorf(1, "a map of variables is required")
		}
		expr, diags := hclsyntax.ParseTemplate([]byte(text), name, hcl.InitialPos)
		if !diags.HasErrors() {
			var v cty.Value
			v, diags = expr.Value(&hcl.EvalContext{Variables: args[1].AsValueMap(), Functions: inner})
			if !diags.HasErrors() {
				return convert.Convert(v, cty.String)
			}
		}
		return cty.NilVal, function.NewArgErrorf(0, "%s", diags[0].Error())
	}
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}, {Name: "vars", Type: cty.DynamicPseudoType}},
		Type:   function.StaticReturnType(cty.String),
		Impl:   func(args []cty.Value, _ cty.Type) (cty.Value, error) { return render(args) },
	})
}

func textFunc(f func(string) (string, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}}, Type: function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			s, err := f(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			return cty.StringVal(s), nil
		},
	})
}

func stringTest(f func(s, part string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}, {Name: "part", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(f(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

func decodeBase64(s string) (string, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return "", fmt.Errorf("not base64: %w", err)
	}
	return string(b), nil
}

var sumFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "numbers", Type: cty.List(cty.Number)}}, Type: function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		total := cty.NumberVal(new(big.Float).SetPrec(512))
		for it := args[0].ElementIterator(); it.Next(); {
			_, v := it.Element()
			if v.IsNull() {
				return cty.NilVal, function.NewArgErrorf(0, "a number is missing")
			}
			total = total.Add(v)
		}
		return total, nil
	},
})
