experiment "e" {}
locals { data = { folder = "x" } }
dataset "d" {
  format = "episodes"
  path   = local.data.foldr
}
ablation "full_context" {}
method "majority" { uses = "majority" }
