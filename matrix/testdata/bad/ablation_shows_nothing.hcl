experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "a" {
  text  = []
  graph = []
}
method "majority" { uses = "majority" }
