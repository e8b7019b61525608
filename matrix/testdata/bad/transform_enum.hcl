experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "a" {
  presets    = concat(["full_context"], ["no_ulr"])
  transforms = ["hide_ration"]
}
method "majority" { uses = "majority" }
