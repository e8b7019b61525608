experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_contxt" {}
method "majority" { uses = "majority" }
