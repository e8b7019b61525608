experiment "e" {}
locals { folder = "x" }
dataset "d" {
  format = "episodes"
  path   = "${local.foldr}/d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
