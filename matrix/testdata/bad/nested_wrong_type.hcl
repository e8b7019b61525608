experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  split {
    folds = "many"
  }
}
ablation "full_context" {}
method "majority" { uses = "majority" }
