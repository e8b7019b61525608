experiment "e" {
  seeds = [1, 2, 1, 1.5, "x"]
}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
