experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
budget {
  usd      = -1
  requests = 1.5
}
