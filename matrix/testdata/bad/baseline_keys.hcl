experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
matrix {
  baseline = { (null) = method.majority, "closed" = method.majority, closed = method.majority }
}
