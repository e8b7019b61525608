experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = vra.data
}
ablation "full_context" {}
method "majority" { uses = "majority" }
