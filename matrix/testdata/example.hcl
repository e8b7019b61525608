experiment "prefix-intent" {
  description = "Five input views, five methods, three seeds"
  ratios      = ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"] # the default
  seeds       = [1, 2, 3]
  seed        = 0      # the run seed: bootstrap, sampling order
  evaluate    = "test" # or "dev", "all"
  store       = "output/prefix-intent.db"
}

variable "data" {
  type        = string
  default     = "data"
  description = "Folder that holds the datasets"
}

variable "limit" {
  type    = number
  default = 500
}

dataset "weblinx" {
  format = "weblinx"
  path   = "${var.data}/weblinx"
  limit  = var.limit # a seeded, nested sample (the first 50 of 500 are the 50), never the head of the file
  split {
    train    = 0.6
    dev      = 0.2
    test     = 0.2
    by       = "episode" # or "cluster", or a field: "user", "meta_task", "website"
    stratify = true      # by closed label
    seed     = 0
  }
}

dataset "mind2web" {
  format = "mind2web"
  path   = "${var.data}/mind2web"
  split {
    official {
      train = ["train"]
      dev   = 0.1                                          # carved from train by hash
      test  = ["test_task", "test_website", "test_domain"] # named test splits are an axis of tables
    }
  }
  filter {
    min_steps = 2
    scores    = "coherence/mind2web.jsonl" # from `intentlab judge trace`; optional quality filter, counted
    min_score = 3
  }
}

dataset "fingertip" {
  format = "fingertip"
  path   = "${var.data}/fingertip"
  judges = [judge.chrf, judge.rubric] # Chinese text: outside the embedded encoder's vocabulary
  split {
    folds = 5 # out-of-fold: every episode is tested once
    by    = "user"
  }
}

ablation "full_context" {} # a preset's name alone takes the preset
ablation "no_utterance" {}
ablation "actions_only" {}
ablation "visible_graph_only" {}
ablation "graph_text_hybrid" {}
ablation "last_click" {
  text         = ["action", "observation"]
  graph        = []
  last_k_steps = 1
  reference    = ablation.actions_only # what its effect is measured against; default full_context
}

endpoint "lab" {
  base_url            = "http://127.0.0.1:8000/v1"
  api_key             = env("LAB_API_KEY") # never stored, never printed
  max_concurrency     = 32                 # a ceiling; the runner adapts below it
  requests_per_minute = 600
  tokens_per_minute   = 400000
  timeout             = "90s"
  extra_body          = { chat_template_kwargs = { enable_thinking = false } }
  price {
    input  = 0.15 # USD per million tokens
    output = 0.60
  }
}

method "majority" { uses = "majority" }

method "knn" {
  for_each = { k1 = 1, k5 = 5 } # method.knn["k1"], method.knn["k5"]
  uses     = "tfidf_knn"
  k        = each.value
}

method "wl_graph" {
  uses       = "wl_kernel"
  iterations = 3
}

method "mine" {
  uses     = "command"
  protocol = "worker"
  command  = ["python3", "my_method.py", "--alpha", "0.3"]
  inputs   = ["my_method.py", "model/*.py", "weights.pt"] # part of the identity; default: the script and the sources of its kind below its folder
  pass_env = ["CUDA_VISIBLE_DEVICES", "CONDA_PREFIX", "HF_HOME"]
  workers  = 2
  timeouts {
    start  = "2m"
    fit    = "1h"
    answer = "30s"
  }
}

method "gnn_elsewhere" {
  uses = "predictions" # files written elsewhere become a full method
  path = "preds/{dataset}/{ablation}/{seed}.jsonl"
}

method "zero_shot" {
  uses        = "chat"
  endpoint    = endpoint.lab
  model       = "some-model"
  temperature = 0
  prompt      = file("prompts/zero_shot.tmpl") # Go template over the visible input
  seeds       = [1]                            # its own seeds
  sample {                                     # its own, nested, subset: tasks not asked are "not asked", never wrong
    episodes = 100
    seed     = 0
  }
}

judge "semantic" { uses = "embedding" }

judge "chrf" {
  uses    = "lexical"
  measure = "chrf"
}

judge "rubric" {
  uses      = "rubric"
  endpoint  = endpoint.lab
  model     = "some-judge"
  votes     = 1
  threshold = 0.7
}

matrix {
  datasets  = "*"
  ablations = "*"
  methods   = "*"
  judges    = [judge.semantic, judge.rubric]
  baseline  = { closed = method.majority, open = method.knn["k1"] } # read with hcl.ExprMap: a misspelt key has a position
  exclude {
    methods   = [method.zero_shot]
    ablations = [ablation.last_click]
    reason    = "cost"
  }
}

budget {
  usd      = 25
  requests = 200000
  on_limit = "pause" # stop cleanly, resumable; or "fail_cell"
}

report "paper" {
  tables  = ["main", "ablation_effect", "per_ratio", "ttc"]
  formats = ["latex", "csv", "html"]
  out     = "output/paper"
}
