experiment "e" {}
dataset "d" {
  format = "episodes"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
