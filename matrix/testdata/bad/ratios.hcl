experiment "e" {
  ratios = ["0.1", "1.5", "0.1234", 0.25, "0.25", "0.2", true]
}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
