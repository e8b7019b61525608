# The full matrix on the real datasets. They are not part of intentlab: download them as their
# authors publish them, put them (or links to them) into one folder, and name it:
#
#   intentlab plan experiments/ablation-matrix.hcl -var data=/path/to/datasets
#   intentlab run  experiments/ablation-matrix.hcl -var data=/path/to/datasets
#
# Expected below it: weblinx/ (demonstrations and splits.json), mind2web/ (train and the three test
# folders), gui_odyssey/ (annotations), fingertip/ (the CSV files, and Raw/ where you have it) and
# mt_mind2web/ (one folder a split). `-var limit=50` takes a small sample of each first.

experiment "ablation-matrix" {
  description = "Five datasets, all views of text and graph, all built-in methods, three seeds"
  ratios      = ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]
  seeds       = [1, 2, 3]
  store       = "../output/ablation-matrix.db"
}

variable "data" {
  type        = string
  default     = "data"
  description = "Folder that holds the five datasets"
}

variable "limit" {
  type        = number
  default     = 500
  description = "Episodes a dataset, a seeded sample in which smaller ones are nested; 0 takes all"
}

# ------------------------------------------------------------------ datasets

dataset "weblinx" {
  format = "weblinx"
  path   = "${var.data}/weblinx"
  limit  = var.limit
  split {
    train    = 0.6
    dev      = 0.2
    test     = 0.2
    by       = "episode" # the label is the site, so a split by site would leave none to learn
    stratify = true
  }
}

dataset "mind2web" {
  format = "mind2web"
  path   = "${var.data}/mind2web"
  limit  = var.limit
  split {
    official {
      train = ["train"]
      dev   = 0.1
      test  = ["test_task", "test_website", "test_domain"] # reported one by one
    }
  }
}

dataset "gui_odyssey" {
  format = "gui_odyssey"
  path   = "${var.data}/gui_odyssey"
  limit  = var.limit
  split {
    train    = 0.6
    dev      = 0.2
    test     = 0.2
    by       = "meta_task"
    stratify = true
  }
}

dataset "fingertip" {
  format = "fingertip"
  path   = "${var.data}/fingertip"
  limit  = var.limit
  judges = [judge.chrf] # Chinese: outside the vocabulary of the embedded encoder
  split {
    folds = 5
    by    = "user"
  }
}

dataset "mt_mind2web" {
  format = "mt_mind2web"
  path   = "${var.data}/mt_mind2web"
  limit  = var.limit
  split {
    train    = 0.6
    dev      = 0.2
    test     = 0.2
    by       = "conversation"
    stratify = true
  }
}

# ----------------------------------------------------------------- ablations

ablation "full_context" {}
ablation "no_utterance" {}
ablation "actions_only" {}
ablation "visible_graph_only" {}
ablation "graph_text_hybrid" {}

# The text views as graphs. What a graph loses is measured against the whole graph, not against text.
ablation "graph_no_utterance" {
  reference = ablation.visible_graph_only
}
ablation "graph_actions_only" {
  reference = ablation.visible_graph_only
}
ablation "graph_structure_only" {
  reference = ablation.visible_graph_only
}

# ------------------------------------------------------------------- methods

method "majority" {
  uses = "majority"
}

method "prior" {
  uses = "stratified_prior"
}

method "knn" {
  for_each = { k1 = 1, k5 = 5, k15 = 15 }
  uses     = "tfidf_knn"
  k        = each.value
}

method "bayes" {
  uses = "naive_bayes"
}

method "wl" {
  uses = "wl_kernel"
}

# -------------------------------------------------------------------- judges

judge "semantic" {
  uses = "embedding"
}

judge "chrf" {
  uses    = "lexical"
  measure = "chrf"
}

matrix {
  datasets  = "*"
  ablations = "*"
  methods   = "*"
  judges    = [judge.semantic, judge.chrf]
  baseline  = { closed = method.majority, open = method.knn["k1"] }
}

report "paper" {
  tables  = ["main", "per_ratio", "ablation_effect"]
  formats = ["markdown", "csv", "json"]
  out     = "../output/ablation-matrix"
}
