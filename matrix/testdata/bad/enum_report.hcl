experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
report "r" {
  tables  = ["main", "per_ration"]
  formats = ["cvs"]
}
