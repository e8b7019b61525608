# Methods that are programs: the two example predictors of python/, one a protocol, beside a built-in
# one. They need python3 and nothing else.
#
#   intentlab run experiments/command.hcl

experiment "command" {
  description = "Two Python predictors over the command protocols, on invented sample data"
  seeds       = [1]
  ratios      = ["0.25", "0.5", "0.75", "1.0"]
  store       = "../output/command.db"
}

dataset "mind2web" {
  format = "mind2web"
  path   = "sample/mind2web"
}

dataset "gui_odyssey" {
  format = "gui_odyssey"
  path   = "sample/gui_odyssey"
}

dataset "fingertip" {
  format = "fingertip"
  path   = "sample/fingertip"
  judges = [judge.chrf]
}

ablation "full_context" {}
ablation "graph_text_hybrid" {}

# One JSON line in, one out; no training data, only the candidate labels.
method "keywords" {
  uses    = "command"
  command = ["python3", "python/lines_predictor.py"]
}

# Learns from the training examples; what it learnt is stored and loaded again by every worker.
method "python_bayes" {
  uses     = "command"
  protocol = "worker"
  command  = ["python3", "python/worker_predictor.py"]
  workers  = 2
  timeouts {
    start  = "30s"
    fit    = "5m"
    answer = "30s"
  }
}

method "bayes" {
  uses = "naive_bayes"
}

method "majority" {
  uses = "majority"
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
  baseline  = { closed = method.majority } # open: no nearest neighbour is declared, so no gain
}
