experiment "e" {}
locals {
  a = local.b
  b = "x${local.c}"
  c = local.a
}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
