# The quickstart: five datasets × five ablations × five methods in five folds, on the sample data
# beside this file, without network, key or GPU:
#
#   go run ./cmd/intentlab run experiments/quickstart.hcl
#
# The sample is invented (sample/README.md): the tables show how the tool works, not how good a
# method is. ablation-matrix.hcl is the same question put to the real datasets.

experiment "quickstart" {
  description = "All formats, all presets, all simple methods, on invented sample data"
  seeds       = [1]
  store       = "../output/quickstart.db"
}

dataset "weblinx" {
  format = "weblinx"
  path   = "sample/weblinx"
  split {
    folds = 5
  }
}

dataset "mind2web" {
  format = "mind2web"
  path   = "sample/mind2web"
  split {
    folds = 5
  }
}

dataset "gui_odyssey" {
  format = "gui_odyssey"
  path   = "sample/gui_odyssey"
  split {
    folds = 5 # by meta task, this format's own unit
  }
}

dataset "fingertip" {
  format = "fingertip"
  path   = "sample/fingertip"
  judges = [judge.chrf] # Chinese: outside the vocabulary of the embedded encoder
  split {
    folds = 5 # by user
  }
}

dataset "mt_mind2web" {
  format = "mt_mind2web"
  path   = "sample/mt_mind2web"
  split {
    folds = 5 # by conversation
  }
}

ablation "full_context" {}
ablation "no_utterance" {}
ablation "actions_only" {}
ablation "visible_graph_only" {}
ablation "graph_text_hybrid" {}

method "majority" {
  uses = "majority"
}

method "prior" {
  uses = "stratified_prior"
}

method "knn" {
  uses = "tfidf_knn"
  k    = 1
}

method "bayes" {
  uses = "naive_bayes"
}

method "wl" {
  uses = "wl_kernel"
}

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
  judges    = [judge.semantic]
  baseline  = { closed = method.majority, open = method.knn }
}
