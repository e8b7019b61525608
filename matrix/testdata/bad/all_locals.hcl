experiment "e" {}
locals { a = local }
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
