experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  split {
    train = 0.6
    folds = 5
  }
}
ablation "full_context" {}
method "majority" { uses = "majority" }
