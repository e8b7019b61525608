experiment "e" {}
variable "limit" { default = 5 }
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
  limit  = var.limt
}
ablation "full_context" {}
method "majority" { uses = "majority" }
