experiment "e" {}
locals {
  a = 1
}
locals {
  a = 2
}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
