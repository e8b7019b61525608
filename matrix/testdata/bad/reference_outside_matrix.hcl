experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
ablation "a" {
  text      = ["action"]
  reference = ablation.full_context
}
method "majority" { uses = "majority" }
matrix {
  ablations = [ablation.a]
}
