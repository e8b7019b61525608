experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "a" {
  for_each = { k1 = 1 }
  uses     = "majority"
}
method "a-k1" { uses = "majority" }
