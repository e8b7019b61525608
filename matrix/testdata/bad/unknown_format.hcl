experiment "e" {}
dataset "d" {
  format = "episods"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
