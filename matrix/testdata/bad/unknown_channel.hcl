experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "a" {
  text  = ["action", "utterence"]
  graph = []
}
method "majority" { uses = "majority" }
