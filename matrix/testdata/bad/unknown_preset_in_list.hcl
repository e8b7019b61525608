experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "a" {
  presets = ["full_context", no_ulr]
}
method "majority" { uses = "majority" }
