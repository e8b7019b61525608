# A first experiment: two small datasets, three views, four methods, one judge.
#
#   intentlab validate experiment.hcl   checks this file and shows the line of any mistake
#   intentlab plan experiment.hcl       lists the cells and what they would cost; runs nothing
#   intentlab run experiment.hcl        runs what is missing; the same command resumes it
#   intentlab report                    prints the tables again
#
# Paths are relative to this file. The data below sample/ is invented (see its README): replace the
# paths by downloaded sets when you want results.

experiment "first" {
  description = "What the sample data can show"
  seeds       = [1]                    # for methods that draw; those that don't run once
  store       = "output/experiment.db" # answers, verdicts and scores; safe to interrupt at any time
  # ratios    = ["0.1", "0.2", ...]  # how much of an episode a method sees; 0.1 to 1.0 by default
}

# A dataset is a folder in a known format (`intentlab datasets` lists them).
dataset "weblinx" {
  format = "weblinx"
  path   = "sample/weblinx"
  split {
    folds = 5 # every episode is tested once; without this block 0.6/0.2/0.2 train/dev/test
  }
}

dataset "mind2web" {
  format = "mind2web"
  path   = "sample/mind2web"
  # limit = 50 # a seeded sample, for a quick look at a large set
  split {
    folds = 5
  }
}

# Chinese text is outside the embedded English encoder's vocabulary, so its answers are compared by
# characters. Uncomment to add it.
#
# dataset "fingertip" {
#   format = "fingertip"
#   path   = "sample/fingertip"
#   judges = [judge.chrf]
#   split {
#     folds = 5
#   }
# }

# An ablation says what a method may see. A preset's name alone takes the preset
# (`intentlab ablations` lists them).
ablation "full_context" {}
ablation "no_utterance" {}
ablation "graph_text_hybrid" {}

# A method predicts the closed label and the open intent of each prefix (`intentlab methods`).
method "majority" {
  uses = "majority"
}

method "knn" {
  for_each = { k1 = 1, k5 = 5 } # method.knn["k1"] and method.knn["k5"]
  uses     = "tfidf_knn"
  k        = each.value
}

method "bayes" {
  uses = "naive_bayes"
}

method "graph" {
  uses = "wl_kernel" # needs a graph: "n/a" where the ablation shows none
}

# Your own method: any program that reads and writes JSON lines. This one is in python/.
#
# method "mine" {
#   uses     = "command"
#   protocol = "worker"
#   command  = ["python3", "python/worker_predictor.py"]
# }

# A judge scores open intents between 0 and 1. The first one of the matrix is the primary one.
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
  baseline  = { closed = method.majority, open = method.knn["k1"] } # what gains are measured against
}
