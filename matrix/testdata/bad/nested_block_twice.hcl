experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "m" {
  uses    = "command"
  command = ["a"]
  timeouts {}
  timeouts {}
}
