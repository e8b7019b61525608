experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "a" {
  text       = ["action"]
  transforms = ["structure_only"]
}
method "majority" { uses = "majority" }
