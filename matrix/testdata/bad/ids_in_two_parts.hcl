experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  split {
    ids {
      train = ["a", "b"]
      test  = ["b"]
    }
  }
}
ablation "full_context" {}
method "majority" { uses = "majority" }
