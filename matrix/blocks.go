package matrix

import "github.com/hashicorp/hcl/v2"

// The structs of this file are the language: gohcl decodes into them, and Schema and Docs are read
// off their tags, so that neither can drift from what is accepted. Tags besides hcl:
//
//	doc      one line of description
//	type     the type of an hcl.Expression, which is decoded by hand for its positions
//	default  the default, where the prefilled value does not show it
//	enum     the allowed values, of a string or of each element of a list
//	min, max bounds of a number
//	format   "duration" or "url"
//
// Settings of kinds (Kind.Options) may use the same tags, and key (see Settings in settings.go).

type experimentBlock struct {
	Name        string         `hcl:"name,label" doc:"Name of the experiment; names the default store"`
	Description string         `hcl:"description,optional" doc:"Free text; part of no identity"`
	Ratios      hcl.Expression `hcl:"ratios,optional" type:"list of ratio" default:"[\"0.1\", \"0.2\", \"0.3\", \"0.4\", \"0.5\", \"0.6\", \"0.7\", \"0.8\", \"0.9\", \"1.0\"]" doc:"Prefix ratios in ascending order: decimals in (0, 1] with at most three decimals"`
	Seeds       hcl.Expression `hcl:"seeds,optional" type:"list of whole number" default:"[0]" doc:"Seeds of training, few-shot choice and model sampling; never of the split"`
	Seed        uint64         `hcl:"seed,optional" doc:"The run seed: bootstrap and sampling order"`
	Evaluate    string         `hcl:"evaluate,optional" enum:"test,dev,all" doc:"Which part is scored; all means dev and test, train is never scored"`
	Store       string         `hcl:"store,optional" default:"output/NAME.db" doc:"The SQLite file that keeps everything, relative to the experiment file"`
	Cache       string         `hcl:"cache,optional" default:"in the user's cache folder" doc:"The response cache file, to share it"`
}

func newExperimentBlock() *experimentBlock { return &experimentBlock{Evaluate: "test"} }

type variableBlock struct {
	Name        string             `hcl:"name,label" doc:"Name; read as var.NAME"`
	Type        hcl.Expression     `hcl:"type,optional" type:"type" default:"any" doc:"string, number, bool, list(…), set(…), map(…), object({…}), tuple([…]), any"`
	Default     hcl.Expression     `hcl:"default,optional" type:"any" default:"none: a value must be given" doc:"Value where -var, -var-file and INTENTLAB_VAR_NAME give none"`
	Description string             `hcl:"description,optional" doc:"Free text"`
	Sensitive   bool               `hcl:"sensitive,optional" doc:"A secret: never printed, stored or part of a key"`
	Validation  []*validationBlock `hcl:"validation,block" doc:"A condition that the value must meet; may be repeated"`
}

type validationBlock struct {
	Condition    hcl.Expression `hcl:"condition" type:"bool" default:"required" doc:"An expression over var.NAME that must be true"`
	ErrorMessage string         `hcl:"error_message" doc:"What is said when it is not"`
}

type datasetBlock struct {
	Name         string         `hcl:"name,label" doc:"Name of the dataset, in task ids and tables"`
	ForEach      hcl.Expression `hcl:"for_each,optional" type:"map or set of string" default:"none" doc:"One dataset for each element; each.key and each.value are set"`
	Format       string         `hcl:"format" doc:"The on-disk format, one of the formats below"`
	Path         string         `hcl:"path" doc:"Folder or file, relative to the experiment file"`
	Limit        int            `hcl:"limit,optional" min:"0" default:"0 (all)" doc:"Number of episodes: a seeded, nested sample, taken before the split"`
	Visibility   string         `hcl:"visibility,optional" enum:"safe,as_published" doc:"Which source fields are visible; as_published restores the source documents' behaviour"`
	Judges       hcl.Expression `hcl:"judges,optional" type:"list of judge reference" default:"the matrix's judges" doc:"Judges of this dataset in place of the matrix's"`
	Observations string         `hcl:"observations,optional" default:"none" doc:"JSON lines of what was on the screen (OCR, accessibility text, captions, screenshots), joined on episode and step"`
	InMacro      *bool          `hcl:"in_macro,optional" default:"true, unless no step carries evidence" doc:"Whether the dataset counts in macro averages; part of no key"`
	Filter       *filterBlock   `hcl:"filter,block" doc:"Which episodes are kept; what is dropped is counted"`
	Split        *splitBlock    `hcl:"split,block" doc:"What is trained on and what is tested"`
	Rest         hcl.Body       `hcl:",remain"`
}

func newDatasetBlock() *datasetBlock {
	return &datasetBlock{Visibility: "safe", Filter: &filterBlock{}, Split: newSplitBlock()}
}

