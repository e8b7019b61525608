experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
ablation "a" {
  text      = ["action"]
  reference = ablation.a
}
method "majority" { uses = "majority" }
