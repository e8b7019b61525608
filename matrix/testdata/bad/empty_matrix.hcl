experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "m" {
  for_each = toset([])
  uses     = "majority"
}