type filterBlock struct {
	MinSteps int     `hcl:"min_steps,optional" min:"0" default:"0 (no bound)" doc:"Fewest steps of an episode"`
	MaxSteps int     `hcl:"max_steps,optional" min:"0" default:"0 (no bound)" doc:"Most steps of an episode"`
	Scores   string  `hcl:"scores,optional" default:"none" doc:"JSONL file with episode_id and score (1 to 5); an episode without a score is dropped"`
	MinScore float64 `hcl:"min_score,optional" min:"0" max:"5" default:"0 (no bound)" doc:"Lowest score that is kept"`
}

type splitBlock struct {
	Train       float64        `hcl:"train,optional" min:"0" max:"1" doc:"Share of training episodes"`
	Dev         float64        `hcl:"dev,optional" min:"0" max:"1" doc:"Share of development episodes"`
	Test        float64        `hcl:"test,optional" min:"0" max:"1" doc:"Share of test episodes; the three sum to 1"`
	By          string         `hcl:"by,optional" default:"the format's split unit, mostly episode" doc:"Unit of the split: episode, cluster, or a field of the format"`
	Stratify    bool           `hcl:"stratify,optional" doc:"Keep the shares within each closed label"`
	Seed        uint64         `hcl:"seed,optional" doc:"Seed of the assignment by hash"`
	Folds       int            `hcl:"folds,optional" min:"0" default:"0 (no folds)" doc:"Number of folds: every episode is tested once"`
	AllowUnseen bool           `hcl:"allow_unseen,optional" doc:"Go on though no test label occurs in train"`
	Official    *officialBlock `hcl:"official,block" doc:"The dataset's own lists in place of shares"`
	IDs         *idsBlock      `hcl:"ids,block" doc:"Explicit episode ids in place of shares"`
}

func newSplitBlock() *splitBlock { return &splitBlock{Train: 0.6, Dev: 0.2, Test: 0.2, Stratify: true} }

type officialBlock struct {
	Train []string       `hcl:"train" doc:"Names of the lists that are trained on"`
	Dev   hcl.Expression `hcl:"dev,optional" type:"number or list of string" default:"0.1" doc:"Names of the lists, or the share carved from train by hash"`
	Test  []string       `hcl:"test" doc:"Names of the test lists; each is reported under its own name"`
}

type idsBlock struct {
	Train hcl.Expression `hcl:"train,optional" type:"string or list of string" default:"[]" doc:"Episode ids, or a file with one id a line"`
	Dev   hcl.Expression `hcl:"dev,optional" type:"string or list of string" default:"[]" doc:"Episode ids, or a file with one id a line"`
	Test  hcl.Expression `hcl:"test" type:"string or list of string" default:"required" doc:"Episode ids, or a file with one id a line"`
}

type ablationBlock struct {
	Name       string         `hcl:"name,label" doc:"Name; a preset's name alone takes the preset"`
	ForEach    hcl.Expression `hcl:"for_each,optional" type:"map or set of string" default:"none" doc:"One ablation for each element; each.key and each.value are set"`
	Presets    hcl.Expression `hcl:"presets,optional" type:"list of preset name" default:"the preset of that name, if there is one" doc:"Presets to combine: channels are intersected, transforms united"`
	Text       []string       `hcl:"text,optional" enum:"metadata,utterance,action,observation" default:"that of the presets" doc:"Channels that appear as text"`
	Graph      []string       `hcl:"graph,optional" enum:"metadata,utterance,action,observation" default:"that of the presets" doc:"Channels that the graph is built from; [] for no graph"`
	LastKSteps int            `hcl:"last_k_steps,optional" min:"0" default:"0 (all)" doc:"Only the last steps of the prefix"`
	Transforms []string       `hcl:"transforms,optional" enum:"no_context,structure_only,no_initial_instruction,no_url,hide_ratio,shuffled_steps" default:"those of the presets" doc:"What else is done to the prefix"`
	ExtraEdges []string       `hcl:"extra_edges,optional" enum:"copy_paste,repeated_action,same_app,same_element,same_page" default:"[]" doc:"Further local relations of the graph, by name"`
	Reference  hcl.Expression `hcl:"reference,optional" type:"ablation reference" default:"ablation.full_context, if declared" doc:"The ablation that this one's effect is measured against"`
}

