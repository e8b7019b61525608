experiment "e" {}

dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  split {
    train = 0.8
    dev   = 0.2
    test  = 0
  }
}

ablation "full_context" {}

method "majority" { uses = "majority" }

matrix {
  datasets  = "*"
  ablations = "*"
  methods   = "*"
}
