experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  split {
    train = 0.7
    dev   = 0.2
    test  = 0.2
  }
}
ablation "full_context" {}
method "majority" { uses = "majority" }
