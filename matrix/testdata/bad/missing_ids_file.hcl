experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  split {
    ids {
      test = "absent.txt"
    }
  }
}
ablation "full_context" {}
method "majority" { uses = "majority" }