type endpointBlock struct {
	Name              string         `hcl:"name,label" doc:"Name of the endpoint"`
	BaseURL           string         `hcl:"base_url" format:"url" doc:"Base URL of the OpenAI-compatible service; part of no key"`
	APIKey            hcl.Expression `hcl:"api_key,optional" type:"string" default:"none" doc:"The key, usually env(\"NAME\"); never stored, never printed"`
	Provider          string         `hcl:"provider,optional" default:"the endpoint's name" doc:"Part of the answer key, so that two services with one model name stay apart"`
	MaxConcurrency    int            `hcl:"max_concurrency,optional" min:"1" doc:"Most requests in flight; a ceiling, the runner adapts below it"`
	RequestsPerMinute int            `hcl:"requests_per_minute,optional" min:"0" default:"0 (no limit)" doc:"Most requests a minute"`
	TokensPerMinute   int            `hcl:"tokens_per_minute,optional" min:"0" default:"0 (no limit)" doc:"Most tokens a minute"`
	Timeout           string         `hcl:"timeout,optional" format:"duration" doc:"Time-out of one attempt"`
	ExtraBody         hcl.Expression `hcl:"extra_body,optional" type:"map of any" default:"{}" doc:"Further fields of each request; part of the answer key"`
	Headers           hcl.Expression `hcl:"headers,optional" type:"map of string" default:"{}" doc:"Further headers of each request; never stored, part of no key"`
	Price             *priceBlock    `hcl:"price,block" doc:"What the service costs"`
}

func newEndpointBlock() *endpointBlock { return &endpointBlock{MaxConcurrency: 8, Timeout: "60s"} }

type priceBlock struct {
	Input       float64 `hcl:"input,optional" min:"0" doc:"USD per million input tokens"`
	Output      float64 `hcl:"output,optional" min:"0" doc:"USD per million output tokens"`
	CachedInput float64 `hcl:"cached_input,optional" min:"0" default:"the input price" doc:"USD per million cached input tokens"`
}

type methodBlock struct {
	Name     string         `hcl:"name,label" doc:"Name of the method"`
	ForEach  hcl.Expression `hcl:"for_each,optional" type:"map or set of string" default:"none" doc:"One method for each element; each.key and each.value are set"`
	Uses     string         `hcl:"uses" doc:"The kind, one of the method kinds below"`
	Endpoint hcl.Expression `hcl:"endpoint,optional" type:"endpoint reference" default:"none" doc:"The endpoint, for kinds that need one"`
	Seeds    hcl.Expression `hcl:"seeds,optional" type:"list of whole number" default:"the experiment's seeds" doc:"Its own seeds"`
	Dedup    bool           `hcl:"dedup,optional" doc:"Ask equal visible inputs once; false asks every task, and then an answer belongs to its task alone"`
	Sample   *sampleBlock   `hcl:"sample,block" doc:"Its own, nested, subset: tasks outside are not asked, never wrong"`
	Rest     hcl.Body       `hcl:",remain"`
}

func newMethodBlock() *methodBlock { return &methodBlock{Dedup: true} }

type sampleBlock struct {
	Episodes int    `hcl:"episodes" min:"1" doc:"Number of episodes of each dataset that are asked"`
	Seed     uint64 `hcl:"seed,optional" doc:"Seed of the nested sample"`
}

type judgeBlock struct {
	Name      string         `hcl:"name,label" doc:"Name of the judge"`
	ForEach   hcl.Expression `hcl:"for_each,optional" type:"map or set of string" default:"none" doc:"One judge for each element; each.key and each.value are set"`
	Uses      string         `hcl:"uses" doc:"The kind, one of the judge kinds below"`
	Endpoint  hcl.Expression `hcl:"endpoint,optional" type:"endpoint reference" default:"none" doc:"The endpoint, for kinds that need one"`
	Lo        float64        `hcl:"lo,optional" doc:"Calibration anchor: a raw score of lo counts 0"`
	Hi        float64        `hcl:"hi,optional" doc:"Calibration anchor: a raw score of hi counts 1"`
	Threshold float64        `hcl:"threshold,optional" min:"0" max:"1" doc:"A score above it passes; decides no verdict"`
	Rest      hcl.Body       `hcl:",remain"`
}

func newJudgeBlock() *judgeBlock { return &judgeBlock{Hi: 1, Threshold: 0.7} }

type matrixBlock struct {
	Datasets  hcl.Expression  `hcl:"datasets,optional" type:"\"*\" or list of dataset reference" default:"\"*\"" doc:"The datasets, in the order of the tables"`
	Ablations hcl.Expression  `hcl:"ablations,optional" type:"\"*\" or list of ablation reference" default:"\"*\"" doc:"The ablations, in the order of the tables"`
	Methods   hcl.Expression  `hcl:"methods,optional" type:"\"*\" or list of method reference" default:"\"*\"" doc:"The methods, in the order of the tables"`
	Judges    hcl.Expression  `hcl:"judges,optional" type:"\"*\" or list of judge reference" default:"\"*\"" doc:"The judges; the first is primary"`
	Baseline  hcl.Expression  `hcl:"baseline,optional" type:"map of method reference" default:"the first majority (closed) and the first tfidf_knn with k = 1 (open)" doc:"Keys closed and open: the methods that area gain is measured against"`
	Exclude   []*excludeBlock `hcl:"exclude,block" doc:"Cells taken out by choice; may be repeated"`
}

