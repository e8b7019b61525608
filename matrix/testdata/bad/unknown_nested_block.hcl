experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  splt {
    train = 0.5
  }
}
ablation "full_context" {}
method "majority" { uses = "majority" }
