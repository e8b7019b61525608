experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
matrix {
  methods = [method, method[0], method.majority.x.y, "method.", 1]
}
