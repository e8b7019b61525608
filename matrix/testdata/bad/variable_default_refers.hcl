experiment "e" {}
variable "a" { default = 1 }
variable "b" { default = var.a }
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
method "majority" { uses = "majority" }
