experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
judge "j" {
  uses = "embedding"
  lo   = 0.9
  hi   = 0.2
}