type excludeBlock struct {
	Datasets  hcl.Expression `hcl:"datasets,optional" type:"\"*\" or list of dataset reference" default:"\"*\"" doc:"Datasets of the excluded cells"`
	Ablations hcl.Expression `hcl:"ablations,optional" type:"\"*\" or list of ablation reference" default:"\"*\"" doc:"Ablations of the excluded cells"`
	Methods   hcl.Expression `hcl:"methods,optional" type:"\"*\" or list of method reference" default:"\"*\"" doc:"Methods of the excluded cells"`
	Seeds     hcl.Expression `hcl:"seeds,optional" type:"list of whole number" default:"all seeds" doc:"Seeds of the excluded cells"`
	Reason    string         `hcl:"reason,optional" default:"excluded" doc:"Shown in plan and tables"`
	At        hcl.Range      `hcl:",def_range"`
}

type budgetBlock struct {
	USD      float64 `hcl:"usd,optional" min:"0" default:"0 (no limit)" doc:"Most money spent by the run"`
	Requests int64   `hcl:"requests,optional" min:"0" default:"0 (no limit)" doc:"Most requests sent"`
	Tokens   int64   `hcl:"tokens,optional" min:"0" default:"0 (no limit)" doc:"Most tokens sent and received"`
	OnLimit  string  `hcl:"on_limit,optional" enum:"pause,fail_cell" doc:"pause stops cleanly and can be resumed; fail_cell fails what is left of the cell"`
}

type reportBlock struct {
	Name    string   `hcl:"name,label" doc:"Name of the report"`
	Tables  []string `hcl:"tables,optional" enum:"main,ablation_effect,per_ratio,per_ratio_open,ttc,per_dataset,per_dataset_open" doc:"The tables"`
	Formats []string `hcl:"formats,optional" enum:"csv,json,markdown,latex,html,parquet" doc:"The formats that each table is written in"`
	Out     string   `hcl:"out,optional" default:"output/NAME" doc:"Folder, relative to the experiment file"`
}

func newReportBlock() *reportBlock {
	return &reportBlock{Tables: []string{"main"}, Formats: []string{"csv"}}
}

// blockType is one block of the language: its name, whether it is labelled, and the value, with its
// defaults, that it is decoded into.
type blockType struct {
	name, summary string
	labelled      bool
	single        bool // at most one
	required      bool
	value         func() any
	kinds         func(Kinds) map[string]Kind
	discriminator string // the attribute that names the kind
}

// language lists the blocks in the order of the documentation.
func language() []blockType {
	return []blockType{
		{name: "experiment", summary: "What is run: grid, seeds, store.", labelled: true, single: true, required: true, value: func() any { return newExperimentBlock() }},
		{name: "variable", summary: "An input of the file, as in Terraform. Precedence: default, INTENTLAB_VAR_NAME, -var-file, -var.", labelled: true, value: func() any { return &variableBlock{} }},
		{name: "locals", summary: "Named values, read as local.NAME; every attribute is one. They may refer to each other and to var.NAME."},
		{name: "dataset", summary: "A dataset: where it lies, which episodes are kept, how they are split.", labelled: true, required: true, value: func() any { return newDatasetBlock() }, kinds: func(k Kinds) map[string]Kind { return k.Formats }, discriminator: "format"},
		{name: "ablation", summary: "What a method may see of a prefix.", labelled: true, required: true, value: func() any { return &ablationBlock{} }},
		{name: "endpoint", summary: "An OpenAI-compatible service with its limits, prices and key.", labelled: true, value: func() any { return newEndpointBlock() }},
		{name: "method", summary: "Something that predicts intents.", labelled: true, required: true, value: func() any { return newMethodBlock() }, kinds: func(k Kinds) map[string]Kind { return k.Methods }, discriminator: "uses"},
		{name: "judge", summary: "Something that scores a predicted open intent. Without any judge block: embedding, uncalibrated.", labelled: true, value: func() any { return newJudgeBlock() }, kinds: func(k Kinds) map[string]Kind { return k.Judges }, discriminator: "uses"},
		{name: "matrix", summary: "Which of them are combined. Without it: everything declared.", single: true, value: func() any { return &matrixBlock{} }},
		{name: "budget", summary: "Limits of the run.", single: true, value: func() any { return &budgetBlock{OnLimit: "pause"} }},
		{name: "report", summary: "Tables written to files.", labelled: true, value: func() any { return newReportBlock() }},
	}
}
