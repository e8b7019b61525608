experiment "e" {
  evaluat = "test"
  seeds   = [1, 1]
}
dataset "d" {
  format = "episods"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "m" { uses = "majorty" }
matrix {
  methods = [method.x]
}
