experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  split {
    official {
      train = ["train"]
      dev   = 1.5
      test  = []
    }
  }
}
ablation "full_context" {}
method "majority" { uses = "majority" }
