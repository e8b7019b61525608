experiment "e" {}
dataset "d" {
  format = "fingertip"
  path   = "d"
  split {
    by = "usr"
  }
}
ablation "full_context" {}
method "majority" { uses = "majority" }
