experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
method "nb" { uses = "naive_bayes" }
matrix {
  methods = [method.nb]
  exclude {
    methods = [method.majority]
  }
}
