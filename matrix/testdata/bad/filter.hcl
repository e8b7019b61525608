experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  filter {
    min_steps = 5
    max_steps = 2
    min_score = 9
  }
}
ablation "full_context" {}
method "majority" { uses = "majority" }
