experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = uper("d")
}
ablation "full_context" {}
method "majority" { uses = "majority" }
